"""A bound and a table of metrics from y_true and y_pred."""

import numpy as np

import assaymark

rng = np.random.default_rng(7)
y_true = rng.random(800) < 0.3
y_pred = np.where(rng.random(800) < 0.9, y_true, ~y_true)
f1 = assaymark.bound("f1", y_true, y_pred, sample="random", confidence=0.9)
print(f1)
assert f1.point is not None
assert f1.bound < f1.point
table = assaymark.metrics(y_true, y_pred, sample="random")
print(table.to_frame())
assert table["accuracy"].low < 0.9 < table["accuracy"].high
