"""The long calibrations, each with its outcome, time and measured rates: docs/evidence/calibration.json.

python bench/calibrate.py                     all of them, two at a time
python bench/calibrate.py --missing           those without a result, or whose test has changed since
python bench/calibrate.py --alone tests/…     some of them, in one process
python bench/calibrate.py --list              what there is, and how long it took

Results are written after every test, so a run that is cut short keeps what it has. The file is also
the pytest plug-in that writes them (`-p calibrate`): a test says what it counted by
`record_property("errors", 7)` and `record_property("runs", 400)`.
"""

import argparse
import contextlib
import hashlib
import inspect
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "evidence" / "calibration.json"
DIGESTS = pytest.StashKey[dict[str, str]]()


def results() -> dict[str, dict[str, Any]]:
    """What is known so far, by the address of the test."""
    if not RESULTS.exists():
        return {}
    return {row["test"]: row for row in json.loads(RESULTS.read_text(encoding="utf-8"))}


def keep(rows: dict[str, dict[str, Any]]) -> None:
    """Write all results, in the order of their addresses."""
    text = json.dumps([rows[name] for name in sorted(rows)], ensure_ascii=False, indent=1) + "\n"
    part = RESULTS.with_suffix(".part")
    part.write_text(text, encoding="utf-8", newline="\n")
    part.replace(RESULTS)


def source_digest(item: pytest.Item) -> str:
    """A short hash of the file that holds the test: an older result speaks of another test."""
    text = inspect.getsource(sys.modules[item.obj.__module__])  # type: ignore[attr-defined]
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Takes the digests before anything runs: a file may be edited meanwhile."""
    session.config.stash[DIGESTS] = {item.nodeid: source_digest(item) for item in session.items}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Adds CPU time and the digest of the source to what the test recorded."""
    began = time.process_time()
    try:
        return (yield)
    finally:
        item.user_properties.append(("cpu_seconds", round(time.process_time() - began, 1)))
        item.user_properties.append(("source", item.config.stash[DIGESTS][item.nodeid]))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """One result per test; only the controller of several processes writes."""
    if "PYTEST_XDIST_WORKER" in os.environ or (report.when != "call" and report.passed):
        return
    rows = results()
    rows[report.nodeid] = {
        "test": report.nodeid,
        "outcome": report.outcome,
        "seconds": round(report.duration, 1),
        "day": time.strftime("%Y-%m-%d"),
        **dict(report.user_properties),
    }
    keep(rows)


def collected(places: list[str]) -> dict[str, str]:
    """The long calibrations in these files, or all: their addresses and the digests of their sources."""
    found: dict[str, str] = {}

    class Collector:
        def pytest_collection_finish(self, session: pytest.Session) -> None:
            found.update({item.nodeid: source_digest(item) for item in session.items})

    quiet = ["-q", "-q", "--collect-only", "-m", "slow", *(places or [str(ROOT / "tests")])]
    with contextlib.redirect_stdout(io.StringIO()):
        code = pytest.main(quiet, plugins=[Collector()])
    if code:
        raise SystemExit(f"The tests cannot be collected (pytest exit code {code}).")
    return found


def run(addresses: list[str], *, processes: int) -> int:
    """The named tests, or all, with this file as plug-in."""
    spread = ["-n", str(processes), "--dist", "loadgroup"] if processes > 1 else []
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-m", "pytest", "-p", "calibrate", "-m", "slow", *spread, *addresses]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def listing(rows: dict[str, dict[str, Any]]) -> None:
    """One line per test, the dearest first, and the sum."""
    known = collected([])
    ordered = sorted(known, key=lambda name: -rows.get(name, {}).get("cpu_seconds", -1.0))
    for name in ordered:
        row = rows.get(name)
        state = "not run" if row is None else row["outcome"]
        if row is not None and row.get("source") != known[name]:
            state += ", of an older test"
        print(f"{(row or {}).get('cpu_seconds', 0):8.1f} s  {state:8}  {name}")
    total = sum(rows[name].get("cpu_seconds", 0.0) for name in known if name in rows)
    have = sum(name in rows for name in known)
    print(f"{have} of {len(known)} have a result; {total / 60:.1f} minutes of CPU together")


def main() -> int:
    """Run, or list."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tests", nargs="*")
    options.add_argument("--missing", action="store_true")
    options.add_argument("--alone", action="store_true")
    options.add_argument("--list", action="store_true")
    asked = options.parse_args()
    rows = results()
    if asked.list:
        listing(rows)
        return 0
    names: list[str] = asked.tests
    known = collected(names) if asked.missing or not names else {}
    if not names:
        keep({name: row for name, row in rows.items() if name in known})
    if asked.missing:
        names = [name for name in known if rows.get(name, {}).get("source") != known[name]]
        if not names:
            return 0
    return run(names, processes=1 if asked.alone else 2)


if __name__ == "__main__":
    sys.exit(main())
