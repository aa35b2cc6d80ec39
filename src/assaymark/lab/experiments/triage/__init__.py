"""Whether each rule of triage keeps its promise."""
