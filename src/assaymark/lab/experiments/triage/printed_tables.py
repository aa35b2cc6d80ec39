"""Tables 3 to 5 and figures 1 and 2 of Kraaij, Raaijmakers and Elzinga (2009), on what is at hand.

The police files and the challenge's mailboxes cannot be had. In their place: tweets that are hateful
or only offensive (as hard as the paper's files, and as many of each), and mail whose training part
comes from another source than the mailboxes: three users, each with mail of a kind of its own.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.errors import InputError
from assaymark.lab.corpora import learning, read_collection
from assaymark.lab.experiments.triage.diffusion import DiffusionMachine, train_machine
from assaymark.lab.tasks import Task, TaskResult, rng_of
from assaymark.pool.duckdb import connect
from assaymark.pool.sources import quoted
from assaymark.stats.calibration import platt
from assaymark.stats.labelled_scores import Labelled
from assaymark.triaging.stats.cutoffs import tally
from assaymark.triaging.stats.optimal_cutoffs import best_cutoffs, sweep, yield_curve

TARGET = 0.9
TRAINING, POSITIVE, DEVELOPMENT = 1536, 0.63, 200  # of the paper's files: 1,101 of 1,736 positive
TEST, TEST_POSITIVE = 2291, 541
SAMPLE = 1000
KEYWORDS = 40
TARGETS = tuple(round(0.6 + 0.02 * k, 2) for k in range(20))
# user: mail of each group in the box; training mail comes from the first ham and the first spam
USERS = {
    "user 0": {"hard-ham-1": 250, "spam-2": 250},
    "user 1": {"easy-ham-2": 350, "hard-ham-1": 150, "spam-2": 500},
    "user 2": {"easy-ham-2": 600, "spam-2": 600},
}
SOURCE = {"easy-ham-1": 1000, "spam-1": 500}
DEVELOPED = 0.2  # of a box, as in the paper: 500 of 2,500


@dataclass(frozen=True, kw_only=True)
class PrintedTask(Task):
    """The paper's tables on one collection, once."""

    shown = "printed tables, {0.kind}, run {0.repeat}"

    path: Path
    kind: str
    seed: int
    repeat: int


def printed_tasks(path: Path, seed: int, runs: int) -> list[PrintedTask]:
    """The tasks of a collection; none where the paper has nothing like it."""
    kinds = {"davidson_perspective": "files", "spamassassin": "mail"}
    kind = kinds.get(read_collection(path).name)
    repeats = range(max(1, runs // 20)) if kind else range(0)
    return [PrintedTask(path=path, kind=kind or "", seed=seed, repeat=i) for i in repeats]


def run_printed(task: PrintedTask) -> TaskResult:
    """The rows of one run."""
    rng = rng_of(task.seed, "printed tables", task.kind, str(task.repeat))
    made = _files(task, rng) if task.kind == "files" else _mail(task, rng)
    return {"rows": [{"run": task.repeat, **row} for row in made]}


def _files(task: PrintedTask, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Table 3 and 4: training with many positives, a test with few, as the paper's files."""
    collection = read_collection(task.path)
    rows = np.flatnonzero(collection.labels("offensive"))
    positive = collection.labels("hate")
    hits, misses = (rng.permutation(rows[positive[rows] == side]) for side in (True, False))
    most = len(hits) - TEST_POSITIVE
    known = round(POSITIVE * (TRAINING + DEVELOPMENT))
    taken = min(known, most)
    others = round(taken * (1 - POSITIVE) / POSITIVE)
    learned = rng.permutation(np.concatenate([hits[:taken], misses[:others]]))
    test = rng.permutation(
        np.concatenate([hits[taken:][:TEST_POSITIVE], misses[others:][: TEST - TEST_POSITIVE]])
    )
    dev, train = learned[:DEVELOPMENT], learned[DEVELOPMENT:]
    texts = collection.texts
    keyword = _keyword_accuracy(texts, positive, train, test)
    lines = [{"table": "3", "on": "test", "way": "keywords", "accuracy": keyword, "yield": 1.0}]
    for form in ("geodesic", "heat"):
        machine = train_machine(texts[train], positive[train], form=form)
        scores = machine.scores(texts[test])
        accuracy = float(((scores > 0) == positive[test]).mean())
        lines.append({"table": "3", "on": "test", "way": form, "accuracy": accuracy, "yield": 1.0})
        if form == "geodesic":
            lines += _ternary(machine, texts, positive, dev, test, rng)
    return lines


def _keyword_accuracy(texts: Any, labels: Any, train: Any, test: Any) -> float:
    """The words most tied to the positives, counted; the cut on the count that is best in training."""
    words = learning("feature_extraction.text").CountVectorizer(
        binary=True, min_df=5, max_features=20_000
    )
    matrix = words.fit_transform(texts[train])
    inside, rest = (
        np.asarray(matrix[labels[train] == side].mean(axis=0)).ravel() for side in (1, 0)
    )
    chosen = np.argsort(-(np.log(inside + 1e-3) - np.log(rest + 1e-3)))[:KEYWORDS]
    counts = np.asarray(matrix[:, chosen].sum(axis=1)).ravel()
    cuts = range(1, int(counts.max()) + 2)
    best = max(cuts, key=lambda cut: float(((counts >= cut) == labels[train]).mean()))
    hits = np.asarray(words.transform(texts[test])[:, chosen].sum(axis=1)).ravel()
    return float(((hits >= best) == labels[test]).mean())


def _ternary(
    machine: DiffusionMachine,
    texts: Any,
    labels: Any,
    dev: NDArray[np.int64],
    test: NDArray[np.int64],
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    """Table 4 and figure 1: cut-offs for the target on development items, then on the test."""
    parts = {"development": dev, "test": test}
    for letter in "ABC":
        parts[f"sample {letter}"] = rng.choice(test, min(SAMPLE, len(test)), replace=False)
    scored = {
        name: Labelled(scores=machine.scores(texts[part]), labels=labels[part])
        for name, part in parts.items()
    }
    rows = []
    for size in (100, DEVELOPMENT):
        few = Labelled(
            scores=scored["development"].scores[:size], labels=scored["development"].labels[:size]
        )
        cutoffs = best_cutoffs(sweep(few), TARGET)
        names = list(scored) if size == DEVELOPMENT else ["test"]
        for name in names:
            counts = tally(few if name == "development" else scored[name], cutoffs)
            row = {"on": name, "accuracy": counts.accuracy, "yield": counts.automated_share}
            rows.append({"table": "4", "way": f"{size} development items", **row})
    curve = platt(scored["development"])
    chance = curve.at(scored["test"].scores)
    right = (scored["test"].scores > 0) == scored["test"].labels
    for low in np.arange(0.0, 1.0, 0.1):
        inside = (chance >= low) & (chance < low + 0.1 + (low > 0.85))
        if int(inside.sum()) >= 20:
            share = float(right[inside].mean())
            rows.append(
                {"table": "figure 1", "on": f"{low:.1f}", "way": "geodesic", "accuracy": share,
                 "yield": float(inside.mean())}
            )  # fmt: skip
    return rows


def _mail(task: PrintedTask, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Table 5 and figure 2: three boxes unlike the training mail; subjects alone, to be hard."""
    groups = _mail_groups(task.path)
    train = _drawn(groups, SOURCE, rng)
    rows: list[dict[str, Any]] = []
    machine = train_machine(train[0], train[1], form="geodesic")
    for user, wanted in USERS.items():
        texts, labels = _drawn(groups, wanted, rng)
        size = round(DEVELOPED * len(labels))
        scores = machine.scores(texts)
        dev = Labelled(scores=scores[:size], labels=labels[:size])
        rest = Labelled(scores=scores[size:], labels=labels[size:])
        cutoffs = best_cutoffs(sweep(dev), TARGET)
        counts = tally(rest, cutoffs)
        binary = float(((rest.scores > 0) == rest.labels).mean())
        rows += [
            {"table": "5", "on": user, "way": "binary", "accuracy": binary, "yield": 1.0},
            {"table": "5", "on": user, "way": "ternary", "accuracy": counts.accuracy,
             "yield": counts.automated_share},
            {"table": "5", "on": user, "way": "positives of development and test",
             "accuracy": float(dev.labels.sum()), "yield": float(rest.labels.sum())},
        ]  # fmt: skip
        rows += [
            {"table": "figure 2", "on": user, "way": f"{point.target:g}",
             "accuracy": point.target, "yield": point.automated_share}
            for point in yield_curve(sweep(rest), TARGETS)
        ]  # fmt: skip
    return rows


def _mail_groups(path: Path) -> dict[str, tuple[NDArray[Any], bool]]:
    connection = connect()
    try:
        rows = connection.execute(
            f"SELECT \"group\", coalesce(subject, ''), is_spam FROM read_parquet({quoted(str(path))}) "
            "ORDER BY id"
        ).fetchall()
    finally:
        connection.close()
    groups = {}
    for name in dict.fromkeys(row[0] for row in rows):
        members = [row for row in rows if row[0] == name]
        groups[name] = (np.array([row[1] for row in members], dtype=object), bool(members[0][2]))
    missing = sorted({*SOURCE, *(g for user in USERS.values() for g in user)} - set(groups))
    if missing:
        raise InputError(f"{path.name} has no mail of the groups {', '.join(missing)}.")
    return groups


def _drawn(
    groups: dict[str, tuple[NDArray[Any], bool]], wanted: dict[str, int], rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """This many mails of each group, mixed."""
    texts, labels = [], []
    for name, count in wanted.items():
        members, spam = groups[name]
        chosen = rng.choice(len(members), min(count, len(members)), replace=False)
        texts.append(members[chosen])
        labels.append(np.full(len(chosen), spam))
    order = rng.permutation(sum(map(len, texts)))
    return np.concatenate(texts)[order], np.concatenate(labels)[order].astype(np.bool_)
