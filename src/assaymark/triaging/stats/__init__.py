"""Cut-offs, their promises and the labels they need: pure functions."""
