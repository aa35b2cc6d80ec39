"""How pairs of classifiers are built, and how dependent such pairs were when we measured them.

The ranges of δ1 are those of `assaymark lab pairs` on four real collections.
"""

from dataclasses import dataclass

from assaymark.claims.checks import choice
from assaymark.pair_recall.overlap import DELTA_BAND


@dataclass(frozen=True, kw_only=True)
class PairKind:
    """A way to build a pair; `low` and `high` are the smallest and largest δ1 measured."""

    name: str
    title: str
    low: float | None = None
    high: float | None = None
    advice: str = ""

    @property
    def warning(self) -> str | None:
        """What to know about such a pair; None where nothing speaks against it."""
        if self.low is None or self.high is None:
            return self.advice or None
        if self.low >= DELTA_BAND[0] and self.high <= DELTA_BAND[1]:
            return None
        return (
            f"Pairs of {self.title} can be dependent: δ1 was {self.low:.2f} to "
            f"{self.high:.2f} where we measured it, outside the usual band. {self.advice}"
        )


WEAK = "It passed 1.25 only where a classifier found less than 60 % of the positives: label outside to check."
PAIR_KINDS = {
    kind.name: kind
    for kind in (
        PairKind(name="columns", title="two text columns", low=0.98, high=1.65, advice=WEAK),
        PairKind(
            name="vocabulary", title="two halves of the vocabulary", low=1.0, high=1.41, advice=WEAK
        ),
        PairKind(name="halves", title="two halves of each text", low=1.0, high=1.54, advice=WEAK),
        PairKind(name="jaccard", title="seed terms and neighbours by Jaccard", low=0.94, high=1.05),
        PairKind(
            name="tversky",
            title="seed terms and neighbours by Tversky",
            low=0.92,
            high=1.3,
            advice="Prefer Jaccard.",
        ),
        PairKind(
            name="overlap",
            title="seed terms and neighbours by overlap",
            low=1.36,
            high=2.41,
            advice="Use Jaccard instead.",
        ),
        PairKind(
            name="pmi",
            title="seed terms and neighbours by PMI",
            low=1.36,
            high=2.41,
            advice="Use Jaccard instead.",
        ),
        PairKind(
            name="ngrams",
            title="words and character n-grams of the same text",
            low=1.0,
            high=1.78,
            advice="Give each classifier a text of its own.",
        ),
        PairKind(name="signals", title="text and social signals"),
    )
}


def pair_kind(name: str) -> PairKind:
    """The kind of that name; the nearest is suggested where there is none."""
    return PAIR_KINDS[choice("pair", name, PAIR_KINDS)]
