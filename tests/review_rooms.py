"""A small pool of records on telescopes, and the steps of a review of it."""

import csv
import json
import random
from pathlib import Path

from click.testing import CliRunner

from assaymark.cli import cli
from assaymark.labelling.recording import label_file
from assaymark.project.folder import Project
from assaymark.reviewing.handing import next_items
from assaymark.reviewing.starting import Start, start
from worlds_on_disk import write_rows

WORDS = [
    "river", "stone", "cloud", "paper", "glass", "metal", "wood", "sand",
    "leaf", "wind", "rain", "snow", "lamp", "door", "road", "ship",
]  # fmt: skip


def world(folder: Path, *, items: int = 400, relevant: int = 60, seed: int = 1) -> dict[str, int]:
    """Records whose relevant ones mostly speak of telescopes; writes pool.csv."""
    rng = random.Random(seed)
    truth = {f"r{i:04}": int(i < relevant) for i in range(items)}
    names = list(truth)
    rng.shuffle(names)
    rows = []
    for number, name in enumerate(names):
        words = rng.choices(WORDS, k=12)
        if truth[name] and rng.random() < 0.95:
            words[rng.randrange(12)] = "telescope"
            words[rng.randrange(12)] = "galaxy"
        rows.append((name, f"record number {number} about {words[0]} {words[1]}", " ".join(words)))
    with (folder / "pool.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("id", "title", "abstract"), *rows])
    return truth


def run(*words: object) -> dict:
    """The JSON answer of a command that must succeed."""
    done = CliRunner().invoke(
        cli, [str(word) for word in (*words, "--json")], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def fill(path: Path, truth: dict[str, int], *, leave: set[str] = frozenset()) -> list[str]:
    """Write the true labels into a handout."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row["label"] = "" if row["id"] in leave else truth[row["id"]]
    write_rows(path, rows)
    return [row["id"] for row in rows]


def begun(home: Path, *, folder: str = "work", **options: object) -> Project:
    told = {"pool": str(home / "pool.csv"), "id": "id", "text": ("title", "abstract")}
    start(home / folder, Start(**told | options))
    return Project(folder=home / folder)


def read_on(project: Project, truth: dict[str, int], count: int = 40) -> None:
    handout = next_items(project, count=count)
    fill(handout.path, truth)
    label_file(project, handout.path)
