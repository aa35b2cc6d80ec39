"""Screen records in rank order, and stop when nine tenths of the relevant ones are found for sure."""

import numpy as np

import assaymark

rng = np.random.default_rng(12)
relevant = rng.random(600) < 0.2
words = np.array([f"w{i}" for i in range(60)])
titles = [
    " ".join([*rng.choice(words, 6), *(["trial", "placebo"] if yes else ["mouse", "model"])])
    for yes in relevant
]
records = {"id": list(range(600)), "title": titles}
work = assaymark.review(records, text="title", recall=0.8, terms=["trial"])
found = work.run(lambda item: bool(relevant[item.id]), batch=60)
print(found)
assert found.established
assert found.labels < 600
print(work.certify().path.name, work.report().name)
