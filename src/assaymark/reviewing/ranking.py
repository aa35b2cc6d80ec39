"""What orders directed reading: a model fitted to the labels so far, search terms, or a given score.

The order never uses the tickets of the draws.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.learners.documents import READING
from assaymark.ledger.events import ReviewRanked, ReviewWork, State, labels_digest
from assaymark.pool import Progress, silent
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.sources import named
from assaymark.project.folder import Project, collection_of
from assaymark.reviewing.standing import RELEVANT, UNCLEAR
from assaymark.sampling.reserve import refuse_changed
from assaymark.sampling.tickets import ticket
from assaymark.training.material import LINEAR, Material, open_material

Floats = NDArray[np.float64]
REFIT = 0.07  # share of new labels from which on the model is fitted again
PRESUMED = 100  # unread items that stand in for irrelevant ones while few are labelled
FILE = "review-scores.npz"


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranking:
    """Items with their scores, best first; `event` is what to record where a model was fitted."""

    order: list[str]
    event: ReviewRanked | None = None


def rank(
    project: Project,
    state: State,
    work: ReviewWork,
    plays: dict[str, str],
    *,
    progress: Progress = silent,
) -> Ranking:
    """All items in the order in which directed reading takes them."""
    if work.opened.score is not None:
        sign = 1 if work.opened.ranking == "rank" else -1
        return Ranking(order=_by_score(project, state, work.opened.score, sign))
    labels = {item: int(word == RELEVANT) for item, word in plays.items() if word != UNCLEAR}
    if not any(labels.values()):
        return Ranking(order=_by_terms(project, state, work))
    last = work.rankings[-1] if work.rankings else None
    stored = _stored(project.folder, last) if last else None
    if last and stored and len(labels) < (1 + REFIT) * last.labels:
        return Ranking(order=stored)
    collection = collection_of(state)
    with open_material(project, collection, LINEAR, how=READING, progress=progress) as material:
        scores = _fitted(material, labels, work.opened.commitment, progress)
        order = [str(material.ids[row]) for row in np.argsort(-scores, kind="stable")]
        name = material.documents.name
    digest = _keep(project.folder, order, scores)
    event = ReviewRanked(
        review=1,
        number=len(work.rankings) + 1,
        labels=len(labels),
        digest=labels_digest(labels),
        learner=name,
        scores=digest,
    )
    return Ranking(order=order, event=event)


def _fitted(material: Material, labels: dict[str, int], salt: str, progress: Progress) -> Floats:
    known = dict(labels)
    missing = PRESUMED - sum(label == 0 for label in labels.values())
    if missing > 0:
        rest = [str(item) for item in material.ids if str(item) not in labels]
        known |= dict.fromkeys(sorted(rest, key=lambda item: ticket(salt, item))[:missing], 0)
    rows = material.rows(known)
    flags = np.array([bool(label) for label in known.values()])
    if flags.all():
        return np.zeros(len(material.ids))
    return material.documents.fit(rows, flags).everywhere(progress)


def _keep(folder: Path, order: list[str], scores: Floats) -> str:
    content = "\n".join(order).encode("utf-8", "surrogatepass")
    np.savez(folder / FILE, order=np.frombuffer(content, dtype=np.uint8))
    return hashlib.sha256(np.sort(scores).astype(np.float32).tobytes() + content).hexdigest()


def _stored(folder: Path, _last: ReviewRanked) -> list[str] | None:
    try:
        with np.load(folder / FILE) as kept:
            return bytes(kept["order"]).decode("utf-8", "surrogatepass").split("\n")
    except (OSError, ValueError, KeyError):
        return None


def _opened(project: Project, state: State) -> DuckDBPool:
    collection = collection_of(state)
    return DuckDBPool(project.pool_path(collection), collection.columns)


def _by_score(project: Project, state: State, column: str, sign: int) -> list[str]:
    """Highest score first, or lowest rank with a sign of 1; items without one come last."""
    pool = _opened(project, state)
    try:
        key = named(pool.columns.id)
        rows: list[Any] = pool.select(
            f"SELECT CAST({key} AS VARCHAR), TRY_CAST({named(column)} AS DOUBLE) FROM everything"
        )
    finally:
        pool.close()
    return [
        row[0]
        for row in sorted(rows, key=lambda row: (row[1] is None, sign * (row[1] or 0), row[0]))
    ]


def _by_terms(project: Project, state: State, work: ReviewWork) -> list[str]:
    """Most different terms first, then most occurrences; without terms an order by chance."""
    terms = [term.lower() for term in work.opened.terms]
    rows: list[tuple[int, int, str, str]] = []
    pool = _opened(project, state)
    try:
        for ids, texts in pool.batches():
            for item, text in zip(ids, texts, strict=True):
                counts = [text.lower().count(term) for term in terms]
                order = ticket(work.opened.commitment, item)
                rows.append((-sum(c > 0 for c in counts), -sum(counts), order, item))
    finally:
        pool.close()
    return [item for *_, item in sorted(rows)]


def all_ids(project: Project, state: State) -> list[str]:
    """The ids of the pool; refused where its files changed: new records are a new pool."""
    pool = _opened(project, state)
    try:
        refuse_changed(pool, collection_of(state))
        return [row[0] for row in pool.select("SELECT id FROM pool")]
    finally:
        pool.close()
