"""Small pools with known truth, label files, and what a command printed."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Answer:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)


@dataclass(frozen=True)
class World:
    """A pool on disk whose truth is known."""

    path: Path
    truth: dict[str, int]
    scores: dict[str, float]


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file by its header."""
    with path.open(newline="", encoding="utf-8-sig") as stream:
        return list(csv.DictReader(stream))


def write_rows(path: Path, rows: Iterable[Mapping[str, object]]) -> Path:
    """A CSV file with the columns of the first row."""
    kept = list(rows)
    return write_csv(path, list(kept[0]), (row.values() for row in kept))


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Iterable[object]]) -> Path:
    """A CSV file with this header."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


def write_world(path: Path, *, items: int = 2000, seed: int = 42, prevalence: float = 0.2) -> World:
    """A CSV pool of scored items; scores separate the classes well but not perfectly."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(items) < prevalence).astype(int)
    scores = np.round(1 / (1 + np.exp(-rng.normal(4.0 * truth - 2.0, 1.0))), 4)
    ids = [f"doc-{number:05d}" for number in range(items)]
    write_csv(
        path,
        ["id", "score", "prediction", "body"],
        (
            [name, score, int(score >= 0.5), f"text of {name}, with a comma"]
            for name, score in zip(ids, scores, strict=True)
        ),
    )
    return World(
        path,
        dict(zip(ids, truth.tolist(), strict=True)),
        dict(zip(ids, scores.tolist(), strict=True)),
    )


def write_labels(path: Path, labels: dict[str, object], **extra: str) -> Path:
    """A label file: id, label and whatever else is given."""
    rows = ([item, label, *extra.values()] for item, label in labels.items())
    return write_csv(path, ["id", "label", *extra], rows)
