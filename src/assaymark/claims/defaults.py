"""What is taken where nobody says otherwise."""

POWER = 0.93
"""Wanted chance that a claim which holds as expected is proven within the labels planned."""
