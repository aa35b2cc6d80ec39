"""What is shown of a claim of several parts before and after its verdict; nothing here is recorded."""
