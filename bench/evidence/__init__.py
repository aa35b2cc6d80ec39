"""`make evidence`: run the lab step by step, and turn what it found into records."""
