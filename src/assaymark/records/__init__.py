"""Frozen nouns that are stored: they check themselves and compute nothing."""
