"""Simulated runs of sealed claims on a pool whose labels are all known: what a claim really costs.

A claim is sealed by the product on a file; then draws are simulated from its strata many times.
"""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from assaymark.composite.course import Course
from assaymark.composite.judging import Ruled, judge_path
from assaymark.composite.planning.strata import ClaimPool
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.views import outcome
from assaymark.composite.work import required_claim
from assaymark.project.folder import Project, registered_pool
from assaymark.stats.betting.path import RowPath, judged_path
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import draw_strata

Outcomes = list[np.ndarray]


def write_pool(path: Path, columns: dict[str, list[object]]) -> Path:
    """A csv file of these columns, with an id for every row."""
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", *columns])
        writer.writerows(
            (f"i{n}", *row) for n, row in enumerate(zip(*columns.values(), strict=True))
        )
    return path


def outcomes_of(folder: Path, truth: dict[str, object]) -> tuple[SealedClaim, Outcomes]:
    """The claim that is open in a project, and the outcomes of all items of each stratum."""
    project = Project(folder=folder)
    state = project.state()
    sealed = required_claim(state).sealed
    columns = sealed.columns
    names = {name: code for code, name in enumerate(columns.classes)}
    found: list[list[int]] = [[] for _ in sealed.strata]
    with ClaimPool(project, registered_pool(state), columns) as source:
        rows = source.select(
            f"SELECT id, {source.stratum_number(sealed.strata)} FROM {source.base}"
        )
        predicted = source.predictions([str(row[0]) for row in rows])
    for item, stratum in rows:
        label = truth[str(item)]
        code = names[str(label)] if names else int(label)  # type: ignore[call-overload]
        found[stratum].append(
            outcome(
                columns.view,
                code,
                columns.classes,
                about=columns.positive,
                predictions=predicted.get(str(item), ()),
            )
        )
    return sealed, [np.array(each, dtype=np.int64) for each in found]


def run_claim(
    sealed: SealedClaim,
    outcomes: Outcomes,
    rng: np.random.Generator,
    *,
    most: int | None = None,
    when: Callable[[Ruled, RowPath], int | None] = lambda found, _: found.decided_at,
) -> tuple[Ruled, int]:
    """One run until `when` says after how many labels its end was reached: the judgement, and these.

    Chances know the labels that the seal lets them know, and no others: with a lead, not the latest.
    """
    test = row_test(sealed)
    for race, course, draws, log in followed(sealed, outcomes, rng, test, most=most):
        if race.log.max() < test.log_needed and course.stops[-1] < sealed.most:
            continue
        path = judged_path(test, joined(draws), np.concatenate(log, axis=1))
        found = judge_path(sealed, path, joined(draws))
        at = when(found, path)
        if at is not None:
            return found, at
    whole = joined(draws)
    found = judge_path(sealed, judged_path(test, whole, np.concatenate(log, axis=1)), whole)
    return found, len(whole)


def followed(
    sealed: SealedClaim,
    outcomes: Outcomes,
    rng: np.random.Generator,
    test: RowTest,
    *,
    most: int | None = None,
) -> Iterator[tuple[Race, Course, list[Draws], list[np.ndarray]]]:
    """One run, segment by segment: the draws so far and the log wealth after each, in pieces."""
    race, course = Race(test), Course(sealed, test)
    strata: list[int] = []
    labelled: list[int] = []
    queues = [rng.permutation(each) for each in outcomes]
    parts: list[Draws] = []
    logs: list[np.ndarray] = []
    while (segment := course.next_segment()) is not None:
        if most is not None and len(strata) >= most:
            break
        stored = course.enter(segment, strata, tuple(labelled[: segment.known]))
        if not race.remaining[stored > 0].any():  # what is left is drawn at random
            left = race.remaining * test.book.inside[: len(test.rows)].any(axis=0)
            stored = left / max(1, int(left.sum()))
        count = min(segment.last - len(strata), int(race.remaining[stored > 0].sum()))
        if not count:
            break
        drawn = draw_strata(stored, race.remaining, rng.random(count))
        labels = _take(queues, np.array(test.sizes) - race.remaining, drawn)
        part = Draws(strata=drawn, labels=labels, sampling=np.tile(stored, (count, 1)))
        logs.append(race.feed(part))
        parts.append(part)
        strata += drawn.tolist()
        labelled += labels.tolist()
        yield race, course, parts, logs


def _take(queues: Outcomes, used: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    found = np.empty(len(drawn), dtype=np.int64)
    for k in set(drawn.tolist()):
        mine = np.flatnonzero(drawn == k)
        found[mine] = queues[k][used[k] : used[k] + len(mine)]
    return found


def joined(parts: list[Draws]) -> Draws:
    return Draws(
        strata=np.concatenate([p.strata for p in parts]),
        labels=np.concatenate([p.labels for p in parts]),
        sampling=np.concatenate([p.sampling for p in parts]),
    )
