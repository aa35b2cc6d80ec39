"""Commands: lock, gate, export."""
