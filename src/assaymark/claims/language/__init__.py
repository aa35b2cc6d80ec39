"""The language of claims: words to a tree, with slips pointed at."""
