"""The course of a claim: which chances its draws had, by the sealed segments.

One idea: chances are computed at sealed draw numbers from the labels known there, so every draw is
a function of seal, seed and labels, and there is nothing left to steer.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assaymark.composite.planning.target import aim_of
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.views import outcome as outcome_of
from assaymark.composite.work import ClaimWork
from assaymark.errors import VerificationError
from assaymark.ledger.events import State
from assaymark.sampling.tickets import weighted_draws
from assaymark.stats.betting.allocation import shared_chances
from assaymark.stats.betting.chances import next_chances
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.renewal import SEVERAL, Segment, segments
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.supermartingale import Draws

Outcomes = tuple[int, ...]
"""What the labels of the draws are, by number; -1 where nobody could tell."""


def outcome(state: State, work: ClaimWork, item: str) -> int:
    """The settled label of a draw as the claim counts it."""
    columns = work.sealed.columns
    return outcome_of(
        columns.view,
        state.label(item),
        columns.classes,
        about=columns.positive,
        predictions=work.survey.predictions.get(item, ()),
    )


def labelled_prefix(state: State, work: ClaimWork) -> Outcomes:
    """The outcomes of the draws up to the first one without a settled label."""
    settled = itertools.takewhile(state.labelled, work.survey.order)
    return tuple(outcome(state, work, item) for item in settled)


def written_outcomes(outcomes: Outcomes, count: int) -> str:
    """Outcomes as text: each as many digits wide as the last one of `count`, ? for cannot tell.

    >>> written_outcomes((3, -1, 11), 12)
    '03??11'
    """
    width = len(str(count - 1))
    return "".join("?" * width if one < 0 else f"{one:0{width}d}" for one in outcomes)


def read_outcomes(text: str, count: int) -> Outcomes:
    """The outcomes that were written."""
    width = len(str(count - 1))
    places = [text[i : i + width] for i in range(0, len(text), width)]
    return tuple(-1 if place == "?" * width else int(place) for place in places)


@dataclass(frozen=True, kw_only=True)
class Renewal:
    """The labels that the chances of a segment were computed from, as they stood then."""

    first: int
    outcomes: Outcomes

    def to_result(self, count: int) -> dict[str, Any]:
        """What goes on record, where there are `count` outcomes."""
        text = written_outcomes(self.outcomes, count)
        return {"event": "chances", "first": self.first, "outcomes": text}


def renewals(work: ClaimWork) -> list[Renewal]:
    """The renewals on record, in order."""
    count = len(work.sealed.cells.labels)
    return [
        Renewal(first=result["first"], outcomes=read_outcomes(result["outcomes"], count))
        for _, _, result in work.reports("chances")
    ]


class Course:
    """The chances of every segment so far, and the way to the next."""

    def __init__(self, sealed: SealedClaim, test: RowTest | None = None) -> None:
        self.sealed = sealed
        self.test = test or row_test(sealed)
        self.chances: list[Floats] = []
        self.stops: list[int] = []
        self._rows: list[Floats] = []
        self._left = self.test.book.sizes.copy()
        self._race = Race(self.test)
        self._fed: Outcomes = ()
        self._plan = (
            iter([Segment(first=1, last=sealed.most, known=0)])
            if sealed.judged == "once"
            else segments(lead=SEVERAL if sealed.lead == "several" else 0, most=sealed.most)
        )

    def next_segment(self) -> Segment | None:
        """The segment after those entered so far; None at the end of the pool."""
        return next(self._plan, None)

    def enter(self, segment: Segment, strata: Sequence[int], outcomes: Outcomes) -> Floats:
        """The chances of a segment, from the outcomes of the draws that it may use."""
        if outcomes[: len(self._fed)] != self._fed:  # a label was corrected since
            self._race, self._fed = Race(self.test), ()
        start, stop = len(self._fed), len(outcomes)
        if stop > start:
            self._race.feed(self._draws(strata, outcomes, start, stop))
            self._fed = outcomes
        chances = np.zeros(len(self.test.sizes))  # judged once: drawn at random, not guided
        if self.sealed.judged == "any time":
            chances = self._guided(segment, strata)
        self.chances.append(chances)
        self.stops.append(segment.last)
        return chances

    def _guided(self, segment: Segment, strata: Sequence[int]) -> Floats:
        """The chances of the segment: for one group, or shared among all that want labels."""
        race, before = self._race, segment.first - 1
        if self.sealed.allocation == "one at a time":
            return next_chances(race, aim=aim_of(self.sealed, race))
        waiting = np.bincount(
            np.array(strata[segment.known : before], dtype=np.int64),
            minlength=len(self.test.sizes),
        )
        return shared_chances(race, waiting, segment.last - before)

    def _draws(self, strata: Sequence[int], outcomes: Outcomes, start: int, stop: int) -> Draws:
        self.follow(strata[:stop])
        return Draws(
            strata=np.array(strata[start:stop], dtype=np.int64),
            labels=np.array(outcomes[start:stop], dtype=np.int64),
            sampling=np.array(self._rows[start:stop]).reshape(-1, len(self.test.sizes)),
        )

    def follow(self, strata: Sequence[int]) -> None:
        """Take the strata drawn so far into account, draw by draw."""
        for place in range(len(self._rows), len(strata)):
            self._rows.append(self._chance(place))
            self._left[strata[place]] -= 1

    def _chance(self, place: int) -> Floats:
        """The chances of draw number place + 1: its segment's, while they reach an item.

        After that what is left of the strata that matter is drawn at random: no label enters.
        """
        stored = self._stored(place)
        if (self._left[stored > 0] > 0).any():
            return stored
        inside = self.test.book.inside[: len(self.test.rows)].any(axis=0)
        left = self._left * inside
        rest: Floats = left / max(1, int(left.sum()))
        return rest

    def _stored(self, place: int) -> Floats:
        return self.chances[int(np.searchsorted(np.array(self.stops), place, side="right"))]

    def portion(self, seed: str, strata: Sequence[int], new: int) -> list[int]:
        """The strata of up to `new` next draws of this segment; none where nothing is left.

        Chances that follow what is left change with every draw, so these are made one by one.
        """
        self.follow(strata)
        chance = self._chance(len(strata))
        reach = int(self._left[chance > 0].sum())
        if not reach:
            return []
        if chance is not self._stored(len(strata)):
            new = 1
        sizes = self.test.sizes
        taken = [n - int(left) for n, left in zip(sizes, self._left, strict=True)]
        draws = weighted_draws(
            seed, sampling=chance.tolist(), sizes=sizes, taken=taken, new=min(new, reach)
        )
        return [draw.stratum for draw in draws]

    def draws(self, strata: Sequence[int], outcomes: Outcomes) -> Draws:
        """The labelled draws with their chances."""
        return self._draws(strata, outcomes, 0, len(outcomes))


def course_of(work: ClaimWork) -> Course:
    """The course up to the latest segment that was begun."""
    course, strata = Course(work.sealed), work.strata
    for renewal in renewals(work):
        segment = course.next_segment()
        if segment is None or (segment.first, segment.known) != (
            renewal.first,
            len(renewal.outcomes),
        ):
            raise VerificationError(
                f"The chances from draw {renewal.first} on were not computed where the seal says."
            )
        course.enter(segment, strata, renewal.outcomes)
    return course
