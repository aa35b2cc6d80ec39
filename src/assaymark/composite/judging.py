"""What the labels decide: pure functions from a sealed claim and its labelled draws."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import Threshold
from assaymark.claims.rows import RowPart
from assaymark.claims.truth import part_holds
from assaymark.composite.bounds import PartBound, bound_ladder, part_bounds, row_passed
from assaymark.composite.course import Course, Outcomes
from assaymark.composite.look_facts import LookFacts, PartState, read_look
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.shared_risk.subjects import rows_of_parts
from assaymark.composite.walk import rungs_passed
from assaymark.stats.betting.open_block import Foreseen
from assaymark.stats.betting.path import RowPath, replay
from assaymark.stats.betting.rulings import Ruling, rule_on
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import Flags

DECISIONS = {"pass": "pass", "fail": "fail", "unreachable": "fail", "open": "continue"}


@dataclass(frozen=True, kw_only=True)
class Ruled:
    """What the rows decide, and the facts that only this kind of claim has."""

    decision: str
    decided_at: int | None
    certain: bool
    result: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What is established. `result` is the JSON object that is recorded, certified and printed."""

    decision: str
    decided_at: int | None
    certain: bool
    result: dict[str, Any]

    @cached_property
    def look(self) -> LookFacts:
        """The facts by name."""
        return read_look(self.result)


def judge(
    sealed: SealedClaim, course: Course, strata: Sequence[int], outcomes: Outcomes
) -> Judgement:
    """The judgement on the labelled draws.

    `sealed` may start from less than its course did, where labels of earlier claims were changed.
    """
    if sealed.judged == "once":
        ruled = _walked(sealed, strata, outcomes)
    else:
        draws = course.draws(strata, outcomes)
        test = course.test if sealed == course.sealed else row_test(sealed)
        path = replay(test, draws, course.foreseen)
        ruled = judge_path(sealed, path, draws, course.foreseen)
    common = {
        "decision": ruled.decision,
        "claim": sealed.claim,
        "kind": sealed.kind,
        "confidence": sealed.stated,
        "judged": sealed.judged,
        "most": sealed.most,
        "labels": len(outcomes) - outcomes.count(-1),
        "draws": len(outcomes),
        "skipped": outcomes.count(-1),
        "decided_at": ruled.decided_at,
        "certain": ruled.certain,
    }
    return Judgement(
        decision=ruled.decision,
        decided_at=ruled.decided_at,
        certain=ruled.certain,
        result={**common, **ruled.result},
    )


def judge_path(
    sealed: SealedClaim, path: RowPath, draws: Draws, foreseen: Foreseen | None = None
) -> Ruled:
    """What the rows decide, by the rule of the claim's kind; `foreseen` is that of the path."""
    if sealed.kind == "conjunction":
        return _conjunction(sealed, path, draws, foreseen)
    return (_compared if sealed.kind == "comparison" else _cut_off)(sealed, path, draws)


def _all(path: RowPath, rows: Sequence[int]) -> int | None:
    times = [row_passed(path, row) for row in rows]
    known = [time for time in times if time is not None]
    return max(known, default=0) if len(known) == len(times) else None


def _compared(sealed: SealedClaim, path: RowPath, draws: Draws) -> Ruled:
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
        "classifiers": list(sealed.columns.predictions),
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
        "disagreements": _disagreements(sealed, draws),
    }
    sure = bool(ranked) and any(bool(known.holds[rows, -1].all()) for rows in zero)
    return Ruled(decision=decision, decided_at=decided_at, certain=sure, result=result)


def _disagreements(sealed: SealedClaim, draws: Draws) -> list[dict[str, Any]]:
    """Who was right where they differ, by predictions and scores."""
    names, disagreements = sealed.cells.labels, list[dict[str, Any]]()
    for k, stratum in enumerate(sealed.strata):
        if len(set(stratum.predictions)) == 1:
            continue
        labels = [names[o] for o in draws.labels[(draws.strata == k) & (draws.labels >= 0)]]
        a, b = (labels.count(guess) for guess in stratum.predictions)
        disagreements.append(
            {
                "predictions": list(stratum.predictions),
                "low": stratum.low,
                "high": stratum.high,
                "items": stratum.items,
                "labels": len(labels),
                "a_right": a,
                "b_right": b,
            }
        )
    return disagreements


Scopes = dict[tuple[str, ...], tuple[int, ...]]
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
            time = times[key]
            latest = None if latest is None or time is None else max(latest, time)
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


def _conjunction(
    sealed: SealedClaim, path: RowPath, draws: Draws, foreseen: Foreseen | None
) -> Ruled:
    ruling = rule_on(path)
    if ruling.decision == "pass" and sealed.family == "every" and not ruling.certain:
        ruling = _chained(sealed, path, draws, ruling)
    if ruling.decision == "unreachable" and not _beyond_reach(sealed, path, draws):
        ruling = replace(ruling, decision="open")
    undecided = ruling.decision in ("open", "unreachable") or sealed.family == "named"
    counted = _counted(sealed, path, draws) if undecided else None
    decision = DECISIONS[ruling.decision]
    if counted is not None:
        decision = "pass" if all(counted) else "fail"
    bounds = part_bounds(sealed, draws, path.test.recipe, foreseen)
    parts = _parts(sealed, path, draws, ruling, counted, bounds)
    if sealed.family == "named":
        ended = all(part["state"] != "open" for part in parts)
        named = any(part["state"] == "reached" for part in parts)
        decision = "continue" if not ended else "pass" if named else "fail"
    spent = sealed.ceiling is not None and path.draws >= sealed.most
    at = ruling.passed_at if decision == "pass" else ruling.failed_at
    return Ruled(
        decision="undecided" if decision == "continue" and spent else decision,
        decided_at=path.draws if counted is not None else at,
        certain=ruling.certain or counted is not None,
        result={
            "parts": parts,
            "family": sealed.family,
            "left_out": [list(group) for group in sealed.left_out],
            "unreachable": ruling.decision == "unreachable" and counted is None,
        },
    )


def _chained(sealed: SealedClaim, path: RowPath, draws: Draws, ruling: Ruling) -> Ruling:
    """The claim passes with every target that is easier: one risk covers it and each bound."""
    ladder = bound_ladder(sealed, path.test.recipe)
    if ladder is None:
        return ruling
    since = ladder.passed_since(draws, ruling.passed_at or 0)
    return replace(ruling, passed_at=since, decision="open" if since is None else "pass")


def _beyond_reach(sealed: SealedClaim, path: RowPath, draws: Draws) -> bool:
    """Whether some part can no longer be established."""
    parts = zip(sealed.compiled[0].parts, rows_of_parts(sealed), strict=True)
    return any(_lost(part, path, rows, draws) for part, rows in parts)


def _lost(part: RowPart, path: RowPath, rows: Sequence[int], draws: Draws) -> bool:
    """Whether neither the rows of a part can hold any more nor a count of all its items establish it.

    Rows that only suffice may fail though their part holds; it is counted once all could be judged.
    """
    final = part.exact or bool((draws.labels < 0).any())
    return final and bool(path.certainty.lost[list(rows), -1].any())


def _counted(sealed: SealedClaim, path: RowPath, draws: Draws) -> list[bool] | None:
    """Whether each part holds, once every item that it is about was labelled; None before."""
    tree, cells, parts = sealed.statements[0].tree, sealed.cells, sealed.compiled[0].parts
    scopes: Scopes = cells.groups(tree.every) if tree.every else {(): cells.everywhere}
    wanted = sorted({cell for part in parts for cell in scopes[part.group]})
    left = path.test.book.sizes - np.bincount(draws.strata, minlength=len(sealed.strata))
    if left[wanted].any() or (draws.labels < 0).any():
        return None
    tally = Counter(zip(map(int, draws.strata), map(int, draws.labels), strict=True))
    return [
        part_holds(parse(part.text).parts[0], cells, scopes[part.group], tally) for part in parts
    ]


def _parts(
    sealed: SealedClaim,
    path: RowPath,
    draws: Draws,
    ruling: Ruling,
    counted: list[bool] | None,
    bounds: list[PartBound],
) -> list[dict[str, Any]]:
    """Every part of a conjunction: its state, bound, labels and items."""
    parts, book = list[dict[str, Any]](), path.test.book
    for number, (part, numbers) in enumerate(
        zip(sealed.compiled[0].parts, rows_of_parts(sealed), strict=True)
    ):
        rows = list(numbers)
        inside: Flags = np.logical_or.reduce(book.inside[rows], axis=0)
        lost = len(rows) == 1 and _lost(part, path, rows, draws)
        state = _state(sealed, path, rows, ruling, lost=lost, refutable=part.refuted != "census")
        if state == "reached" and not bounds[number].easier_passed:
            state = "open"
        if counted is not None:
            state = "reached" if counted[number] else "failed"
        parts.append(
            {
                "part": part.text,
                "group": list(part.group),
                "state": state,
                "target": _target(part.text),
                "bound": bounds[number].value,
                "labels": int((inside[draws.strata] & (draws.labels >= 0)).sum()),
                "items": int(book.sizes[inside].sum()),
            }
        )
    return parts


def _target(text: str) -> float | None:
    """The number that a part is claimed to reach."""
    leaf = parse(text).parts[0]
    return float(leaf.target) if isinstance(leaf, Threshold) else None


def _state(
    sealed: SealedClaim,
    path: RowPath,
    rows: list[int],
    ruling: Ruling,
    *,
    lost: bool,
    refutable: bool,
) -> PartState:
    """The state of a part. Where parts are named one by one, only a name is proof."""
    fallen = refutable and bool(path.certainty.refuted[rows, -1].all())
    failed = fallen or set(rows) <= set(ruling.culprits)
    if sealed.family == "named":
        return "reached" if set(rows) <= set(ruling.named) else "failed" if failed else "open"
    alone = ruling.decision == "fail" and len(sealed.compiled[0].parts) == 1
    if failed or alone or lost:
        return "failed"
    if sealed.compiled[0].combinator == "gap":
        return "reached" if ruling.decision == "pass" else "open"
    return "reached" if _all(path, rows) is not None else "open"


def _walked(sealed: SealedClaim, strata: Sequence[int], outcomes: Outcomes) -> Ruled:
    """A ladder judged once: nothing is said before the last of the promised labels."""
    labelled = list(zip(strata, outcomes, strict=False))
    complete = len(outcomes) >= sealed.most
    passed = rungs_passed(sealed, labelled[: sealed.most]) if complete else []
    decision = "continue" if not complete else "pass" if passed else "undecided"
    return Ruled(
        decision=decision,
        decided_at=sealed.most if passed else None,
        certain=False,
        result={
            "cutoff": float(passed[-1]) if passed else None,
            "rungs": _rungs(sealed, len(passed), labelled),
            "budget": sealed.most,
        },
    )


def _rungs(
    sealed: SealedClaim, passed: int, labelled: Sequence[tuple[int, int]]
) -> list[dict[str, Any]]:
    """The cut-offs in their order, with the items above each and the labels its row counts."""
    claim, rungs = sealed.compiled[0], list[dict[str, Any]]()
    for place, (name, row) in enumerate(zip(claim.constants["order"], claim.rows, strict=True)):
        above, domain = sealed.columns.rungs.index(name), set(row.domain)
        rungs.append(
            {
                "cutoff": float(name),
                "items": sum(s.items for s in sealed.strata if s.predictions[above] == "1"),
                "state": "reached" if place < passed else "open",
                "labels": sum(k in domain and label >= 0 for k, label in labelled),
            }
        )
    return rungs


def _cut_off(sealed: SealedClaim, path: RowPath, draws: Draws) -> Ruled:
    ruling = rule_on(path)
    order = [str(name) for name in sealed.compiled[0].constants["order"]]
    chosen = None if ruling.chosen is None else order[ruling.chosen]
    labelled = list(zip(draws.strata.tolist(), draws.labels.tolist(), strict=True))
    rungs = _rungs(sealed, len(ruling.named), labelled)
    decision = "pass" if chosen is not None else DECISIONS[ruling.decision]
    at = None
    if ruling.chosen is not None:
        at = int(np.max([t for t in path.passed_at[: ruling.chosen + 1] if t is not None]))
    return Ruled(
        decision=decision,
        decided_at=at if chosen is not None else ruling.failed_at,
        certain=ruling.certain,
        result={"cutoff": None if chosen is None else float(chosen), "rungs": rungs},
    )
