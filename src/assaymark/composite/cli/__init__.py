"""Commands about claims of several rows, and what other commands do for such claims."""
