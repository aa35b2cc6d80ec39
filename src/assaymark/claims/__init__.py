"""Claims: the grammar (words to a tree) and the linear form (a tree to rows of exact gains)."""
