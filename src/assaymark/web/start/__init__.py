"""The start page: several projects in one server, and new ones from a table that somebody uploads."""
