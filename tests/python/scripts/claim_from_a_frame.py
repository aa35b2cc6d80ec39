"""Prove recall from a pandas data frame, with labels from a function."""

import numpy as np
import pandas as pd

import assaymark

rng = np.random.default_rng(1)
relevant = rng.random(5000) < 0.1
frame = pd.DataFrame(
    {
        "doc": range(5000),
        "score": 1 / (1 + np.exp(-rng.normal(np.where(relevant, 3.0, -3.0), 1.0))),
        "body": [f"document {i}" for i in range(5000)],
    }
)


def label(item: assaymark.Item) -> bool:
    return bool(relevant[item.id])


work = assaymark.certify(
    frame, "recall >= 0.8", id="doc", threshold=0.5, text="body", expect=0.95, seed=1
)
verdict = work.run(label, batch=50, max_labels=3000)
print(verdict)
assert verdict.established
assert verdict.bound >= 0.8
assert verdict.labels < 1000
certificate = work.certify()
print(certificate.path.name, work.verify().status)
