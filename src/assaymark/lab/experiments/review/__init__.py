"""When reviews may stop: the certified end against reading everything and the usual rules."""
