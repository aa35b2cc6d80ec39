"""Where may the cut-off be so that recall stays above 0.8?"""

import numpy as np

import assaymark

rng = np.random.default_rng(13)
score = rng.random(2000)
truth = rng.random(2000) < score**2
work = assaymark.cutoff(claim="recall >= 0.8", y_score=score, at=[0.1, 0.2, 0.3, 0.4], seed=13)
found = work.run(lambda item: bool(truth[item.id]), batch=60, max_labels=500)
print(found)
assert found.established
assert found.bound is not None
