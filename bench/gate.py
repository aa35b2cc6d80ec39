"""How long `gate` takes over 50 certified claims, each with a project of its own. Limit: 2 s.

python bench/gate.py [CLAIMS]

Python may keep what it compiled, as it does wherever nobody forbids it: PYTHONDONTWRITEBYTECODE in the
environment would have every start compile everything again.
"""

import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from assaymark.certification.drawing import draw_batch
from assaymark.certification.issuing import certify
from assaymark.certification.looks import look
from assaymark.labelling.recording import label_file
from assaymark.ledger.head import settle_heads
from assaymark.monitoring.locking import lock
from assaymark.project.folder import Project

LIMIT = 2.0  # seconds
RUNS = 3
COMPILES_ONCE = {name: os.environ[name] for name in os.environ if name != "PYTHONDONTWRITEBYTECODE"}
CLAIM = """\
name = "claim-{number}"
claim = "f1 >= 0.8"
project = "../work-{number}"
expires = 2099-12-31

[pool]
path = "../pool.csv"
id = "id"
score = "score"
threshold = 0.5

[classifier]
model = "sha256:{number}"
"""


def write_pool(path: Path, items: int = 20_000) -> dict[str, int]:
    rng = np.random.default_rng(42)
    truth = (rng.random(items) < 0.2).astype(int)
    scores = np.round(1 / (1 + np.exp(-rng.normal(4.0 * truth - 2.0, 1.0))), 4)
    with path.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(["id", "score"])
        rows.writerows((f"doc-{i}", score) for i, score in enumerate(scores))
    return {f"doc-{i}": int(label) for i, label in enumerate(truth)}


def certify_claim(place: Path, number: int, truth: dict[str, int]) -> int:
    """Lock, label and certify one claim; the number of its labels."""
    file = place / "claims" / f"claim-{number:02d}.toml"
    file.write_text(CLAIM.format(number=number), encoding="utf-8")
    lock(file, seed=f"seed {number}")
    project = Project(folder=place / f"work-{number}")
    while look(project).verdict.decision == "continue":
        draw_batch(project)
        state = project.state()
        waiting = [item for item in state.attempt.order if not state.labelled(item)]
        labels = place / "labels.csv"
        lines = [f"{item},{truth[item]}" for item in waiting]
        labels.write_text("\n".join(["id,label", *lines]) + "\n", encoding="utf-8")
        label_file(project, labels)
    return certify(project).certificate.labels


def main() -> None:
    claims = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    place = Path(tempfile.mkdtemp(prefix="assaymark-gate-"))
    try:
        (place / "claims").mkdir()
        truth = write_pool(place / "pool.csv")
        labels = [certify_claim(place, number, truth) for number in range(claims)]
        settle_heads()
        command = [sys.executable, "-m", "assaymark", "gate", str(place / "claims"), "--json"]
        seconds, work = [], []
        for _ in range(RUNS):
            start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(command, env=COMPILES_ONCE, capture_output=True, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds.append(time.perf_counter() - start)
            work.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            assert done.returncode == 0, done.stdout
        assert len(json.loads(done.stdout)["claims"]) == claims
    finally:
        shutil.rmtree(place)
    best = min(seconds)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import scipy.special"], env=COMPILES_ONCE, check=True)
    libraries = time.perf_counter() - start
    print(f"gate over {claims} certified claims, {sum(labels):,} labels, start of Python included:")
    print(f"{min(work):.2f} s of processor time; on this machine, as busy as it is,")
    print(f"{best / libraries:.1f} times as long as to import scipy.special alone;")
    print(
        f"{best:.2f} s (best of {RUNS}; limit {LIMIT:g} s: {'kept' if best <= LIMIT else 'MISSED'})"
    )


if __name__ == "__main__":
    main()
