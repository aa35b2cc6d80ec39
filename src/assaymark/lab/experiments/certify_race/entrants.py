"""The ways to certify a claim that race against each other, each simulated on a known pool.

All count *labels*: a draw that repeats an item costs nothing. A run that ends without a pass has
used what it was allowed to.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from assaymark.certification.planning.belief import belief_of
from assaymark.certification.planning.forecast import forecast
from assaymark.certification.planning.guided_forecast import (
    GuidedClaim,
    ceiling_forecast,
    rehearsed,
    weighted_forecast,
)
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import BinomialTest, binomial_test
from assaymark.claims.results import ModeForecast
from assaymark.errors import InputError
from assaymark.lab.experiments.certify_race.rivals import (
    agrapa_path,
    alpha_path,
    labels_to_pass,
    shifted_gain,
)
from assaymark.lab.side_by_side.runs import certify_many
from assaymark.lab.weighted_runs import certify_pool
from assaymark.lab.worlds import Cut, Floats, World, cut_world
from assaymark.records.modes import OFFERED
from assaymark.records.plan import Expectation, Stratum
from assaymark.stats.betting.binary import binary_test
from assaymark.stats.betting.hedge import ceiling
from assaymark.stats.binomial_bounds import pass_counts
from assaymark.stats.rehearsal.walks import Rehearsal
from assaymark.stats.score_guided.forecast import limit_of
from assaymark.stats.score_guided.supermartingale import weighted_test
from assaymark.stats.sequential.alpha_spending import spending_boundary, spending_test
from assaymark.stats.sequential.beta_mixture import mixture_boundary, mixture_test

CONFIDENCE = 0.95
POWER = 0.93
LONGEST = 6  # an anytime test on simple draws is followed to this many fixed tests
FARTHEST = 6  # a score-guided one to this many times its information limit


@dataclass(frozen=True, kw_only=True)
class Labels:
    """What one way of certifying used, run by run, and how many runs passed."""

    used: tuple[int, ...]
    passed: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Course:
    """A claim about a world, with what a planner knows who expects exactly the truth."""

    world: World
    claim: Claim

    @cached_property
    def scored(self) -> Cut:
        """Strata by prediction and raw score."""
        return cut_world(self.world, self.claim)

    @cached_property
    def unscored(self) -> Cut:
        """Strata by prediction alone."""
        return cut_world(self.world, self.claim, scored=False)

    @cached_property
    def test(self) -> BinomialTest:
        """Which cells are successes and failures, and the share of successes to beat."""
        test = binomial_test(self.claim)
        if test is None:
            raise InputError(f"{self.claim} has no test on simple draws to race against.")
        return test

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """Items by cell among those that a simple sample draws from: for precision, the picked."""
        informative = [a or b for a, b in zip(self.test.success, self.test.failure, strict=True)]
        tp, fp, fn, tn = self.world.cells
        return (tp, fp, fn, tn) if informative[2] or informative[3] else (tp, fp, 0, 0)

    @property
    def items(self) -> int:
        """How many items a simple sample draws from."""
        return sum(self.cells)

    @cached_property
    def wins(self) -> Floats:
        """Per cell: 1 for a success, 0 for a failure, NaN where a label says nothing."""
        pairs = zip(self.test.success, self.test.failure, strict=True)
        return np.array([1.0 if won else 0.0 if lost else math.nan for won, lost in pairs])

    @property
    def rate(self) -> float:
        """The share of items whose label says something."""
        return float(self.shares[~np.isnan(self.wins)].sum())

    @cached_property
    def modes(self) -> dict[str, ModeForecast]:
        """The planner's forecasts on simple draws; none where a fixed test exceeds the pool by far."""
        if self._rough_fixed() > 1.3 * self.items:
            return {kind.name: ModeForecast() for kind in OFFERED.values() if not kind.guided}
        return forecast(self.claim, self._expected, confidence=CONFIDENCE, items=self.items).modes

    @property
    def fixed_draws(self) -> float:
        """Draws of the fixed test, those included that repeat an item; rough beyond the pool."""
        return self.modes["fixed"].labels or self._rough_fixed()

    def _rough_fixed(self) -> float:
        """Labels of a fixed test by the normal approximation, to skip sums nobody needs."""
        null, rate = self.test.null_share, self.rate
        share = float(np.nansum(self.wins * self.shares)) / rate
        wide = ndtri(CONFIDENCE) * math.sqrt(null * (1 - null))
        narrow = ndtri(POWER) * math.sqrt(share * (1 - share))
        return float(((wide + narrow) / (share - null)) ** 2 / rate)

    @property
    def _expected(self) -> Expectation:
        tp, fp, fn, _ = self.world.cells
        return Expectation(
            precision=tp / (tp + fp), recall=tp / (tp + fn), prevalence=self.world.prevalence
        )

    def guided(self, cut: Cut) -> ModeForecast:
        """The planner's forecast for the score-guided design on these strata."""
        return weighted_forecast(self._planned(cut))

    def rehearsed(self, bends: tuple[float, ...]) -> Rehearsal:
        """The planner's rehearsals of the same plan in pools with these bends."""
        return rehearsed(self._planned(self.scored), None, bends)

    def to_a_ceiling(self, cut: Cut, most: int) -> ModeForecast:
        """The planner's forecast for the same design with this ceiling."""
        return ceiling_forecast(self._planned(cut), power=POWER, most=most)

    def _planned(self, cut: Cut) -> GuidedClaim:
        """The claim on the strata as a plan has them."""
        strata = tuple(
            Stratum(items=part.size, prediction=part.predicted, mean_score=part.mean_score)
            for part in cut.strata
        )
        belief = belief_of(self._expected)
        return GuidedClaim(claim=self.claim, strata=strata, belief=belief, confidence=CONFIDENCE)

    @property
    def farthest(self) -> int:
        """How many score-guided draws are followed at most."""
        return max(2_000, math.ceil(FARTHEST * (self.ideal or self.items)))

    @cached_property
    def ideal(self) -> float | None:
        """The information limit ln(1/α)/V* on the scored strata, at the true rates."""
        test = weighted_test(self.claim, self.scored.strata, confidence=CONFIDENCE)
        limit = limit_of(test, self.scored.rates)
        return None if limit is None else limit.ideal

    @cached_property
    def ceiling(self) -> int | None:
        """The ceiling that a planner seals who expects exactly the truth."""
        if self.ideal is None:
            return None
        most = ceiling(self.ideal, level=1 - CONFIDENCE, power=POWER)
        return min(most, sum(stratum.size for stratum in self.scored.strata))

    @cached_property
    def shares(self) -> Floats:
        """The share of items in each cell."""
        return np.array(self.cells, dtype=np.float64) / self.items

    @property
    def longest(self) -> int:
        """How many simple draws are followed at most."""
        fixed = self.modes["fixed"].labels or self.items
        return max(2_000, LONGEST * fixed)


def fixed(course: Course, runs: int, rng: np.random.Generator) -> Labels:
    """The exact test of a size chosen for 93 % power; a census where that is not smaller."""
    draws = course.modes["fixed"].labels
    if draws is None or draws >= course.items:
        return Labels(used=(course.items,) * runs, passed=runs)
    least = pass_counts(course.test.null_share, draws, 1 - CONFIDENCE)
    made = [_drawn(course, draws, rng) for _ in range(runs)]
    passed = sum(bool(run.wins.sum() >= least[len(run.wins)]) for run in made)
    return Labels(used=tuple(run.labels(draws) for run in made), passed=passed)


def budget(course: Course, runs: int, rng: np.random.Generator) -> Labels:
    """Alpha spending within the budget that the planner proposes."""
    mode = course.modes["budget"]
    if mode.labels is None or mode.informative is None:
        return Labels(used=(course.items,) * runs, passed=runs)
    planned = round(mode.informative)
    test = spending_test(course.claim, confidence=CONFIDENCE, planned=planned)
    first_pass = spending_boundary(test).first_pass
    return _with_draws(course, mode.labels, runs, rng, first_pass, planned=planned)


def anytime(course: Course, runs: int, rng: np.random.Generator) -> Labels:
    """The mixture test on simple draws, until it passes."""
    test = mixture_test(course.claim, confidence=CONFIDENCE)
    horizon = round(course.longest * course.rate * 1.2) + 50
    first_pass = mixture_boundary(test, horizon).first_pass
    return _with_draws(course, course.longest, runs, rng, first_pass)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Draws:
    """Simple draws of a run: the items, and success or failure of the informative ones."""

    items: NDArray[np.int64]
    places: NDArray[np.int64]
    wins: NDArray[np.bool_]

    def labels(self, draws: int) -> int:
        """Different items among the first draws."""
        return len(np.unique(self.items[:draws]))


def _drawn(course: Course, draws: int, rng: np.random.Generator) -> _Draws:
    items = rng.integers(course.items, size=draws)
    wins = course.wins[np.searchsorted(np.cumsum(course.cells), items, side="right")]
    places = np.flatnonzero(~np.isnan(wins))
    return _Draws(items=items, places=places, wins=wins[places] == 1)


def _with_draws(
    course: Course,
    most: int,
    runs: int,
    rng: np.random.Generator,
    first_pass: Callable[[NDArray[np.bool_]], int | None],
    *,
    planned: int | None = None,
) -> Labels:
    """Independent draws; `first_pass` reads success or failure of the informative ones.

    A run without a pass ends at `most` draws, or at the planned number of informative ones.
    """
    used, passed = [], 0
    for _ in range(runs):
        run = _drawn(course, most, rng)
        at = first_pass(run.wins)
        end = at if at is not None else planned
        ends = end is not None and 0 < end <= len(run.places)
        used.append(run.labels(int(run.places[(end or 1) - 1]) + 1 if ends else most))
        # with every label known the claim, which is true here, is certain
        passed += at is not None or used[-1] == course.items
    return Labels(used=tuple(used), passed=passed)


def alpha_informative(course: Course, runs: int, rng: np.random.Generator) -> Labels:
    """ALPHA on the informative items alone, guessing the share that anytime aims at."""
    test = mixture_test(course.claim, confidence=CONFIDENCE)

    def first_pass(wins: NDArray[np.bool_]) -> int | None:
        path = alpha_path(
            wins.astype(np.float64),
            null=test.null_share,
            top=1.0,
            items=None,
            guess=test.alternative_share,
        )
        return labels_to_pass(path, confidence=CONFIDENCE)

    return _with_draws(course, course.longest, runs, rng, first_pass)


def agrapa_informative(course: Course, runs: int, rng: np.random.Generator) -> Labels:
    """Plug-in betting on the informative items alone."""
    null = course.test.null_share

    def first_pass(wins: NDArray[np.bool_]) -> int | None:
        path = agrapa_path(wins.astype(np.float64), null=null, top=1.0, items=None)
        return labels_to_pass(path, confidence=CONFIDENCE)

    return _with_draws(course, course.longest, runs, rng, first_pass)


def alpha_all(course: Course, runs: int, rng: np.random.Generator) -> Labels:
    """ALPHA on the bounded gain of all items, without replacement, guessing the true mean."""
    game = shifted_gain(course.claim)
    guess = float((game.values * course.shares).sum())

    def path(values: Floats) -> Floats:
        return alpha_path(
            values, null=game.null, top=game.top, items=course.world.items, guess=guess
        )

    return _without_replacement(course, game.values, path, runs, rng)


def agrapa_all(course: Course, runs: int, rng: np.random.Generator) -> Labels:
    """Plug-in betting on the bounded gain of all items, without replacement."""
    game = shifted_gain(course.claim)

    def path(values: Floats) -> Floats:
        return agrapa_path(values, null=game.null, top=game.top, items=course.world.items)

    return _without_replacement(course, game.values, path, runs, rng)


def _without_replacement(
    course: Course,
    values: Floats,
    path: Callable[[Floats], Floats],
    runs: int,
    rng: np.random.Generator,
) -> Labels:
    pool = np.repeat(values, course.world.cells)
    used = []
    for _ in range(runs):
        at = labels_to_pass(path(rng.permutation(pool)), confidence=CONFIDENCE)
        used.append(at or course.world.items)
    # with every label known the claim, which is true here, is certain
    return Labels(used=tuple(used), passed=runs)


def rows(course: Course, runs: int, rng: np.random.Generator) -> Labels:
    """Method number 2 on raw scores, until it passes."""
    return _on_rows(course, None, runs, rng)


def rows_to_a_ceiling(course: Course, runs: int, rng: np.random.Generator) -> Labels:
    """Method number 2 with the ceiling that a planner seals who expects exactly the truth."""
    if course.ceiling is None:
        return Labels(used=(course.items,) * runs, passed=runs)
    return _on_rows(course, course.ceiling, runs, rng)


def _on_rows(course: Course, end: int | None, runs: int, rng: np.random.Generator) -> Labels:
    cut, level = course.scored, 1 - CONFIDENCE
    test = binary_test(course.claim, cut.strata, level=level, ceiling=end, bounds=False)
    labels = [cut.labels[k] for k in test.kept]
    ends = certify_many(test.test, labels, rng.spawn(runs), most=course.farthest)
    return Labels(
        used=tuple(one.labels for one in ends),
        passed=sum(one.ruling.decision == "pass" for one in ends),
    )


def weighted(course: Course, runs: int, rng: np.random.Generator) -> Labels:
    """Method number 1, the score-guided design on raw scores."""
    return _guided(course, course.scored, runs, rng)


def weighted_plain(course: Course, runs: int, rng: np.random.Generator) -> Labels:
    """The same design with two strata: predictions are known, scores are not."""
    return _guided(course, course.unscored, runs, rng)


def _guided(course: Course, cut: Cut, runs: int, rng: np.random.Generator) -> Labels:
    test = weighted_test(course.claim, cut.strata, confidence=CONFIDENCE)
    ends = [certify_pool(test, cut.labels, rng, most=course.farthest) for _ in range(runs)]
    return Labels(
        used=tuple(end.labels for end in ends),
        passed=sum(end.decision == "pass" for end in ends),
    )


ENTRANTS: dict[str, Callable[[Course, int, np.random.Generator], Labels]] = {
    "fixed": fixed,
    "budget": budget,
    "anytime": anytime,
    "weighted": weighted,
    "weighted, no scores": weighted_plain,
    "ALPHA, informative": alpha_informative,
    "aGRAPA, informative": agrapa_informative,
    "ALPHA, all items": alpha_all,
    "aGRAPA, all items": agrapa_all,
    "method 2": rows,
    "method 2, ceiling": rows_to_a_ceiling,
}
