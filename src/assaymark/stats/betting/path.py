"""What the labels prove row by row: wealth after every draw, levels crossed, and certainty."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.stats.betting.book import tally_of
from assaymark.stats.betting.open_block import Foreseen
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.rows import CANNOT_TELL
from assaymark.stats.betting.sealed import RowTest, check_draws
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import Flags, Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class Certainty:
    """Per row, before the first draw and after each: what counting alone settles.

    `holds`: the help found is enough whatever the rest is. `refuted`: what was found against the
    row is enough. `lost`: it can no longer pass, if only because of items nobody could judge.
    `defined`: its denominator is known to be positive.
    """

    holds: Flags
    refuted: Flags
    lost: Flags
    defined: Flags


@dataclass(frozen=True, kw_only=True, eq=False)
class RowPath:
    """Everything the labelled prefix proves about each row.

    `log_wealth` and `log_doubt` (rows × draws) belong to the rows and to their mirrors. `crossed`
    and `doubted` (rows × draws + 1) say when the highest wealth so far counts: at 1/level, after
    the fewest draws and with a denominator known to be positive. `passed_at` counts draws: 0 means
    before the first, None not yet.
    """

    test: RowTest
    log_wealth: Floats
    log_doubt: Floats
    certainty: Certainty
    crossed: Flags
    doubted: Flags
    enough: Flags
    passed_at: tuple[int | None, ...]

    @property
    def draws(self) -> int:
        """How many draws were labelled or skipped."""
        return int(self.log_wealth.shape[1])

    def until(self, end: int) -> "RowPath":
        """The same after the first draws only."""
        known = self.certainty
        sure = Certainty(
            holds=known.holds[:, : end + 1],
            refuted=known.refuted[:, : end + 1],
            lost=known.lost[:, : end + 1],
            defined=known.defined[:, : end + 1],
        )
        crossed, doubted = self.crossed[:, : end + 1], self.doubted[:, : end + 1]
        return RowPath(
            test=self.test,
            log_wealth=self.log_wealth[:, :end],
            log_doubt=self.log_doubt[:, :end],
            certainty=sure,
            crossed=crossed,
            doubted=doubted,
            enough=self.enough[:, : end + 1],
            passed_at=tuple(map(first_true, crossed | sure.holds)),
        )


def replay(test: RowTest, draws: Draws, foreseen: Foreseen | None = None) -> RowPath:
    """Everything the labelled prefix proves, recomputed from its first draw.

    `foreseen` is what other races over the same draws found.

    *Assumes* each item was drawn uniformly from its stratum's unlabelled items, the stratum by the
    stored chances, and the chances fixed before the labels of the draws they were used for.
    *Source* Ville's inequality; see the page on method number 2.
    """
    check_draws(test, draws)
    return judged_path(test, draws, Race(test, foreseen).feed(draws))


def judged_path(test: RowTest, draws: Draws, log: Floats) -> RowPath:
    """The path of these log wealths, rows first and then mirrors, with what they decide."""
    count = len(test.rows)
    known, enough = certainty(test, draws), _enough(test, draws)
    level = test.log_needed
    crossed = _risen(log[:count], level) & enough & known.defined
    doubted = _risen(log[count:], test.log_doubt_needed) & enough
    return RowPath(
        test=test,
        log_wealth=log[:count],
        log_doubt=log[count:],
        certainty=known,
        crossed=crossed,
        doubted=doubted,
        enough=enough,
        passed_at=tuple(map(first_true, crossed | known.holds)),
    )


def first_true(flags: Flags) -> int | None:
    """The first position that is true."""
    return int(np.argmax(flags)) if flags.any() else None


def _risen(log: Floats, level: float) -> Flags:
    """Before the first draw and after each: whether the highest wealth so far is at this level."""
    start = np.zeros((len(log), 1), dtype=np.bool_)
    flags: Flags = np.logical_or.accumulate(np.concatenate([start, log >= level], axis=1), axis=1)
    return flags


def _enough(test: RowTest, draws: Draws) -> Flags:
    """Before the first draw and after each: whether the row's domain has the fewest draws."""
    book = test.book
    inside = book.inside[: book.count]
    first = [
        _time_of(needed, row[draws.strata]) for needed, row in zip(test.fewest, inside, strict=True)
    ]
    flags: Flags = np.arange(len(draws) + 1) >= np.array(first)[:, None]
    return flags


def _time_of(number: int, inside: Flags) -> float:
    """After which draw this number lay inside; never where there are fewer."""
    times = np.flatnonzero(inside)
    return 0.0 if number < 1 else float(times[number - 1] + 1) if number <= len(times) else np.inf


def _running(amount: NDArray[Any]) -> NDArray[Any]:
    """The sum before the first draw and after each."""
    start = np.zeros((len(amount), 1), dtype=amount.dtype)
    return np.concatenate([start, np.cumsum(amount, axis=1)], axis=1)


def certainty(test: RowTest, draws: Draws) -> Certainty:
    """What counting settles, in whole numbers: "at least" is met by a tie, "better" is not."""
    outcomes = np.where(draws.labels == CANNOT_TELL, test.rows.outcomes, draws.labels)
    met, missed = _counted(test, draws, outcomes)
    return _settled(test, met, missed, _guards(test, draws, outcomes))


def _counted(test: RowTest, draws: Draws, outcomes: Ints) -> tuple[Flags, Flags]:
    """For rows and mirrors, before the first draw and after each: enough found, or no longer to be.

    Neither is ever undone: the draw is looked for only where all draws together settle it, and among
    those in the row's domain.
    """
    book, length = test.book, len(draws) + 1
    when = np.arange(length)
    met, missed = np.zeros((2, len(book.required), length), dtype=np.bool_)
    whole = (book.most[:, :-1] * book.amounts(book.sizes)).sum(axis=1)
    for r in np.flatnonzero(np.logical_or(*_counted_now(test, _tally(test, draws)))):
        required = book.required[r]
        inside = np.flatnonzero(book.inside[r, draws.strata])
        place = book.place[r, draws.strata[inside]]
        gains = np.append(0, np.cumsum(book.gain[r, place, outcomes[inside]]))
        best = whole[r] - (np.append(0, np.cumsum(book.most[r, place])) - gains)
        times = np.append(0, inside + 1)
        strict = book.strict[r]
        met[r] = when >= _first(gains > required if strict else gains >= required, times)
        missed[r] = when >= _first(best <= required if strict else best < required, times)
    return met, missed


def _first(flags: NDArray[Any], times: Ints) -> float:
    """The time of the first flag that is set; never without one."""
    return float(times[np.argmax(flags)]) if flags.any() else np.inf


def rows_passed(test: RowTest, draws: Draws, foreseen: Foreseen | None = None) -> Flags:
    """Which rows have passed by the end, and were not refuted by counting since.

    The same as `replay` says of its last draw, without the way there: nothing that lets a row pass
    is ever lost again. *Assumes* a rule whose rows stop at 1/level.
    """
    check_draws(test, draws)
    race, book = Race(test, foreseen), test.book
    race.pass_over(draws)
    tally = _tally(test, draws)
    met, missed = _counted_now(test, tally)
    known = _settled(test, met[:, None], missed[:, None], _guards_now(test, tally))
    enough = book.inside[: book.count] @ tally.sum(axis=1) >= test.fewest
    crossed = race.stopped[: book.count] & enough & known.defined[:, 0]
    passed: Flags = (crossed | known.holds[:, 0]) & ~known.refuted[:, 0]
    return passed


def _tally(test: RowTest, draws: Draws) -> Ints:
    """How often each stratum gave each outcome; "cannot tell", -1, is the last column."""
    kinds = test.rows.outcomes + 1
    return tally_of(draws.strata, draws.labels % kinds, (len(test.sizes), kinds))


def _counted_now(test: RowTest, tally: Ints) -> tuple[Flags, Flags]:
    """For rows and mirrors: enough found, or no longer to be, after all of these labels."""
    book = test.book
    gains = book.help_of(tally)
    left = book.amounts(book.sizes - tally.sum(axis=1))
    best = (book.most[:, :-1] * left).sum(axis=1) + gains
    met = np.where(book.strict, gains > book.required, gains >= book.required)
    missed = np.where(book.strict, best <= book.required, best < book.required)
    return met, missed


def _settled(test: RowTest, met: Flags, missed: Flags, guarded: tuple[Flags, Flags]) -> Certainty:
    """What is certain where rows and mirrors found enough, or can no longer find it."""
    count = test.book.count
    defined, hopeless = guarded
    vacuous = np.array([row.undefined_holds for row in test.rows.rows])[:, None]
    return Certainty(
        holds=(met[:count] & defined) | (hopeless & vacuous),
        refuted=(met[count:] & ~(hopeless & vacuous)) | (hopeless & ~vacuous),
        lost=(missed[:count] & ~(hopeless & vacuous)) | (hopeless & ~vacuous),
        defined=defined,
    )


Guard = frozenset[tuple[int, int]]


def _guards(test: RowTest, draws: Draws, outcomes: Ints) -> tuple[Flags, Flags]:
    """Per row: whether every guard was met, and whether one can never be met any more."""

    def judged(wanted: Ints) -> tuple[Flags, Ints]:
        met = _running(wanted[draws.strata, outcomes][None, :])[0] > 0
        return met, _running(wanted.max(axis=1)[draws.strata][None, :])[0]

    return _guarded(test, judged, len(draws) + 1)


def _guards_now(test: RowTest, tally: Ints) -> tuple[Flags, Flags]:
    """The same after all of these labels."""

    def judged(wanted: Ints) -> tuple[Flags, Ints]:
        used = wanted.max(axis=1) * tally.sum(axis=1)
        return np.array([(wanted * tally).any()]), np.array([used.sum()])

    return _guarded(test, judged, 1)


def _guarded(
    test: RowTest, judged: Callable[[Ints], tuple[Flags, Ints]], length: int
) -> tuple[Flags, Flags]:
    """Per row what `judged` says of its guards: whether each was met, and how many items it used."""
    shape = (len(test.rows), length)
    defined, hopeless = np.ones(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    by_guard: dict[Guard, tuple[Flags, Flags]] = {}
    for r, row in enumerate(test.rows.rows):
        for guard in row.guards:
            if guard not in by_guard:
                by_guard[guard] = _guard(test, judged, guard)
            met, gone = by_guard[guard]
            defined[r] &= met
            hopeless[r] |= gone
    return defined, hopeless


def _guard(
    test: RowTest, judged: Callable[[Ints], tuple[Flags, Ints]], guard: Guard
) -> tuple[Flags, Flags]:
    wanted = np.zeros((len(test.sizes), test.rows.outcomes + 1), dtype=np.int64)
    for place in guard:
        wanted[place] = 1
    met, used = judged(wanted)
    left = int(np.array(test.sizes)[np.any(wanted, axis=1)].sum()) - used
    return met, ~met & (left == 0)
