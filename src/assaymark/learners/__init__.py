"""Text features and classifiers that rank items and grow with their labels."""
