"""The whole project across capabilities: status, check, dossier, watch, report."""
