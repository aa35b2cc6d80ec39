"""Writes golden projects that came about by other roads than a plain plan, and golden surveys.

Roads lead to a certificate: a classifier that was trained in the project, labels known before the
seal, a seed drawn by two sides, a locked claim file, a bound as it stands. Surveys end with a stored
result: an estimate of each kind, recall from pairs, a triage. Each is written once and never again:
`PYTHONPATH=tests python tests/data/golden_roads/make_roads.py` writes those that are missing. The
tests are in `tests/replication/test_golden_roads.py`.
"""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from assaymark.cli import cli
from assaymark.ledger.head import settle_heads
from assaymark.project.folder import Project
from golden_writing import write_missing

HERE = Path(__file__).parent
CLAIM_FILE = """\
name = "space"
claim = "f1 >= 0.8"
project = "work"
expires = 2099-06-30

[pool]
path = "pool.csv"
id = "id"
score = "score"
threshold = 0.5
text = ["title"]
"""


class Folder:
    """A project beside its pool, and the commands that are said to it."""

    def __init__(self, place: Path) -> None:
        self.place, self.work = place, place / "work"
        with (HERE / "truth.csv").open(encoding="utf-8", newline="") as stream:
            self.truth = {row["id"]: row["label"] for row in csv.DictReader(stream)}
        shutil.copy(HERE / "pool.csv", place)

    def begin(self, *options: str) -> None:
        columns = ("--id", "id", "--text", "title", *options)
        self.run("init", str(self.work), "--pool", str(self.place / "pool.csv"), *columns)

    def say(self, *words: str | int) -> Any:
        """What the command answers as JSON."""
        return json.loads(self.run(*words, "-p", self.work, "--json"))

    def run(self, *words: str | int | Path) -> str:
        done = CliRunner().invoke(cli, [str(word) for word in words], catch_exceptions=False)
        if done.exit_code != 0:
            raise SystemExit(f"{' '.join(map(str, words))}\n{done.output}")
        return done.stdout

    def answer(self, batch: str | Path) -> None:
        """Label what was handed out, as the truth is; every 29th item is skipped."""
        with Path(batch).open(encoding="utf-8", newline="") as stream:
            items = [row["id"] for row in csv.DictReader(stream)]
        self.label({item: "?" if int(item[1:]) % 29 == 0 else self.truth[item] for item in items})

    def label(self, answers: dict[str, str], *options: str) -> None:
        rows = "".join(f"{item},{answer}\n" for item, answer in answers.items())
        (self.place / "answers.csv").write_text("id,label\n" + rows, encoding="utf-8")
        self.say("label", str(self.place / "answers.csv"), *options)

    def until_established(self) -> None:
        while True:
            self.answer(self.say("draw", 60)["path"])
            if self.say("look")["decision"] == "pass":
                return


def trained(folder: Folder) -> None:
    folder.begin()
    batch = folder.say("train", "f1 >= 0.6", "--budget", 500, "--batch", 120, "--seed", "golden")
    folder.answer(batch["batch"]["path"])
    folder.answer(folder.say("train", "--batch", 60)["batch"]["path"])
    folder.say("train", "--stop", "--seed", "golden 2")
    folder.until_established()
    folder.say("certify")


def known_labels(folder: Folder) -> None:
    folder.begin("--score", "score", "--threshold", "0.5")
    known = {item: label for item, label in folder.truth.items() if int(item[1:]) % 7 == 0}
    folder.label(known, "--known")
    folder.say("plan", "f1 >= 0.8", "--mode", "score-guided")
    folder.until_established()
    folder.say("certify")


def joint_seed(folder: Folder) -> None:
    folder.begin("--score", "score", "--threshold", "0.5")
    theirs = folder.say("plan", "--part")
    folder.say("plan", "f1 >= 0.8", "--mode", "anytime", "--commit", theirs["commitment"])
    folder.say("plan", "--reveal", theirs["part"])
    folder.until_established()
    folder.say("certify")


def locked(folder: Folder) -> None:
    claim = folder.place / "space.toml"
    claim.write_text(CLAIM_FILE, encoding="utf-8")
    folder.run("lock", claim, "--seed", "golden")
    folder.until_established()
    folder.say("certify")
    for name in ("space.toml", "space.lock"):
        shutil.copy(folder.place / name, folder.work)


def bound(folder: Folder) -> None:
    folder.begin("--score", "score", "--threshold", "0.5")
    folder.say("plan", "f1 >= 0.95", "--mode", "score-guided", "--seed", "golden", "--anyway")
    folder.answer(folder.say("draw", 120)["path"])
    folder.say("look")
    folder.say("certify", "--bound")


def estimate(*options: str | int) -> Callable[[Folder], None]:
    def written(folder: Folder) -> None:
        folder.begin("--score", "score", "--threshold", "0.5")
        folder.say("plan", "--estimate", *options, "--budget", 150, "--seed", "golden")
        for _portion in range(3 if "renewed" in options else 1):
            folder.answer(folder.say("draw")["path"])
        folder.say("estimate")

    return written


def pairs(folder: Folder) -> None:
    folder.begin("--score", "score", "--threshold", "0.5")
    two = ("--a", "a", "--b", "b")
    batch = folder.say("recall", *two, "--draw", 120, "--elusion", 30, "--seed", "golden")
    folder.answer(batch["path"])
    folder.say("recall", *two)


def triage(folder: Folder) -> None:
    folder.begin("--score", "score", "--threshold", "0.5")
    batch = folder.say("triage", "draw", "--target", "0.9", "--labels", 200, "--seed", "golden")
    folder.answer(batch["path"])
    folder.run("triage", "-p", folder.work, "--json")


ROADS: dict[str, Callable[[Folder], None]] = {
    "trained": trained,
    "known-labels": known_labels,
    "joint-seed": joint_seed,
    "locked": locked,
    "bound": bound,
    "estimate-accuracy": estimate("accuracy"),
    "estimate-f1": estimate("f1"),
    "estimate-renewed": estimate("recall", "--allocation", "renewed"),
    "estimate-guaranteed": estimate("precision", "--guarantee"),
    "pairs": pairs,
    "triage": triage,
}


def write(place: Path, road: Callable[[Folder], None]) -> str:
    """The head of the ledger, which is kept apart from it."""
    folder = Folder(place)
    road(folder)
    for batch in [*folder.work.glob("*.csv"), *folder.work.glob(".last-batch.json")]:
        batch.unlink()
    settle_heads()
    return Project(folder=folder.work).ledger.entries()[-1].hash


if __name__ == "__main__":
    write_missing(HERE, "heads.json", ROADS, write, passing=("features",))
