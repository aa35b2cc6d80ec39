"""Ask for items, label them elsewhere, tell the labels as a polars data frame."""

import polars as pl

import assaymark

scores = [i / 1000 for i in range(1000)]
pool = pl.DataFrame({"id": [f"d{i}" for i in range(1000)], "score": scores})
work = assaymark.certify(pool, "f1 >= 0.8", threshold=0.5, mode="anytime", seed="example")
while work.verdict().decision == "continue":
    items = work.ask(30)
    names = [item.id for item in items]
    labels = pl.DataFrame({"id": names, "label": [int(name[1:]) >= 500 for name in names]})
    done = work.tell(labels, annotator="kim")
    assert done.recorded == len(items)
print(work.verdict())
assert work.verdict().established
