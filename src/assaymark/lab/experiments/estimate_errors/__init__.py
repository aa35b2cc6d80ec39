"""Errors of estimates beside published rivals, cell by cell, with the reason where one is ahead."""
