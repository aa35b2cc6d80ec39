"""Stratified estimates and their intervals: pure functions."""
