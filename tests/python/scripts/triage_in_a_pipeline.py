"""A triage classifier at the end of a scikit-learn pipeline."""

from collections import Counter

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import assaymark

rng = np.random.default_rng(11)
items = rng.normal(size=(3000, 2))
classes = (items[:, 0] + 0.5 * rng.normal(size=3000) > 0).astype(int)
triage = assaymark.TriageClassifier(LogisticRegression(), target=0.85)
model = make_pipeline(StandardScaler(), triage).fit(items[:2000], classes[:2000])
decisions = model.predict(items[2000:])
counts = Counter(str(decision) for decision in decisions)
print(dict(counts))
assert set(counts) == {"0", "1", "review"}
