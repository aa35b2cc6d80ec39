"""Does training end inside its budget? One run per topic of a collection, from no label to the verdict.

    python bench/training_advice.py newsgroups20.parquet --topics 10 --items 4000 --budget 1200

The file has the columns id, text and label (the topic of each text). For every topic a project is
begun, trained as advised, frozen and certified with the labels that the budget has left. Printed:
what the advice was, the forecast of the total when training stopped and the labels really used, and
the share of topics that were certified inside the budget, or for which certifying was advised
against and the claim is false.
"""

import argparse
import tempfile
from pathlib import Path

import duckdb

from assaymark.certification.drawing import draw_batch
from assaymark.certification.looks import look
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.pool import Columns
from assaymark.training.freeze import stop_training
from assaymark.training.rounds import train
from assaymark.training.settings import TrainWish


def run(pool: Path, truth: dict[str, int], claim: str, budget: int) -> dict[str, object]:
    """One topic from its first label to the verdict."""
    # the head of a ledger is written a moment later and may come in between
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place) / "work"
        init(folder, pool=str(pool), columns=Columns(id="id", text=("text",)))
        project = Project(folder=folder)
        done = train(
            project, TrainWish(claim=parse_claim(claim), budget=budget, seed="s"), write=True
        )
        for _ in range(40):
            state = project.state()
            items = [i for i in state.surveys[-1].order if not state.labelled(i)]
            tell(project, items, truth)
            done = train(project, TrainWish(), write=False)
            if done.advice is not None and done.advice.action != "train":
                break
        advice = done.advice
        used = len(project.state().surveys[-1].order)
        if advice is None or advice.action != "certify":
            return {"advice": "reconsider", "labels": used, "forecast": None, "passed": False}
        stop_training(project, seed="c")
        passed = False
        while used < budget and not passed:
            batch = draw_batch(project, count=min(50, budget - used), write=False)
            tell(project, batch.items, truth)
            used += len(batch.items)
            verdict = look(project).verdict
            passed = verdict.decision == "pass"
            if verdict.decision == "fail":
                break
        return {"advice": "certify", "labels": used, "forecast": advice.total, "passed": passed}


def tell(project: Project, items: object, truth: dict[str, int]) -> None:
    """Label these items from the truth."""
    label(project, [LabelRow(item=i, label=truth[i], annotator="truth") for i in items])  # type: ignore[attr-defined]


def main() -> None:
    """Run the topics and print what happened."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--topics", type=int, default=10)
    parser.add_argument("--items", type=int, default=4000)
    parser.add_argument("--budget", type=int, default=1200)
    parser.add_argument("--claim", default="f1 >= 0.6")
    parser.add_argument("--topic-column", default="label")
    options = parser.parse_args()
    source = f"read_parquet('{options.data}')"
    topic = options.topic_column
    rows = duckdb.sql(
        f"SELECT CAST(id AS VARCHAR), text, CAST({topic} AS VARCHAR) FROM {source} "
        f"ORDER BY hash(id) LIMIT {options.items}"
    ).fetchall()
    names = sorted({row[2] for row in rows})[: options.topics]
    good = 0
    with tempfile.TemporaryDirectory() as place:
        pool = Path(place) / "pool.parquet"
        from assaymark.pool.tables import write_table

        write_table(pool, {"id": [r[0] for r in rows], "text": [r[1] for r in rows]})
        for number, name in enumerate(names, start=1):
            truth = {row[0]: int(row[2] == name) for row in rows}
            found = run(pool, truth, options.claim, options.budget)
            good += bool(found["passed"])
            print(
                f"{name:<28} {found}  certified inside the budget: {good} of {number}", flush=True
            )


if __name__ == "__main__":
    main()
