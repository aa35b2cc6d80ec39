"""Commands: recall, keywords, pair."""
