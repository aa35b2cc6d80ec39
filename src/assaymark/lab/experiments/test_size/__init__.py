"""Whether tests of the planned size pass as often as asked for."""
