"""Start-up, planning and looks: how long people wait for an answer.

python bench/answers.py                   everything
python bench/answers.py --looks FOLDER    looks alone, at projects that are made there once

Commands are counted in processor time, which other work on the machine lengthens little; looks beyond
that of a look at the same kind of plan with few labels:
other commands load other libraries, so their start-up says nothing about that of a look. A look goes
on from what the look before it kept; the first one, and one by another user, has a bar of its own.
"""

import argparse
import csv
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from assaymark.claims.ratio_metrics import parse_claim
from assaymark.lab.demo import make_tickets, write_tickets
from assaymark.lab.side_by_side.runs import certify_many
from assaymark.stats.betting.binary import binary_test
from assaymark.stats.score_guided.supermartingale import Stratum
from assaymark.stats.sequential.alpha_spending import spending_boundary, spending_test
from assaymark.stats.sequential.beta_mixture import mixture_boundary, mixture_test
from measure import Cost, assaymark, first_look, report

PILOTS = {
    "80,20,20,880": 0.7,
    "160,40,40,1760": 0.7,
    "240,60,60,9640": 0.7,
    "400,100,100,1400": 0.75,
}
LABELS, FEW = 10_000, 60
RUNS = 20


def seconds(function) -> Cost:
    start, cpu = time.perf_counter(), time.process_time()
    function()
    return Cost(time.perf_counter() - start, time.process_time() - cpu, 0)


def boundaries() -> bool:
    claim = parse_claim("f1 >= 0.7")
    anytime = mixture_test(claim, confidence=0.95)
    budget = spending_test(claim, confidence=0.95, planned=3000)
    first = seconds(lambda: mixture_boundary(anytime, 3000))
    second = seconds(lambda: spending_boundary(budget))
    return report("anytime boundary, 3,000 informative items", first.cpu, 0.5, " s") & report(
        "budget boundary, 3,000 informative items", second.cpu, 0.5, " s"
    )


def simulated() -> bool:
    """One score-guided certification to 5,000 labels, of 20 side by side: the lab runs thousands."""
    rng = np.random.default_rng(42)
    strata, labels = [], []
    for predicted, size, rate in ((True, 2000, 0.95), (True, 2000, 0.8), (True, 2000, 0.6),
                                  (False, 100_000, 1e-4), (False, 60_000, 5e-4), (False, 20_000, 0.004),
                                  (False, 8000, 0.02), (False, 3000, 0.08), (False, 2000, 0.25)):  # fmt: skip
        strata.append(Stratum(predicted=predicted, size=size, mean_score=rate))
        labels.append((rng.random(size) < rate).astype(np.int8))
    found = sum(int(part.sum()) for part, s in zip(labels, strata, strict=True) if s.predicted)
    truth = 2 * found / (6000 + sum(int(part.sum()) for part in labels))
    claim, good = parse_claim(f"f1 >= {truth - 0.001:.6f}"), True
    for name, most in (("anytime", None), ("ceiling", 5000)):
        test = binary_test(claim, strata, level=0.05, bounds=False, ceiling=most).test
        cost = min((seconds(lambda t=test: certify_many(t, labels, rng.spawn(RUNS), most=5000))
                    for _ in range(3)), key=lambda c: c.cpu)  # fmt: skip
        good &= report(
            f"one simulated certification of {RUNS}, 5,000 labels, {name}",
            cost.cpu / RUNS,
            0.1,
            " s",
        )
    return good


def labelled_project(work: Path, name: str, plan: list[object], labels: int) -> Path:
    """A project with so many labels, made unless it is there.

    A score-guided plan hands out items as their labels come in.
    """
    folder = work / name
    if folder.exists():
        return folder
    assaymark("init", folder, "--pool", work / "pool.parquet", "--id", "id", "--score", "score",
          "--threshold", "0.5")  # fmt: skip
    assaymark("plan", *plan, "-p", folder)
    drawn = 0
    while drawn < labels:
        batch = work / f"{name}-{drawn}.csv"
        assaymark("draw", labels - drawn, "-o", batch, "-p", folder)
        assaymark("label", work / "truth.csv", "-p", folder)
        drawn += len(batch.read_text().splitlines()) - 1
        if "fixed" in plan:  # one batch holds every draw; some are of an item drawn before
            break
    return folder


def write_collection(work: Path) -> None:
    tickets = make_tickets(200_000, np.random.default_rng(42))
    write_tickets(tickets, work / "pool.parquet")
    with (work / "truth.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "label"])
        writer.writerows(zip(tickets.ids, tickets.relevant.astype(int), strict=True))


def looks(work: Path) -> bool:
    if not (work / "truth.csv").exists():
        write_collection(work)
    plans = {
        "fixed": ["f1 >= 0.8", "--mode", "fixed"],
        "score-guided": ["f1 >= 0.8399"],
        "ceiling": ["f1 >= 0.8399", "--mode", "budget", "--design", "score-guided",
                    "--budget", LABELS + 1],
    }  # fmt: skip
    good = True
    for name, plan in plans.items():
        first, used = [], []
        for labels in (FEW, LABELS):
            sized = [*plan, "--budget", labels] if name == "fixed" else plan
            folder = labelled_project(work, f"{name}-{labels}", sized, labels)
            first.append(min(first_look(folder) for _ in range(3)))
            used.append(min(assaymark("look", "-p", folder).cpu for _ in range(5)))
        good &= report(
            f"look at 10,000 labels, {name}, beyond a look at {FEW}",
            used[1] - used[0],
            0.3,
            " s CPU",
        )
        good &= report(
            f"first look at 10,000 labels, {name}, beyond one at {FEW}",
            first[1] - first[0],
            0.3,
            " s CPU",
        )
    return good


def _used(*command: object) -> float:
    """Processor time of the cheapest of several runs: other work only ever adds."""
    return min(assaymark(*command).cpu for _ in range(5))


def main() -> bool:
    parser = argparse.ArgumentParser()
    parser.add_argument("--looks", type=Path)
    if asked := parser.parse_args().looks:
        asked.mkdir(parents=True, exist_ok=True)
        return looks(asked)
    good = report("assaymark --help", _used("--help"), 0.3, " s CPU")
    start = _used("bound", "--metric", "f1", "--counts", "8,2,2,88")
    print(f"      (start-up of a command that computes: {start:.3f} s CPU)")
    for pilot, target in PILOTS.items():
        cost = _used("size", f"f1 >= {target}", "--pilot", pilot)
        good &= report(f"size for the pilot {pilot}, beyond start-up", cost - start, 0.5, " s CPU")
    with tempfile.TemporaryDirectory() as work:
        return good & boundaries() & simulated() & looks(Path(work))


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
