"""Precision in every region, proved together."""

import numpy as np
import polars as pl

import assaymark

rng = np.random.default_rng(8)
truth = rng.random(3000) < 0.4
pool = pl.DataFrame(
    {
        "id": [f"d{i}" for i in range(3000)],
        "verdict": np.where(rng.random(3000) < 0.97, truth, ~truth),
        "region": np.array(["north", "south", "west"])[np.arange(3000) % 3],
    }
)
claim = "precision >= 0.8 in every region"
work = assaymark.certify_parts(pool, claim, group="region", prediction="verdict", seed=8)
found = work.run(lambda item: bool(truth[int(item.id[1:])]), batch=60, max_labels=1500)
print(found)
assert found.established
print(found.to_frame())
