"""The labels of an estimate counted per stratum, and what readers are warned of."""

from collections.abc import Sequence
from dataclasses import dataclass

from assaymark.claims.results import counted
from assaymark.estimation.estimate import EstimateDesign, MetricEstimate, StratumTally
from assaymark.estimation.stats.confidence_axis import Floats, Ints
from assaymark.stats.sequential.prior_posterior_ratio import positive_range

HIDDEN = 0.95  # the confidence of what could hide in a stratum


@dataclass(frozen=True, kw_only=True, eq=False)
class Tally:
    """Counts per stratum; skipped items are in none of the others.

    `expected` are the positives of each stratum where the scores help to estimate them.
    """

    sizes: Ints
    labelled: Ints
    positives: Ints
    correct: Ints
    skipped: Ints
    expected: Floats | None = None


def stratum_rows(design: EstimateDesign, counts: Tally) -> tuple[StratumTally, ...]:
    """What the labels of each stratum say, one row each."""
    return tuple(
        StratumTally(
            name=stratum.name,
            items=stratum.items,
            labelled=int(counts.labelled[k]),
            positives=int(counts.positives[k]),
            skipped=int(counts.skipped[k]),
            hidden=hidden_positives(counts, k) if stratum.prediction is False else None,
        )
        for k, stratum in enumerate(design.strata)
    )


def hidden_positives(counts: Tally, k: int) -> int:
    """How many positives could hide in a stratum beyond those found, at 95 % and at every look.

    Each stratum by itself. An item that nobody could judge may be a positive.
    """
    positives, skipped = int(counts.positives[k]), int(counts.skipped[k])
    most = positive_range(
        items=int(counts.sizes[k]),
        labels=int(counts.labelled[k]) + skipped,
        positives=positives + skipped,
        confidence=HIDDEN,
    )
    return most.high - positives


def warnings_of(design: EstimateDesign, counts: Tally) -> tuple[str, ...]:
    """Strata of which little is known, misses that are still possible, items nobody could judge."""
    said = []
    bare = [s.name for s, n in zip(design.strata, counts.labelled, strict=True) if n == 0]
    single = [
        s.name
        for s, n in zip(design.strata, counts.labelled, strict=True)
        if n == 1 and s.items > 1
    ]
    if bare:
        said.append(
            f"{_named(bare)} no label and {'is' if len(bare) == 1 else 'are'} taken at the score's word."
        )
    if single:
        said.append(f"{_named(single)} a single label: the variance there is smoothed.")
    bulk = [k for k, s in enumerate(design.strata) if s.prediction is False]
    if bulk:
        k = max(bulk, key=lambda k: design.strata[k].items)
        if counts.positives[k] == 0 and counts.labelled[k]:
            labels = counted(int(counts.labelled[k]), "label")
            said.append(
                f"0 misses in {labels} of the largest predicted-negative stratum "
                f"({design.strata[k].items:,} items); up to {hidden_positives(counts, k):,} more possible."
            )
    if counts.skipped.sum():
        said.append(
            f"{counted(int(counts.skipped.sum()), 'item')} could not be judged: the intervals count "
            "them against the metric at the low end and for it at the high end."
        )
    return tuple(said)


def apart(metrics: Sequence[MetricEstimate]) -> tuple[str, ...]:
    """A warning where the estimate lies outside the guaranteed range, as by bad luck it can."""
    outside = [
        one.title
        for one in metrics
        if one.point is not None
        and one.guaranteed_interval is not None
        and one.guaranteed_reason is None
        and not one.exact
        and not one.guaranteed_interval[0] <= one.point <= one.guaranteed_interval[1]
    ]
    if not outside:
        return ()
    verb = "lies" if len(outside) == 1 else "lie"
    return (
        f"The estimate of {', '.join(outside)} {verb} outside the guaranteed range: the two weigh the "
        "draws differently, and one of them is off. More labels settle it.",
    )


def steered(changed: int) -> tuple[str, ...]:
    """A warning where labels were changed after chances had been computed from them."""
    if not changed:
        return ()
    which = f"{counted(changed, 'label')} {'was' if changed == 1 else 'were'}"
    return (
        f"{which} changed after later items had been chosen by {'it' if changed == 1 else 'them'}: the "
        "guaranteed figures then hold only if nobody changed labels in order to choose items.",
    )


def _named(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"The stratum '{names[0]}' has"
    shown = ", ".join(f"'{name}'" for name in names[:3])
    return f"{len(names)} strata ({shown}{', …' if len(names) > 3 else ''}) have"
