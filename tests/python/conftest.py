"""The scripts are run as their users run them, not imported."""

collect_ignore_glob = ["scripts/*", "run_cells.py"]
