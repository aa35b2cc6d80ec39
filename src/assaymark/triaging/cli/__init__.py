"""Commands: triage and its audit over time."""
