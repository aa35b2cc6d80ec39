"""Which items training hands out next, and how many; or why none."""

import csv
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.learners.active_selection import ChosenRow, next_rows
from assaymark.ledger.events import State, SurveyWork
from assaymark.records.training_settings import TrainingSettings
from assaymark.training.material import Material
from assaymark.training.refit import Refit
from assaymark.training.settings import TrainingRequest

FIRST, STEP = 50, 20


def next_items(
    state: State,
    work: SurveyWork,
    settings: TrainingSettings,
    refit: Refit,
    material: Material,
    request: TrainingRequest,
) -> tuple[tuple[ChosenRow, ...], str | None]:
    """The rows to hand out next, or why there are none."""
    taken = material.marked([*state.claimed, *work.order])
    if settings.population == "future":
        taken |= material.certified(work)
    if request.seeds is not None:
        return _seeds(request.seeds, material, taken, work), None
    insist = request.batch is not None if request.insist is None else request.insist
    waiting = sum(not state.labelled(item) for item in work.order)
    if waiting and not insist:
        differ = sum(state.disputed(item) for item in work.order)
        why = f" ({differ:,} because reviewers differ)" if differ else ""
        return (), (
            f"{counted(waiting, 'item')} that training handed out "
            f"{'waits' if waiting == 1 else 'wait'} for a label{why}, so no more were handed out."
        )
    if refit.advice is not None and refit.advice.action != "train" and not insist:
        return (), None
    number = _how_many(settings, work, refit)
    if number < 1:
        return (), "The budget is used up, so no more items were handed out."
    chosen = next_rows(
        material.order(work.survey.seed),
        taken,
        number=number,
        sampling=settings.sampling,
        scores=refit.study.scores if refit.study else refit.hunch,
        threshold=refit.study.look.threshold if refit.study else 0.5,
    )
    if not chosen:
        return (), "No item of the collection is left that training may take."
    return chosen, None


def _how_many(settings: TrainingSettings, work: SurveyWork, refit: Refit) -> int:
    handed, advice = len(work.order), refit.advice
    budget = settings.goal.budget
    most = math.inf if budget is None else budget - handed
    if advice is None:
        return int(min(settings.batch or max(FIRST, handed // 2), most))
    number = settings.batch or max(STEP, advice.next_look - advice.labels)
    if advice.until is not None and advice.until > advice.labels:
        left = advice.until - advice.labels
        # a few items more are better than another round for them
        number = min(number, max(left, STEP))
    return int(min(number, most))


def _seeds(
    path: Path, material: Material, taken: NDArray[np.bool_], work: SurveyWork
) -> tuple[ChosenRow, ...]:
    """The items somebody names; they count as active."""
    ids = _read_seeds(path)
    strange = [item for item in ids if item not in material.place]
    if strange:
        raise InputError(
            f"The collection does not hold {counted(len(strange), 'item')} of {path.name!r} (the "
            f"first is {strange[0]!r}). Give ids of the collection, one in each line."
        )
    fresh = [item for item in ids if not taken[material.place[item]]]
    if not fresh:
        known = sum(item in work.cells for item in ids)
        why = "were handed out before" if known == len(ids) else "are kept for certification"
        raise InputError(f"All {counted(len(ids), 'item')} of {path.name!r} {why}.")
    return tuple(ChosenRow(row=material.place[item], random=False) for item in fresh)


def _read_seeds(path: Path) -> list[str]:
    """The ids of a file: its column 'id', or one id in each line; each once."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"The file {str(path)!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"The file {str(path)!r} is not UTF-8 text.") from error
    lines = [line for line in text.splitlines() if line.strip()]
    header = next(csv.reader(lines[:1]), [])
    if "id" in header:
        place = header.index("id")
        rows = csv.reader(lines[1:])
        ids = [row[place].strip() for row in rows if len(row) > place]
    else:
        ids = [line.strip() for line in lines]
    items = [item for item in dict.fromkeys(ids) if item]
    if not items:
        raise InputError(
            f"{path.name!r} names no item. Give one id in each line, or a column 'id'."
        )
    return items
