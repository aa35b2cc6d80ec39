"""The steps of `make evidence`: which experiment, on which collections, with how many runs."""

import hashlib
import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assaymark import __version__
from measure import machine

SEED = 42


@dataclass(frozen=True, kw_only=True)
class Step:
    """One run of the lab; `files` are the collections that it needs, by the names of their files."""

    name: str
    experiment: str
    runs: int
    files: tuple[str, ...] = ()
    full: bool = False

    @property
    def words(self) -> list[str]:
        """The words of the command, without where the collections lie."""
        data = [word for name in self.files for word in ("--data", f"{name}.parquet")]
        more = ["--full"] if self.full else []
        return ["lab", self.experiment, *data, "--runs", str(self.runs), *more]

    @property
    def command(self) -> str:
        """What a reader types."""
        return " ".join(["assaymark", *self.words])


COLLECTIONS = (
    "davidson_perspective",
    "spamassassin",
    "newsgroups20",
    "reuters21578",
    "goemotions",
    "crisislex_t6",
    "arxiv_cs",
)
SMALL = (
    Step(name="pairs", experiment="pairs", runs=1),
    Step(name="test-size", experiment="test-size", runs=6),
    Step(name="triage", experiment="triage", runs=20),
    Step(name="sequential-bias", experiment="sequential-bias", runs=40),
    Step(name="stratified", experiment="stratified", runs=100),
    Step(name="certify-race", experiment="certify-race", runs=1),
    Step(name="policies", experiment="policies", runs=1),
)
FULL = (
    Step(
        name="triage-real",
        experiment="triage",
        runs=100,
        files=("spamassassin", "davidson_perspective"),
    ),
    Step(
        name="stratified-real",
        experiment="stratified",
        runs=300,
        files=("newsgroups20", "reuters21578"),
    ),
    Step(
        name="policies-reuters", experiment="policies", runs=10, files=("reuters21578",), full=True
    ),
    Step(
        name="pairs-mail-tweets", experiment="pairs", runs=2, files=("spamassassin", "crisislex_t6")
    ),
    Step(name="test-size-real", experiment="test-size", runs=40, files=("reuters21578",)),
    Step(
        name="sequential-bias-reuters",
        experiment="sequential-bias",
        runs=250,
        files=("reuters21578",),
    ),
    Step(name="pairs-news-papers", experiment="pairs", runs=2, files=("reuters21578", "arxiv_cs")),
    Step(
        name="stratified-more",
        experiment="stratified",
        runs=300,
        files=("davidson_perspective", "arxiv_cs"),
    ),
    Step(
        name="certify-race-real",
        experiment="certify-race",
        runs=20,
        files=COLLECTIONS,
    ),
    Step(name="estimate-errors", experiment="estimate-errors", runs=500),
    Step(
        name="estimate-errors-real",
        experiment="estimate-errors",
        runs=500,
        files=COLLECTIONS,
    ),
    Step(name="sequential-bias-papers", experiment="sequential-bias", runs=50, files=("arxiv_cs",)),
    Step(name="policies-more", experiment="policies", runs=1, files=("goemotions", "arxiv_cs")),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Done:
    """A finished step: its tables, and what a record says about where they come from."""

    step: Step
    tables: dict[str, Any]
    seconds: float
    machine: str
    cpu_seconds: float | None = None  # of all processes; steps of an older version have none

    @property
    def data(self) -> str:
        """The collections, or that the worlds are made."""
        return ", ".join(self.step.files) or "made"


class MissingDataError(Exception):
    """A collection that the step needs is not in the folder."""


def key_of(step: Step, files: list[Path]) -> str:
    """What a finished step is known by: the version, the command, and the collections' sizes."""
    sizes = [(path.name, path.stat().st_size) for path in files]
    text = json.dumps([__version__, SEED, step.words, sizes])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def files_of(step: Step, data: Path | None) -> list[Path]:
    """The collections of a step; Missing names what is not there."""
    if not step.files:
        return []
    if data is None:
        raise MissingDataError(f"{step.name} needs {', '.join(step.files)}: give DATA=folder")
    found = [data / f"{name}.parquet" for name in step.files]
    absent = [path.name for path in found if not path.is_file()]
    if absent:
        raise MissingDataError(f"{step.name} needs {', '.join(absent)}, not in {data}")
    return found


def finished(step: Step, folder: Path, files: list[Path]) -> Done | None:
    """What the step left, if it was finished with the same key."""
    note, body = folder / step.name / "done.json", folder / step.name / f"{step.experiment}.json"
    if not note.exists() or not body.exists():
        return None
    kept = json.loads(note.read_text(encoding="utf-8"))
    if kept["key"] != key_of(step, files):
        return None
    tables = json.loads(body.read_text(encoding="utf-8"))
    return Done(
        step=step,
        tables=tables,
        seconds=kept["seconds"],
        machine=kept["machine"],
        cpu_seconds=kept.get("cpu_seconds"),
    )


def run(step: Step, folder: Path, files: list[Path], *, jobs: int, limit: float | None) -> bool:
    """Run one step; False where the time was up first. The lab itself goes on from its parts."""
    place = folder / step.name
    data = [word for path in files for word in ("--data", str(path))]
    full = ["--full"] if step.full else []
    command = [
        sys.executable,
        "-m",
        "assaymark",
        "lab",
        step.experiment,
        *data,
        "--runs",
        str(step.runs),
        *full,
        "--seed",
        str(SEED),
        "--jobs",
        str(jobs),
        "-o",
        str(place),
    ]
    start, work = time.monotonic(), _work()
    try:
        subprocess.run(command, check=True, timeout=limit, stdout=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return False
    seconds = round(time.monotonic() - start, 1)
    note = {
        "key": key_of(step, files),
        "seconds": seconds,
        "cpu_seconds": round(_work() - work, 1),
        "command": step.command,
        "machine": machine(),
    }
    (place / "done.json").write_text(json.dumps(note) + "\n", encoding="utf-8")
    return True


def _work() -> float:
    """Processor time of every process that this one started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
