"""Recall without a project: a pool and label files in, a batch or an answer out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.files.batch import BatchRow, refuse_existing, write_batch
from assaymark.files.labels import read_labels
from assaymark.hints import switch
from assaymark.pair_recall.overlap import CellSample
from assaymark.pair_recall.recall import (
    RecallAnswer,
    RecallRequest,
    answer_recall,
    check_cells,
    sampled,
    unclear,
)
from assaymark.pair_recall.stats.allocation import allocate
from assaymark.pool import Pool, Progress, open_pool, silent
from assaymark.pool.cells import cells_of, count_cells, lowest_tickets
from assaymark.pool.sources import settle
from assaymark.records.pool import Columns
from assaymark.sampling.tickets import blind_order

SEED = "recall"


@dataclass(frozen=True, kw_only=True)
class RecallBatch:
    """A batch that was written: how many items of each cell it holds, and the seed that chose them."""

    path: Path
    items: tuple[str, ...]
    cells: dict[str, int]
    sizes: dict[str, int]
    seed: str


def draw_for_recall(
    pool: str,
    request: RecallRequest,
    *,
    id_column: str,
    text: Sequence[str],
    count: int,
    outside: int = 0,
    seed: str = SEED,
    output: Path,
    engine: str = "duckdb",
    connection: object = None,
    progress: Progress = silent,
) -> RecallBatch:
    """Write a blind batch over the cells, shared out for the recall that is wanted."""
    refuse_existing(output)
    opened = _open(pool, request, Columns(id=id_column, text=tuple(text)), engine, connection)
    try:
        opened.check(progress)
        sizes = count_cells(opened, request.flags)
        new = new_labels(
            request, {n: CellSample(items=k) for n, k in sizes.items()}, count, outside
        )
        progress("drawing a ticket for every item", None)
        drawn = lowest_tickets(opened, seed, sizes=sizes, taken={}, new=new)
        ids = [name for name, _ in drawn]
        texts = opened.texts(ids)
    finally:
        opened.close()
    order = blind_order(seed, ids)
    rows: list[BatchRow] = [
        {"id": name, "label": "", **{k: v or "" for k, v in texts.get(name, {}).items()}}
        for name in order
    ]
    write_batch(output, rows, tuple(text))
    return RecallBatch(path=output, items=tuple(order), cells=new, sizes=sizes, seed=seed)


def _open(
    pool: str,
    request: RecallRequest,
    columns: Columns,
    engine: str,
    connection: object,
) -> Pool:
    for column in columns.text:
        if column in request.flags:
            raise InputError(
                f"'{column}' cannot be shown as text: people label without seeing what the "
                "classifiers say."
            )
    return open_pool(
        settle(pool, engine), columns, engine=engine, connection=connection, flags=request.flags
    )


def new_labels(
    request: RecallRequest, cells: dict[str, CellSample], count: int, outside: int
) -> dict[str, int]:
    """How many new labels each cell gets, outside included."""
    if count < 1:
        raise InputError(f"Draw at least 1 item, got {count}.")
    check_cells(len(request.flags), {name: cell.items for name, cell in cells.items()})
    empty = "0" * len(request.flags)
    inside = {name: cell for name, cell in cells.items() if name != empty}
    counts = allocate(inside, count, target=request.target)
    left = cells[empty].items - cells[empty].labels
    return counts | ({empty: min(outside, left)} if outside else {})


def recall_from_files(
    pool: str,
    request: RecallRequest,
    *,
    id_column: str,
    labels: Path,
    seed: str = SEED,
    outside: bool = False,
    engine: str = "duckdb",
    connection: object = None,
    progress: Progress = silent,
) -> RecallAnswer:
    """The answer from a file of labels of random items of each cell.

    Labels outside the union are taken only if `outside` vouches for them or the seed drew them.
    """
    by_item = _answers(labels)
    known = _settled(by_item)
    opened = _open(pool, request, Columns(id=id_column), engine, connection)
    try:
        opened.check(progress)
        sizes = count_cells(opened, request.flags)
        progress("finding the labelled items", None)
        where = cells_of(opened, len(request.flags), list(by_item))
        strange = _undrawn(opened, seed, sizes, where)
    finally:
        opened.close()
    _refuse_unknown(by_item, where)
    empty = "0" * len(request.flags)
    inside = [item for item, cell in where.items() if cell == empty]
    if inside and not outside and empty in strange:
        raise InputError(
            f"No classifier flags {counted(len(inside), 'labelled item')} (the first is {inside[0]!r}), "
            f"and seed {seed!r} does not draw them. Leave them out, or "
            f"add {switch('outside')} if they are a random sample of all such items."
        )
    by_cell: dict[str, list[int]] = {}
    for item, label in known.items():
        by_cell.setdefault(where[item], []).append(label)
    skipped = sum(answers == {None} for answers in by_item.values())
    differing = len(by_item) - len(known) - skipped
    warnings = (*unclear(skipped), *_differing(differing), *_not_drawn(strange, seed))
    return answer_recall(request, sampled(sizes, by_cell), warnings=warnings)


Answers = dict[str, set[int | None]]


def _answers(path: Path) -> Answers:
    """Item -> the answers it got; None stands for "cannot tell"."""
    answers: Answers = {}
    for row in read_labels(path, annotator="reviewer").rows:
        answers.setdefault(row.item, set()).add(row.label)
    if not answers:
        raise InputError(f"{path.name!r} holds no label yet. Fill in its label column first.")
    return answers


def _settled(by_item: Answers) -> dict[str, int]:
    """Item -> label, where all who could tell agree."""
    clear = {item: [a for a in answers if a is not None] for item, answers in by_item.items()}
    return {item: answers[0] for item, answers in clear.items() if len(answers) == 1}


def _refuse_unknown(answers: Answers, where: dict[str, str]) -> None:
    missing = [item for item in answers if item not in where]
    if missing:
        raise InputError(
            f"The pool does not hold {counted(len(missing), 'labelled item')} (the first is "
            f"{missing[0]!r}), so no cell does. Label items of the pool, by its ids."
        )


def _undrawn(
    pool: Pool, seed: str, sizes: dict[str, int], where: dict[str, str]
) -> tuple[str, ...]:
    """The cells whose labelled items are not the lowest tickets of the seed."""
    counts: dict[str, int] = {}
    for cell in where.values():
        counts[cell] = counts.get(cell, 0) + 1
    drawn = lowest_tickets(pool, seed, sizes=sizes, taken={}, new=counts)
    right = {item for item, cell in drawn if where.get(item) == cell}
    return tuple(sorted({cell for item, cell in where.items() if item not in right}, reverse=True))


def _not_drawn(cells: tuple[str, ...], seed: str) -> tuple[str, ...]:
    if not cells:
        return ()
    return (
        f"In {', '.join(cells)} the labelled items are not the first that seed {seed!r} draws: the "
        "estimate takes them to be a random sample all the same.",
    )


def _differing(number: int) -> tuple[str, ...]:
    if not number:
        return ()
    return (f"Left out because reviewers differ: {counted(number, 'item')}.",)
