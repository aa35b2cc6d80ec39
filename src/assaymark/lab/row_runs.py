"""Simulated certifications with method `betting/2` of a pool whose labels are all known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark.lab.weighted_runs import joined, take
from assaymark.stats.betting.chances import next_chances
from assaymark.stats.betting.path import judged_path
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.renewal import Segment, segments
from assaymark.stats.betting.rulings import Ruling, rule_on
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import draw_strata


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
