"""The rows of one paper: what it prints, what we measured, and from which command."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from evidence.steps import FULL, SMALL, Done

Row = dict[str, Any]


class Book:
    """Rows of a paper in the paper's order."""

    def __init__(self, paper: str, done: Sequence[Done]) -> None:
        self.paper = paper
        self.done = done
        self.rows: list[Row] = []

    def find(self, experiment: str, *files: str) -> Done | None:
        """A finished step of the experiment: on one of these collections, else on made worlds."""
        own = [one for one in self.done if one.step.experiment == experiment]
        for name in files:
            for one in own:
                if name in one.step.files:
                    return one
        return next((one for one in own if not one.step.files), None)

    def add(
        self,
        row: str,
        theirs: float | str | None,
        ours: float | str | None = None,
        source: Done | None = None,
        *,
        runs: int | None = None,
        data: str | None = None,
        why: str = "",
        command: str | None = None,
        never: bool = False,
    ) -> None:
        """One row; without a figure of ours it says why: it cannot be had (`never`), or was not run."""
        if ours is None and not never:
            why = f"not run here; {why}" if why else "not run here"
        ours, theirs = (float(f"{x:.4g}") if isinstance(x, float) else x for x in (ours, theirs))
        if runs is None and source is not None and ours is not None:
            runs = source.step.runs
        where = data or (source.data if source is not None else None)
        name = command or (source.step.command if source is not None else "")
        self.rows.append(
            {
                "paper": self.paper,
                "row": row,
                "theirs": theirs,
                "ours": ours,
                "runs": runs if ours is not None else None,
                "data": where if ours is not None else None,
                "why": why,
                "command": name if ours is not None else "",
            }
        )


def planned(experiment: str) -> str:
    """The command of the largest step of an experiment, for rows that were not run."""
    steps = [step for step in (*SMALL, *FULL) if step.experiment == experiment]
    return steps[-1].command


def first(rows: Iterable[Row], **wanted: Any) -> Row | None:
    """The first row with these values."""
    return next((r for r in rows if all(r.get(k) == v for k, v in wanted.items())), None)


def table(done: Done | None, name: str) -> list[Row]:
    """A table of a finished step; empty where there is none."""
    return [] if done is None else list(done.tables.get(name, []))


def mean(values: Sequence[float | None]) -> float | None:
    """The mean of what is known."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def lines(rows: list[Row]) -> str:
    """The rows as JSON, one line each."""
    body = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"[\n{body}\n]\n"


def short(value: Any) -> Any:
    """A figure to four digits."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def record(done: Done, what: str, measured: float, bar: float | None, **more: Any) -> Row:
    """A record of performance: a ratio, unless told otherwise."""
    usual = {"unit": "ratio", "ratio": None, "limit": None}
    return {
        "what": what, "measured": short(measured), "bar": bar, **usual, **more,
        "command": done.step.command, "machine": done.machine,
    }  # fmt: skip
