"""Accept, review or reject by score, with a promise about what is automated."""
