"""When to stop training."""
