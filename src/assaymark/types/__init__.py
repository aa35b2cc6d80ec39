"""Frozen nouns that cross rooms. They check themselves and compute nothing."""
