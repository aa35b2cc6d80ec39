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
    others leave all or nothing.
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


KINDS = (
    ModeKind(
        name="fixed", mode="fixed", design="simple", method="exact/1", bound="exact",
        failure="not reached", judged_once=True, promise=True,
    ),
    ModeKind(
        name="census", mode="fixed", design="census", method="census/1", bound="exact",
        failure="not reached", judged_once=True, whole=True, promise=True,
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
    ),
)  # fmt: skip
BY_DESIGN = {(kind.mode, kind.design): kind for kind in KINDS}


def kind_of(mode: str, design: str) -> ModeKind:
    """The kind of a plan's mode and design.

    >>> kind_of("anytime", "weighted").name
    'score-guided'
    """
    if (mode, design) not in BY_DESIGN:
        raise VerificationError(f"No plan has the mode {mode!r} with the design {design!r}.")
    return BY_DESIGN[mode, design]
