"""Recall from classifiers that overlap."""
