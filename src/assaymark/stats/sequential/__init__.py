"""Tests that may be looked at on the way, under simple random sampling."""
