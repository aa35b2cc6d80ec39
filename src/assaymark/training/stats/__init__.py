"""Learning curves, expected costs and when to stop training: pure functions."""
