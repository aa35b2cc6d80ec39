"""The page in the browser: label, watch, plan, decide, read. No statistics here."""
