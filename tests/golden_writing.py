"""What the golden projects are written with: each once, beside those that exist, and never again."""

import csv
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.project.folder import Project

Golden = TypeVar("Golden")


def truth_in(path: Path, column: str = "label") -> dict[str, int]:
    """The true label of every item."""
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["id"]: int(row[column]) for row in csv.DictReader(stream)}


def label_batch(project: Project, items: Sequence[str], truth: Mapping[str, int]) -> None:
    """Every 29th item is skipped, every 11th is labelled wrongly and corrected."""
    skipped = [item for item in items if int(item[1:]) % 29 == 0]
    wrong = [item for item in items if int(item[1:]) % 11 == 0 and item not in skipped]
    answers = {**truth, **{item: (truth[item] + 1) % 2 for item in wrong}, **dict.fromkeys(skipped)}
    if items:
        label(project, [label_row(item, answers[item]) for item in items])
    if wrong:
        label(project, [label_row(item, truth[item]) for item in wrong], correct=True)


def label_row(item: str, answer: int | None, reader: str = "kim") -> LabelRow:
    """An answer as a file would give it."""
    return LabelRow(item=item, label=answer, annotator=reader)


def write_missing(
    here: Path,
    facts: str,
    projects: Mapping[str, Golden],
    write: Callable[[Path, Golden], object],
    *,
    passing: tuple[str, ...] = (),
) -> None:
    """Write the projects that the file of facts does not know yet, and add what `write` returns.

    Files of the working ledger, and those that begin like one of `passing`, are left out.
    """
    path = here / facts
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for name, golden in projects.items():
        if name in known:
            continue
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
            known[name] = write(Path(place), golden)
            shutil.copytree(
                Path(place, "work"),
                here / name,
                ignore=lambda _folder, names: [
                    file
                    for file in names
                    if file.startswith(("ledger.", *passing)) and file != "ledger.sqlite"
                ],
            )
        sys.stdout.write(f"{name}\n")
        path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
