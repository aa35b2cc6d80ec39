"""Claims that forecasts are tried on: made pools, and collections as a classifier sees them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.lab.corpora import (
    frequent_topics,
    load_corpus,
    read_collection,
    trained_world,
    vendor_worlds,
)
from assaymark.lab.worlds import World
from assaymark.records.plan import Expectation

MARGINS = (0.04, 0.07, 0.1)
MADE = "made pools"
ITEMS = 6000  # of a collection, at random: larger ones tell the same and take longer
FARTHEST = 12_000  # informative items that an anytime plan is followed to


def made(seed: int) -> World:
    """Scores, roughly calibrated, and truth of 4,000 items."""
    rng = np.random.default_rng(seed)
    score = rng.beta(0.3, (3, 2, 1)[seed % 3], 4000)
    sharp = (1.0, 0.7, 1.3)[seed % 3]
    odds = np.log((score + 1e-6) / (1 - score + 1e-6))
    truth = rng.random(4000) < 1 / (1 + np.exp(-sharp * odds))
    return World(name=MADE, labels=truth, predicted=score >= 0.3, scores=score)


def real(path: Path, topics: int, seed: int) -> Iterator[World]:
    """A collection as a classifier sees it that was trained on a part of it, or a vendor's scores."""
    collection, rng = read_collection(path), np.random.default_rng(seed)
    found = list(vendor_worlds(collection, (0.5, 0.8)))[:topics]
    if not found:
        corpus = load_corpus(path, seed)
        named = frequent_topics(collection, count=topics)
        found = [trained_world(corpus, topic, rng, training=1500) for topic in named]
    for world in found:
        chosen = rng.permutation(world.items)[:ITEMS]
        yield World(
            name=collection.name,
            labels=world.labels[chosen],
            predicted=world.predicted[chosen],
            scores=None if world.scores is None else world.scores[chosen],
        )


def asked_of(world: World, words: str) -> tuple[Claim, Expectation, "np.ndarray[Any, Any]"]:
    """The claim, the truth as what is expected, and the items of every cell that the claim is about."""
    claim = parse_claim(words)
    tp, fp, fn, _ = world.cells
    known = Expectation(
        precision=tp / (tp + fp), recall=tp / (tp + fn), prevalence=world.prevalence
    )
    return (
        claim,
        known,
        np.array(world.cells) * ([1, 1, 0, 0] if claim.metric == "precision" else 1),
    )


def claim_words(world: World, seed: int) -> str:
    """A true claim a little below the classifier's value."""
    name = ("f1", "recall", "precision")[seed % 3]
    return f"{name} >= {max(0.05, world.value(name) - MARGINS[seed // 3 % 3]):.3f}"


def told_rate(cells: Any, test: Any) -> float:
    """The share of informative items."""
    told = np.array(test.success) | np.array(test.failure)
    return float(cells[told].sum() / cells.sum())
