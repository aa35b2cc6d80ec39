"""Directed reading of one topic: one course per run, from which every stopping rule branches off."""

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.learners.documents import READING

Flags = NDArray[np.bool_]
Items = NDArray[np.int64]
REFIT = 0.07
PRESUMED = 100


@dataclass(kw_only=True, eq=False)
class Ranker:
    """A linear model over fixed features, fitted again when labels have grown by 7 %.

    Its order depends on the labels and on `seed` alone.
    """

    features: Any
    truth: Flags
    seed: int
    fitted: int = 0
    order: list[int] = field(default_factory=list)

    def best(self, known: Flags, count: int) -> int:
        """The unread item that directed reading takes next, after `count` labels."""
        if not self.order or count >= (1 + REFIT) * self.fitted:
            self._fit(known)
        while known[self.order[-1]]:
            self.order.pop()
        return self.order[-1]

    def _fit(self, known: Flags) -> None:
        rows = np.flatnonzero(known)
        short = max(0, PRESUMED - int((~self.truth[rows]).sum()))
        rest = np.flatnonzero(~known)
        rng = np.random.default_rng([self.seed, len(rows)])
        presumed = rng.choice(rest, size=min(short, len(rest)), replace=False)
        labels = np.concatenate([self.truth[rows], np.zeros(len(presumed), dtype=np.bool_)])
        machine = READING.machine()
        machine.fit(self.features[np.concatenate([rows, presumed])], labels)
        scores = self.features @ machine.coef_.ravel()
        self.order = np.argsort(scores, kind="stable").tolist()
        self.fitted = len(rows)


class Course:
    """Records in the order of directed reading alone, worked out as far as somebody asks.

    The first is a relevant record that is known before.
    """

    def __init__(self, truth: Flags, features: Any, seed: int) -> None:
        self.truth = truth
        self.features = features
        self.seed = seed
        rng = np.random.default_rng([seed, 0])
        self.items: list[int] = [int(rng.choice(np.flatnonzero(truth)))]
        self._known = np.zeros(len(truth), dtype=np.bool_)
        self._known[self.items[0]] = True
        self._ranker = Ranker(features=features, truth=truth, seed=seed)
        self._fits: list[tuple[int, Items]] = []

    def read(self, count: int) -> list[int]:
        """The first `count` records."""
        while len(self.items) < count:
            item = self._ranker.best(self._known, len(self.items))
            if not self._fits or self._fits[-1][0] != self._ranker.fitted:
                order = np.array(self._ranker.order, dtype=np.int64)
                self._fits.append((self._ranker.fitted, order))
            self._known[item] = True
            self.items.append(item)
        return self.items[:count]

    def item(self, place: int) -> int:
        """The record at this place."""
        if place >= len(self.items):
            self.read(place + 1)
        return self.items[place]

    def ranker_after(self, count: int) -> Ranker:
        """The ranker as it stands after the first `count` records."""
        self.read(count)
        place = bisect_right([fitted for fitted, _ in self._fits], count - 1) - 1
        fitted, order = self._fits[place] if place >= 0 else (0, np.array([], dtype=np.int64))
        return Ranker(
            features=self.features,
            truth=self.truth,
            seed=self.seed,
            fitted=fitted,
            order=order.tolist(),
        )
