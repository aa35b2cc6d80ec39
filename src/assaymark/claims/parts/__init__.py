"""Parts of claims that compare figures with each other: how each becomes rows."""
