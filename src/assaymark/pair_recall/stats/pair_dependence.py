"""How pairs of classifiers are built, and how dependent such pairs were when we measured them.

The ranges of δ1 are those of `assaymark lab pairs` on four real collections.
"""

from dataclasses import dataclass

from assaymark.claims.checks import choice
from assaymark.pair_recall.overlap import DELTA_BAND, DeltaBand


@dataclass(frozen=True, kw_only=True)
class PairKind:
    """A way to build a pair; `low` and `high` are the smallest and largest δ1 measured.

    `topics` is on how many topics it was measured, `held` on how many of them the usual band held
    the recall, and `held_out` on how many the band did that the other topics give.
    """

    name: str
    title: str
    low: float | None = None
    high: float | None = None
    topics: int = 0
    held: int = 0
    held_out: int = 0
    advice: str = ""

    @property
    def band(self) -> DeltaBand:
        """The usual band, widened to every dependence that was measured on such pairs."""
        low, high = DELTA_BAND
        return DeltaBand(low=min(low, self.low or low), high=max(high, self.high or high))

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


def band_record(kind: PairKind | None, band: DeltaBand) -> str:
    """What the band is worth: no guarantee, and how often it held where every label is known."""
    plain = (
        "The range with dependence is no guarantee: it holds if the dependence lies in its band."
    )
    if kind is None:
        usual = [pair_kind for pair_kind in PAIR_KINDS.values() if pair_kind.topics]
        held, topics = (
            sum(pair_kind.held for pair_kind in usual),
            sum(pair_kind.topics for pair_kind in usual),
        )
        if (band.low, band.high) != DELTA_BAND:
            return plain
        return f"{plain} The usual band held in {held} of {topics} measured topics, over all kinds of pairs."
    if not kind.topics:
        return f"{plain} Pairs of {kind.title} were not measured."
    if (band.low, band.high) == DELTA_BAND:
        return f"{plain} It held in {kind.held} of {kind.topics} measured topics of such pairs."
    if band == kind.band:
        return (
            f"{plain} Made from the other topics, it held in {kind.held_out} of {kind.topics} measured "
            "topics of such pairs."
        )
    return plain


def _measured(
    name: str,
    title: str,
    delta: tuple[float, float],
    topics: tuple[int, int, int],
    advice: str = "",
) -> PairKind:
    low, high = delta
    measured, held, held_out = topics
    return PairKind(
        name=name, title=title, low=low, high=high, topics=measured, held=held,
        held_out=held_out, advice=advice,
    )  # fmt: skip


TERMS = "seed terms and neighbours by"
WEAK = "It passed 1.25 only where a classifier found less than 60 % of the positives: label outside to check."
# measured by `assaymark lab pairs` on four collections; a band holds a topic if it covers in nine
# samples of ten, or its mean δ1 lies in the range of the other topics of that kind (held_out)
PAIR_KINDS = {
    kind.name: kind
    for kind in (
        _measured("columns", "two text columns", (0.98, 1.65), (13, 10, 13), WEAK),
        _measured("vocabulary", "two halves of the vocabulary", (1.0, 1.41), (13, 11, 12), WEAK),
        _measured("halves", "two halves of each text", (1.0, 1.54), (13, 10, 12), WEAK),
        _measured("jaccard", f"{TERMS} Jaccard", (0.94, 1.05), (6, 6, 6)),
        _measured(
            "tversky",
            "seed terms and neighbours by Tversky",
            (0.92, 1.3),
            (6, 5, 5),
            "Prefer Jaccard.",
        ),
        _measured(
            "overlap",
            f"{TERMS} overlap",
            (1.36, 2.41),
            (6, 0, 5),
            "Use Jaccard instead.",
        ),
        _measured(
            "pmi",
            f"{TERMS} PMI",
            (1.36, 2.41),
            (6, 0, 5),
            "Use Jaccard instead.",
        ),
        _measured(
            "ngrams",
            "words and character n-grams of the same text",
            (1.0, 1.78),
            (13, 9, 12),
            "Give each classifier a text of its own.",
        ),
        PairKind(name="signals", title="text and social signals"),
    )
}


def pair_kind(name: str) -> PairKind:
    """The kind of that name; the nearest is suggested where there is none."""
    return PAIR_KINDS[choice("pair", name, PAIR_KINDS)]
