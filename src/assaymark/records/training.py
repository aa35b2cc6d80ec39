"""Training a classifier under a label budget: what is aimed at, what a refit showed, what is advised."""

import struct
from dataclasses import dataclass
from typing import Literal

from assaymark.claims.checks import choice, count, open_share
from assaymark.claims.claim import Claim, Counts
from assaymark.claims.defaults import POWER
from assaymark.claims.pictures import InSentence
from assaymark.claims.record import Record
from assaymark.claims.results import counted, percent
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.records.modes import OFFERED

SAMPLINGS = ("random", "uncertainty", "relevance")
POPULATIONS = ("rest", "whole", "future")
Action = Literal["train", "certify", "reconsider"]
VERBS: dict[Action, str] = {
    "train": "Keep labelling",
    "certify": "Stop training and certify",
    "reconsider": "Do not certify this claim",
}
"""What is advised, as people say it."""


@dataclass(frozen=True, kw_only=True)
class TrainingGoal(Record):
    """The claim to be certified, and the labels that training and certification may use together.

    `wait` is how many further looks within the budget the policy `wait` asks for; `mode` is how
    the classifier will be certified.
    """

    claim: Claim
    confidence: float = 0.95
    power: float = POWER
    budget: int | None = None
    policy: str = "split"
    wait: int = 0
    mode: str = "score-guided"

    def __post_init__(self) -> None:
        open_share("confidence", self.confidence)
        open_share("power", self.power)
        choice("mode", self.mode, OFFERED)
        count("wait", self.wait)
        if self.claim.side != "lower":
            raise InputError(
                f'Training aims at a metric that should be high, and "{self.claim}" is an upper '
                'limit. Claim f1, recall, precision or accuracy: "f1 >= 0.75".'
            )
        if self.budget is not None and count("budget", self.budget) < 1:
            raise InputError("A budget of 0 labels cannot train anything.")
        if self.budget is None and self.policy != "adaptive":
            raise InputError(
                f"The policy {self.policy!r} divides a budget: say how many labels you can pay for "
                f"with {option('budget')}, or use {option('policy', 'adaptive')}."
            )


@dataclass(frozen=True, kw_only=True)
class Band(Record):
    """Items of one predicted class with neighbouring scores, and the positives the scores promise."""

    predicted: bool
    items: int
    expected: float


@dataclass(frozen=True, kw_only=True)
class TrainingLook(Record):
    """One refit: what it was trained on and what cross-validation and the scores say of it.

    `counts` are out of fold with thresholds that did not see the item, on the random training
    items only; `bands` are the collection as the calibrated scores see it.
    """

    labels: int
    random: int
    positives: int
    counts: Counts
    bands: tuple[Band, ...]
    threshold: float


@dataclass(frozen=True, kw_only=True)
class Advice(InSentence, Record):
    """Whether to go on training or to certify, and why. None where nothing can be said yet.

    `low` and `high` hold the metric with 90 % belief, `chance_true` is the belief that the claim
    holds now; `certification` and `total` are the labels forecast if training stops now and the
    metric is as it is estimated (None where the estimate does not meet the claim), `total_low` and
    `total_high` a range that holds about seven of ten (an end is None where the claim would not
    hold there), and `best_total` those at the training size `best_at`. `target` is a lower one that
    would fit into the budget, where the claim's does not. `flagged` is the share of the items that
    the classifier would flag for reading. `fixed_size` is the exact fixed test's. To `reconsider`
    is to lower the target, raise the budget or leave it. None of this is a guarantee:
    certification is.
    """

    action: Action
    reason: str
    labels: int
    out_of_reach: bool = False
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    chance_true: float | None = None
    certification: int | None = None
    total: int | None = None
    total_low: int | None = None
    total_high: int | None = None
    target: float | None = None
    best_at: int | None = None
    best_total: int | None = None
    fixed_size: int | None = None
    flagged: float | None = None
    until: int | None = None
    next_look: int = 0

    def __str__(self) -> str:
        verb = VERBS[self.action]
        belief = ""
        if self.chance_true is not None:
            belief = f", the claim holds now with a chance of about {percent(round(self.chance_true, 2))}"
        return f"{verb} ({counted(self.labels, 'training label')}{belief}): {self.reason}."


CELLS = ("random", "active")
"""The cells of a training survey: what the seed chose, and what a model or a person chose."""


@dataclass(frozen=True, kw_only=True)
class TrainingSettings(Record):
    """How a classifier is trained, and which items the claim about it will be about.

    `named` says that somebody chose the population; until then it is only the usual one. `keep`
    is the share that `keep_seed` sets aside for the population "future". `batch` None lets the
    advice say how many items come next.
    """

    goal: TrainingGoal
    sampling: str = "random"
    population: str = "rest"
    named: bool = False
    keep: float = 0.0
    keep_seed: str = ""
    batch: int | None = None
    learner: str = "linear"
    auto_certify: bool = False

    def __post_init__(self) -> None:
        choice("sampling", self.sampling, SAMPLINGS)
        choice("population", self.population, POPULATIONS)
        if self.population == "future":
            open_share("keep", self.keep)
        elif self.keep:
            raise InputError(
                f"A part is set aside only for {option('population', 'future')}, got "
                f"{option('keep', format(self.keep, 'g'))} with "
                f"population {self.population}. Leave {option('keep')} out."
            )
        if self.batch is not None and self.batch < 1:
            raise InputError(f"A batch holds at least 1 item, got {self.batch}.")


def single(value: float) -> float:
    """The nearest number of single precision: every engine reads and compares it alike.

    >>> single(0.1)
    0.10000000149011612
    """
    return float(struct.unpack("<f", struct.pack("<f", value))[0])
