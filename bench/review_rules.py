"""Stopping rules of reviews on one collection: what each reads, and how often it ends below its target.

python bench/review_rules.py arxiv_cs.parquet               12 topics in 20,000 records, 2 runs each
python bench/review_rules.py arxiv_cs.parquet 4 FOLDER      4 runs; what is in FOLDER is not run again

The runs are those of `assaymark lab review --full`; with ASSAYMARK_PERFORMANCE=FILE every mean is kept
there as a record for docs/evidence.
"""

import sys
from pathlib import Path

from assaymark.lab.experiments.review import experiment
from assaymark.lab.tasks import Order
from measure import keep

BARS = {"arxiv_cs": {0.8: 0.43, 0.9: 0.58, 0.95: 0.70}}
"""Shares that the certified end has to stay below, on twelve topics in 20,000 abstracts."""


def main() -> int:
    path = Path(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    folder = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    outcome = experiment.review(Order(data=(path,), runs=runs, folder=folder, full=True))
    good = True
    for row in outcome.tables["means"]:
        own = row["rule"] == "certified end"
        bar = BARS.get(row["collection"], {}).get(row["target"]) if own else None
        name = (
            f"review to recall {row['target']:g}, {row['topics']} topics of {row['collection']} in "
            f"{row['items']:,} records, {row['rule']}: share read ({row['below']} of {row['runs']} "
            "runs ended below)"
        )
        keep(
            name,
            row["share_read"],
            bar,
            "share",
            command=f"{Path(__file__).name} {path.name} {runs}",
        )
        over = bar is not None and row["share_read"] > bar
        good &= not over
        print(f"{'OVER' if over else 'ok  '}  {row['share_read']:.3f}  {name}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
