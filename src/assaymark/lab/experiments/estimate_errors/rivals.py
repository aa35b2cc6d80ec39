"""Published rivals, on the same pools and labels as ours, written from their papers.

Sawade et al. (2010), *Active estimation of F-measures*; Marchant and Rubinstein (2017), *In search
of an entity resolution OASIS* (on strata of the scores, in ten rounds); AIPW on Sawade's sampling.
They draw with replacement, ours without.
"""

from typing import Any

import numpy as np

from assaymark.lab.experiments.estimate_errors.estimators import Question, Way
from assaymark.lab.worlds import Floats

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
