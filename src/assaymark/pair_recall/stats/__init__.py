"""Capture and recapture over the cells of overlapping classifiers: pure functions."""
