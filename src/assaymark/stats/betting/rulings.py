"""What a path decides under the rule of its test, and what speaks against a claim still open.

One idea of the second: a row's mirror is a fair bet on labels while the row holds, whichever items the
chances choose and however often somebody looks. So against a claim that is true these wealths, added up
as they refute it, ever reach `GOAL` with a chance of at most 1/GOAL (Ville's inequality). A warning
needs less than a refutation, which the claim's own level decides.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assaymark.stats.betting.path import RowPath, first_true
from assaymark.stats.betting.rules import AllOf, Gap, Mixture, Named, One, Ordered
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.wealth import Flags

Decision = Literal["pass", "fail", "unreachable", "open"]

GOAL = 10.0  # of true claims, at most one in so many is ever said to look false


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """The decision on the claim, and after how many draws it was reached.

    "unreachable": the claim can no longer pass, yet it is not refuted. `named` are the rows that
    hold and `culprits` those that fail, by name; `chosen` is the last row of an order that holds.
    Rows outside `named` may have reached their proof; that alone is no certificate.
    """

    decision: Decision
    passed_at: int | None
    failed_at: int | None
    certain: bool
    named: tuple[int, ...] = ()
    culprits: tuple[int, ...] = ()
    chosen: int | None = None


def rule_on(path: RowPath) -> Ruling:
    """The ruling of the test's own rule on everything the path proves."""
    rule = path.test.rule
    if isinstance(rule, AllOf):
        return _all_of(rule, path)
    if isinstance(rule, Ordered):
        return _ordered(rule, path)
    if isinstance(rule, Gap):
        return _gap(rule, path)
    if isinstance(rule, Mixture):
        return _mixture(rule, path)
    return _named(rule, path) if isinstance(rule, Named) else _one(path)


def _ruling(
    *,
    passed: Flags,
    failed: Flags,
    sure: bool,
    lost: bool,
    named: tuple[int, ...] = (),
    culprits: tuple[int, ...] = (),
    chosen: int | None = None,
) -> Ruling:
    passed_at, failed_at = first_true(passed), first_true(failed)
    decision: Decision = "open"
    if passed_at is not None or failed_at is not None:
        early = math.inf if failed_at is None else failed_at
        decision = "pass" if passed_at is not None and passed_at <= early else "fail"
    elif lost:
        decision = "unreachable"
    return Ruling(
        decision=decision,
        passed_at=passed_at,
        failed_at=failed_at,
        certain=sure,
        named=named,
        culprits=culprits,
        chosen=chosen,
    )


def _sure(path: RowPath, row: int) -> tuple[Flags, Flags, bool]:
    """One row's own decision; what is certain at the end overrides every bet."""
    known = path.certainty
    passed = path.crossed[row] | known.holds[row]
    failed = path.doubted[row] | known.refuted[row]
    if known.holds[row, -1]:
        return passed, np.zeros_like(failed), True
    if known.refuted[row, -1]:
        return np.zeros_like(passed), failed, True
    return passed, failed, False


def _one(path: RowPath) -> Ruling:
    passed, failed, sure = _sure(path, 0)
    lost = bool(path.certainty.lost[0, -1])
    return _ruling(passed=passed, failed=failed, sure=sure, lost=lost)


def _all_of(rule: AllOf, path: RowPath) -> Ruling:
    known, count = path.certainty, len(path.log_wealth)
    passed = np.all(path.crossed | known.holds, axis=0)
    failed, culprits = _refuted(rule, path)
    units = units_of(rule.parts, count)
    surely = rule.refute == "mean" and bool(_joined(known.refuted, units)[:, -1].any())
    if surely:
        passed = np.zeros_like(passed)
    elif known.holds[:, -1].all():
        failed = np.zeros_like(failed)
    return _ruling(
        passed=passed,
        failed=failed,
        sure=surely or bool(known.holds[:, -1].all()),
        lost=bool(known.lost[:, -1].any()),
        named=tuple(range(count)) if passed.any() else (),
        culprits=culprits,
    )


def _refuted(rule: AllOf, path: RowPath) -> tuple[Flags, tuple[int, ...]]:
    known, count = path.certainty, len(path.log_doubt)
    if rule.refute == "never":
        return np.zeros(path.draws + 1, dtype=np.bool_), ()
    if rule.refute == "every":
        return np.all(path.doubted | known.refuted, axis=0), ()
    units = units_of(rule.parts, count)
    if not units:
        return np.zeros(path.draws + 1, dtype=np.bool_), ()
    refuted = _joined(known.refuted, units)
    mean = log_mean(least_wealth(path.log_doubt, units))
    enough = np.arange(path.draws + 1) >= min(path.test.recipe.fewest, sum(path.test.sizes))
    risen = _reached(mean, path.test.log_needed) & enough
    alone = path.log_doubt.max(axis=1, initial=0.0) >= path.test.log_needed + math.log(len(units))
    blamed = _joined((alone & path.enough[:, -1])[:, None], units)[:, 0] | refuted[:, -1]
    culprits = tuple(row for unit, bad in zip(units, blamed, strict=True) if bad for row in unit)
    return risen | refuted.any(axis=0), culprits


Units = tuple[tuple[int, ...], ...]


def units_of(parts: Units | None, count: int) -> Units:
    """The rows of every part; each row is one where nothing else was sealed."""
    return tuple((row,) for row in range(count)) if parts is None else parts


def _joined(flags: Flags, units: Units) -> Flags:
    """For every part: whether all of its rows have the flag."""
    joined: Flags = np.array([flags[list(unit)].all(axis=0) for unit in units], dtype=np.bool_)
    return joined.reshape(len(units), flags.shape[1])


def least_wealth(log: Floats, units: Units) -> Floats:
    """For every part: the least of its rows' wealths at the same time."""
    least: Floats = np.array([log[list(unit)].min(axis=0) for unit in units])
    return least


def log_mean(log: Floats) -> Floats:
    """The log of the mean of these wealths (first axis)."""
    if log.shape[1] == 0:
        return np.zeros(0)
    top = log.max(axis=0)
    mean: Floats = top + np.log(np.exp(log - top).mean(axis=0))
    return mean


def _reached(log: Floats, level: float) -> Flags:
    """Before the first draw and after each: whether the level was ever reached."""
    flags: Flags = np.append(False, np.maximum.accumulate(log) >= level)
    return flags


def _ordered(rule: Ordered, path: RowPath) -> Ruling:
    """A row counts only with every row before it; the claim is one of the rows."""
    chain = np.logical_and.accumulate(path.crossed | path.certainty.holds, axis=0)
    passed, failed, sure = _sure(path, rule.claim)
    held = int(chain[:, -1].sum())
    return _ruling(
        passed=passed & chain[rule.claim],
        failed=failed,
        sure=sure,
        lost=bool(path.certainty.lost[: rule.claim + 1, -1].any()),
        named=tuple(range(held)),
        chosen=held - 1 if held else None,
    )


def _named(rule: Named, path: RowPath) -> Ruling:
    known, level = path.certainty, path.test.log_needed
    units = units_of(rule.parts, len(path.log_wealth))
    ready, held = _joined(path.enough & known.defined, units), _joined(known.holds, units)
    good = names(least_wealth(path.log_wealth, units), level=level, ready=ready, sure=held)
    bad, fallen = np.zeros_like(good), np.zeros_like(held)
    blamed = [n for n in range(len(units)) if n not in rule.spared]
    if blamed:
        judged = tuple(units[n] for n in blamed)
        enough, fallen[blamed] = _joined(path.enough, judged), _joined(known.refuted, judged)
        doubt = least_wealth(path.log_doubt, judged)
        bad[blamed] = names(doubt, level=level, ready=enough, sure=fallen[blamed])
    return _ruling(
        passed=np.all(good, axis=0),
        failed=np.any(bad, axis=0),
        sure=bool(held[:, -1].all() or fallen[:, -1].any()),
        lost=bool(known.lost[:, -1].any()),
        named=tuple(
            row for unit, yes in zip(units, good[:, -1], strict=True) if yes for row in unit
        ),
        culprits=tuple(
            row for unit, no in zip(units, bad[:, -1], strict=True) if no for row in unit
        ),
    )


def names(log: Floats, *, level: float, ready: Flags, sure: Flags) -> Flags:
    """Which rows are named before the first draw and after each: e-Holm or the closed test.

    e-Holm: the i-th highest maximum so far is at least (count − i + 1)/level, and so are all above
    it. Closed test: every set with the row has a mean wealth of at least 1/level now; the hardest
    set holds all rows below 1/level, so the row's surplus must cover all of their deficits.
    """
    start = np.zeros((len(log), 1))
    now = np.concatenate([start, log], axis=1)
    now = np.where(ready, now, -np.inf)
    highest = np.where(sure, np.inf, np.maximum.accumulate(now, axis=1))
    order = np.argsort(-highest, axis=0, kind="stable")
    ranked = np.take_along_axis(highest, order, axis=0)
    bars = level + np.log(np.arange(len(log), 0, -1))[:, None]
    kept = np.logical_and.accumulate(ranked >= bars, axis=0)
    holm = np.zeros_like(kept)
    np.put_along_axis(holm, order, kept, axis=0)
    worth = np.where(sure, np.inf, np.exp(np.minimum(now - level, 600.0)))
    deficit = np.maximum(1.0 - worth, 0.0).sum(axis=0)
    named: Flags = np.logical_or.accumulate(holm | (worth - 1.0 >= deficit), axis=1)
    return named


def _gap(rule: Gap, path: RowPath) -> Ruling:
    """Every cell is proved, and no group is without a figure: one that has none has no gap either."""
    defined: Flags = np.all(path.certainty.defined, axis=0)
    passed = np.all([defined, *(_product(path, cell) for cell in rule.cells)], axis=0)
    known = path.certainty.holds[:, -1]
    sure = bool(defined[-1]) and all(any(known[row] for row in cell) for cell in rule.cells)
    return _ruling(passed=passed, failed=np.zeros_like(passed), sure=sure, lost=False)


def _product(path: RowPath, cell: tuple[int, ...]) -> Flags:
    """Whether the product of these wealths, at the same time, ever reached 1/level."""
    rows = list(cell)
    ready = path.enough[rows].all(axis=0) & path.certainty.defined[rows].all(axis=0)
    risen = _reached(path.log_wealth[rows].sum(axis=0), path.test.log_needed)
    flags: Flags = (risen & ready) | path.certainty.holds[rows].any(axis=0)
    return flags


def _mixture(rule: Mixture, path: RowPath) -> Ruling:
    known = path.certainty
    ready = path.enough.all(axis=0)
    passed = _mixed(rule, path.log_wealth, path.test.log_needed) & ready & known.defined.all(axis=0)
    failed = _mixed(rule, path.log_doubt, path.test.log_needed) & ready
    held, fallen = _any_way(rule, known.holds), _any_way(rule, known.refuted)
    return _ruling(
        passed=passed | held,
        failed=failed | fallen,
        sure=bool(held[-1] or fallen[-1]),
        lost=bool(np.all([known.lost[list(way), -1].any() for way in rule.ways])),
    )


def _any_way(rule: Mixture, flags: Flags) -> Flags:
    passed: Flags = np.any([flags[list(way)].all(axis=0) for way in rule.ways], axis=0)
    return passed


def _mixed(rule: Mixture, log: Floats, level: float) -> Flags:
    least = [
        log[list(way)].min(axis=0) + math.log(share)
        for way, share in zip(rule.ways, rule.shares, strict=True)
    ]
    total = np.logaddexp.reduce(np.array(least), axis=0)
    return _reached(total, level)


def log_doubt(path: RowPath) -> Floats:
    """The log of the wealth against the test's statement after each draw; −∞ where nothing is bet.

    Parts that must all hold: the mean over them, as that which refutes the claim. Where parts are named
    one by one: the greatest, with an equal share of the risk for each.
    """
    none: Floats = np.full(path.draws, -np.inf)
    units = _refutable(path)
    if not units:
        return none
    least = least_wealth(path.log_doubt, units)
    if isinstance(path.test.rule, Named):
        wealth: Floats = least.max(axis=0) - math.log(len(units))
    else:
        wealth = log_mean(least)
    enough = np.arange(1, path.draws + 1) >= min(path.test.recipe.fewest, sum(path.test.sizes))
    known: Floats = np.where(enough, wealth, none)
    return known


def doubted_rows(path: RowPath) -> set[int]:
    """The rows of the parts that look false by all labels so far; none while the claim does not."""
    against = log_doubt(path)
    if not path.draws or against[-1] < math.log(GOAL):
        return set()
    units = _refutable(path)
    share = len(units) if isinstance(path.test.rule, Named) else 1
    now = least_wealth(path.log_doubt[:, -1:], units)[:, 0]
    behind = now >= math.log(GOAL * share)
    return {row for unit, bad in zip(units, behind, strict=True) if bad for row in unit}


def claim_doubted(path: RowPath, row: int) -> bool:
    """Whether a single claim looks false by all labels so far: the mirror of its row is at the goal."""
    if not path.draws or not path.enough[row, -1]:
        return False
    return bool(path.log_doubt[row, -1] >= math.log(GOAL))


def _refutable(path: RowPath) -> tuple[tuple[int, ...], ...]:
    """The rows of each part that its mirrors may refute."""
    rule, count = path.test.rule, len(path.log_doubt)
    if isinstance(rule, One):
        return ((0,),)
    if isinstance(rule, Named):
        units = units_of(rule.parts, count)
        return tuple(unit for n, unit in enumerate(units) if n not in rule.spared)
    if not isinstance(rule, AllOf) or rule.refute == "never":
        return ()
    return units_of(rule.parts, count) if rule.refute == "mean" else (tuple(range(count)),)
