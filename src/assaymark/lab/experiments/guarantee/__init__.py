"""How often guaranteed figures of estimates err."""
