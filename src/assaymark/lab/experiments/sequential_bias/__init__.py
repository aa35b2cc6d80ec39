"""What repeated testing does to bounds made for one test."""
