"""The command train, and what it shows."""
