"""Draw a stratified sample for a classifier with any number of classes: a batch and its key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assaymark.errors import InputError
from assaymark.estimation.stats.confidence_axis import bin_items
from assaymark.estimation.stats.default_strata import strata_wanted
from assaymark.estimation.stats.neyman_allocation import Progress as LabelProgress
from assaymark.estimation.stats.neyman_allocation import allocate
from assaymark.estimation.stats.stratifiers import stratify
from assaymark.files.batch import BatchRow, refuse_existing, write_batch
from assaymark.files.formats.delimited import write_csv
from assaymark.pool import Progress, silent
from assaymark.pool.classes import read_class_texts, read_classes
from assaymark.sampling.tickets import blind_order, ticket

MOST_CLASSES = 1_000  # every class has its own bins: a column of texts would fill the memory


@dataclass(frozen=True, kw_only=True)
class ClassDraw:
    """What was drawn: labels to buy, strata, and the accuracy that the scores promise."""

    items: int
    classes: int
    strata: int
    labels: int
    expected: float


def draw_classes(
    pool: Path,
    columns: Mapping[str, str],
    *,
    text: Sequence[str] = (),
    count: int,
    output: Path,
    key: Path,
    seed: str,
    progress: Progress = silent,
) -> ClassDraw:
    """Write a blind batch and, apart from it, how each item was drawn and what was predicted.

    The same seed and number give the same items. Another number may cut other strata, so batches of
    two draws do not add up; a project's batches do.
    """
    for path in (output, key):
        refuse_existing(path)
    progress("reading predictions", None)
    classes = read_classes(pool, columns)
    names, group = np.unique(classes.predictions, return_inverse=True)
    if len(names) > MOST_CLASSES:
        raise InputError(
            f"The column {columns['prediction']!r} holds {len(names):,} different predictions, and at "
            f"most {MOST_CLASSES:,} classes are estimated. Is it the predicted class?"
        )
    binned = bin_items(classes.scores, group.astype(np.int64))
    if count > len(classes.ids):
        raise InputError(f"The pool has {len(classes.ids):,} items, and {count:,} were asked for.")
    axis = binned.axis
    cut = stratify(axis, "mixc", min(strata_wanted(count), len(axis.z), count))
    zeros = np.zeros(cut.strata, dtype=np.int64)
    quota = allocate(
        "mass",
        count,
        LabelProgress(sizes=cut.sizes, labelled=zeros, correct=zeros, shares=cut.shares),
    )
    stratum = cut.bins[binned.bins]
    progress("drawing", None)
    chosen: list[int] = []
    for k in range(cut.strata):
        mine = np.flatnonzero(stratum == k)
        order = sorted(mine.tolist(), key=lambda i: ticket(seed, str(classes.ids[i])))
        chosen += order[: int(quota[k])]
    ids = [str(classes.ids[i]) for i in chosen]
    texts = read_class_texts(pool, columns["id"], ids, text)
    rows: list[BatchRow] = [
        {"id": item, "label": "", **texts.get(item, {})} for item in blind_order(seed, ids)
    ]
    write_batch(output, rows, text)
    drawn: list[BatchRow] = [
        {
            "id": str(classes.ids[i]),
            "prediction": str(classes.predictions[i]),
            "stratum": str(int(stratum[i]) + 1),
            "stratum_items": str(int(cut.sizes[int(stratum[i])])),
        }
        for i in sorted(chosen, key=lambda i: str(classes.ids[i]))
    ]
    write_csv(key, ["id", "prediction", "stratum", "stratum_items"], drawn)
    return ClassDraw(
        items=len(classes.ids),
        classes=len(names),
        strata=cut.strata,
        labels=len(chosen),
        expected=1 - axis.mean_doubt,
    )
