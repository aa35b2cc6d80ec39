"""What the labels decide: pure functions from a sealed claim and its labelled draws."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from assaymark.claims.linear import Choices, compile_claim
from assaymark.claims.tree import ClaimTree, Threshold
from assaymark.composite.course import Course
from assaymark.composite.rows import betting_row, denominator_of, make_test
from assaymark.composite.sealed import SealedClaim
from assaymark.stats.betting.path import RowPath, replay
from assaymark.stats.betting.rules import AllOf
from assaymark.stats.betting.rulings import rule_on
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import Flags

EASIER = (0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01)
HARDER = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1)
DECISIONS = {"pass": "pass", "fail": "fail", "unreachable": "fail", "open": "continue"}


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What is established. `result` holds the facts in plain values, `decision` among them."""

    decision: str
    decided_at: int | None
    certain: bool
    result: dict[str, Any] = field(default_factory=dict)


def judge(sealed: SealedClaim, course: Course, strata: Sequence[int], outcomes: str) -> Judgement:
    """The judgement on the labelled draws."""
    draws = course.draws(strata, outcomes)
    found = judge_path(sealed, replay(course.test, draws), draws)
    common = {
        "decision": found.decision,
        "claim": sealed.claim,
        "kind": sealed.kind,
        "confidence": sealed.stated,
        "labels": len(outcomes) - outcomes.count("?"),
        "draws": len(outcomes),
        "skipped": outcomes.count("?"),
        "decided_at": found.decided_at,
        "certain": found.certain,
    }
    return replace(found, result={**common, **found.result})


def judge_path(sealed: SealedClaim, path: RowPath, draws: Draws) -> Judgement:
    """What the rows decide, by the rule of the claim's kind."""
    told = {"comparison": _compared, "conjunction": _conjunction, "cut-off": _cut_off}
    return told[sealed.kind](sealed, path, draws)


def _passed(path: RowPath, row: int) -> int | None:
    """After how many draws the row passed; what is certain at the end overrides every bet."""
    return None if path.certainty.refuted[row, -1] else path.passed_at[row]


def _all(path: RowPath, rows: Sequence[int]) -> int | None:
    times = [_passed(path, row) for row in rows]
    known = [time for time in times if time is not None]
    return max(known, default=0) if len(known) == len(times) else None


def _compared(sealed: SealedClaim, path: RowPath, _draws: Draws) -> Judgement:
    times = _statement_times(sealed, path)
    better, worse = times.get(("b", Fraction(0))), times.get(("a", Fraction(0)))
    within = None
    if sealed.margin is not None and sealed.only is None:
        sides = [times[side, -sealed.margin] for side in "ab"]
        within = None if None in sides else max(t for t in sides if t is not None)
    ranked = [(t, n) for t, n in ((better, "better"), (worse, "worse")) if t is not None]
    decision = min(ranked)[1] if ranked else "undecided"
    decided_at = min(ranked)[0] if ranked else None
    if not ranked and within is not None:
        decision, decided_at = "within", within
    low, high = _gap(sealed, times)
    known = path.certainty
    numbers = sealed.row_numbers
    zero = [numbers[i] for i, s in enumerate(sealed.statements) if not s.offset]
    result: dict[str, Any] = {
        "metric": sealed.metric,
        "gap_low": low,
        "gap_high": high,
        "disagree": sealed.disagree,
        "items": sealed.items,
        "margin": None if sealed.margin is None else float(sealed.margin),
        "within": within is not None,
        "not_worse": _not_worse(sealed, times),
        "equal": len(zero) == 2
        and all(bool(known.refuted[rows, -1].any()) for rows in zero)
        and sealed.chained,
    }
    sure = bool(ranked) and any(bool(known.holds[rows, -1].all()) for rows in zero)
    return Judgement(decision=decision, decided_at=decided_at, certain=sure, result=result)


Times = dict[tuple[str, Fraction], int | None]


def _statement_times(sealed: SealedClaim, path: RowPath) -> Times:
    """When each statement was established; where chained, only with every easier one of its side."""
    numbers, times = sealed.row_numbers, {}
    for i, statement in enumerate(sealed.statements):
        times[statement.winner or "", statement.offset] = _all(path, numbers[i])
    if not sealed.chained:
        return times
    chained: Times = {}
    for side in "ab":
        latest: int | None = 0
        for key in sorted(key for key in times if key[0] == side):
            own = times[key]
            latest = None if latest is None or own is None else max(latest, own)
            chained[key] = latest
    return chained


def _gap(sealed: SealedClaim, times: Times) -> tuple[float, float]:
    """Bounds for the metric of b less that of a; what predictions alone settle is the widest."""
    widest = Fraction(sealed.disagree, sealed.items) if sealed.metric == "accuracy" else Fraction(1)
    reached = {
        side: max([offset for (s, offset), t in times.items() if s == side and t is not None],
                  default=-widest)
        for side in "ab"
    }  # fmt: skip
    return float(max(reached["b"], -widest)), float(min(-reached["a"], widest))


def _not_worse(sealed: SealedClaim, times: Times) -> bool:
    """Whether b is shown not to be worse by more than the margin."""
    if sealed.margin is None:
        return False
    return times.get(("b", -sealed.margin)) is not None or times.get(("b", Fraction(0))) is not None


def _conjunction(sealed: SealedClaim, path: RowPath, draws: Draws) -> Judgement:
    ruling = rule_on(path)
    decision = DECISIONS[ruling.decision]
    parts, start = [], 0
    bounds = _bounds(sealed, draws)
    book = path.test.book
    for number, part in enumerate(sealed.compiled[0].parts):
        rows = list(range(start, start + len(part.rows)))
        start += len(rows)
        failed = any(r in ruling.culprits or path.certainty.lost[r, -1] for r in rows) or (
            decision == "fail" and len(path.passed_at) == 1
        )
        reached = _all(path, rows) is not None and not failed
        inside: Flags = np.logical_or.reduce(book.inside[rows], axis=0)
        parts.append(
            {
                "part": part.text,
                "group": list(part.group),
                "state": "reached" if reached else "failed" if failed else "open",
                "bound": bounds[number],
                "labels": int((inside[draws.strata] & (draws.labels >= 0)).sum()),
                "items": int(book.sizes[inside].sum()),
            }
        )
    at = ruling.passed_at if decision == "pass" else ruling.failed_at
    return Judgement(
        decision=decision,
        decided_at=at,
        certain=ruling.certain,
        result={
            "parts": parts,
            "left_out": [list(group) for group in sealed.left_out],
            "unreachable": ruling.decision == "unreachable",
        },
    )


def _bounds(sealed: SealedClaim, draws: Draws) -> list[float | None]:
    """The bound of every part: the hardest target that passed with every easier one.

    Each holds with the claim's confidence on its own, not all of them together.
    """
    test, places = _bound_test(sealed)
    path = replay(test, draws)
    found: list[float | None] = [None] * len(sealed.compiled[0].parts)
    broken: set[int] = set()
    for row, (number, target) in enumerate(places):
        if _passed(path, row) is None:
            broken.add(number)
        elif number not in broken:
            found[number] = float(target)
    return found


def _bound_test(sealed: SealedClaim) -> tuple[RowTest, list[tuple[int, Fraction]]]:
    """The rows of all targets, with the part and target of each."""
    tree, cells = sealed.statements[0].tree, sealed.cells
    numbers = {(p.text, p.group): i for i, p in enumerate(sealed.compiled[0].parts)}
    rows, places = [], []
    for leaf in [part for part in tree.parts if isinstance(part, Threshold)]:
        for target in _targets(leaf):
            other = ClaimTree(parts=(replace(leaf, target=target),), every=tree.every)
            for own in compile_claim(other, cells, Choices(least_group=sealed.least_group)).parts:
                unit = denominator_of(own, other, cells)
                rows.append(betting_row(own.rows[0], own, unit))
                places.append((numbers[str(leaf), own.group], target))
    return make_test(sealed, rows, rule=AllOf(refute="never")), places


def _targets(leaf: Threshold) -> list[Fraction]:
    """Targets from easy to hard around the claim's own."""
    sign = 1 if leaf.side == "lower" else -1
    moves = [*(-Fraction(str(x)) for x in EASIER), Fraction(0), *(Fraction(str(x)) for x in HARDER)]
    targets = [leaf.target + sign * move for move in moves]
    return [t for t in targets if 0 < t < 1]


def _cut_off(sealed: SealedClaim, path: RowPath, draws: Draws) -> Judgement:
    ruling = rule_on(path)
    claim = sealed.compiled[0]
    order = [str(name) for name in claim.constants["order"]]
    chosen = None if ruling.chosen is None else order[ruling.chosen]
    book = path.test.book
    rungs = []
    for place, name in enumerate(order):
        above = sealed.columns.rungs.index(name)
        rungs.append(
            {
                "cutoff": float(name),
                "items": sum(s.items for s in sealed.strata if s.predictions[above] == "1"),
                "state": "reached" if place < len(ruling.named) else "open",
                "labels": int((book.inside[place][draws.strata] & (draws.labels >= 0)).sum()),
            }
        )
    decision = "pass" if chosen is not None else DECISIONS[ruling.decision]
    at = None
    if ruling.chosen is not None:
        at = int(np.max([t for t in path.passed_at[: ruling.chosen + 1] if t is not None]))
    return Judgement(
        decision=decision,
        decided_at=at if chosen is not None else ruling.failed_at,
        certain=ruling.certain,
        result={"cutoff": None if chosen is None else float(chosen), "rungs": rungs},
    )
