"""Populations with known truth, and experiments on them."""
