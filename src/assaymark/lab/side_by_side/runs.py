"""Simulated certifications with method `betting/2` of known pools, one or many at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark.lab.side_by_side.races import Races
from assaymark.lab.weighted_runs import joined, take
from assaymark.stats.betting.chances import next_chances
from assaymark.stats.betting.path import judged_path
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.renewal import Segment, segments
from assaymark.stats.betting.rulings import Ruling, rule_on
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.rehearsal.chances import many_strata
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import Flags, Ints, draw_strata


@dataclass(frozen=True, kw_only=True, eq=False)
class RowRun:
    """How one simulated certification ended; `log` is the wealth of every row and mirror by draw."""

    ruling: Ruling
    draws: Draws
    log: Floats

    @property
    def labels(self) -> int:
        """Draws until the decision, or all that were made."""
        at = {"pass": self.ruling.passed_at, "fail": self.ruling.failed_at}
        look = at.get(self.ruling.decision)
        return len(self.draws) if look is None else look


def certify_rows(
    test: RowTest,
    labels: Sequence[NDArray[np.int8]],
    rng: np.random.Generator,
    *,
    most: int | None = None,
    stop_at_fail: bool = True,
    aim: int | None = None,
    batch: int | None = None,
) -> RowRun:
    """Draw and label, segment by segment, until the rule decides or `most` labels are used.

    `labels[k]` are the outcomes of all items of stratum k. A test with one ceiling ends at it.
    A `batch` size replaces the sealed segments, for quick simulations.
    """
    sizes = np.array(test.sizes)
    end = min(int(sizes.sum()), most if most is not None else int(sizes.sum()))
    if isinstance(test.ceiling, int):
        end = min(end, test.ceiling)
    queues = [rng.permutation(np.asarray(queue, dtype=np.int64)) for queue in labels]
    race = Race(test)
    parts: list[Draws] = []
    logs: list[Floats] = []
    for segment in segments(most=end) if batch is None else _batches(batch, end):
        left, size = race.remaining, segment.last - segment.first + 1
        stored = next_chances(race, aim=aim)
        strata = draw_strata(stored, left, rng.random(min(size, int(left[stored > 0].sum()))))
        drawn = Draws(
            strata=strata,
            labels=take(queues, sizes - left, strata),
            sampling=np.broadcast_to(stored, (len(strata), len(stored))),
        )
        parts.append(drawn)
        logs.append(race.feed(drawn))
        if segment.last == end or _may_decide(race):
            ruling = _ruling(test, parts, logs)
            if ruling.decision == "pass" or (ruling.decision != "open" and stop_at_fail):
                break
    return RowRun(ruling=_ruling(test, parts, logs), draws=joined(parts), log=_whole(logs))


def _batches(size: int, most: int) -> Iterator[Segment]:
    for start in range(0, most, size):
        yield Segment(first=start + 1, last=min(start + size, most), known=start)


def _may_decide(race: Race) -> bool:
    """Whether anything stopped, came near its level, or was settled: otherwise nothing changed."""
    near = race.log.max() >= race.test.log_needed
    return bool(near or (race.settled() & race.test.played).any())


def _ruling(test: RowTest, parts: list[Draws], logs: list[Floats]) -> Ruling:
    return rule_on(judged_path(test, joined(parts), _whole(logs)))


def _whole(logs: list[Floats]) -> Floats:
    return np.concatenate(logs, axis=1)


def certify_many(
    test: RowTest,
    labels: Sequence[NDArray[np.int8]],
    rngs: Sequence[np.random.Generator],
    *,
    most: int | None = None,
    lead: int = 0,
    stop_at_fail: bool = True,
) -> list[RowRun]:
    """One run for each generator, as `certify_rows` makes them, all at once.

    With a `lead` (see `segments`) chances use the labels up to a sealed draw before the segment.
    """
    items = int(sum(test.sizes))
    end = min(items, most if most is not None else items)
    if isinstance(test.ceiling, int):
        end = min(end, test.ceiling)
    field = _Field(test, labels, rngs, end)
    for segment in segments(most=end, lead=lead):
        field.draw(segment.last - segment.first + 1, known=segment.known)
        field.judge(last=segment.last == end, stop_at_fail=stop_at_fail)
        if not len(field.races):
            break
    return [run for run in field.ended if run is not None]


class _Field:
    """Runs still open, their draws so far, and those that have ended."""

    def __init__(
        self,
        test: RowTest,
        labels: Sequence[NDArray[np.int8]],
        rngs: Sequence[np.random.Generator],
        end: int,
    ) -> None:
        runs, strata = len(rngs), len(test.sizes)
        self.test, self._rngs = test, list(rngs)
        self.races, self._behind = Races(test, runs), Races(test, runs)
        self.ended: list[RowRun | None] = [None] * runs
        self._number = np.arange(runs)
        longest = min(end, max(test.sizes))
        self._queue = np.zeros((runs, strata, longest), dtype=np.int8)
        for run, rng in enumerate(rngs):
            for k, queue in enumerate(labels):
                first = rng.permutation(np.asarray(queue, dtype=np.int64))[:longest]
                self._queue[run, k, : len(first)] = first
        self._strata = np.zeros((runs, end), dtype=np.int16)
        self._labels = np.zeros((runs, end), dtype=np.int8)
        self._log = np.zeros((runs, 2, end))
        self._stored: list[tuple[int, Floats]] = []

    def draw(self, size: int, *, known: int) -> None:
        """One segment of every run, its chances from the labels of the first `known` draws."""
        start = self.races.drawn
        stored = (self.races if known == start else self._caught_up(known)).chances()
        uniforms = np.array([rng.random(size) for rng in self._rngs])
        left = self.races.remaining
        strata = many_strata(stored, left, uniforms)
        labels = self._take(np.array(self.test.sizes) - left, strata)
        self._strata[:, start : start + size] = strata
        self._labels[:, start : start + size] = labels
        self._log[:, :, start : start + size] = self.races.feed(strata, labels, stored)
        self._stored.append((size, stored))

    def _caught_up(self, known: int) -> Races:
        """The races as they stood after this many draws."""
        at, slow = 0, self._behind
        for size, stored in self._stored:
            first, last = max(at, slow.drawn), min(at + size, known)
            if last > first:
                part = slice(first, last)
                strata, labels = self._strata[:, part], self._labels[:, part]
                slow.feed(strata.astype(np.int64), labels.astype(np.int64), stored)
            at += size
        return slow

    def _take(self, used: Ints, strata: Ints) -> Ints:
        """The next unused labels of each stratum, in the order of the draws."""
        runs, place = np.arange(len(strata))[:, None], np.zeros(strata.shape, dtype=np.int64)
        for k in range(used.shape[1]):
            mine = strata == k
            place = np.where(mine, used[:, k, None] + np.cumsum(mine, axis=1) - 1, place)
        return self._queue[runs, strata, place].astype(np.int64)

    def judge(self, *, last: bool, stop_at_fail: bool) -> None:
        """Take out the runs that are decided, or all of them after the last segment."""
        may = np.ones(len(self.races), dtype=np.bool_) if last else self.races.may_decide()
        going = np.ones(len(self.races), dtype=np.bool_)
        for run in np.flatnonzero(may):
            result = self._run(int(run))
            word = result.ruling.decision
            if last or word == "pass" or (word != "open" and stop_at_fail):
                self.ended[self._number[run]] = result
                going[run] = False
        if not going.all():
            self._keep(going)

    def _run(self, run: int) -> RowRun:
        made = self.races.drawn
        draws = Draws(
            strata=self._strata[run, :made].astype(np.int64),
            labels=self._labels[run, :made].astype(np.int64),
            sampling=np.repeat(
                [stored[run] for _, stored in self._stored],
                [size for size, _ in self._stored],
                axis=0,
            ),
        )
        log = self._log[run, :, :made].copy()
        return RowRun(ruling=rule_on(judged_path(self.test, draws, log)), draws=draws, log=log)

    def _keep(self, going: Flags) -> None:
        self.races.keep(going)
        self._behind.keep(going)
        for name in ("_number", "_queue", "_strata", "_labels", "_log"):
            setattr(self, name, getattr(self, name)[going])
        self._rngs = [rng for rng, on in zip(self._rngs, going, strict=True) if on]
        self._stored = [(size, stored[going]) for size, stored in self._stored]
