"""What a claim will cost in the score-guided modes: the plan rehearsed at the rates expected.

A score-guided plan learns where to look and by how much the claim is beaten, and it uses up a pool. So
its labels are no fixed multiple of an ideal number: they are counted in rehearsals of the plan itself
(`stats.rehearsal`), in several pools, because how well scores are calibrated is not known beforehand. The
size that a ceiling seals, and the chance to pass, come from the law of its test on one straight line.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from assaymark.certification.planning.belief import BENDS, stratum_rates
from assaymark.certification.planning.simple_forecast import NOT_MET
from assaymark.claims.claim import Claim
from assaymark.claims.defaults import POWER
from assaymark.claims.results import ModeForecast
from assaymark.records.plan import Stratum
from assaymark.stats.beta_posterior import Belief
from assaymark.stats.betting.binary import binary_test
from assaymark.stats.betting.hedge import ceiling, chance_to_pass
from assaymark.stats.rehearsal.walks import Rehearsal, rehearse
from assaymark.stats.score_guided.forecast import Limit, limit_of
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.supermartingale import Stratum as TestStratum
from assaymark.stats.score_guided.supermartingale import WeightedTest

Known = tuple[tuple[int, int], ...]
"""Known labels, 0 and 1, of each stratum."""

OTHER_MARGINS = (0.5, 0.7, 1.5)
"""True margins, as multiples of the expected one, that a plan with a ceiling is forecast for too."""
WALKS = 80
"""In each pool: labels scatter by about six tenths, so the mean of two pools is known to a twentieth."""
SEED = 20_260


@dataclass(frozen=True, kw_only=True)
class GuidedClaim:
    """A claim on the strata of a pool, with what is expected and what is known there.

    `known` labels (0 and 1) of each stratum left it: what they contribute is certain, and the rates
    are those of the rest; nothing is known unless it is given.
    """

    claim: Claim
    strata: tuple[Stratum, ...]
    belief: Belief | None
    confidence: float
    known: Known = ()

    def __post_init__(self) -> None:
        if not self.known:
            object.__setattr__(self, "known", ((0, 0),) * len(self.strata))

    @property
    def items(self) -> int:
        """How many items have no label yet."""
        return sum(stratum.items for stratum in self.strata) - sum(map(sum, self.known))

    def test(self) -> WeightedTest | None:
        """The test on what is left of the strata; None where every label is known."""
        cells = [0, 0, 0, 0]
        for stratum, (zeros, ones) in zip(self.strata, self.known, strict=True):
            first = 0 if stratum.prediction else 2
            cells[first] += ones
            cells[first + 1] += zeros
        parts = tuple(
            TestStratum(predicted=bool(one.prediction), size=left, mean_score=one.mean_score)
            for one, left in zip(self.strata, self._left(), strict=True)
            if left > 0
        )
        if not parts:
            return None
        return WeightedTest(
            claim=self.claim,
            confidence=self.confidence,
            strata=parts,
            known=(cells[0], cells[1], cells[2], cells[3]),
        )

    def rates(self, *, bend: float = 0.0) -> Floats:
        """The rates of positives expected in what is left."""
        rates = stratum_rates(self.strata, self.belief, bend=bend)
        each = zip(self.strata, rates, self.known, self._left(), strict=True)
        return np.array(
            [(rate * one.items - ones) / left for one, rate, (_, ones), left in each if left > 0]
        )

    def _left(self) -> list[int]:
        return [one.items - sum(gone) for one, gone in zip(self.strata, self.known, strict=True)]

    def limit(self) -> Limit | None:
        """The information limit on what is left; None where the claim looks false."""
        test = self.test()
        if test is None:
            return Limit(ideal=0.0, sampling=np.zeros(1), sizes=np.zeros(1))
        return limit_of(test, self.rates())


def weighted_forecast(guided: GuidedClaim, *, power: float = POWER) -> ModeForecast:
    """Labels of the score-guided mode."""
    limit = guided.limit()
    if limit is None:
        return ModeForecast(reason=NOT_MET)
    if limit.ideal <= 0:
        return ModeForecast(ideal=0.0, expected=0.0, median=0, quantile=0)
    walks = rehearsed(guided, None, BENDS)
    return ModeForecast(
        ideal=limit.ideal,
        expected=math.ceil(walks.mean),
        median=walks.within(0.5),
        quantile=walks.within(power),
    )


def ceiling_forecast(guided: GuidedClaim, *, power: float, most: int | None = None) -> ModeForecast:
    """Labels of a score-guided plan with a ceiling: the given one, or one with this chance to pass.

    The ceiling is that of an endless pool, so a small one passes more often than was asked for.
    """
    limit = guided.limit()
    if limit is None:
        return ModeForecast(reason=NOT_MET)
    level, items = 1.0 - guided.confidence, guided.items
    end = ceiling(limit.ideal, level=level, power=power) if most is None else most
    end = min(items, end)
    now, *others = (
        chance_to_pass(end, ideal=limit.ideal, level=level, margin=x, information=limit.information)
        for x in (1.0, *OTHER_MARGINS)
    )
    walks = rehearsed(guided, end, BENDS) if limit.ideal > 0 and end > 0 else None
    whole = end >= items  # then everything is read, and known
    return ModeForecast(
        labels=end,
        power=1.0 if whole else now,
        expected=0.0 if walks is None else math.ceil(walks.mean),
        median=0 if walks is None else walks.within(0.5),
        quantile=end,
        ideal=limit.ideal,
        if_margin=tuple(
            (x, 1.0 if whole else one) for x, one in zip(OTHER_MARGINS, others, strict=True)
        ),
    )


@lru_cache(maxsize=64)
def rehearsed(guided: GuidedClaim, end: int | None, bends: tuple[float, ...]) -> Rehearsal:
    """Rehearsals of the plan, with this ceiling or none, in a pool with each bend.

    The same question has the same answer.
    """
    test = guided.test()
    if test is None:
        raise AssertionError("a plan without an item left has nothing to rehearse")
    rows = binary_test(
        test.claim,
        test.strata,
        level=1.0 - guided.confidence,
        ceiling=end,
        bounds=False,
        refutes=0.0,
        known=test.known,
    )
    worlds = np.stack([guided.rates(bend=bend)[list(rows.kept)] for bend in bends])
    return rehearse(rows, worlds, walks=WALKS, rng=np.random.default_rng(SEED))
