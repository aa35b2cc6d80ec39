"""Train a classifier under a label budget, and freeze it for certification."""
