"""Start-up, planning and looks: how long people wait for an answer, on an idle machine."""

import csv
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from assaymark.claims.ratio_metrics import parse_claim
from assaymark.lab.tickets import make_tickets, write_tickets
from assaymark.lab.weighted_runs import certify_pool
from assaymark.stats.score_guided.supermartingale import Stratum, weighted_test
from assaymark.stats.sequential.alpha_spending import spending_boundary, spending_test
from assaymark.stats.sequential.beta_mixture import mixture_boundary, mixture_test
from measure import Cost, assaymark, best, report

PILOTS = {
    "80,20,20,880": 0.7,
    "160,40,40,1760": 0.7,
    "240,60,60,9640": 0.7,
    "400,100,100,1400": 0.75,
}
LABELS = 10_000


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
    """One score-guided certification to 5,000 labels: the lab runs thousands of them."""
    rng = np.random.default_rng(42)
    strata, labels = [], []
    for predicted, size, rate in ((True, 2000, 0.95), (True, 2000, 0.8), (True, 2000, 0.6),
                                  (False, 100_000, 1e-4), (False, 60_000, 5e-4), (False, 20_000, 0.004),
                                  (False, 8000, 0.02), (False, 3000, 0.08), (False, 2000, 0.25)):  # fmt: skip
        strata.append(Stratum(predicted=predicted, size=size, mean_score=rate))
        labels.append((rng.random(size) < rate).astype(np.int8))
    found = sum(int(part.sum()) for part, s in zip(labels, strata, strict=True) if s.predicted)
    truth = 2 * found / (6000 + sum(int(part.sum()) for part in labels))
    test = weighted_test(parse_claim(f"f1 >= {truth - 0.001:.6f}"), strata)
    cost = min((seconds(lambda: certify_pool(test, labels, rng, most=5000)) for _ in range(5)),
               key=lambda c: c.wall)  # fmt: skip
    return report("one simulated weighted certification, 5,000 labels", cost.wall, 0.2, " s")


def labelled_project(work: Path, name: str, plan: list[object], draw: list[object]) -> Path:
    folder = work / name
    assaymark("init", folder, "--pool", work / "pool.parquet", "--id", "id", "--score", "score",
          "--threshold", "0.5")  # fmt: skip
    assaymark("plan", *plan, "-p", folder)
    assaymark("draw", *draw, "-o", work / f"{name}.csv", "-p", folder)
    assaymark("label", work / "truth.csv", "-p", folder)
    return folder


def looks(start: float) -> bool:
    work = Path(tempfile.mkdtemp())
    tickets = make_tickets(200_000, np.random.default_rng(42))
    write_tickets(tickets, work / "pool.parquet")
    with (work / "truth.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "label"])
        writer.writerows(zip(tickets.ids, tickets.relevant.astype(int), strict=True))
    once = ["f1 >= 0.8", "--mode", "fixed", "--budget", LABELS]
    fixed = labelled_project(work, "f", once, [])
    weighted = labelled_project(work, "w", ["f1 >= 0.8399"], [LABELS])
    good = True
    for name, folder, bar in (("fixed", fixed, 0.3), ("weighted", weighted, 0.5)):
        cost = best(lambda folder=folder: assaymark("look", "-p", folder))
        good &= report(
            f"look at about 10,000 labels, {name}, beyond start-up", cost.wall - start, bar, " s"
        )
    shutil.rmtree(work)
    return good


def main() -> bool:
    helped = best(lambda: assaymark("--help"), 5)
    good = report("assaymark --help", helped.wall, 0.3, " s")
    start = best(lambda: assaymark("bound", "--metric", "f1", "--counts", "8,2,2,88"), 5).wall
    print(f"      (start-up of a command that computes: {start:.3f} s)")
    for pilot, target in PILOTS.items():
        cost = best(lambda p=pilot, t=target: assaymark("size", f"f1 >= {t}", "--pilot", p))
        good &= report(f"size for the pilot {pilot}, beyond start-up", cost.wall - start, 0.5, " s")
    return good & boundaries() & simulated() & looks(start)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
