"""Modes of certification: what each is called and what kind it is. One registration each.

What a mode does (draws, verdict, words) is an object of the same name in `certification.modes`.
"""

from dataclasses import dataclass
from typing import Literal

from assaymark.errors import VerificationError


@dataclass(frozen=True, kw_only=True)
class ModeKind:
    """A mode with the design of its sample, as plans store the two.

    `method` judges new plans of it, `bound` names the bound that it reports. A mode that is
    `judged_once` allows no look on the way; `guided` draws by chances that scores steer; `whole`
    takes every item; one with a `promise` of labels ends there, and `failure` says how it closes.
    One that `wagers` is judged by the wealth of bets, which is what it leaves to later plans; the
    others leave all or nothing. Those that are `offered` are asked for by their name alone.
    """

    name: str
    mode: str
    design: str
    method: str
    bound: str
    failure: Literal["not reached", "budget spent", "refuted"]
    judged_once: bool = False
    guided: bool = False
    whole: bool = False
    promise: bool = False
    wagers: bool = False
    offered: bool = True

    @property
    def has_ceiling(self) -> bool:
        """Whether chances steer its draws and it ends at a sealed number of labels all the same."""
        return self.guided and self.promise

    @property
    def counts_down(self) -> bool:
        """Whether it counts the items that decide against a sealed number, and says so on the way."""
        return self.promise and not self.judged_once and not self.wagers


KINDS = (
    ModeKind(
        name="fixed", mode="fixed", design="simple", method="exact/1", bound="exact",
        failure="not reached", judged_once=True, promise=True,
    ),
    ModeKind(
        name="census", mode="fixed", design="census", method="census/1", bound="exact",
        failure="not reached", judged_once=True, whole=True, promise=True, offered=False,
    ),
    ModeKind(
        name="budget", mode="budget", design="simple", method="spending/1", bound="budget",
        failure="budget spent", promise=True,
    ),
    ModeKind(
        name="anytime", mode="anytime", design="simple", method="mixture/1", bound="anytime",
        failure="refuted", wagers=True,
    ),
    ModeKind(
        name="score-guided", mode="anytime", design="weighted", method="betting/2",
        bound="score-guided", failure="refuted", guided=True, wagers=True,
    ),
    ModeKind(
        name="ceiling", mode="budget", design="weighted", method="betting/2",
        bound="score-guided", failure="budget spent", guided=True, wagers=True, promise=True,
        offered=False,
    ),
)  # fmt: skip
BY_DESIGN = {(kind.mode, kind.design): kind for kind in KINDS}
OFFERED = {kind.name: kind for kind in reversed(KINDS) if kind.offered}
"""Modes that people choose by name, the usual one first."""
CENSUS = next(kind for kind in KINDS if kind.whole)
MODES = tuple(dict.fromkeys(kind.mode for kind in KINDS))
DESIGNS = tuple(dict.fromkeys(kind.design for kind in KINDS))
SAMPLES = tuple(dict.fromkeys(kind.design for kind in KINDS if not kind.whole))
"""Designs of plans that leave items out; a plan of the whole follows from its size."""


def kind_of(mode: str, design: str) -> ModeKind:
    """The kind of a plan's mode and design.

    >>> kind_of("anytime", "weighted").name
    'score-guided'
    """
    if (mode, design) not in BY_DESIGN:
        raise VerificationError(f"No plan has the mode {mode!r} with the design {design!r}.")
    return BY_DESIGN[mode, design]


def mode_on_the_way(budget: int | None) -> str:
    """The mode of a claim that may be judged on the way: it ends at a budget, if there is one."""
    ends = budget is not None
    return next(kind.mode for kind in KINDS if not kind.judged_once and kind.promise == ends)


def kind_asked_for(
    mode: str | None, design: str | None, *, predicts: bool = True
) -> ModeKind | None:
    """The kind that is meant by a mode, a design, both or neither; None where there is none.

    Without a mode it has no sealed end; without a design scores steer it where a pool `predicts`.

    >>> kind_asked_for("budget", None).name, kind_asked_for(None, None).name
    ('budget', 'score-guided')
    >>> kind_asked_for("fixed", "weighted") is None
    True
    """
    kinds = [
        kind
        for kind in KINDS
        if (not kind.promise if mode is None else kind.mode == mode)
        and (
            kind.offered and (predicts or not kind.guided)
            if design is None
            else kind.design == design
        )
    ]
    return max(kinds, key=lambda kind: kind.guided, default=None)
