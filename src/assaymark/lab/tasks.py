"""Many small simulations: run one after the other or side by side, kept so that a run can resume."""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from assaymark import __version__
from assaymark.errors import InputError
from assaymark.files.places import write_safely

TaskResult = dict[str, Any]
Progress = Callable[[str, float | None], None]


class Named(Protocol):
    """A task: a frozen dataclass whose text says everything about it."""

    @property
    def name(self) -> str:
        """What to show while it runs."""
        ...


class Task:
    """A task whose name is a pattern of its own fields: "{0.world}, {0.metric}"."""

    shown: ClassVar[str]

    @property
    def name(self) -> str:
        """What to show while it runs."""
        return self.shown.format(self)


One = TypeVar("One", bound=Named)
Part = TypeVar("Part")


@dataclass(frozen=True, kw_only=True)
class Order:
    """How an experiment was asked for; `runs` None takes the experiment's own small default.

    `full` takes the paper's own fine steps where an experiment usually takes coarser ones.
    """

    data: tuple[Path, ...] = ()
    runs: int | None = None
    jobs: int = 1
    seed: int = 42
    folder: Path | None = None
    full: bool = False
    progress: Progress = field(default=lambda _message, _share: None, compare=False)


def worked_on(path: Path, parts: Sequence[Part], *, needs: str) -> Sequence[Part]:
    """The parts of a collection that an experiment runs on; refused where there are none.

    A collection that is named is used or refused: made worlds never stand in for it.
    """
    if not parts:
        raise InputError(
            f"{path.name} gives this experiment nothing to run on: it needs {needs}. Leave the file "
            "out, or choose an experiment that can use it."
        )
    return parts


def rng_of(seed: int, *names: str) -> np.random.Generator:
    """A generator of its own for each task, so that order and number of jobs change nothing."""
    text = json.dumps([seed, *names])
    return np.random.default_rng(int(hashlib.sha256(text.encode()).hexdigest()[:16], 16))


def run_all(
    work: Callable[[One], TaskResult], tasks: Sequence[One], order: Order, *, most: float = 1.0
) -> list[TaskResult]:
    """What each task found, in order. Results already in the folder are read, not computed again."""
    results: dict[int, TaskResult] = {}
    for position, task in enumerate(tasks):
        kept = _result_file(order, task)
        if kept is not None and kept.exists():
            results[position] = json.loads(kept.read_text(encoding="utf-8"))
    missing = [position for position in range(len(tasks)) if position not in results]
    if order.jobs == 1 or len(missing) < 2:
        for position in missing:
            order.progress(tasks[position].name, most * len(results) / len(tasks))
            results[position] = _keep(order, tasks[position], work(tasks[position]))
        return [results[position] for position in range(len(tasks))]
    with ProcessPoolExecutor(order.jobs, initializer=_one_thread) as workers:
        waiting = {workers.submit(work, tasks[position]): position for position in missing}
        for done in as_completed(waiting):
            position = waiting[done]
            results[position] = _keep(order, tasks[position], done.result())
            order.progress(tasks[position].name, most * len(results) / len(tasks))
    return [results[position] for position in range(len(tasks))]


def _one_thread() -> None:
    """Keep a process to one core: threads of libraries, two processes' full, wait for one another."""
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # what is loaded later
    threadpool_limits(1)


def _result_file(order: Order, task: Named) -> Path | None:
    if order.folder is None:
        return None
    key = hashlib.sha256(f"{__version__} {task!r}".encode()).hexdigest()[:20]
    return order.folder / "parts" / f"{key}.json"


def _keep(order: Order, task: Named, result: TaskResult) -> TaskResult:
    path = _result_file(order, task)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_safely(path, json.dumps(result, allow_nan=False))
    return result
