"""How often an open claim is said to look false: true claims at any look, and false ones how early.

    python bench/looks_false.py                       # the table
    python bench/looks_false.py --runs 40 --json      # fewer runs of each claim; the rows as JSON
    python bench/looks_false.py --keep docs/evidence/looks-false.json

Claims of several parts on made collections whose labels are known, sealed by the product and drawn as
it draws. `on the target`: the truth of every part is its target, or just above, the hardest case; `one
on it`: of one part alone; `false`: no part holds, or one does not. A run ends when the claim is decided
or after `--most` labels, and is looked at after every draw. `warned` is the share of runs in which the
product's rule speaks at any look (`src/assaymark/stats/betting/rulings.py`), `at 20`, `at 5` what it
would be with another goal, `pointwise` what a rule is worth that asks at every 20 labels whether 95 %
of the worlds that they leave likely miss the target, each look by itself. `after` is the median share
of the labels until the end of its run at which a false claim was warned of.
"""

import argparse
import json
import math
import statistics
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from assaymark.api.several_parts import certify_parts, compare, cutoff
from assaymark.composite.planning.worlds import ClaimedFigure, claimed_figures
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.view.estimates import margins, weights_of
from assaymark.stats.betting.path import judged_path
from assaymark.stats.betting.rulings import GOAL, log_doubt, rule_on
from assaymark.stats.score_guided.supermartingale import Draws
from claim_runs import Outcomes, followed, joined, outcomes_of, write_pool

GOALS = (20.0, GOAL, 5.0)
LOOK, WORLDS, SURE = 20, 200, 0.95  # of the rule that judges each look by itself
GROUPS = ("w", "x", "y", "z")
FALSE = "false"


@dataclass(frozen=True, kw_only=True)
class Made:
    """A collection of two classes and groups: per group how many of each kind, and how it is scored.

    A group's counts are found, missed and falsely flagged items and the rest.
    """

    counts: dict[str, tuple[int, int, int, int]]
    scored: bool = True
    options: dict[str, Any] = field(default_factory=dict)

    def write(self, path: Path) -> tuple[Path, dict[str, object]]:
        """The file, and the truth by id."""
        rng = np.random.default_rng(5)
        table: dict[str, list[object]] = {"group": [], "flag": [], "score": []}
        truth: dict[str, object] = {}
        for group, each in self.counts.items():
            for (positive, flagged), count in zip(
                ((1, 1), (1, 0), (0, 1), (0, 0)), each, strict=True
            ):
                spread = rng.beta(*((2, 1) if positive else (1, 2)), count) / 2
                for score in spread + flagged / 2:
                    truth[f"i{len(truth)}"] = positive
                    table["group"].append(group)
                    table["flag"].append(flagged)
                    table["score"].append(round(min(float(score), 0.999), 4))
        table.pop("flag" if self.scored else "score")
        return write_pool(path, table), truth

    @property
    def columns(self) -> dict[str, Any]:
        """How the product reads it."""
        read = {"score": "score", "threshold": 0.5} if self.scored else {"prediction": "flag"}
        return {"id": "id", "group": "group", **read, **self.options}


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A claim as it was sealed, with the outcomes of every stratum, and whether it is true."""

    kind: str
    claim: str
    truth: str
    sealed: SealedClaim
    outcomes: Outcomes

    @cached_property
    def figures(self) -> list[ClaimedFigure]:
        """What its parts claim."""
        return claimed_figures(self.sealed)


def even(found: int, missed: int, wrong: int, right: int) -> dict[str, tuple[int, int, int, int]]:
    """The same counts in every group."""
    return dict.fromkeys(GROUPS, (found, missed, wrong, right))


ON, ABOVE = even(360, 90, 90, 960), even(362, 88, 88, 962)  # recall, precision 0.8; accuracy 0.88
ONE_ON = {g: (360, 90, 90, 960) if g == "w" else (405, 45, 45, 1005) for g in GROUPS}
RARE = dict.fromkeys(GROUPS[:2], (36, 9, 9, 2946))
RECALL, RIGHT = "recall >= 0.8 in every group", "accuracy >= 0.88 in every group"
BOTH, BALANCED = "recall >= 0.8 and precision >= 0.8", "balanced accuracy >= 0.85"
TWO_CLASS = (
    ("groups, scored", RECALL, "on the target", Made(counts=ON)),
    ("groups, scored", RECALL, "just above", Made(counts=ABOVE)),
    ("groups, scored", RECALL, "one on it", Made(counts=ONE_ON)),
    ("groups, not scored", RECALL, "on the target", Made(counts=ON, scored=False)),
    ("groups, accuracy", RIGHT, "on the target", Made(counts=ON)),
    ("groups, rare", RECALL, "on the target", Made(counts=RARE)),
    ("two metrics, scored", BOTH, "on the target", Made(counts=ON)),
    ("two metrics, not scored", BOTH, "on the target", Made(counts=ON, scored=False)),
    ("named one by one", RECALL, "on the target", Made(counts=ON, options={"which": True})),
    ("average", BALANCED, "on the target", Made(counts=even(360, 90, 105, 945))),
    ("gap", "accuracy gap between group <= 0.05", "on the target",
     Made(counts={**ON, "w": (395, 55, 50, 1000), "x": (335, 115, 140, 910)})),
    ("groups, scored", "recall >= 0.85 in every group", FALSE, Made(counts=ON)),
    ("groups, scored", "recall >= 0.87 in every group", FALSE, Made(counts=ONE_ON)),
    ("groups, not scored", "recall >= 0.85 in every group", FALSE, Made(counts=ON, scored=False)),
    ("groups, rare", "recall >= 0.9 in every group", FALSE, Made(counts=RARE)),
    ("two metrics, scored", "recall >= 0.85 and precision >= 0.75", FALSE, Made(counts=ON)),
    ("named one by one", "recall >= 0.87 in every group", FALSE,
     Made(counts=ON, options={"which": True})),
)  # fmt: skip
CLASSES = (
    ("classes", "recall of every class >= 0.75", "on the target"),
    ("classes", "recall of every class >= 0.8", FALSE),
    ("average", "macro recall >= 0.75", "on the target"),
)


def cases(folder: Path) -> Iterator[Case]:
    """Every claim of this page."""
    for number, (kind, claim, truth, made) in enumerate(TWO_CLASS):
        path, labels = made.write(folder / f"{number}.csv")
        place = folder / f"two-{number}"
        certify_parts(path, claim, folder=place, anyway=True, **made.columns)
        yield _case(kind, claim, truth, place, labels)
    for number, (kind, claim, truth) in enumerate(CLASSES):
        yield _of_classes(kind, claim, truth, folder / f"classes-{number}")
    path, labels = Made(counts=ON).write(folder / "ladder.csv")
    cutoff(
        path, "recall >= 0.8", id="id", score="score", at=(0.5, 0.6, 0.7), folder=folder / "ladder"
    )
    yield _case("cut-off", "recall >= 0.8", "on the target", folder / "ladder", labels)
    yield _compared(folder)


def _case(kind: str, claim: str, truth: str, place: Path, labels: dict[str, object]) -> Case:
    sealed, outcomes = outcomes_of(place, labels)
    return Case(kind=kind, claim=claim, truth=truth, sealed=sealed, outcomes=outcomes)


def _of_classes(kind: str, claim: str, truth: str, place: Path) -> Case:
    """Four classes of 1,000 items, of which three quarters are found and the rest shared evenly."""
    rng = np.random.default_rng(6)
    table: dict[str, list[object]] = {"topic": [], "sure": []}
    labels: dict[str, object] = {}
    for true in range(4):
        for n in range(1_000):
            labels[f"i{len(labels)}"] = f"c{true}"
            right = n < 750
            table["topic"].append(f"c{true if right else (true + 1 + n % 3) % 4}")
            table["sure"].append(round(float(rng.beta(3, 1) if right else rng.beta(2, 2)), 4))
    path = write_pool(place.with_suffix(".csv"), table)
    certify_parts(path, claim, id="id", score="sure", prediction="topic", classes=True, folder=place,
                  anyway=True)  # fmt: skip
    return _case(kind, claim, truth, place, labels)


def _compared(folder: Path) -> Case:
    """Two classifiers that differ in a tenth of the items and are right equally often."""
    labels = {f"i{n}": n % 2 for n in range(6_000)}
    old = [n % 2 if n % 20 else 1 - n % 2 for n in range(6_000)]
    new = [n % 2 if n % 20 != 7 else 1 - n % 2 for n in range(6_000)]
    path = write_pool(folder / "pair.csv", {"old": old, "new": new})
    compare(path, a="old", b="new", id="id", folder=folder / "pair")
    return _case("comparison", "accuracy, new against old", "a tie", folder / "pair", dict(labels))


Run = tuple[int, dict[str, int | None]]


def run(case: Case, rng: np.random.Generator, most: int) -> Run:
    """One run: its labels, and after how many each rule spoke while the claim was open."""
    sealed, test = case.sealed, row_test(case.sealed)
    for _, _, parts, logs in followed(sealed, case.outcomes, rng, test, most=most):
        draws, log = joined(parts), np.concatenate(logs, axis=1)
        if log[:, -1].max() < test.log_needed and len(draws) < most:
            continue
        path = judged_path(test, draws, log)
        ruling = rule_on(path)
        if sealed.kind == "conjunction" and ruling.decision != "open":
            break
    ends = [at for at in (ruling.passed_at, ruling.failed_at) if at is not None]
    end = min(most, len(draws), *ends)
    evidence = log_doubt(path)
    spoke: dict[str, int | None] = {
        f"at {goal:g}": _first(evidence[:end] >= math.log(goal)) for goal in GOALS
    }
    return end, {**spoke, "pointwise": _pointwise(case, draws, end)}


def _first(flags: np.ndarray) -> int | None:
    return int(np.argmax(flags)) + 1 if flags.any() else None


def _pointwise(case: Case, draws: Draws, end: int) -> int | None:
    """The first of the looks at which a part is behind in nearly all likely worlds."""
    if case.sealed.kind != "conjunction":
        return None
    for count in range(LOOK, end, LOOK):
        weights = weights_of(case.sealed, draws.strata[:count], draws.labels[:count])
        now = margins(case.figures, weights / weights.sum(axis=1, keepdims=True))
        behind = {part for part, (_, ahead) in now.items() if ahead < 0}
        if behind and _surely([one for one in case.figures if one.part in behind], weights):
            return count
    return None


def _surely(figures: list[ClaimedFigure], weights: np.ndarray) -> bool:
    drawn = np.random.default_rng(0).standard_gamma(weights, size=(WORLDS, *weights.shape))
    drawn = np.maximum(drawn, 1e-300)
    missed = Counter[int]()
    for shares in drawn / drawn.sum(axis=2, keepdims=True):
        missed.update(part for part, (_, ahead) in margins(figures, shares).items() if ahead < 0)
    return max(missed.values(), default=0) >= SURE * WORLDS


def measured(case: Case, runs: int, most: int) -> dict[str, Any]:
    """One line of the table."""
    found = [run(case, np.random.default_rng([11, number]), most) for number in range(runs)]
    rules = found[0][1].keys()
    line: dict[str, Any] = {
        "kind": case.kind,
        "claim": case.claim,
        "truth": case.truth,
        "runs": runs,
    }
    line["labels"] = statistics.median(end for end, _ in found)
    for rule in rules:
        times = [(spoke[rule], end) for end, spoke in found]
        known = [(at, end) for at, end in times if at is not None]
        line[rule] = len(known) / runs
        if case.truth == FALSE:
            line[f"{rule}, after"] = (
                round(statistics.median(at / end for at, end in known), 2) if known else None
            )
    return line


def shown(line: dict[str, Any]) -> str:
    """A line of the table as text."""
    rules = [f"at {goal:g}" for goal in GOALS] + ["pointwise"]
    parts = [f"{line['kind']:<24}{line['truth']:<15}{line['labels']:>6g} labels "]
    for rule in rules:
        after = line.get(f"{rule}, after")
        parts.append(f"{rule} {line[rule]:4.0%}" + (f" after {after:.0%}" if after else ""))
    return "  ".join(parts)


def main() -> None:
    """Measure every claim and print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=100, help="runs of each claim")
    parser.add_argument("--most", type=int, default=1_000, help="labels after which a run ends")
    parser.add_argument("--only", default="", help="kinds that begin so")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--keep", type=Path, help="the file that the rows are written to")
    options = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as place:
        for case in cases(Path(place)):
            if not case.kind.startswith(options.only):
                continue
            lines.append(measured(case, options.runs, options.most))
            if not options.json:
                print(shown(lines[-1]), flush=True)
    text = json.dumps(lines, indent=1)
    if options.json:
        print(text)
    if options.keep:
        options.keep.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
