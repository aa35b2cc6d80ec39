"""The course of a claim: which chances its draws had, by the sealed segments.

One idea: chances are computed at sealed draw numbers from the labels known there, so every draw is
a function of seal, seed and labels, and there is nothing left to steer.

The course of a long claim is kept between commands of one user, and a look goes on from the last
segment. That is a cache like a ledger's state, sealed in the same way, and nothing that proves anything
asks for it. It is taken up only where the ledger holds the same seal, the same draws, and the same
labels at each renewal; the course that goes on from it is that of the first draw, to the last bit.
"""

import itertools
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assaymark.composite.rows import row_test
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.views import outcome as outcome_of
from assaymark.composite.work import ClaimWork
from assaymark.errors import VerificationError
from assaymark.ledger.events import State
from assaymark.project.folder import Project, keep_beside, kept_beside
from assaymark.sampling.tickets import weighted_draws
from assaymark.stats.betting.chances import Known, clearness, next_chances, shared_chances
from assaymark.stats.betting.open_block import Foreseen
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
    codes = {place: -1 if place == "?" * width else int(place) for place in set(places)}
    return tuple(map(codes.__getitem__, places))


@dataclass(frozen=True, kw_only=True)
class Renewal:
    """The labels that the chances of a segment were computed from, as they stood then."""

    first: int
    outcomes: Outcomes

    def to_result(self, count: int) -> dict[str, Any]:
        """What is recorded, where there are `count` outcomes."""
        text = written_outcomes(self.outcomes, count)
        return {"event": "chances", "first": self.first, "outcomes": text}

    @classmethod
    def from_result(cls, result: Mapping[str, Any], count: int) -> "Renewal":
        """The renewal that was recorded as this, where there are `count` outcomes."""
        return cls(first=result["first"], outcomes=read_outcomes(result["outcomes"], count))


def renewals(work: ClaimWork) -> list[Renewal]:
    """The recorded renewals, in order."""
    count = len(work.sealed.cells.labels)
    return [Renewal.from_result(one.facts, count) for one in work.reports("chances")]


class Course:
    """The chances of every segment so far, and the way to the next."""

    def __init__(self, sealed: SealedClaim, test: RowTest | None = None) -> None:
        self.sealed = sealed
        self.test = test or row_test(sealed)
        self.chances: list[Floats] = []
        self.stops: list[int] = []
        self._rows: list[Floats] = []
        self._left = self.test.book.sizes.copy()
        self.foreseen = Foreseen()
        self._race = Race(self.test, self.foreseen)
        self._fed: Outcomes = ()
        self._plan = _segments_of(sealed)

    @property
    def followed(self) -> Sequence[Floats]:
        """The chances of every draw that was taken into account."""
        return self._rows

    def __getstate__(self) -> dict[str, Any]:
        left = ("_plan", "foreseen")
        return {name: value for name, value in vars(self).items() if name not in left}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self.foreseen = Foreseen()
        self._plan = itertools.islice(_segments_of(self.sealed), len(self.stops), None)

    def next_segment(self) -> Segment | None:
        """The segment after those entered so far; None at the end of the pool."""
        return next(self._plan, None)

    def enter(self, segment: Segment, strata: Sequence[int], outcomes: Outcomes) -> Floats:
        """The chances of a segment, from the outcomes of the draws that it may use."""
        if outcomes[: len(self._fed)] != self._fed:  # a label was corrected since
            self._race, self._fed = Race(self.test, self.foreseen), ()
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
        while (done := len(self._rows)) < len(strata):
            chance = self._chance(done)
            stop = done + 1
            if chance is self._stored(done):
                # that number of draws of the segment cannot use up what its chances reach
                reach = int(self._left[chance > 0].sum())
                stop = min(len(strata), self._stop(done), done + reach)
            self._rows += [chance] * (stop - done)
            self._left -= np.bincount(
                np.array(strata[done:stop], dtype=np.int64), minlength=len(self._left)
            )

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
        return self.chances[bisect_right(self.stops, place)]

    def _stop(self, place: int) -> int:
        return self.stops[bisect_right(self.stops, place)]

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


def _segments_of(sealed: SealedClaim) -> Iterator[Segment]:
    if sealed.judged == "once":
        return iter([Segment(first=1, last=sealed.most, known=0)])
    return segments(lead=SEVERAL if sealed.lead == "several" else 0, most=sealed.most)


def course_of(work: ClaimWork, begun: Course | None = None) -> Course:
    """The course up to the latest segment that was begun; it may go on from one of the same claim."""
    course, strata = begun or Course(work.sealed), work.strata
    for renewal in renewals(work)[len(course.stops) :]:
        segment = course.next_segment()
        if segment is None or (segment.first, segment.known) != (
            renewal.first,
            len(renewal.outcomes),
        ):
            raise VerificationError(
                f"The chances from draw {renewal.first} on were not computed at the draw that the "
                "sealed claim names."
            )
        course.enter(segment, strata, renewal.outcomes)
    return course


def aim_of(sealed: SealedClaim, race: Known) -> int | None:
    """The row to look for next: in a comparison the hardest open one of the side that looks better.

    It may follow from every label so far; no proof depends on it. None: the rule's own choice.

    With a margin on a metric whose margin rows live on more items, those rows come first, since
    they are bet on only if all of their items can be drawn.
    """
    if sealed.kind != "comparison":
        return None
    numbers = sealed.row_numbers
    view = race.outlook()
    open_rows = view.unsettled[: len(race.test.rows)] & ~race.stopped[: len(race.test.rows)]
    sides = [
        [r for r in numbers[i] if open_rows[r]]
        for i, s in enumerate(sealed.statements)
        if s.offset == (-sealed.margin if sealed.margin and not sealed.chained else 0)
    ]
    sides = [rows for rows in sides if rows]
    if not sides:
        return None
    worst = [float(clearness(view, np.array(rows)).min()) for rows in sides]
    rows = np.array(sides[int(np.argmax(worst))])
    return int(rows[np.argmin(clearness(view, rows))])


KIND = "course"
DRAWS = 1_000  # a shorter course takes no longer than reading one


@dataclass(frozen=True, kw_only=True, eq=False)
class KeptCourse:
    """A course with what it was computed from."""

    course: Course
    renewals: tuple[Renewal, ...]
    strata: tuple[int, ...]


def resumed_course(project: Project, work: ClaimWork) -> Course:
    """The course up to the latest segment that was begun; kept where it took long."""
    known, strata = renewals(work), tuple(work.strata)
    if len(strata) < DRAWS:
        return course_of(work)
    kept = kept_beside(project, KIND)
    begun = kept.course if isinstance(kept, KeptCourse) and _holds(kept, work, known) else None
    segments = 0 if begun is None else len(begun.stops)
    course = course_of(work, begun)
    if len(course.stops) > segments:
        follows = strata[: len(course.followed)]
        keep_beside(project, KIND, KeptCourse(course=course, renewals=tuple(known), strata=follows))
    return course


def _holds(kept: KeptCourse, work: ClaimWork, known: list[Renewal]) -> bool:
    """Whether the claim began as it was when its course was kept."""
    return (
        kept.course.sealed == work.sealed
        and tuple(known[: len(kept.renewals)]) == kept.renewals
        and tuple(work.strata[: len(kept.strata)]) == kept.strata
    )
