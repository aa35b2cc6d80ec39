"""Cut-offs with a proof: walk along regions that were fixed before any label, stop at the first doubt.

One idea: an error level δ is enough for a whole sequence of tests if the sequence is fixed in
advance and one stops at the first test that fails. The regions {max(q, 1−q) ≥ c} of a calibrated
score q are one family with one parameter, so scores without labels can put them in order.

Source: fixed-sequence testing (Maurer, Hothorn, Lehmacher 1995; Angelopoulos et al. 2021 for risk
control); the path and its start are ours.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assaymark.claims.checks import open_share
from assaymark.errors import InputError
from assaymark.hints import command
from assaymark.stats import special
from assaymark.stats.calibration import Calibrator
from assaymark.stats.labelled_scores import Floats, Labelled, checked_scores
from assaymark.triaging.stats.cutoffs import (
    checked_target,
    decided,
    few_errors,
    fewest_labels,
    tally,
)
from assaymark.triaging.triage import Cutoffs, Rule, Step, Triage

SHARES = tuple(round(0.03 + 0.01 * k, 2) for k in range(98))
SMALL_START = 0.1
HEADROOM = 2.5  # the first region holds this many times the fewest labels that can pass
PRIOR_ITEMS = 20  # what the curve's word on a region counts for, beside calibration items
REPRESENTATIVE = (
    "The development labels are a random sample of the items that will be triaged, labelled before "
    "these cut-offs were known and used for nothing else; the promise is void when items drift."
)
FIXED_PATH = "The regions were put in order by scores without labels, before any label was read."


@dataclass(frozen=True, kw_only=True)
class Region:
    """A region that may be automated, and its share of the items that placed it."""

    share: float
    cutoffs: Cutoffs


PValue = Callable[[Region, int, int], float]


def regions(
    calibrator: Calibrator, scores: ArrayLike, *, shares: Sequence[float] = SHARES
) -> tuple[Region, ...]:
    """The path: the surest share of these unlabelled items, then a little more, up to all of them."""
    values = checked_scores(scores, what="pool")
    q = calibrator.at(values)
    sure = np.abs(q - 0.5)
    above = q >= 0.5
    path: list[Region] = []
    order = np.sort(sure)[::-1]
    for share in shares:
        least = order[max(1, int(np.ceil(share * len(values) - 1e-9))) - 1]
        inside = sure >= least
        cutoffs = Cutoffs(
            low=_edge(values[inside & ~above], np.max), high=_edge(values[inside & above], np.min)
        )
        if not path or path[-1].cutoffs != cutoffs:
            path.append(Region(share=float(inside.mean()), cutoffs=cutoffs))
    return tuple(path)


def _edge(values: Floats, end: Callable[[Floats], float]) -> float | None:
    return float(end(values)) if len(values) else None


def start_of(path: Sequence[Region], labels: int, fewest: int) -> int:
    """Where the walk begins: the first region that should hold 2.5 times the fewest labels."""
    enough = (k for k, region in enumerate(path) if region.share * labels >= HEADROOM * fewest)
    return next(enough, len(path) - 1)


def likely_start(
    path: Sequence[Region], calibrator: Calibrator, known: Labelled, *, labels: int, target: float
) -> int:
    """Where the walk is most likely to pass: the region with the largest expected z-score.

    `known` are the labelled items that calibrated, which prove nothing; `labels` is the number that
    will. The accuracy of a region is that of its known items, shrunk to what the curve says.
    """
    sure = np.abs(calibrator.at(known.scores) - 0.5) + 0.5
    evidence = []
    for region in path:
        accept, reject = decided(known.scores, region.cutoffs)
        inside = accept | reject
        right = (accept & known.labels) | (reject & ~known.labels)
        said = float(sure[inside].mean()) if inside.any() else 0.5
        accuracy = (right.sum() + PRIOR_ITEMS * said) / (inside.sum() + PRIOR_ITEMS)
        evidence.append((accuracy - target) * np.sqrt(region.share * labels))
    return int(np.argmax(evidence))


def walk(
    data: Labelled,
    path: Sequence[Region],
    *,
    delta: float,
    start: int,
    p_value: PValue,
    fewest: int = 0,
) -> tuple[Step, ...]:
    """The tests from the start on, up to and including the first that fails.

    Regions with fewer labels than `fewest`, which could never pass, are skipped at the start.
    """
    steps: list[Step] = []
    for region in path[start:]:
        counts = tally(data, region.cutoffs)
        if not steps and counts.automated < fewest and region is not path[-1]:
            continue
        p = p_value(region, counts.errors, counts.automated)
        steps.append(
            Step(
                share=region.share,
                cutoffs=region.cutoffs,
                automated=counts.automated,
                errors=counts.errors,
                p_value=p,
                passed=p <= delta,
            )
        )
        if not steps[-1].passed:
            break
    return tuple(steps)


def certify(
    data: Labelled,
    path: Sequence[Region],
    *,
    target: float,
    delta: float = 0.1,
    proving: float = 1.0,
    start: int | None = None,
) -> Triage:
    """Cut-offs whose accuracy is at least the target with chance 1 − delta, or nothing.

    *Assumes* that the path was fixed without these labels and scores, and that the labels are
    independent draws from the population to be triaged. `proving` is the share that these labels
    are of all that were bought; advice on how many to buy reckons with it. `start` is the region
    that is tested first, chosen without these labels (`start_of` unless given).
    """
    checked_target(target, majority=data.majority)
    open_share("delta", delta)
    fewest = fewest_labels(target, delta)
    if data.size < fewest:
        raise InputError(too_few(data.size, fewest, target, delta, proving))
    steps = walk(
        data,
        path,
        delta=delta,
        start=start_of(path, data.size, fewest) if start is None else start,
        fewest=fewest,
        p_value=lambda _region, errors, items: few_errors(errors, items, 1 - target),
    )
    return verdict(
        data, steps, rule="certified", target=target, delta=delta,
        assumptions=(REPRESENTATIVE, FIXED_PATH), proving=proving,
    )  # fmt: skip


def verdict(
    data: Labelled,
    steps: Sequence[Step],
    *,
    rule: Rule,
    target: float,
    delta: float,
    assumptions: tuple[str, ...],
    proving: float = 1.0,
) -> Triage:
    """The last step that passed, or nothing and how many labels its first step would need."""
    passed = [step for step in steps if step.passed]
    cutoffs = passed[-1].cutoffs if passed else Cutoffs(low=None, high=None)
    needed, reason = None, None
    if not passed:
        first = steps[0]
        needed, reason = _more_labels(
            data.size / proving, first, target=target, delta=delta, proving=proving
        )
    return Triage(
        rule=rule,
        target=target,
        delta=delta,
        cutoffs=cutoffs,
        certified=bool(passed),
        tally=tally(data, cutoffs),
        labels=data.size,
        needed=needed,
        steps=tuple(steps),
        reason=reason,
        assumptions=assumptions,
    )


def _more_labels(
    labels: float, first: Step, *, target: float, delta: float, proving: float
) -> tuple[int | None, str]:
    """How many labels the first region would need if its accuracy is what it showed."""
    right = first.automated - first.errors
    sentence = f"{right:,} of {first.automated:,} decisions in the first region are right"
    accuracy = right / first.automated if first.automated else 0.0
    if accuracy <= target:
        return _not_above(sentence, first, target=target, delta=delta, proving=proving)
    share = first.automated / labels
    # a rough figure for advice: the normal approximation at 80 % power
    spread = special.ndtri(1 - delta) * np.sqrt(target * (1 - target))
    spread += special.ndtri(0.8) * np.sqrt(accuracy * (1 - accuracy))
    size = max(fewest_labels(target, delta), (spread / (accuracy - target)) ** 2)
    needed = int(max(np.ceil(labels) + 1, np.ceil(size / share)))
    return needed, (
        f"{sentence}, too few to prove {target:g}. If it stays so, about {needed:,} labels in all are enough."
    )


def _not_above(
    sentence: str, first: Step, *, target: float, delta: float, proving: float
) -> tuple[int | None, str]:
    """What would help where even the first region is not good enough."""
    short = f"{sentence}, which is not above the target {target:g}"
    if first.share <= SMALL_START:
        return None, f"{short}: a better score or a lower target would help, more labels hardly."
    needed = int(np.ceil(HEADROOM * fewest_labels(target, delta) / SMALL_START / proving))
    return needed, (
        f"{short}. With few labels the first region must be large ({first.share:.0%} of the items); "
        f"with {needed:,} it could be the surest tenth."
    )


def too_few(labels: int, fewest: int, target: float, delta: float, proving: float = 1.0) -> str:
    """Why a certificate is out of reach, and what would be needed."""
    wanted = int(np.ceil(HEADROOM * fewest / proving))
    return (
        f"{labels:,} labels can never prove an accuracy of {target:g} at risk {delta:g}: it takes "
        f"{fewest:,} automated items without a single error. Label at least {wanted:,}; "
        f"{command('triage size')} says how many are likely to do."
    )
