"""Commands: estimates, and what labels that exist are worth."""
