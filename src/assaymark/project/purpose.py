"""What a project is for: a review reads records and stops; it has no plan, estimate or training."""

from assaymark.errors import PlanError
from assaymark.hints import command
from assaymark.ledger.events import State
from assaymark.project.folder import registered_pool
from assaymark.records.pool import RegisteredPool


def pool_for_sampling(state: State) -> RegisteredPool:
    """What a plan, a survey or a training draws from; refused in a review, which says what to do there."""
    refuse_review(state)
    return registered_pool(state)


def refuse_review(state: State) -> None:
    """Refuse a plan, a survey or a training in a project that is a review."""
    if state.reviews:
        raise PlanError(
            f"This project is a review. To hand records out: {command('review next')}. Whether to stop: "
            f"{command('review status')}. For anything else register the collection in a new folder: "
            f"{command('init', 'FOLDER')}."
        )
