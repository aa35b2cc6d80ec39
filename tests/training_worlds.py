"""A small collection of texts whose truth is known, to train on."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TOPIC = ["orbit", "rover", "crater", "lander", "probe", "comet", "asteroid", "telescope"]
OTHER = ["market", "budget", "tax", "invoice", "profit", "quarter", "dividend", "audit"]
PLAIN = [f"word{number}" for number in range(300)]


@dataclass(frozen=True)
class TextWorld:
    """Texts on disk and which of them are about the topic."""

    path: Path
    truth: dict[str, int]


def write_texts(
    path: Path,
    *,
    items: int = 1500,
    prevalence: float = 0.2,
    seed: int = 7,
    odd: dict[str, str] | None = None,
) -> TextWorld:
    """Titles and bodies of plain words with a few of the topic's; `odd` texts are added as they are."""
    rng = np.random.default_rng(seed)
    truth, rows = {}, []
    for number in range(items):
        about = int(rng.random() < prevalence)
        own = TOPIC if about else OTHER
        words = [*rng.choice(PLAIN, 12), *rng.choice(own, 2 + rng.integers(3))]
        if rng.random() < 0.05:  # some texts speak of both
            words += list(rng.choice(OTHER if about else TOPIC, 3))
        rng.shuffle(words)
        name = f"t{number:05d}"
        truth[name] = about
        rows.append((name, " ".join(words[:4]), " ".join(words[4:])))
    for name, text in (odd or {}).items():
        truth[name] = 0
        rows.append((name, "", text))
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "title", "body"])
        writer.writerows(rows)
    return TextWorld(path, truth)
