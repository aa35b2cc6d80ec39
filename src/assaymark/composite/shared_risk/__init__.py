"""One risk for all claims about one subject: accounts, stakes, and how they are checked."""
