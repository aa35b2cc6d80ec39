"""Which items a certificate of a classifier trained in the project is about."""

from dataclasses import dataclass

from assaymark.claims.record import Record


@dataclass(frozen=True, kw_only=True)
class Population(Record):
    """What is certified of a collection that also trained the classifier, in numbers.

    `items` are certified; training took `taken` others, of which `labels` got a settled label.
    For the population "future" a lot set the share `keep` aside before training.
    """

    population: str
    items: int
    taken: int | None = None
    labels: int | None = None
    keep: float | None = None
