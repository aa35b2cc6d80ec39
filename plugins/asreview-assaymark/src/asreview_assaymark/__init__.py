"""A certified stopper for ASReview, and the random draws that make it honest."""

from fractions import Fraction
from typing import Any

import numpy as np

from assaymark.reviewing.stats import Batch, Standing, draws_of, is_certified

NAME = "assaymark_random_part"
RANDOM = f"{NAME}:random"


class RandomPart:
    """Querier: the best-ranked record, and one in `every` at random from all unread ones.

    `query` gives the order of the records, first the one to read. ASReview writes the `name` of a
    querier beside each record, so the name says how the latest one was chosen.
    """

    name = NAME
    label = "Best first, with a random part (assaymark)"

    def __init__(self, every: int = 2, seed: int | None = None) -> None:
        if every < 1:
            raise ValueError(f"'every' must be at least 1, got {every}.")
        self.every = every
        self.seed = seed
        self.name = NAME
        self._rng = np.random.default_rng(seed)
        self._asked = 0

    def query(self, scores: Any) -> Any:
        """Positions of the unread records in the order to read; only the first is used."""
        order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")
        self._asked += 1
        if self._asked % self.every:
            self.name = NAME
            return order
        self.name = RANDOM
        chosen = int(self._rng.integers(len(order)))
        return np.concatenate([[chosen], order[order != chosen]])


class CertifiedRecall:
    """Stopper: recall is at least `recall` with this confidence, valid at any look.

    Evidence are rows whose querier is the random part; all others are knowledge. Of records labelled
    together (several per query, or duplicates of one group) only the first was drawn at random.
    """

    name = "assaymark_certified"
    label = "Certified recall (assaymark)"

    def __init__(self, recall: str = "0.95", confidence: str = "0.95") -> None:
        self.recall = recall
        self.confidence = confidence

    def stop(self, results: Any, data: Any) -> bool:
        """Whether the review may stop; always where every record is read."""
        items = len(data)
        labels = [None if label != label else label for label in results["label"]]
        routes = list(results["querier"]) if "querier" in results else [None] * len(labels)
        if items == 0 or len(labels) == items:
            return True
        rounds = (
            list(results["training_set"]) if "training_set" in results else [*range(len(labels))]
        )
        batches, found = [], 0
        for place, (label, route) in enumerate(zip(labels, routes, strict=True)):
            hit = bool(label) or label is None
            if route == RANDOM and (place == 0 or rounds[place] != rounds[place - 1]):
                batches.append(Batch(items=items - place, found=found, hits=(hit,)))
            found += hit
        unclear = sum(label is None for label in labels)
        standing = Standing(
            found=found - unclear,
            unclear=unclear,
            unread=items - len(labels),
            draws=draws_of(batches),
        )
        return is_certified(standing, Fraction(str(self.recall)), Fraction(str(self.confidence)))
