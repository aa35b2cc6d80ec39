"""The pages people open, one file each; no statistics here."""
