"""Numbered methods: everything a replay depends on, frozen under a name.

A certificate must verify for ever, and the statistics must be free to improve. So a plan names its
method by number, and what that number means is written out here and never changes: a better
tuning is the next number. Nothing on the way from labels to a verdict reads a default instead.
"""

from dataclasses import dataclass
from typing import TypeVar

from assaymark.errors import VerificationError
from assaymark.records.modes import ModeKind
from assaymark.stats.betting.recipe import Recipe as RowRecipe
from assaymark.stats.betting.renewal import SEVERAL
from assaymark.stats.score_guided.beliefs import Experts
from assaymark.stats.score_guided.wealth import Recipe
from assaymark.stats.sequential.alpha_spending import SpendingRule
from assaymark.stats.sequential.beta_mixture import MixtureRule


@dataclass(frozen=True, kw_only=True)
class Betting:
    """Score-guided betting: how strata are cut, what is staked, which targets make the bound."""

    recipe: Recipe
    positive_cuts: tuple[float, ...]
    negative_cuts: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class RowBetting:
    """Score-guided betting on rows: strata, stakes, the ladder of the bound, renewal of chances."""

    recipe: RowRecipe
    positive_cuts: tuple[float, ...]
    negative_cuts: tuple[float, ...]
    ladder: tuple[float, ...]
    renewal: str


@dataclass(frozen=True, kw_only=True)
class Exact:
    """An exact bound by this name, judged once."""

    bound: str = "exact"


@dataclass(frozen=True, kw_only=True)
class Census:
    """Everything is labelled and counted."""


Method = Betting | RowBetting | MixtureRule | SpendingRule | Exact | Census

METHODS: dict[str, Method] = {
    "betting/1": Betting(
        recipe=Recipe(
            first_block=10,
            block_share=30,
            rest_share=10,
            least_margin=0.04,
            margins=(0.05, 0.12),
            reach=(0.25, 0.4, 0.75),
            shares=(0.34, 0.33, 0.33),
            floor=0.02,
            caution=0.02,
            guided=0.8,
            fewest_labels=30,
            ladder=tuple(float(0.03 * i**1.5) for i in range(1, 15)),
            experts=Experts(
                flat=1.0,
                line=20.0,
                scores=100.0,
                doubt=0.5,
                most=1e4,
                lowest=1e-5,
                highest=1 - 1e-4,
            ),
        ),
        positive_cuts=(2 / 3, 1 / 3),
        negative_cuts=(0.5, 0.188, 0.0707, 0.0266, 0.01),
    ),
    "betting/2": RowBetting(
        recipe=RowRecipe(
            first_block=10,
            block_share=15,
            rest_share=10,
            least_margin=0.04,
            margins=(0.03, 0.06, 0.12),
            reach=(0.25, 0.3, 0.4, 0.75),
            shares=(0.4, 0.2, 0.2, 0.2),
            floor=0.02,
            hedged_reach=0.75,
            hedged_share=8,
            caution=0.02,
            fewest=30,
            stubborn=False,
        ),
        positive_cuts=(2 / 3, 1 / 3),
        negative_cuts=(0.5, 0.188, 0.0707, 0.0266, 0.01),
        ladder=tuple(float(0.03 * i**1.5) for i in range(1, 15)),
        renewal="sealed/1",
    ),
    "mixture/1": MixtureRule(strength=100.0, step=0.05, part=3.0),
    "spending/1": SpendingRule(look_every=1, rounding=1e-9),
    "exact/1": Exact(bound="exact"),
    "census/1": Census(),
}


Kind = TypeVar("Kind")


def _registered(name: str) -> Method:
    if name not in METHODS:
        raise VerificationError(
            f"The plan is judged by the method {name!r}, which this version of assaymark does not know. "
            "Install a newer assaymark to read it."
        )
    return METHODS[name]


def _of(name: str, kind: type[Kind], needed: str) -> Kind:
    """The method of this number, refused where it is of another kind."""
    method = _registered(name)
    if not isinstance(method, kind):
        raise VerificationError(
            f"The plan's method {name!r} does not fit its mode: {needed} is needed."
        )
    return method


def betting_method(name: str) -> Betting:
    """The score-guided method of this number."""
    return _of(name, Betting, "score-guided betting")


def row_method(name: str) -> RowBetting:
    """The score-guided method on rows of this number."""
    return _of(name, RowBetting, "score-guided betting on rows")


def is_row_method(name: str) -> bool:
    """Whether the method of this number is score-guided on rows."""
    return isinstance(_registered(name), RowBetting)


def guided_method(name: str) -> Betting | RowBetting:
    """A score-guided method of any number: how it cuts strata."""
    return row_method(name) if is_row_method(name) else betting_method(name)


def mixture_method(name: str) -> MixtureRule:
    """The mixture of this number."""
    return _of(name, MixtureRule, "a mixture")


def spending_method(name: str) -> SpendingRule:
    """The spending rule of this number."""
    return _of(name, SpendingRule, "a spending rule")


def exact_method(name: str) -> Exact:
    """The exact bound of this number; a census that ends early is judged by the same bound."""
    if isinstance(_registered(name), Census):
        return Exact(bound="exact")
    return _of(name, Exact, "an exact bound")


def lead_of(name: str, *, one_by_one: bool = False) -> int | None:
    """How far ahead of the labels a plan of this method may be drawn; None where nothing is sealed."""
    if not isinstance(_registered(name), RowBetting):
        return None
    return 0 if one_by_one else SEVERAL


def fits(name: str, kind: ModeKind) -> bool:
    """Whether a plan of this kind may name this method, whatever its number."""
    if name not in METHODS or name.split("/")[0] != kind.method.split("/")[0]:
        return False
    return not kind.has_ceiling or isinstance(METHODS[name], RowBetting)
