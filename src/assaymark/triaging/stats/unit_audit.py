"""Is the promise still kept? What the audited draws of later batches say, by the sealed alarm.

An unclear draw counts by a share v of a wrong one: v = 0 for "broken whatever the unclear ones
are", which alone raises the alarm; v = r for "broken among those that can be decided"; v = 1 for
"doubtful". The bound that proves a promise kept counts unclear draws as wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assaymark.stats.sequential.item_weighted_mean import UnitDraws, items_lower
from assaymark.stats.sequential.unit_alarm import (
    AlarmRule,
    Rang,
    accuracy_upper,
    rings,
    wealth_path,
    wrong_excess,
)
from assaymark.triaging.audit_result import Account, AuditDecision, AuditResult, Seal
from assaymark.triaging.stats.drift_audit import alarm_path, kept_rates, likely_since

Verdict = bool | None  # right, wrong, or unclear


@dataclass(frozen=True, kw_only=True)
class AuditUnit:
    """A batch's draws in order; `later` ones, beyond those fixed at its opening, only estimate."""

    items: int
    draws: tuple[Verdict, ...]
    later: tuple[Verdict, ...] = ()

    @property
    def every(self) -> tuple[Verdict, ...]:
        """All draws."""
        return self.draws + self.later


def judge_units(
    sides: Sequence[Sequence[AuditUnit]], account: Account, *, target: float
) -> AuditResult:
    """What the batches say; one sequence of units, or one per kind of decision with its own risk.

    Broken if one side is, kept if all are. A side without items in a batch has no unit there, which
    has an item count of 0.
    """
    each = replace(account, confidence=1 - (1 - account.confidence) / len(account.seals))
    results = [
        _judged(units, each, seal, target) for units, seal in zip(sides, account.seals, strict=True)
    ]
    rang = min((f for f in results if f.alarm_at is not None), key=_first, default=results[0])
    kept = all(one.decision == "kept" for one in results)
    every = [unit for units in sides for unit in units if unit.items]
    low, high = _estimate(every)
    decision: AuditDecision = "broken" if rang.alarm_at else "kept" if kept else "open"
    verdicts = [verdict for unit in every for verdict in unit.draws]
    return replace(
        rang,
        decision=decision,
        null=account.null(target),
        confidence=account.confidence,
        draws=len(verdicts),
        right=verdicts.count(True),
        unclear=verdicts.count(None),
        accuracy=low,
        accuracy_high=high,
        low=min(one.low for one in results),
        high=min((one.high for one in results if one.high is not None), default=None),
        evidence=max(one.evidence for one in results),
        broken_if_told=any(one.broken_if_told for one in results),
        doubtful=any(one.doubtful for one in results),
        each_side=len(sides) > 1,
    )


def _first(result: AuditResult) -> int:
    return result.alarm_at or 0


def _estimate(units: Sequence[AuditUnit]) -> tuple[float | None, float | None]:
    """The accuracy of all items, each batch by its size: unclear draws as wrong, and as right."""
    total = sum(unit.items for unit in units)
    if not total:
        return None, None
    low = sum(unit.items * unit.every.count(True) / len(unit.every) for unit in units)
    unclear = sum(unit.items * unit.every.count(None) / len(unit.every) for unit in units)
    return low / total, min(1.0, (low + unclear) / total)


def _judged(units: Sequence[AuditUnit], account: Account, seal: Seal, target: float) -> AuditResult:
    held = [unit for unit in units if unit.items]
    known = [UnitDraws(right=tuple(v is True for v in u.draws), items=u.items) for u in held]
    low = items_lower(known, spread=seal.spread, confidence=account.confidence)
    heard = (
        _every_batch(units, account, target)
        if account.alarm == "every-batch"
        else _by_unit(units, account, seal, target)
    )
    decision: AuditDecision = "broken" if heard.rang else "kept" if low >= target else "open"
    return AuditResult(
        decision=decision,
        alarm=account.alarm,
        null=account.null(target),
        target=target,
        confidence=account.confidence,
        draws=0,
        right=0,
        unclear=0,
        accuracy=None,
        accuracy_high=None,
        low=low,
        high=heard.high,
        evidence=heard.evidence,
        needed=heard.needed,
        alarm_at=heard.rang.unit if heard.rang else None,
        since=heard.rang.since if heard.rang else None,
        drift=bool(heard.rang and heard.rang.since > 1),
        proved=bool(heard.rang and heard.rang.proved),
        broken_if_told=heard.if_told,
        doubtful=heard.doubtful,
    )


@dataclass(frozen=True, kw_only=True)
class Heard:
    """What an alarm says: whether it rang, how near it is, and what unclear draws would change."""

    rang: Rang | None
    evidence: float
    needed: float
    if_told: bool
    doubtful: bool
    high: float | None = None


def _by_unit(units: Sequence[AuditUnit], account: Account, seal: Seal, target: float) -> Heard:
    rule = AlarmRule(
        alarm=account.alarm,  # type: ignore[arg-type]
        risk=round(1 - account.confidence, 12),
        window=seal.window,
        year=account.year,
    )
    at = [number for number, unit in enumerate(units) if unit.items]
    held = [units[number] for number in at]
    items = [unit.items for unit in held]
    if not held:
        return Heard(rang=None, evidence=0.0, needed=rule.needed, if_told=False, doubtful=False)
    draws = np.array([len(unit.draws) for unit in held])
    rate = round(1 - target, 15)
    bets = {v: wrong_excess(_wrong(held, v), draws, items, largest=seal.largest, target=target)
            for v in (0.0, rate, 1.0)}  # fmt: skip
    rang = {v: rings(excess.tolist(), items, rule) for v, excess in bets.items()}
    first = rang[0.0]
    if first is not None:
        first = replace(first, unit=at[first.unit - 1] + 1, since=at[first.since - 1] + 1)
    return Heard(
        rang=first,
        evidence=float(wealth_path(bets[0.0], items, rule).max()),
        needed=rule.needed,
        if_told=rang[rate] is not None,
        doubtful=rang[1.0] is not None,
        high=accuracy_upper(_wrong(held, 0.0), draws, items, largest=seal.largest, risk=rule.risk),
    )


def _wrong(units: Sequence[AuditUnit], unclear_as: float) -> NDArray[np.float64]:
    return np.array(
        [unit.draws.count(False) + unclear_as * unit.draws.count(None) for unit in units]
    )


def _every_batch(units: Sequence[AuditUnit], account: Account, target: float) -> Heard:
    """The alarm draw by draw, patient with batches that all keep the promise, and only with these."""
    held = [unit for unit in units if unit.items]
    needed = 1 / round(1 - account.confidence, 12)
    paths, rang = [], []
    for unclear_right in (True, False):
        right = [[v is True or (v is None and unclear_right) for v in u.draws] for u in held]
        rates = kept_rates(right, [unit.items for unit in held], target=target)
        flags = np.array([flag for draws in right for flag in draws], dtype=np.bool_)
        path = alarm_path(flags, target=target, rates=rates)
        at = path.rings(account.confidence)
        paths.append(path)
        since = likely_since(flags[:at], target=target, rates=rates[:at]) if at else None
        rang.append(Rang(unit=at, since=since, proved=False) if at and since else None)
    return Heard(
        rang=rang[0],
        evidence=float(paths[0].wealth.max()),
        needed=needed,
        if_told=False,
        doubtful=rang[1] is not None,
    )
