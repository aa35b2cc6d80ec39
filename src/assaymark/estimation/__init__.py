"""Estimate metrics from a stratified sample, with intervals."""
