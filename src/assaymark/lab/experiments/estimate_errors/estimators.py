"""Many samples of one estimate at once, drawn as the product draws them, and its points.

F1, precision and recall are F = tp/(α·predicted + (1 − α)·positives) with α = 1/2, 1 and 0.
Beside ours stand published rivals, written from their papers: Sawade et al. (2010), *Active estimation
of F-measures*; Marchant and Rubinstein (2017), *In search of an entity resolution OASIS* (on strata of
the scores, in ten rounds); AIPW on Sawade's sampling. They draw with replacement, ours without.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaln

from assaymark.claims.claim import Claim
from assaymark.estimation.stats.rank_strata import EDGE, EVEN, INFLUENCE, NEYMAN, fixed_chances
from assaymark.estimation.stats.regression_estimator import ScoreMoments, regression_positives
from assaymark.estimation.stats.renewed_chances import KEPT, renewal_draws, renewed_chances
from assaymark.lab.weighted_runs import joined, take
from assaymark.lab.worlds import USUAL, Cut, Cuts, Floats, World, cut_world
from assaymark.stats.rehearsal.beliefs import ManyBeliefs
from assaymark.stats.score_guided.beliefs import Experts
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import draw_strata

ALPHA = {"f1": 0.5, "precision": 1.0, "recall": 0.0}
STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)


@dataclass(frozen=True, kw_only=True)
class Question:
    """A metric of a world, to be estimated from this many labels in this many samples."""

    world: World
    metric: str
    labels: int
    runs: int

    @property
    def alpha(self) -> float:
        """The weight of the predicted positives in the denominator."""
        return ALPHA[self.metric]

    def value(self, tp: Any, positives: Any, predicted: Any) -> Floats:
        """The metric; 0 where its denominator is 0."""
        below = self.alpha * predicted + (1 - self.alpha) * positives
        ratio: Floats = np.divide(tp, below, out=np.zeros(np.shape(tp + below)), where=below > 0)
        return ratio


Way = Callable[[Question, np.random.Generator], Floats]


class Samples:
    """Many samples of a world in the strata of the score-guided design, and what each really holds."""

    def __init__(self, ask: Question, *, cuts: Cuts = USUAL) -> None:
        cut = cut_world(ask.world, Claim(metric=ask.metric, side="lower", target=0.5), cuts=cuts)
        self.ask, self.cut, self.scores = ask, cut, np.array([s.mean_score for s in cut.strata])
        self.size = np.array([s.size for s in cut.strata])
        self.hits = np.array([int(labels.sum()) for labels in cut.labels])
        self.side = np.array([s.predicted for s in cut.strata])
        self.first = fixed_chances(ask.metric, cut.strata)
        self.taken = np.zeros((ask.runs, len(self.size)), dtype=np.int64)
        self.found = np.zeros_like(self.taken)

    def draw(self, chances: Floats, labels: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Label more items of every sample: how many by stratum, and how many positive.

        What falls into a stratum that is used up is drawn again among the others, as in the product.
        """
        room, drawn = self.size - self.taken, np.zeros_like(self.taken)
        while True:
            left = room - drawn
            need = np.minimum(labels - drawn.sum(axis=1), left.sum(axis=1))
            if not need.any():
                break
            live = np.where(left > 0, chances, 0.0)
            live += ~(left > 0).any(axis=1, keepdims=True)  # nothing left: nothing is drawn either
            more = rng.multinomial(need, live / live.sum(axis=1, keepdims=True))
            drawn += np.minimum(more, left)
        hits = rng.hypergeometric(self.hits - self.found, room - self.hits + self.found, drawn)
        self.taken, self.found = self.taken + drawn, self.found + hits
        return drawn.astype(np.float64), hits.astype(np.float64)

    def chances(self, rates: Floats) -> Floats:
        """`fixed_chances` at these rates of every sample."""
        sure = np.clip(rates, EDGE, 1 - EDGE)
        pull = self.pull(sure)
        neyman = pull * np.sqrt(sure * (1 - sure))
        share: Floats = (
            NEYMAN * neyman / neyman.sum(axis=1, keepdims=True)
            + INFLUENCE * pull / pull.sum(axis=1, keepdims=True)
            + EVEN / len(self.size)
        )
        return share

    def pull(self, rates: Floats) -> Floats:
        """How much the rate of each stratum moves the metric, at these rates of every sample."""
        value = np.clip(self.metric(self.size * rates), EDGE, 1 - EDGE)[:, None]
        lean = (1 - self.ask.alpha) * value
        moved: Floats = self.size * np.where(self.side, 1 - lean, lean)
        return moved

    def renewed(self, rates: Floats) -> Floats:
        """`renewed_chances` at these rates: the aim, and what it takes to catch up on it."""
        aim = self.chances(rates)
        behind = np.maximum(aim * self.ask.labels - self.taken, 0.0)
        share: Floats = (1 - KEPT) * behind / behind.sum(axis=1, keepdims=True) + KEPT * aim
        return share

    def metric(self, positives: Floats) -> Floats:
        """The metric of every sample from its positives by stratum."""
        picked = self.ask.world.predicted.sum()
        return self.ask.value(positives[:, self.side].sum(axis=1), positives.sum(axis=1), picked)

    def means(self, otherwise: Floats) -> Floats:
        """Positives by stratum from its labels, or `otherwise` where it has none."""
        rate = np.where(self.taken > 0, self.found / np.maximum(self.taken, 1), otherwise)
        return self.size * rate

    def by_means(self) -> Floats:
        """The metric of every sample with each stratum at the rate of its labels."""
        return self.metric(self.means(self.scores))

    def by_regression(self, rng: np.random.Generator) -> Floats:
        """The same with the scores of the labelled items as auxiliary variable, as `estimate` has it."""
        means = self.means(self.scores)
        better = regression_positives(
            self.size,
            self.taken,
            self.found,
            scores=self.scores,
            moments=self.moments(rng),
            pull=self.pull(np.clip(means / self.size, EDGE, 1 - EDGE)),
        )
        return self.metric(np.where(self.taken > 0, better, means))

    def moments(self, rng: np.random.Generator) -> ScoreMoments:
        """The scores of the labelled items: which of the positives, and of the others, is chance."""
        shape = self.taken.shape
        mean, squares, products = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for k, (scores, labels) in enumerate(zip(self.cut.scores, self.cut.labels, strict=True)):
            yes, no = scores[labels == 1], scores[labels == 0]
            for run in np.flatnonzero(self.taken[:, k]):
                hits = int(self.found[run, k])
                others = int(self.taken[run, k]) - hits
                of_hits = yes[rng.choice(len(yes), hits, replace=False, shuffle=False)]
                rest = no[rng.choice(len(no), others, replace=False, shuffle=False)]
                drawn = np.concatenate([of_hits, rest])
                mean[run, k] = middle = drawn.mean()
                squares[run, k] = float(((drawn - middle) ** 2).sum())
                products[run, k] = float(of_hits.sum()) - hits * middle
        return ScoreMoments(mean=mean, squares=squares, products=products)


def fixed(ask: Question, rng: np.random.Generator) -> Floats:
    """What `estimate` does: chances fixed by the scores, regression on them within strata."""
    return fixed_samples(ask, rng).by_regression(rng)


def fixed_samples(ask: Question, rng: np.random.Generator, *, cuts: Cuts = USUAL) -> Samples:
    """Samples drawn with the chances of the plan throughout."""
    pool = Samples(ask, cuts=cuts)
    pool.draw(np.tile(pool.first, (ask.runs, 1)), ask.labels, rng)
    return pool


def fixed_draws(metric: str, cut: Cut, labels: int, rng: np.random.Generator) -> Draws:
    """The draws of one estimate with fixed chances, with their labels."""
    chances = fixed_chances(metric, cut.strata)
    strata = draw_strata(chances, np.array([one.size for one in cut.strata]), rng.random(labels))
    said = np.zeros(labels, dtype=np.int64)
    for k, truth in enumerate(cut.labels):
        mine = strata == k
        said[mine] = rng.permutation(truth)[: int(mine.sum())]
    return Draws(strata=strata, labels=said, sampling=np.tile(chances, (labels, 1)))


def renewed_draws(metric: str, cut: Cut, labels: int, rng: np.random.Generator) -> Draws:
    """The draws of one estimate with renewed chances, as the product makes them, with their labels."""
    queues = [rng.permutation(np.asarray(truth, dtype=np.int64)) for truth in cut.labels]
    sizes = np.array([stratum.size for stratum in cut.strata])
    chances, ends = fixed_chances(metric, cut.strata), renewal_draws(labels)
    parts: list[Draws] = []
    for start, stop in itertools.pairwise((0, *ends, labels)):
        if start:
            now = joined(parts)
            chances = renewed_chances(
                metric, cut.strata, now.strata, now.labels,
                ends=[end for end in ends if end <= start], planned=labels,
            )  # fmt: skip
        used = sum(
            (np.bincount(part.strata, minlength=len(sizes)) for part in parts),
            start=np.zeros(len(sizes), dtype=np.int64),
        )
        strata = draw_strata(chances, sizes - used, rng.random(stop - start))
        parts.append(
            Draws(
                strata=strata,
                labels=take(queues, used, strata),
                sampling=np.tile(chances, (len(strata), 1)),
            )
        )
    return joined(parts)


def renewed_samples(
    ask: Question, rng: np.random.Generator, *, cuts: Cuts = USUAL
) -> tuple[Samples, ManyBeliefs]:
    """Chances renewed at a quarter and at half of the labels, from what is believed then."""
    pool, runs = Samples(ask, cuts=cuts), np.arange(ask.runs)
    beliefs = ManyBeliefs(pool.scores, runs=ask.runs, strata=len(pool.size), experts=Experts())
    chances = np.tile(pool.first, (ask.runs, 1))
    stops = (0, *renewal_draws(ask.labels), ask.labels)
    for start, stop in itertools.pairwise(stops):
        beliefs.learn(runs, *pool.draw(chances, stop - start, rng))
        if stop < ask.labels:
            chances = pool.renewed(beliefs.rates(runs))
    return pool, beliefs


def renewed(ask: Question, rng: np.random.Generator) -> Floats:
    """What `estimate` does if asked to: chances renewed twice, regression within strata."""
    pool, _ = renewed_samples(ask, rng)
    return pool.by_regression(rng)


def aimed(ask: Question, rng: np.random.Generator) -> Floats:
    """What `estimate` would do if the scores were the true rates of strata: no plan can."""
    pool = Samples(ask)
    pool.draw(pool.chances(np.tile(pool.hits / pool.size, (ask.runs, 1))), ask.labels, rng)
    return pool.by_regression(rng)


def fixed_means(ask: Question, rng: np.random.Generator) -> Floats:
    """The samples of `fixed`, given the same numbers, by the means of strata alone."""
    return fixed_samples(ask, rng).by_means()


def renewed_means(ask: Question, rng: np.random.Generator) -> Floats:
    """The samples of `renewed`, given the same numbers, by the means of strata alone."""
    return renewed_samples(ask, rng)[0].by_means()


def believed(ask: Question, rng: np.random.Generator) -> Floats:
    """Chances renewed twice; unlabelled items count with the believed rate ("model-assisted")."""
    pool, beliefs = renewed_samples(ask, rng)
    rates = beliefs.rates(np.arange(ask.runs))
    return pool.metric(pool.found + (pool.size - pool.taken) * rates)


def learnt_line(ask: Question, rng: np.random.Generator) -> Floats:
    """Chances renewed twice; a calibration line counts as much as the labels say it deserves."""
    pool, beliefs = renewed_samples(ask, rng)
    line = np.clip(beliefs.calibrated(np.arange(ask.runs)), 1e-6, 1 - 1e-6)
    fits, rates = [], []
    for strength in STRENGTHS:
        yes, no = strength * line, strength * (1 - line)
        fit = betaln(yes + pool.found, no + pool.taken - pool.found) - betaln(yes, no)
        fits.append(fit.sum(axis=1))
        rates.append((yes + pool.found) / (strength + pool.taken))
    weight = np.exp(np.array(fits) - np.max(fits, axis=0))
    rate = (weight[:, :, None] * rates).sum(axis=0) / weight.sum(axis=0)[:, None]
    return pool.metric(pool.found + (pool.size - pool.taken) * rate)


OWN: dict[str, Way] = {
    "fixed": fixed,
    "renewed": renewed,
    "fixed, means": fixed_means,
    "renewed, means": renewed_means,
    "believed": believed,
    "learnt line": learnt_line,
}


ROUNDS, STRATA, MIX = 10, 30, 1e-3


def _guess(ask: Question) -> tuple[float, Floats]:
    scores, picked = np.clip(np.asarray(ask.world.scores), 1e-4, 1 - 1e-4), ask.world.predicted
    return float(ask.value((scores * picked).sum(), scores.sum(), picked.sum())), scores


def _sawade_chances(ask: Question) -> Floats:
    value, scores = _guess(ask)
    inside = np.sqrt(scores * (1 - value) ** 2 + ask.alpha**2 * (1 - scores) * value**2)
    chances = np.where(ask.world.predicted, inside, (1 - ask.alpha) * value * np.sqrt(scores))
    share: Floats = chances / chances.sum()
    return share


def _pick(chances: Floats, ask: Question, rng: np.random.Generator) -> Any:
    edges = np.cumsum(chances)
    at = np.searchsorted(edges, rng.random((ask.runs, ask.labels)) * edges[-1], side="right")
    return np.minimum(at, len(chances) - 1)


def sawade(ask: Question, rng: np.random.Generator) -> Floats:
    """Importance sampling with the chances that are best if the scores are right."""
    chances = _sawade_chances(ask)
    at = _pick(chances, ask, rng)
    weight, y, f = 1 / chances[at], ask.world.labels[at], ask.world.predicted[at]
    return ask.value(
        (weight * y * f).sum(axis=1), (weight * y).sum(axis=1), (weight * f).sum(axis=1)
    )


def aipw(ask: Question, rng: np.random.Generator) -> Floats:
    """Scores plus weighted errors of scores, on nine parts Sawade's chances and one part even ones."""
    _, scores = _guess(ask)
    chances = 0.9 * _sawade_chances(ask) + 0.1 / ask.world.items
    at, f = _pick(chances, ask, rng), ask.world.predicted
    gap = (ask.world.labels[at] - scores[at]) / (chances[at] * ask.labels)
    tp = np.clip((scores * f).sum() + (gap * f[at]).sum(axis=1), 0, f.sum())
    positives = np.maximum(scores.sum() + gap.sum(axis=1), tp)
    return np.clip(ask.value(tp, positives, f.sum()), 0, 1)


def oasis(ask: Question, rng: np.random.Generator) -> Floats:
    """Adaptive importance sampling over strata of the scores, from an optimistic start."""
    world, alpha = ask.world, ask.alpha
    scores = np.asarray(world.scores)
    edges = np.unique(np.quantile(scores, 1 - np.geomspace(1, 1 / world.items, STRATA + 1)))
    at = np.clip(np.searchsorted(edges, scores, side="right") - 1, 0, len(edges) - 1)
    key, at = np.unique(2 * at + world.predicted, return_inverse=True)
    size, f = np.bincount(at).astype(float), key % 2 == 1
    hits = np.bincount(at, weights=world.labels)
    counts = np.zeros((ask.runs, len(size))) + 2.0
    positive, sums = counts * np.bincount(at, weights=scores) / size, np.zeros((3, ask.runs))
    for part in np.array_split(np.arange(ask.labels), ROUNDS):
        rate = positive / counts
        guess = ask.value(
            (size * rate * f).sum(axis=1), (size * rate).sum(axis=1), (size * f).sum()
        )
        g = guess[:, None]
        inside = np.sqrt(rate * (1 - g) ** 2 + alpha**2 * (1 - rate) * g**2)
        chances = size * np.where(f, inside, (1 - alpha) * g * np.sqrt(rate))
        chances = (1 - MIX) * chances / chances.sum(axis=1, keepdims=True) + MIX * size / size.sum()
        drawn = rng.multinomial(len(part), chances / chances.sum(axis=1, keepdims=True))
        positives = rng.binomial(drawn, hits / size)
        weight = (size / size.sum()) / chances
        sums += [
            (weight * positives * f).sum(axis=1),
            (weight * positives).sum(axis=1),
            (weight * drawn * f).sum(axis=1),
        ]
        counts, positive = counts + drawn, positive + positives
    return ask.value(*sums)


def uniform(ask: Question, rng: np.random.Generator) -> Floats:
    """A simple random sample; for precision, of the predicted positives."""
    where = np.flatnonzero(ask.world.predicted | (ask.alpha < 1))
    at = where[rng.integers(0, len(where), size=(ask.runs, ask.labels))]
    y, f = ask.world.labels[at], ask.world.predicted[at]
    return ask.value((y * f).sum(axis=1), y.sum(axis=1), f.sum(axis=1))


RIVALS: dict[str, Way] = {"Sawade": sawade, "OASIS": oasis, "AIPW": aipw, "random": uniform}
