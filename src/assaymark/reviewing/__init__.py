"""Ranked review with a certified end: read in any order, stop when the recall is proved."""
