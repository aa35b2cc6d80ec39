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
        usual = [own for own in PAIR_KINDS.values() if own.topics]
        held, topics = sum(own.held for own in usual), sum(own.topics for own in usual)
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


WEAK = "It passed 1.25 only where a classifier found less than 60 % of the positives: label outside to check."
# measured by `assaymark lab pairs` on four collections; a band holds a topic if it covers in nine
# samples of ten, or its mean δ1 lies in the range of the other topics of that kind (held_out)
PAIR_KINDS = {
    kind.name: kind
    for kind in (
        PairKind(
            name="columns",
            title="two text columns",
            low=0.98,
            high=1.65,
            topics=13,
            held=10,
            held_out=13,
            advice=WEAK,
        ),
        PairKind(
            name="vocabulary",
            title="two halves of the vocabulary",
            low=1.0,
            high=1.41,
            topics=13,
            held=11,
            held_out=12,
            advice=WEAK,
        ),
        PairKind(
            name="halves",
            title="two halves of each text",
            low=1.0,
            high=1.54,
            topics=13,
            held=10,
            held_out=12,
            advice=WEAK,
        ),
        PairKind(
            name="jaccard",
            title="seed terms and neighbours by Jaccard",
            low=0.94,
            high=1.05,
            topics=6,
            held=6,
            held_out=6,
        ),
        PairKind(
            name="tversky",
            title="seed terms and neighbours by Tversky",
            low=0.92,
            high=1.3,
            topics=6,
            held=5,
            held_out=5,
            advice="Prefer Jaccard.",
        ),
        PairKind(
            name="overlap",
            title="seed terms and neighbours by overlap",
            low=1.36,
            high=2.41,
            topics=6,
            held=0,
            held_out=5,
            advice="Use Jaccard instead.",
        ),
        PairKind(
            name="pmi",
            title="seed terms and neighbours by PMI",
            low=1.36,
            high=2.41,
            topics=6,
            held=0,
            held_out=5,
            advice="Use Jaccard instead.",
        ),
        PairKind(
            name="ngrams",
            title="words and character n-grams of the same text",
            low=1.0,
            high=1.78,
            topics=13,
            held=9,
            held_out=12,
            advice="Give each classifier a text of its own.",
        ),
        PairKind(name="signals", title="text and social signals"),
    )
}


def pair_kind(name: str) -> PairKind:
    """The kind of that name; the nearest is suggested where there is none."""
    return PAIR_KINDS[choice("pair", name, PAIR_KINDS)]
