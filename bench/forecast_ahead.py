"""Labels ahead: at every look that prints a range, whether what was still needed lay in it.

Plans count alike: of each at most four looks, after 60, 120, … labels, are taken at random. No range has
a constant that was chosen in these pools.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from assaymark.certification.modes.labels_ahead import in_labels, printed
from assaymark.certification.modes.sequential import anytime_horizon
from assaymark.certification.planning.forecast import forecast
from assaymark.claims.ratio_metrics import BinomialTest, binomial_test, metric
from assaymark.lab.experiments.certify_race.entrants import Course
from assaymark.lab.side_by_side.runs import certify_many
from assaymark.lab.worlds import World
from assaymark.stats.betting.binary import binary_test
from assaymark.stats.score_guided.wealth_ahead import draws_by_wealth
from assaymark.stats.sequential.alpha_spending import spending_boundary, spending_test
from assaymark.stats.sequential.beta_mixture import MixtureTest, mixture_boundary, mixture_test
from assaymark.stats.sequential.stopping_boundary import Boundary
from assaymark.stats.sequential.walk_ahead import draws_ahead, items_ahead
from forecast_rows import Row, one_row, summed
from forecast_worlds import FARTHEST, MADE, asked_of, claim_words, told_rate

AHEAD = 2 / 3  # about two of three: what the range of labels ahead is made for
LOOK, SOME = 60, 4  # labels between two looks, and looks at one plan
PLANS = {"budget": 20, "anytime": 8, "score-guided": 12}  # of each claim
LARGEST = {
    "budget": 1200,
    "anytime": 2000,
}  # informative items of the largest plan that is looked at
Found = tuple[int, tuple[int, int]]
"""What was still needed, and the range that was printed."""


def measured(worlds: list[World]) -> list[Row]:
    """Rows of labels ahead of every mode: three claims in each pool, one in made ones."""
    rows: list[Row] = []
    for number, world in enumerate(worlds):
        for seed in (number,) if world.name == MADE else range(number, 9, 3):
            words = claim_words(world, seed)
            for mode in LARGEST:
                rows += _rows(mode, simple_looks(world, words, mode, np.random.default_rng(seed)))
            rows += _rows("score-guided", guided_looks(world, words, np.random.default_rng(seed)))
    return summed(rows, worlds[0].name, len(worlds))


def _rows(mode: str, plans: Iterator[list[Found]]) -> Iterator[Row]:
    for looks in plans:
        for needed, (low, high) in looks:
            yield one_row("labels ahead", mode, AHEAD, low <= needed <= high) | {
                "weight": 1 / len(looks)
            }


def moments(end: int, rng: np.random.Generator) -> list[int]:
    """The numbers of labels at which a plan that passes after so many is looked at."""
    numbers = np.arange(LOOK, end, LOOK)
    if len(numbers) > SOME:
        numbers = np.sort(rng.choice(numbers, SOME, replace=False))
    return [int(number) for number in numbers]


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """The draws of one simple plan: which were new, and success or failure of the informative ones."""

    new: Any
    place: Any
    wins: Any
    pool: int
    most: int | None

    def looks(
        self, line: Boundary, test: BinomialTest | MixtureTest, rng: np.random.Generator
    ) -> list[Found]:
        """Looks up to the pass; none where it does not pass."""
        at = line.first_pass(self.wins[: line.horizon])
        if at is None:
            return []
        labels, found = np.cumsum(self.new), []
        end = int(labels[self.place[at - 1]])
        for number in moments(end, rng):
            draws = int(np.searchsorted(labels, number)) + 1
            seen = int(np.searchsorted(self.place, draws))
            wins, null = int(self.wins[:seen].sum()), test.null_share
            share = (wins + 0.5) / (seen + 1)
            if share <= null or wins < null * seen or not seen:
                continue  # nothing is printed where the estimate does not meet the target
            if isinstance(test, MixtureTest):
                line = mixture_boundary(test, anytime_horizon(test, share=share, count=seen))
            ahead = items_ahead(line, successes=wins, failures=seen - wins)
            if ahead is not None:
                most = None if self.most is None else self.most - draws
                coming = draws_ahead(ahead, rate=seen / draws, most=most)
                if coming is None:
                    continue
                told = in_labels(coming, items=self.pool, labels=number)
                ends = printed((told.low, told.high), self.pool - number)
                found.append((end - number, ends))
        return found


def simple_looks(
    world: World, words: str, name: str, rng: np.random.Generator
) -> Iterator[list[Found]]:
    """Simple plans where the expectation is true."""
    claim, known, cells = asked_of(world, words)
    test, pool = binomial_test(claim), int(cells.sum())
    mode = forecast(claim, known, items=pool).modes[name]
    if test is None or mode.expected is None:
        return
    rate, planned = told_rate(cells, test), int(mode.informative or 0)
    if max(planned, mode.expected * rate) > LARGEST[name]:
        return
    mixture = mixture_test(claim, confidence=0.95)
    line = mixture_boundary(mixture, FARTHEST)
    if name == "budget":
        line = spending_boundary(spending_test(claim, confidence=0.95, planned=planned))
    far = mode.labels or math.ceil(FARTHEST / rate)
    won, matters = np.array(test.success), np.array(test.success) | np.array(test.failure)
    for _ in range(PLANS[name]):
        items = rng.integers(pool, size=far)
        kinds = np.searchsorted(np.cumsum(cells), items, side="right")
        place = np.flatnonzero(matters[kinds])
        new = np.zeros(far, dtype=bool)
        new[np.unique(items, return_index=True)[1]] = True
        plan = Plan(new=new, place=place, wins=won[kinds][place], pool=pool, most=mode.labels)
        yield plan.looks(line, test if name == "budget" else mixture, rng)


def guided_looks(world: World, words: str, rng: np.random.Generator) -> Iterator[list[Found]]:
    """Score-guided plans without a ceiling."""
    claim, _, _ = asked_of(world, words)
    cut = Course(world=world, claim=claim).scored
    test = binary_test(claim, cut.strata, level=0.05, bounds=False)
    strata = [cut.strata[k] for k in test.kept]
    labels = [cut.labels[k] for k in test.kept]
    sizes = np.array([len(queue) for queue in labels])
    scores = np.array([0.0 if one.mean_score is None else one.mean_score for one in strata])
    picked = np.array([one.predicted for one in strata])
    goal = float(test.claim_test.goals[0])
    for run in certify_many(test.test, labels, rng.spawn(PLANS["score-guided"])):
        found: list[Found] = []
        for made in moments(run.labels, rng) if run.ruling.decision == "pass" else ():
            count = np.bincount(run.draws.strata[:made], minlength=len(sizes))
            ones = np.bincount(run.draws.strata[:made], run.draws.labels[:made], len(sizes))
            positive = sizes * np.where(count > 0, ones / np.maximum(count, 1), scores)
            rest = sizes - positive
            cells = (positive[picked], rest[picked], positive[~picked], rest[~picked])
            tp, fp, fn, tn = (float(cell.sum()) for cell in cells)
            point, left = metric(claim.metric).value((tp, fp, fn, tn)), int(sizes.sum()) - made
            ahead = draws_by_wealth(run.log[0, :made], goal, left=left)
            if ahead is not None and point is not None and point >= claim.target:
                found.append((run.labels - made, printed((ahead.low, ahead.high), left)))
        yield found
