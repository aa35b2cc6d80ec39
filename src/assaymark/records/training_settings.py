"""What was settled before the first training label: the aim, the sampling, and what is certified."""

import struct
from dataclasses import dataclass

from assaymark.claims.checks import choice, open_share
from assaymark.claims.record import Record
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.records.training import POPULATIONS, SAMPLINGS, TrainingGoal

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
