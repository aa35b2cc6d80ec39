"""The statistics of what watches a promise after its certificate."""
