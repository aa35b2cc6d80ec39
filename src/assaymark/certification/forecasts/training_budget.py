"""How much of a training's budget is used, while its classifier is being certified."""

from dataclasses import dataclass

from assaymark.ledger.events import State, settings_of, training_of


@dataclass(frozen=True, kw_only=True)
class BudgetUse:
    """Labels for training and certification together, of the number that was planned for."""

    used: int
    budget: int

    @property
    def left(self) -> int:
        """Labels that are left; 0 where the budget is used up or exceeded."""
        return max(0, self.budget - self.used)

    def __str__(self) -> str:
        text = f"{self.used:,} of {self.budget:,} labels used for training and certification"
        if self.used < self.budget:
            return text
        end = "used up" if self.used == self.budget else f"exceeded by {self.used - self.budget:,}"
        return f"{text}: {end}. More labels may still establish the claim; the stated confidence still holds"


def budget_use(state: State) -> BudgetUse | None:
    """The budget of the classifier that the latest plan judges; None where there is none."""
    work, attempt = training_of(state), state.attempt
    if work is None or attempt is None or not work.freezes:
        return None
    budget = settings_of(work).goal.budget
    if budget is None or attempt.sealed_at < work.freezes[-1].seq:
        return None
    used = sum(state.labelled(item) for item in (*work.order, *attempt.order))
    return BudgetUse(used=used, budget=budget)
