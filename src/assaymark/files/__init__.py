"""Label files in and batches out, one file per format."""
