"""Recall of rare topics from classifiers that overlap."""
