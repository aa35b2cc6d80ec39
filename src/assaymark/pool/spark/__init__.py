"""Pools that Spark reads."""
