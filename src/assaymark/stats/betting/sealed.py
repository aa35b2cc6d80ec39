"""A test of rows as it is sealed: rows, sizes, prior beliefs, level, ceiling, rule and recipe."""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from assaymark.claims.checks import open_share
from assaymark.errors import InputError
from assaymark.stats.betting.book import Book, open_book
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.betting.rows import CANNOT_TELL, Rows
from assaymark.stats.betting.rules import Gap, Mixture, One, Ordered, Rule, goals, mirrors
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import Flags, Ints


@dataclass(frozen=True, kw_only=True)
class RowTest:
    """Rows on strata of these sizes at a level (the chance of a false statement).

    `prior[k][o]` is the mean score of outcome o in stratum k, or None without scores. `ceiling` is
    the sealed number of draws inside a row's domain: one for all rows, or one for each. `refutes`
    is the level at which the mirror of a single claim decides, where it is another one; at 0 it
    never does. `staked` is the level that stakes assume, where less was left than was sealed.
    `opening` is the log wealth that each row, and then each mirror, starts from: what earlier tests
    left.
    """

    rows: Rows
    sizes: tuple[int, ...]
    level: float
    prior: tuple[tuple[float, ...], ...] | None = None
    ceiling: int | tuple[int, ...] | None = None
    rule: Rule = field(default_factory=One)
    recipe: Recipe = field(default_factory=Recipe)
    refutes: float | None = None
    staked: float | None = None
    opening: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        open_share("level", self.level)
        if self.refutes is not None and not isinstance(self.rule, One | Ordered):
            raise InputError("Only a single claim may be refuted at a level of its own.")
        if len(self.sizes) != self.rows.strata or any(size < 0 for size in self.sizes):
            raise InputError(
                f"{self.rows.strata} strata need as many sizes of at least 0, got {self.sizes}."
            )
        self._check_prior()
        self._check_ceiling()
        self._check_rule()
        if self.opening is not None and len(self.opening) != 2 * len(self.rows):
            raise InputError(
                f"An opening has {2 * len(self.rows)} numbers, got {len(self.opening)}."
            )

    def _check_prior(self) -> None:
        if self.prior is None:
            return
        if np.shape(self.prior) != (self.rows.strata, self.rows.outcomes):
            raise InputError(
                f"The prior needs {self.rows.outcomes} shares for each of {self.rows.strata} "
                f"strata, got a table of shape {np.shape(self.prior)}."
            )
        if any(not 0 <= share <= 1 for shares in self.prior for share in shares):
            raise InputError("Mean scores must be between 0 and 1. Map other scores by rank first.")

    def _check_ceiling(self) -> None:
        if self.ceiling is None:
            return
        if isinstance(self.rule, Gap | Mixture):
            raise InputError("Products and mixtures of rows have no test with a ceiling.")
        each = self.ceiling if isinstance(self.ceiling, tuple) else (self.ceiling,)
        if len(each) not in (1, len(self.rows)) or any(most < 1 for most in each):
            raise InputError(f"A ceiling is a number of draws of at least 1, got {self.ceiling!r}.")

    def _check_rule(self) -> None:
        count = len(self.rows)
        if isinstance(self.rule, Ordered) and not 0 <= self.rule.claim < count:
            raise InputError(f"The claim must be one of {count} rows, got {self.rule.claim}.")
        listed: tuple[tuple[int, ...], ...] = ()
        if isinstance(self.rule, Gap):
            listed = self.rule.cells
            for cell in listed:
                if len(cell) == 2 and self._domain(cell[0]) & self._domain(cell[1]):
                    raise InputError("Rows that share draws have no product; use their bounds.")
        if isinstance(self.rule, Mixture):
            listed = self.rule.ways
        if any(not 0 <= row < count for cell in listed for row in cell):
            raise InputError(f"The rule names a row outside 0 to {count - 1}.")

    def _domain(self, row: int) -> frozenset[int]:
        return self.rows.rows[row].domain

    @property
    def log_needed(self) -> float:
        """The log wealth that decides one row: ln(1/level)."""
        return -math.log(self.level)

    @property
    def log_doubt_needed(self) -> float:
        """The log wealth of the mirror that refutes a single claim."""
        if self.refutes is None:
            return self.log_needed
        return math.inf if self.refutes <= 0 else -math.log(self.refutes)

    @cached_property
    def book(self) -> Book:
        """The rows and their mirrors as arrays."""
        return open_book(self.rows, self.sizes)

    @cached_property
    def fewest(self) -> Ints:
        """After how many draws in its domain each row may pass: at the domain's end, if that is earlier."""
        inside = self.book.inside[: len(self.rows)]
        least: Ints = np.minimum(self.recipe.fewest, inside @ self.book.sizes)
        return least

    @cached_property
    def goals(self) -> Floats:
        """The log wealth at which each row, and then each mirror, stops betting."""
        row, mirror = goals(self.rule, len(self.rows))
        more = [math.log(goal) if goal < math.inf else math.inf for goal in (row, mirror)]
        needed = np.array([self.log_needed, self.log_doubt_needed])
        return np.repeat(needed + more, len(self.rows))

    @cached_property
    def played(self) -> Flags:
        """Which rows, and then which mirrors, the rule looks at."""
        count = len(self.rows)
        wanted = set(mirrors(self.rule, count)) if self.log_doubt_needed < math.inf else set()
        return np.array([True] * count + [row in wanted for row in range(count)])

    @cached_property
    def ceilings(self) -> Floats:
        """The most draws in its domain that each row, and then each mirror, may bet on."""
        if self.ceiling is None:
            return np.full(2 * len(self.rows), np.inf)
        each = np.broadcast_to(np.array(self.ceiling, dtype=np.float64), len(self.rows))
        return np.concatenate([each, each])

    @cached_property
    def opened(self) -> Floats:
        """The log wealth before the first draw: 0 where no earlier test left anything else."""
        return np.array(self.opening or (0.0,) * (2 * len(self.rows)), dtype=np.float64)

    @cached_property
    def beliefs(self) -> Floats | None:
        """The prior as an array."""
        return None if self.prior is None else np.array(self.prior, dtype=np.float64)


def check_draws(test: RowTest, draws: Draws) -> None:
    """Refuse draws that cannot have come from these strata: their proof would be void."""
    count, strata = len(draws), len(test.sizes)
    if draws.labels.shape != (count,) or draws.sampling.shape != (count, strata):
        raise InputError(
            f"{count} draws need {count} outcomes and {count} rows of {strata} chances, got "
            f"{draws.labels.shape} and {draws.sampling.shape}."
        )
    if count == 0:
        return
    if draws.strata.min() < 0 or draws.strata.max() >= strata:
        raise InputError(f"Strata are numbered 0 to {strata - 1}, got {draws.strata.max()}.")
    if draws.labels.min() < CANNOT_TELL or draws.labels.max() >= test.rows.outcomes:
        raise InputError(
            f'Outcomes are 0 to {test.rows.outcomes - 1}, or -1 for "cannot tell"; got '
            f"{draws.labels.min()} to {draws.labels.max()}."
        )
    over = np.bincount(draws.strata, minlength=strata) > np.array(test.sizes)
    if over.any():
        raise InputError(f"Stratum {int(np.argmax(over))} was drawn more often than it has items.")
    used = draws.sampling[np.arange(count), draws.strata]
    sane = (
        draws.sampling.min() >= 0 and draws.sampling.max() < math.inf
    )  # false if one is no number
    if not sane or np.any(used <= 0):
        bad = ~np.isfinite(draws.sampling).all(axis=1) | (draws.sampling < 0).any(axis=1)
        first = int(np.argmax(bad | (used <= 0))) + 1
        raise InputError(f"Draw {first} has chances that are not numbers of at least 0, or none.")
