"""Tiny projects of every mode and design, run from Python, and the facts that their proofs rest on.

The facts are the draws in order with their strata and chances, and what every look said, floats
written so that no digit is lost.
"""

import csv
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assaymark.certification.drawing import draw_batch
from assaymark.certification.modes import judge, labelled_prefix, weighted_draws, weighted_test_of
from assaymark.certification.modes.sequential import informative_draws
from assaymark.certification.planning import PlanRequest
from assaymark.certification.sealing import seal_plan
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import InputError, PlanError
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.plan import Expectation
from assaymark.records.pool import Columns
from assaymark.stats.score_guided.bound import standing
from assaymark.stats.sequential.beta_mixture import evidence, mixture_test

HERE = Path(__file__).parent / "data" / "facts"
EXPECTED = Expectation(precision=0.9, recall=0.9, prevalence=0.25)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A claim, how it is tested, and how the labels arrive.

    Each batch of `batch` items is labelled and looked at, `batches` times at most. With `trouble`
    every 29th item is skipped and every 11th labelled wrongly and corrected one batch later.
    """

    claim: str
    mode: str
    design: str = "simple"
    budget: int | None = None
    expectation: Expectation | None = None
    scored: bool = True
    batch: int | None = 40
    batches: int = 15
    trouble: bool = False
    seed: str = "facts"


CASES: dict[str, Case] = {
    "fixed": Case(claim="f1 >= 0.7", mode="fixed", budget=200, batch=None, batches=1),
    "fixed-upper": Case(
        claim="elusion <= 0.1", mode="fixed", budget=150, batch=None, batches=1, trouble=True
    ),
    "fixed-census": Case(claim="precision >= 0.7", mode="fixed", budget=600, batch=None, batches=1),
    "budget": Case(claim="f1 >= 0.7", mode="budget", expectation=EXPECTED),
    "budget-spent": Case(
        claim="recall >= 0.97", mode="budget", budget=120, expectation=EXPECTED, batch=50
    ),
    "anytime": Case(claim="f1 >= 0.7", mode="anytime"),
    "anytime-upper": Case(claim="elusion <= 0.1", mode="anytime", trouble=True),
    "guided-f1": Case(claim="f1 >= 0.75", mode="anytime", design="weighted"),
    "guided-recall": Case(claim="recall >= 0.75", mode="anytime", design="weighted"),
    "guided-precision": Case(claim="precision >= 0.75", mode="anytime", design="weighted"),
    "guided-upper": Case(claim="elusion <= 0.08", mode="anytime", design="weighted"),
    "guided-trouble": Case(claim="f1 >= 0.75", mode="anytime", design="weighted", trouble=True),
    "guided-refuted": Case(claim="f1 >= 0.97", mode="anytime", design="weighted"),
    "guided-census": Case(
        claim="accuracy >= 0.935", mode="anytime", design="weighted", batch=120, trouble=True
    ),
    "guided-unscored": Case(claim="f1 >= 0.75", mode="anytime", design="weighted", scored=False),
}


@functools.cache
def truth() -> dict[str, int]:
    """The label of every item of the pool."""
    with (HERE / "truth.csv").open(encoding="utf-8", newline="") as stream:
        return {row["id"]: int(row["label"]) for row in csv.DictReader(stream)}


def facts(name: str, folder: Path) -> dict[str, Any]:
    """Run the case in a new project and tell its facts."""
    case = CASES[name]
    project = _sealed(case, folder)
    looks: list[dict[str, Any]] = []
    late: list[LabelRow] = []
    for _ in range(case.batches):
        items = _drawn(project, case.batch)
        if late:
            label(project, late, correct=True)
        rows = [_answer(case, item) for item in items]
        if rows:
            label(project, rows)
        late = (
            [_right(row) for row in rows if row.label != _right(row).label] if case.trouble else []
        )
        looks.append(_look(project))
        if looks[-1]["decision"] != "continue" and not late:
            break
    attempt = project.state().attempts[-1]
    return {
        "input": {**_shown(vars(case)), "pool": "pool.csv", "truth": "truth.csv"},
        "strata": [_shown((s.items, s.prediction, s.mean_score)) for s in attempt.plan.strata],
        "sealed": _shown((attempt.plan.size, attempt.plan.informative, attempt.plan.confidence)),
        "draws": [[d.draw, d.id, d.stratum, d.prediction, d.repeat] for d in attempt.draws],
        "chances": [
            [place + 1, _shown(chances)]
            for place, chances in enumerate(attempt.sampling)
            if chances and (place == 0 or chances != attempt.sampling[place - 1])
        ],
        "looks": looks,
    }


def _sealed(case: Case, folder: Path) -> Project:
    how = {"score": "score", "threshold": 0.5} if case.scored else {"prediction": "predicted"}
    init(folder, pool=str(HERE / "pool.csv"), columns=Columns(id="id", **how))
    project = Project(folder=folder)
    seal_plan(
        project,
        PlanRequest(
            claim=parse_claim(case.claim),
            mode=case.mode,
            design=case.design,
            budget=case.budget,
            expectation=case.expectation,
            seed=case.seed,
            method="betting/1" if case.design == "weighted" else None,
        ),
    )
    return project


def _drawn(project: Project, count: int | None) -> tuple[str, ...]:
    """The next items, fewer where the plan needs fewer, none where it needs none."""
    for number in (count, None):
        try:
            return draw_batch(project, count=number, write=False).items
        except (InputError, PlanError):
            continue
    return ()


def _answer(case: Case, item: str) -> LabelRow:
    number, value = int(item[1:]), truth()[item]
    if case.trouble and number % 29 == 0:
        return LabelRow(item=item, label=None, annotator="ann")
    if case.trouble and number % 11 == 0:
        return LabelRow(item=item, label=1 - value, annotator="ann")
    return LabelRow(item=item, label=value, annotator="ann")


def _right(row: LabelRow) -> LabelRow:
    """The row corrected; one that nobody could tell stays so."""
    value = None if row.label is None else truth()[row.item]
    return LabelRow(item=row.item, label=value, annotator=row.annotator)


def _look(project: Project) -> dict[str, Any]:
    state = project.state()
    attempt = state.attempts[-1]
    verdict = judge(state, attempt)
    estimate = verdict.estimate
    cells = None if estimate.counts is None else list(estimate.counts.cells)
    return _shown(
        {
            "decision": verdict.decision,
            "point": estimate.point,
            "low": estimate.interval.low,
            "high": estimate.interval.high,
            "labels": estimate.labels,
            "draws": estimate.draws,
            "skipped": verdict.skipped,
            "census": verdict.census,
            "counts": cells,
            "wealth": verdict.e_value,
            "log_wealth": _log_wealth(state, attempt),
        }
    )


def _log_wealth(state: Any, attempt: Any) -> Any:
    plan, prefix = attempt.plan, labelled_prefix(state, attempt)
    if plan.design == "weighted":
        path = standing(weighted_test_of(plan), weighted_draws(attempt, prefix)).path
        ends = (path.log_wealth[-1], path.log_doubt[-1]) if path.labels else (0.0, 0.0)
        return [float(end) for end in ends]
    if plan.mode == "anytime":
        wins = informative_draws(plan.claim, prefix).wins
        return evidence(mixture_test(plan.claim, confidence=plan.confidence), wins).best
    return None


def _shown(value: Any) -> Any:
    """Plain values with floats as text in full length."""
    if isinstance(value, dict):
        return {key: _shown(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(item) for item in value]
    if isinstance(value, Expectation):
        return _shown({"precision": value.precision, "recall": value.recall,
                       "prevalence": value.prevalence})  # fmt: skip
    return repr(float(value)) if isinstance(value, float) else value
