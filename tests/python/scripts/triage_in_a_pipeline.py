"""A triage classifier at the end of a scikit-learn pipeline, cross-validated."""

from collections import Counter

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
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
pipeline = make_pipeline(StandardScaler(), assaymark.TriageClassifier(target=0.85))
print("accuracy among automated", cross_val_score(pipeline, items, classes, cv=3))
yields = cross_val_score(pipeline, items, classes, cv=3, scoring=assaymark.yield_scorer)
print("yield", yields)
assert (yields > 0.2).all()
