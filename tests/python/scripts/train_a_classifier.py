"""Grow a text classifier under a label budget, freeze it, and certify it."""

import numpy as np

import assaymark

rng = np.random.default_rng(2)
relevant = rng.random(2000) < 0.3
words = np.array([f"w{i}" for i in range(200)])
texts = [
    " ".join([*rng.choice(words, 8), *(["rover", "mars"] if yes else ["soup", "bread"])])
    for yes in relevant
]
pool = {"id": list(range(2000)), "body": texts}
work = assaymark.train(pool, "f1 >= 0.7", text="body", budget=600, seed=2)
work.run(lambda item: bool(relevant[item.id]), max_labels=300)
print(work.advice)
certification = work.stop(seed="plan")
verdict = certification.run(lambda item: bool(relevant[int(item.id)]), batch=30, max_labels=500)
print(verdict)
assert verdict.established
