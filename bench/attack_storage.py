"""Kill, cut the power of and fill the disk of people at work: no acknowledged label may be lost.

    python bench/attack_storage.py --kills 300

A worker draws, labels, looks and certifies as fast as it can, and tells of each label once it is
acknowledged. It is killed (SIGKILL) at random moments; stopped at random moments while the files
of the ledger are copied, as a power cut would leave them; and run with files that may not grow.
"""

import argparse
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from assaymark.certification.drawing import draw_batch
from assaymark.certification.issuing import certify
from assaymark.certification.looks import look
from assaymark.certification.sealing import PlanRequest, seal_plan
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import AssaymarkError, PlanError
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.ledger.events import check_story, replay
from assaymark.ledger.head import lost_end
from assaymark.ledger.sqlite import SqliteLedger
from assaymark.overview.check import check
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.pool import Columns
from measure import report
from worlds_on_disk import World, write_world

FILES = ("ledger.sqlite", "ledger.sqlite-wal", "ledger.head")


def work(project: Project, world: World, say: Callable[[str], None], *, held: bool) -> None:
    """Go on where the project stands, for as long as we live."""
    keeping = project.ledger.held() if held else nullcontext()
    with keeping:
        while True:
            state = project.state()
            attempt = state.attempt
            if attempt is None or not attempt.open:
                claim = parse_claim("f1 >= 0.6")
                seal_plan(project, PlanRequest(claim=claim, again=True))
                continue
            waiting = [item for item in attempt.order if not state.labelled(item)]
            if not waiting:
                with suppress(PlanError):  # all is drawn and labelled: the look below closes it
                    waiting = list(draw_batch(project, write=False).items)
            for item in waiting:
                row = LabelRow(item=item, label=world.truth[item], annotator="kim")
                label(project, [row])
                say(item)
            if look(project).verdict.decision == "pass":
                certify(project)


@contextmanager
def worker(
    project: Project, world: World, *, held: bool, room: int | None = None
) -> Iterator[tuple[int, Callable[[], list[str]]]]:
    """A process at work: its id, and a way to ask which labels were acknowledged so far."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if room is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            work(project, world, lambda item: os.write(writing, f"{item}\n".encode()), held=held)
        except AssaymarkError:
            if room is None:
                traceback.print_exc()
            os._exit(7)  # refused in a sentence
        except Exception:  # noqa: BLE001 - told apart by its exit code
            traceback.print_exc()
            os._exit(8)
    os.close(writing)
    os.set_blocking(reading, False)
    heard: list[bytes] = []

    def acknowledged() -> list[str]:
        while True:
            try:
                part = os.read(reading, 65_536)
            except BlockingIOError:
                break
            if not part:
                break
            heard.append(part)
        return b"".join(heard).decode().splitlines()

    try:
        yield child, acknowledged
    finally:
        os.close(reading)


def wait_for_work(child: int, seconds: float) -> None:
    """Until the process has worked that long, however busy the machine is with others."""
    until = cpu_seconds(child) + seconds
    while cpu_seconds(child) < until:
        time.sleep(0.005)


def cpu_seconds(child: int) -> float:
    """CPU time that the process used so far; endless once it is gone."""
    try:
        fields = Path(f"/proc/{child}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return float("inf")
    gone = fields[0] == "Z"
    return float("inf") if gone else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def end(child: int) -> int:
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def losses(folder: Path, acknowledged: list[str], world: World) -> Counter[str]:
    """What the ledger in this folder lacks of what was acknowledged. Refuses one that is not whole."""
    entries = SqliteLedger(folder / "ledger.sqlite").entries()
    check_story(entries)
    answers = replay(entries).answers
    recorded = Counter(entry.body for entry in entries if entry.kind == "LabelRecorded")
    lost = [item for item in acknowledged if answers.get(item, {}).get("kim") != world.truth[item]]
    return Counter(
        lost=len(lost), doubled=sum(n - 1 for n in recorded.values()), labels=len(answers)
    )


def kills(project: Project, world: World, count: int, chance: random.Random) -> Counter[str]:
    acknowledged: list[str] = []
    for number in range(count):
        with worker(project, world, held=number % 2 == 0) as (child, heard):
            # one in five lives longer: sealing the next plan takes more than most are given
            wait_for_work(child, chance.uniform(0.02, 0.5 if number % 5 else 3.0))
            code = end(child)
            acknowledged += heard()
        if code != -signal.SIGKILL:
            raise SystemExit(f"the worker ended by itself with {code}")
    found = losses(project.folder, acknowledged, world)
    failed = [one for one in check(project.folder) if one.outcome == "failed"]
    if failed:
        raise SystemExit(f"check after all kills: {failed[0].detail}")
    state = project.state()
    found["certified"] = sum(one.certificate is not None for one in state.attempts)
    found["acknowledged"] = len(acknowledged)
    return found


def cuts(project: Project, world: World, count: int, chance: random.Random) -> Counter[str]:
    """Copies of the ledger's files at one instant, with the write-ahead log and without it."""
    found: Counter[str] = Counter()
    copy = project.folder.parent / "copy"
    with worker(project, world, held=True) as (child, heard):
        for _ in range(count):
            wait_for_work(child, chance.uniform(0.02, 0.2))
            os.kill(child, signal.SIGSTOP)
            acknowledged = heard()
            for names, kind in ((FILES, "whole"), ((FILES[0], FILES[2]), "without log")):
                shutil.rmtree(copy, ignore_errors=True)
                copy.mkdir()
                for name in names:
                    if (project.folder / name).exists():
                        shutil.copy(project.folder / name, copy / name)
                found[f"{kind}: {_outcome(copy, acknowledged, world)}"] += 1
            os.kill(child, signal.SIGCONT)
        end(child)
    return found


def _outcome(copy: Path, acknowledged: list[str], world: World) -> str:
    ledger = SqliteLedger(copy / "ledger.sqlite")
    kept = ledger.remembered()
    try:
        if lost_end(ledger.entries(), kept):
            return "detected"
        return "lost" if losses(copy, acknowledged, world)["lost"] else "complete"
    except AssaymarkError:
        return "detected"


def full(project: Project, world: World, count: int, chance: random.Random) -> Counter[str]:
    """Workers whose files may grow by a few kilobytes only."""
    acknowledged: list[str] = []
    codes: Counter[int] = Counter()
    for _ in range(count):
        room = (project.folder / FILES[0]).stat().st_size + chance.randrange(0, 40_000)
        with worker(project, world, held=False, room=room) as (child, heard):
            until = time.monotonic() + 60
            code = None
            while code is None and time.monotonic() < until:
                done, status = os.waitpid(child, os.WNOHANG)
                code = os.waitstatus_to_exitcode(status) if done else None
                time.sleep(0.01)
            if code is None:
                end(child)
            codes[code or 0] += 1
            acknowledged += heard()
    found = losses(project.folder, acknowledged, world)
    found.update({"refused in a sentence": codes[7], "other endings": codes.total() - codes[7]})
    found["acknowledged"] = len(acknowledged)
    return found


def main() -> bool:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--cuts", type=int, default=60)
    parser.add_argument("--full", type=int, default=10)
    parser.add_argument("--seed", default="attack")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    place = Path(tempfile.mkdtemp())
    world = write_world(place / "pool.csv", items=20_000)
    project = Project(folder=place / "work")
    _in_child(lambda: _begin(project, world))  # engines start threads, which do not survive a fork
    _load_what_work_loads(project, world, place / "modules")
    killed = kills(project, world, options.kills, chance)
    print(f"      {options.kills} kills: {dict(killed)}", flush=True)
    cut = cuts(project, world, options.cuts, chance)
    print(f"      {options.cuts} power cuts: {dict(cut)}", flush=True)
    filled = full(project, world, options.full, chance)
    print(f"      {options.full} full disks: {dict(filled)}", flush=True)
    shutil.rmtree(place)
    bad = sum(found["lost"] + found["doubled"] for found in (killed, filled)) + cut["whole: lost"]
    idle = not (
        killed["acknowledged"] and filled["acknowledged"]
    )  # then nothing was put to the test
    return report("acknowledged labels lost or doubled", bad, 0) and not idle


def _begin(project: Project, world: World) -> None:
    columns = Columns(id="id", score="score", threshold=0.5, text=("body",))
    init(project.folder, pool=str(world.path), columns=columns)


def _load_what_work_loads(project: Project, world: World, list_file: Path) -> None:
    """Load the modules that a worker loads on its way, or every one would die while it loads them."""

    def work_once() -> None:
        def stop(_: str) -> None:
            list_file.write_text("\n".join(sys.modules), encoding="utf-8")
            os._exit(0)

        work(project, world, stop, held=True)

    _in_child(work_once)
    for name in list_file.read_text(encoding="utf-8").splitlines():
        if name != "__main__" and name not in sys.modules:
            with suppress(ImportError):  # made by other modules, not found by name
                import_module(name)


def _in_child(run: Callable[[], None]) -> None:
    child = os.fork()
    if child == 0:
        run()
        sys.stdout.flush()
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise SystemExit("the project could not be made")


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
