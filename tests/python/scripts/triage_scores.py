"""Which scores need no human, at an accuracy of 95 %."""

import numpy as np

import assaymark

rng = np.random.default_rng(5)
score = rng.beta(0.4, 0.4, 3000)
truth = rng.random(3000) < score
answer = assaymark.triage(y_score=score, y_true=truth, target=0.9)
print(answer.thresholds.promise)
assert answer.established
assert answer.plot().svg.startswith("<svg")
print(answer.to_frame())
assert 0 < answer.thresholds.automated_share < 1
