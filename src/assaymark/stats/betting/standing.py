"""Where a single claim stands: its path, the decision, and the bound that goes with it.

One idea: the claim is one row of a ladder of targets, and a row counts only after every easier one.
So the hardest target that was reached is the bound, and one level covers it together with the claim.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from assaymark.claims.ratio_metrics import metric
from assaymark.stats.betting.binary import BinaryTest, claim_row
from assaymark.stats.betting.chances import next_chances
from assaymark.stats.betting.path import RowPath, judged_path
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.rulings import Ruling, rule_on
from assaymark.stats.betting.sealed import check_draws
from assaymark.stats.score_guided.bound import MetricBound, RowWealth
from assaymark.stats.score_guided.checkpoints import log_wealth, state_after
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.supermartingale import Draws, first_draws


@dataclass(frozen=True, kw_only=True, eq=False)
class ClaimStanding:
    """Everything the labels prove about one claim."""

    found: BinaryTest
    path: RowPath
    ruling: Ruling
    bound: MetricBound

    @property
    def decision(self) -> Literal["pass", "fail", "continue"]:
        """Pass or fail; a claim that is open, or out of reach without being refuted, goes on."""
        word = self.ruling.decision
        return word if word == "pass" or word == "fail" else "continue"

    @property
    def log_wealth(self) -> Floats:
        """The log wealth of the claim's own row after each draw."""
        row: Floats = self.path.log_wealth[self.found.own]
        return row

    @property
    def evidence(self) -> float:
        """The largest log wealth of the claim so far."""
        return max(0.0, float(self.log_wealth.max(initial=0.0)))


def standing(found: BinaryTest, draws: Draws) -> ClaimStanding:
    """The path, the decision and the bound, in one run over the draws."""
    return _standing(found, draws, _path(found, draws))


def bounds_after(found: BinaryTest, draws: Draws, ends: Sequence[int]) -> tuple[MetricBound, ...]:
    """The bound as it stood after each of these numbers of draws."""
    path = _path(found, draws)
    return tuple(_standing(found, first_draws(draws, end), path.until(end)).bound for end in ends)


def row_wealth(found: BinaryTest, draws: Draws) -> RowWealth:
    """What the row of every target, and the refutation, holds after each draw."""
    log, count = _log(found, draws), len(found.targets)
    return RowWealth(
        targets=tuple(float(t) for t in found.targets),
        log=log[:count],
        log_doubt=log[count + found.own],
    )


def segment_chances(found: BinaryTest, known: Draws) -> Floats:
    """The chances per stratum of a segment that may use these labels, all of them and no others."""
    check_draws(found.claim_test, known)
    start = partial(Race, found.claim_test)
    return next_chances(state_after(("chances", found), known, start=start))


def _log(found: BinaryTest, draws: Draws) -> Floats:
    check_draws(found.test, draws)
    return log_wealth(("rows", found), draws, start=lambda: Race(found.test))


def _path(found: BinaryTest, draws: Draws) -> RowPath:
    return judged_path(found.test, draws, _log(found, draws))


def _standing(found: BinaryTest, draws: Draws, path: RowPath) -> ClaimStanding:
    ruling = rule_on(path)
    return ClaimStanding(
        found=found, path=path, ruling=ruling, bound=_bound(found, draws, path, ruling)
    )


def _bound(found: BinaryTest, draws: Draws, path: RowPath, ruling: Ruling) -> MetricBound:
    """The hardest target proved, or what counting alone leaves possible, if that is better."""
    claim = found.claim
    sure, chosen = worst_value(found, draws), ruling.chosen
    refuted = bool(path.certainty.refuted[found.own, -1])
    if chosen is not None and ruling.decision != "pass":
        chosen = min(chosen, found.own - 1)
    proved = None if chosen is None or chosen < 0 or refuted else float(found.targets[chosen])
    known = [value for value in (proved, sure) if value is not None]
    value = (max if claim.side == "lower" else min)(known) if known else None
    return MetricBound(
        metric=claim.metric,
        side=claim.side,
        value=value,
        confidence=1.0 - found.level,
        certain=value is not None and value == sure and value != proved,
        reason=None if value is not None else "too few labels to exclude any value",
    )


def worst_value(found: BinaryTest, draws: Draws) -> float | None:
    """The metric if every item not labelled, or skipped, had the label that hurts the claim."""
    row = claim_row(found.claim, found.strata)
    helpful = np.array([int(row.help[k][1] == 1) for k in range(len(found.strata))])
    helped = np.bincount(
        draws.strata[draws.labels == helpful[draws.strata]], minlength=len(helpful)
    )
    sizes = np.array([s.size for s in found.strata])
    positives = np.where(helpful == 1, helped, sizes - helped)
    predicted = np.array([s.predicted for s in found.strata])
    hits, missed = int(positives[predicted].sum()), int(positives[~predicted].sum())
    size, rest = int(sizes[predicted].sum()), int(sizes[~predicted].sum())
    return metric(found.claim.metric).value((hits, size - hits, missed, rest - missed))
