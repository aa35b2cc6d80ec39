"""Kill -9 of commands at random moments, with the ledger in PostgreSQL: nothing lost or doubled.

Rounds of draw, label, look and certify run as processes of their own. Many are killed after a
random part of the time that the command takes. A command that ended with code 0 was acknowledged:
what it reported must be in the ledger, once, and after every kill the chain must be whole.
"""

import argparse
import csv
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from assaymark.ledger.events import Entry, replay
from assaymark.project.folder import Project
from measure import ASSAYMARK, report
from postgres import Server, running_server
from worlds_on_disk import World, write_labels, write_world

BATCH = 4
CLAIM = "f1 >= 0.94"  # just below the truth: the plan stays open, so that kills meet work


@dataclass
class Attack:
    """The project under attack, and what was acknowledged to whoever typed the commands."""

    folder: Path
    world: World
    chance: random.Random
    kills: Counter[str] = field(default_factory=Counter)
    usual: dict[str, float] = field(default_factory=dict)
    drawn: list[str] = field(default_factory=list)
    labelled: dict[str, int] = field(default_factory=dict)
    looks: int = 0
    files: int = 0

    def run(self, *words: object, deadly: bool = True) -> dict[str, object] | None:
        """What the command acknowledged; None where it was killed before it could, or said no."""
        kind, start = str(words[0]), time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in (ASSAYMARK, *words, "--json", "-p", self.folder)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        limit = None
        if deadly and kind in self.usual:  # the first of a kind shows how long it takes
            limit = self.chance.uniform(0.3, 1.6) * self.usual[kind]
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.kills[kind] += 1
            return None
        took = time.perf_counter() - start
        self.usual[kind] = 0.8 * self.usual.get(kind, took) + 0.2 * took
        if process.returncode not in (0, 1, 2):
            raise SystemExit(f"{words} ended with {process.returncode}: {err}")
        return json.loads(out) if process.returncode == 0 else None

    def entries(self) -> list[Entry]:
        return Project(folder=self.folder).ledger.entries()

    def waiting(self) -> list[str]:
        """Items that are drawn and not labelled, by the ledger."""
        state = Project(folder=self.folder).state()
        order = state.attempt.order if state.attempt else []
        return [item for item in dict.fromkeys(order) if item not in state.answers]

    def draw(self) -> None:
        self.files += 1
        path = self.folder.parent / f"batch-{self.files}.csv"
        found = self.run("draw", BATCH, "-o", path)
        if found is None:
            return
        self.drawn += found["items"]
        with path.open(encoding="utf-8", newline="") as stream:
            written = {row["id"].removeprefix("'") for row in csv.DictReader(stream)}
        assert written == set(found["items"]), "an acknowledged batch is whole on disk"

    def label(self) -> None:
        waiting = self.waiting()[: 2 * BATCH]
        if not waiting:
            return
        self.files += 1
        answers = {item: self.world.truth[item] for item in waiting}
        path = write_labels(self.folder.parent / f"labels-{self.files}.csv", answers)
        if self.run("label", path) is not None:
            self.labelled |= answers

    def look(self) -> None:
        self.looks += self.run("look") is not None

    def certify(self) -> None:
        self.files += 1
        self.run("certify", "-o", self.folder.parent / f"certificate-{self.files}.json")


def begun(server: Server, folder: Path, world: World, name: str, seed: int) -> Attack:
    """A project in the database with a sealed plan and its first items."""
    attack = Attack(folder=folder, world=world, chance=random.Random(seed))
    command = [
        ASSAYMARK, "init", folder, "--pool", world.path, "--id", "id", "--score", "score",
        "--threshold", 0.5, "--text", "body", "--ledger", f"{server.url}#{name}",
    ]  # fmt: skip
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)
    assert attack.run("plan", CLAIM, "--seed", "attack", deadly=False)
    for step in (attack.draw, attack.label, attack.look, attack.certify):
        step()
    return attack


def damage(attack: Attack) -> tuple[int, int]:
    """How much of what was acknowledged is lost, and how much is there twice."""
    entries = attack.entries()  # which also checks the chain
    bodies = [(entry.kind, json.loads(entry.body)) for entry in entries]
    (plan,) = replay(entries).attempts
    drawn = Counter(item.id for item in plan.draws if not item.repeat)
    given = [body for kind, body in bodies if kind == "LabelRecorded"]
    labels = {body["item"]: body["value"] for body in given}
    lost = sum(item not in drawn for item in attack.drawn)
    lost += sum(labels.get(item) != label for item, label in attack.labelled.items())
    lost += max(0, attack.looks - sum(kind == "Looked" for kind, _ in bodies))
    doubled = sum(count - 1 for count in drawn.values())
    doubled += len(given) - len({(body["item"], body["annotator"]) for body in given})
    return lost, doubled


def attacked(server: Server, work: Path, world: World, *, kills: int, seed: int) -> bool:
    attack = begun(server, work / "work", world, f"attack-{seed}", seed)
    steps = (attack.draw, attack.label, attack.look, attack.certify)
    while attack.kills.total() < kills:
        before = attack.kills.total()
        attack.chance.choice(steps)()
        if attack.kills.total() > before:
            attack.entries()  # the chain is whole after every kill
    lost, doubled = damage(attack)
    acknowledged = len(attack.drawn) + len(attack.labelled) + attack.looks
    each = ", ".join(f"{name} {count}" for name, count in sorted(attack.kills.items()))
    print(
        f"      {attack.kills.total()} kills ({each}); acknowledged {acknowledged} "
        f"({len(attack.drawn)} items, {len(attack.labelled)} labels, {attack.looks} looks); "
        f"lost {lost}; doubled {doubled}"
    )
    good = acknowledged > 0
    return report("acknowledged lost or doubled by kill -9", lost + doubled, 0) and good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=42)
    arguments = parser.parse_args()
    work = Path(tempfile.mkdtemp())
    try:
        world = write_world(work / "pool.csv")
        with running_server() as server:
            good = attacked(server, work, world, kills=arguments.kills, seed=arguments.seed)
    finally:
        shutil.rmtree(work)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
