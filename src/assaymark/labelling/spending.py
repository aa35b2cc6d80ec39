"""What people's answers cost: every answer of the project, second readings too."""

from dataclasses import dataclass

from assaymark.claims.record import Record
from assaymark.claims.results import counted
from assaymark.labelling.settings import Settings
from assaymark.ledger.events import State


@dataclass(frozen=True, kw_only=True)
class Spending(Record):
    """All `answers` of a project at the price of one; `again` of them are second readings."""

    answers: int
    again: int
    cost: float
    currency: str

    @property
    def sentence(self) -> str:
        """The answers, and what they cost where somebody set a price; nothing without answers."""
        if not self.answers:
            return ""
        second = "a second reading" if self.again == 1 else "second readings"
        again = f" ({self.again:,} of them {second})" if self.again else ""
        money = f": {self.answers * self.cost:,.2f} {self.currency}" if self.cost else ""
        return f"{counted(self.answers, 'answer')} so far{again}{money}"


def spending(state: State, settings: Settings) -> Spending:
    """What the answers of this project cost at the price of the page's settings."""
    readings = [len(by_annotator) for by_annotator in state.answers.values() if by_annotator]
    return Spending(
        answers=sum(readings),
        again=sum(readings) - len(readings),
        cost=settings.cost,
        currency=settings.currency,
    )
