"""Does training end inside its budget? One run per topic of a collection, from no label to the verdict.

    python bench/training_advice.py newsgroups20.parquet --topics 10 --items 4000 --budget 1200
    python bench/training_advice.py arxiv.parquet --text "title || ' ' || abstract" \\
        --topic-column categories --topic cs.CR --topic cs.RO
    python bench/training_advice.py crisislex.parquet --where "event = '2013_Boston_Bombings'" \\
        --name "Boston" --id tweet_id --topic-column "on_topic::int" --topic 1

The file has an id, texts and the topics of each text, one or several with ";" between them. For
every topic a project is begun, trained as advised, frozen and certified with the labels that the
budget has left. Printed: what was advised, the forecast of the total when training stopped (low,
most likely, high), the labels really used, the true F1, and two shares: of topics that were
certified inside the budget as advised, and of those where the advice was right. To judge advice
against certification, it is tried all the same: the advice was right where it does not pass inside
the budget.
"""

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path

import duckdb

from assaymark.certification.drawing import draw_batch
from assaymark.certification.looks import look
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.ledger.events import ClassifierFrozen
from assaymark.pool.tables import write_table
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.pool import Columns
from assaymark.training.freeze import stop_training
from assaymark.training.rounds import train
from assaymark.training.settings import TrainingRequest


def run(pool: Path, truth: dict[str, int], claim: str, budget: int) -> dict[str, object]:
    """One topic from its first label to the verdict."""
    # the head of a ledger is written a moment later and may come in between
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place) / "work"
        init(folder, pool=str(pool), columns=Columns(id="id", text=("text",)))
        project = Project(folder=folder)
        done = train(
            project, TrainingRequest(claim=parse_claim(claim), budget=budget, seed="s"), write=True
        )
        for _ in range(40):
            state = project.state()
            items = [i for i in state.surveys[-1].order if not state.labelled(i)]
            tell(project, items, truth)
            done = train(project, TrainingRequest(), write=False)
            if done.advice is not None and done.advice.action != "train":
                break
        advice = done.advice
        trained = used = len(project.state().surveys[-1].order)
        if advice is None:
            return {"advice": "none", "labels": used, "passed": False}
        frozen = stop_training(project, seed="c").frozen
        passed = False
        while used < budget and not passed:
            batch = draw_batch(project, count=min(50, budget - used), write=False)
            tell(project, batch.items, truth)
            used += len(batch.items)
            verdict = look(project).verdict
            passed = verdict.decision == "pass"
            if verdict.decision == "fail":
                break
        return {
            "advice": advice.action,
            "trained": trained,
            "labels": used,
            "forecast": (advice.total_low, advice.total, advice.total_high),
            "target": advice.target,
            "passed": passed,
            "f1": round(true_f1(folder, frozen, truth), 3),
        }


def true_f1(folder: Path, frozen: ClassifierFrozen, truth: dict[str, int]) -> float:
    """F1 of the frozen classifier on the items it is certified on."""
    columns = frozen.pool.columns
    rows = duckdb.sql(
        f"SELECT CAST({columns.id} AS VARCHAR), {columns.score} >= {frozen.threshold!r} "
        f"FROM read_parquet('{folder / frozen.pool.source}')"
    ).fetchall()
    both = sum(truth[item] for item, flagged in rows if flagged)
    return 2 * both / (sum(flagged for _, flagged in rows) + sum(truth[item] for item, _ in rows))


def tell(project: Project, items: object, truth: dict[str, int]) -> None:
    """Label these items from the truth."""
    label(project, [LabelRow(item=i, label=truth[i], annotator="truth") for i in items])  # type: ignore[attr-defined]


def topics_of(options: argparse.Namespace) -> tuple[list[str], list[tuple[str, str, set[str]]]]:
    """The topics to try, and the sampled rows: id, text, topics."""
    column = options.topic_column
    sample = duckdb.sql(
        f"SELECT CAST({options.id} AS VARCHAR), {options.text}, CAST({column} AS VARCHAR) "
        f"FROM read_parquet('{options.data}') WHERE {options.text} IS NOT NULL AND {options.where} "
        f"ORDER BY hash({options.id}) LIMIT {options.items}"
    ).fetchall()
    rows = [(item, text, set((topics or "").split(";"))) for item, text, topics in sample]
    if options.topic:
        return options.topic, rows
    counts = Counter(topic for _, _, topics in rows for topic in topics if topic)
    known = [topic for topic, count in counts.items() if count >= 0.02 * len(rows)]
    return sorted(known)[: options.topics], rows


def keep(options: argparse.Namespace, row: dict[str, object]) -> None:
    """Add one topic to the file of results."""
    path = options.output
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    setting = {"claim": options.claim, "budget": options.budget, "items": options.items}
    kept.append({"collection": options.name or options.data.stem, **setting, **row})
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Run the topics and print what happened."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--topics", type=int, default=10, help="so many, in the order of names")
    parser.add_argument("--topic", action="append", help="a topic by name; repeatable")
    parser.add_argument("--items", type=int, default=4000)
    parser.add_argument("--budget", type=int, default=1200)
    parser.add_argument("--claim", default="f1 >= 0.6")
    parser.add_argument("--id", default="id")
    parser.add_argument("--text", default="text", help="an SQL expression")
    parser.add_argument("--where", default="true", help="an SQL condition: a part of the file")
    parser.add_argument("--name", help="the collection's name in the results")
    parser.add_argument("--topic-column", default="label")
    parser.add_argument("--output", type=Path, help="a JSON file to which the topics are added")
    options = parser.parse_args()
    names, rows = topics_of(options)
    certified = right = 0
    with tempfile.TemporaryDirectory() as place:
        pool = Path(place) / "pool.parquet"
        write_table(pool, {"id": [r[0] for r in rows], "text": [r[1] for r in rows]})
        for number, name in enumerate(names, start=1):
            truth = {item: int(name in topics) for item, _, topics in rows}
            found = run(pool, truth, options.claim, options.budget)
            advised = found["advice"] == "certify"
            certified += bool(found["passed"]) and advised
            right += bool(found["passed"]) == advised
            if options.output is not None:
                keep(options, {"topic": name, "relevant": sum(truth.values()), **found})
            print(
                f"{name:<22} {sum(truth.values()) / len(truth):6.1%} relevant  {found}  "
                f"certified {certified}, advice right {right} of {number}",
                flush=True,
            )


if __name__ == "__main__":
    main()
