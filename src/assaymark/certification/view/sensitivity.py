"""What wrong labels would do to an established claim: a what-if, never a guarantee.

Errors are planted where they hurt the claim until it is no longer established: once in the worst
places first, once evenly over the draws. Labels whose change would help the claim are left alone.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assaymark.certification.modes import mode_of
from assaymark.certification.modes.prefix import Prefix, counts_of
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import gain, metric, worst_label
from assaymark.claims.results import Verdict, counted
from assaymark.ledger.events import Attempt
from assaymark.records.agreement import Sensitivity, Tipping, what_if
from assaymark.stats.agreement import spread, tipping_point

WORDS = {1: "relevant", 0: "not relevant"}


@dataclass(frozen=True, kw_only=True)
class Sample:
    """The labelled draws of a plan, whose labels can be exchanged."""

    attempt: Attempt
    prefix: Prefix

    @cached_property
    def crossing(self) -> int:
        """After how many draws the claim was first established, by bisection."""
        low, high = 0, len(self.prefix.drawn)
        while high - low > 1:
            middle = (low + high) // 2
            answers = list(self.prefix.answers[:middle])
            holds = mode_of(self.attempt.plan).holds(self.attempt, self.with_answers(answers))
            low, high = (low, middle) if holds else (middle, high)
        return high

    def with_answers(self, answers: list[int | None]) -> Prefix:
        """The prefix with these answers, which may end early."""
        drawn = self.prefix.drawn[: len(answers)]
        pairs = ((bool(d.prediction), a) for d, a in zip(drawn, answers, strict=True))
        counts = counts_of(self.attempt.plan.claim, pairs)
        return Prefix(
            drawn=drawn,
            answers=tuple(answers),
            labels=self.prefix.labels,
            skipped=self.prefix.skipped,
            waiting=self.prefix.waiting,
            counts=counts,
        )


def sensitivity_of(attempt: Attempt, prefix: Prefix, verdict: Verdict | None) -> Sensitivity | None:
    """How many wrong labels of each kind would overturn the verdict; None unless it is a pass."""
    if verdict is None or verdict.decision != "pass":
        return None
    if verdict.census:
        return _census(attempt, verdict)
    sample = Sample(attempt=attempt, prefix=prefix)
    holds = mode_of(attempt.plan).holds
    tippings = []
    for label in (1, 0):
        places = hurtful(attempt.plan.claim, prefix, label)
        if places:
            tippings.append(_tipping(sample, label, places, holds))
    return _sensitivity(tuple(tippings))


def hurtful(claim: Claim, prefix: Prefix, label: int) -> list[list[int]]:
    """Items with this label whose change would hurt the claim: the places of their draws."""
    tp, fp, fn, tn = gain(claim)
    matters = {True: tp != fp, False: fn != tn}
    places: dict[str, list[int]] = {}
    for place, (draw, answer) in enumerate(zip(prefix.drawn, prefix.answers, strict=True)):
        predicted = bool(draw.prediction)
        worst = worst_label(claim, predicted=predicted)
        if answer == label and matters[predicted] and worst != label:
            places.setdefault(draw.id, []).append(place)
    return list(places.values())


def _tipping(
    sample: Sample,
    label: int,
    places: list[list[int]],
    holds: Callable[[Attempt, Prefix], bool],
) -> Tipping:
    def stands(wrong: Iterable[int]) -> bool:
        answers = list(sample.prefix.answers)
        for number in wrong:
            for place in places[number]:
                answers[place] = 1 - label
        return holds(sample.attempt, sample.with_answers(answers))

    early = _worst_first(sample, places, crossing=None)
    worst = tipping_point(lambda wrong: stands(early[:wrong]), len(places))
    if worst is None:  # all of them wrong are the same labels in every order
        return _counted(label, len(places), None, None)
    late = _worst_first(sample, places, crossing=sample.crossing)
    fewer = tipping_point(lambda wrong: stands(late[:wrong]), worst - 1, guess=worst - 1)
    worst = worst if fewer is None else fewer
    evenly = tipping_point(
        lambda wrong: stands(spread(range(len(places)), wrong)), len(places), guess=worst
    )
    return _counted(label, len(places), evenly, worst)


def _worst_first(sample: Sample, places: list[list[int]], *, crossing: int | None) -> list[int]:
    """The items in the order in which their change costs most evidence.

    One label of a draw that had a small chance weighs as many items. Among equals the earliest come
    first or, with a crossing, the latest before it: stakes grow with what is known, and evidence that
    was reached stays reached, so an error after the crossing costs nothing.
    """
    tp, fp, fn, tn = gain(sample.attempt.plan.claim)
    change = {True: abs(tp - fp), False: abs(fn - tn)}

    def when(place: int) -> int:
        if crossing is None:
            return place
        return crossing - place if place < crossing else place + crossing

    def cost(number: int) -> tuple[float, int]:
        first = places[number][0]
        draw = sample.prefix.drawn[first]
        chances = sample.attempt.sampling[first]
        weight = 1.0
        if chances:
            weight = sample.attempt.plan.strata[draw.stratum].items / chances[draw.stratum]
        return -len(places[number]) * change[bool(draw.prediction)] * weight, when(first)

    return sorted(range(len(places)), key=cost)


def _counted(label: int, count: int, needed: int | None, worst: int | None) -> Tipping:
    if needed is not None and (worst is None or worst > needed):
        worst = needed  # the places found worst were not: what is spread evenly does more
    return Tipping(
        kind="false alarm" if label == 1 else "miss",
        given=count,
        needed=needed,
        share=None if needed is None else needed / count,
        worst=worst,
    )


def _census(attempt: Attempt, verdict: Verdict) -> Sensitivity | None:
    """When everything is labelled, the metric itself must stay on the claim's side."""
    counts, claim = verdict.estimate.counts, attempt.plan.claim
    if counts is None:
        return None
    ratio, side = metric(claim.metric), 1 if claim.side == "lower" else -1
    tp, fp, fn, tn = gain(claim)
    tippings = []
    for label in (1, 0):
        # moving one item from cell to cell; the cell whose change hurts more is emptied first
        moves = [
            (change, source, target)
            for change, source, target in (
                (fp - tp, 0, 1) if label == 1 else (tp - fp, 1, 0),
                (tn - fn, 2, 3) if label == 1 else (fn - tn, 3, 2),
            )
            if change < 0
        ]
        labels = sum(counts.cells[source] for _, source, _ in moves)

        def still(wrong: int, moves: list[tuple[float, int, int]] = moves) -> bool:
            cells = np.array(counts.cells, dtype=np.float64)
            left = wrong
            for _, source, target in sorted(moves):
                moved = min(left, counts.cells[source])
                cells[source] -= moved
                cells[target] += moved
                left -= moved
            value = ratio.value([float(c) for c in cells])
            return value is not None and side * (value - claim.target) >= 0

        if labels:
            point = tipping_point(still, labels)
            tippings.append(_counted(label, labels, point, point))
    return _sensitivity(tuple(tippings))


def _sensitivity(tippings: tuple[Tipping, ...]) -> Sensitivity:
    what = "; ".join(map(_words, tippings)) if tippings else "no label could change it"
    return what_if(what, tippings)


def _words(tip: Tipping) -> str:
    word = WORDS[1 if tip.kind == "false alarm" else 0]
    where = f'{counted(tip.given, "label")} "{word}" that matter'
    if tip.worst is None:
        return f"even if all {where} were wrong it would stand"
    least = f"it would fall if {tip.worst:,} of the {where} were wrong in the worst place"
    if tip.needed is None or tip.share is None:
        return f"{least}, and with errors spread evenly it would stand"
    if tip.needed == tip.worst:
        return f"it would fall if {tip.needed:,} of the {where} ({tip.share:.1%}) were wrong"
    return f"{least}, or {tip.needed:,} ({tip.share:.1%}) spread evenly"
