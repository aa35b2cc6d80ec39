"""Whether the scored file holds the items it should: none that training took, and all others."""

from assaymark.errors import VerificationError
from assaymark.ledger.events import State, SurveyWork, set_aside, settings_of, training_of
from assaymark.pool import Progress
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.sources import is_elsewhere
from assaymark.project.folder import Project, collection_of, registered_pool
from assaymark.records.pool import RegisteredPool
from assaymark.sampling.reserve import refuse_changed


def check_scored_items(project: Project, state: State, progress: Progress) -> str:
    """What was found, in words; raises where an item is in the wrong part."""
    work, scored = training_of(state), registered_pool(state)
    if work is None or not project.has_pool(scored):
        return f"the scored file is not at hand (looked for {project.pool_path(scored)})"
    progress("comparing the scored items with the training", None)
    inside = _ids(project, scored)
    both = next((item for item in work.cells if item in inside), None)
    if both is not None:
        raise VerificationError(
            f"Item {both!r} was handed out for training and is in the scored file {scored.source!r}."
        )
    return _compared(project, state, work, inside, progress)


def _compared(
    project: Project, state: State, work: SurveyWork, inside: set[str], progress: Progress
) -> str:
    settings, collection = settings_of(work), collection_of(state)
    kept = settings.population == "future"
    if kept and not all(set_aside(settings, item) for item in inside):
        raise VerificationError(
            "The scored file holds items that the random draw did not set aside."
        )
    sentence = f"the scored file holds none of them among its {len(inside):,} items"
    if is_elsewhere(collection.source) or not project.has_pool(collection):
        return f"{sentence}, but the collection is not at hand"
    whole = _ids(project, collection, progress)
    due = {i for i in whole if set_aside(settings, i)} if kept else whole - work.cells.keys()
    if due != inside:
        raise VerificationError(
            "The scored file is not the collection without its training items: "
            f"{len(due - inside):,} are missing and {len(inside - due):,} do not belong there."
        )
    rest = "every item that was set aside" if kept else "every other one of the collection"
    return f"{sentence} and {rest}"


def _ids(project: Project, pool: RegisteredPool, progress: Progress | None = None) -> set[str]:
    opened = DuckDBPool(project.pool_path(pool), pool.columns)
    try:
        if progress is not None:
            refuse_changed(opened, pool, progress)
        return {row[0] for row in opened.select("SELECT id FROM pool")}
    finally:
        opened.close()
