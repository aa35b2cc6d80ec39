"""The built-in text side: keyword filters, views of a text, and a small learner."""
