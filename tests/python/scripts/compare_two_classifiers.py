"""Is the new prompt better than the old one? Labels go where they differ."""

import numpy as np
import pandas as pd

import assaymark

rng = np.random.default_rng(6)
truth = rng.random(3000) < 0.3
frame = pd.DataFrame(
    {
        "id": range(3000),
        "old": np.where(rng.random(3000) < 0.85, truth, ~truth),
        "new": np.where(rng.random(3000) < 0.95, truth, ~truth),
    }
)
work = assaymark.compare(frame, a="old", b="new", seed=6)
found = work.run(lambda item: bool(truth[item.id]), batch=40, max_labels=600)
print(found)
assert found.decision == "better"
assert found.bound is not None
print(found.to_frame())
print(work.certify().path.name, work.verify().status)
