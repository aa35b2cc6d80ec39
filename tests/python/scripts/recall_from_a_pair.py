"""Recall of two classifiers from labels of what they flag."""

import numpy as np

import assaymark

rng = np.random.default_rng(4)
truth = rng.random(5000) < 0.1
pool = {
    "id": list(range(5000)),
    "a": truth & (rng.random(5000) < 0.8) | (rng.random(5000) < 0.02),
    "b": truth & (rng.random(5000) < 0.7) | (rng.random(5000) < 0.02),
}
work = assaymark.recall_from_pairs(pool, ["a", "b"], labels=200, seed=4)
answer = work.run(lambda item: bool(truth[item.id]))
print(answer)
assert answer.estimate.labels == 200
