"""Estimate accuracy within a few points from as few labels as possible."""

import numpy as np

import assaymark

rng = np.random.default_rng(3)
score = rng.random(4000)
truth = rng.random(4000) < score
work = assaymark.estimate(y_score=score, threshold=0.5, metric="accuracy", within=0.05, seed=3)
print(work.design.labels, "labels planned")
found = work.run(lambda item: bool(truth[item.id]))
accuracy = found["accuracy"]
print(found)
assert accuracy.low is not None
assert accuracy.high is not None
assert accuracy.low < float(np.mean((score >= 0.5) == truth)) < accuracy.high
print(found.to_frame())
