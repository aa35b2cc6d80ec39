"""Small pools with known truth, label files, and what a command printed."""

import csv
import json
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


def write_world(path: Path, *, items: int = 2000, seed: int = 42, prevalence: float = 0.2) -> World:
    """A CSV pool of scored items; scores separate the classes well but not perfectly."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(items) < prevalence).astype(int)
    scores = np.round(1 / (1 + np.exp(-rng.normal(4.0 * truth - 2.0, 1.0))), 4)
    ids = [f"doc-{number:05d}" for number in range(items)]
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "score", "prediction", "body"])
        for name, score in zip(ids, scores, strict=True):
            writer.writerow([name, score, int(score >= 0.5), f"text of {name}, with a comma"])
    return World(
        path,
        dict(zip(ids, truth.tolist(), strict=True)),
        dict(zip(ids, scores.tolist(), strict=True)),
    )


def write_labels(path: Path, labels: dict[str, object], **extra: str) -> Path:
    """A label file: id, label and whatever else is given."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "label", *extra])
        for item, label in labels.items():
            writer.writerow([item, label, *extra.values()])
    return path
