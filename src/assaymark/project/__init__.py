"""A project folder: ledger, pool, users; how it begins, moves and is kept safe."""
