"""How the cost grows: with items, strata, labels and annotators, on DuckDB and on Spark.

    python bench/growth.py                       up to 3 million items, Spark at 2 million
    python bench/growth.py --items 100000000 --spark 20000000

Every figure stands beside the scans and hashes that no program could avoid, from the same run.
"""

import argparse
import itertools
import math
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from measure import Cost, assaymark, best, report, run
from pool import make, query

OPTIONS = ["--id", "id", "--score", "score", "--threshold", "0.5", "--text", "body"]
# avg and length: what a file's statistics can answer alone would be no scan
READ_ALL = "import hashlib; hashlib.file_digest(open({path!r}, 'rb'), 'sha256')"
GROUPED = "SELECT score >= 0.5, floor(score * 16384), count(*), sum(floor(score * 1e9)::BIGINT)"


def sizes(largest: int) -> list[int]:
    """Powers of ten from a hundred thousand, and the largest."""
    tens = [10**power for power in range(5, 12) if 10**power < largest]
    return [*tens, largest]


def unavoidable(path: Path, repeats: int) -> dict[str, Cost]:
    """The bare scans and hashes, each in a process of its own."""
    asked = {
        "start": "SELECT 1",
        "scan": f"SELECT count(*), min(score), max(score), avg(score) FROM '{path}'",
        "histogram": f"{GROUPED} FROM '{path}' GROUP BY ALL",
        "distinct": f"SELECT count(DISTINCT id) FROM '{path}'",
        "tickets": f"SELECT max(sha256('seed:' || id)) FROM '{path}'",
        "texts": f"SELECT bit_xor(id), sum(length(body)) FROM '{path}'",
    }
    found = {name: query(sql, repeats) for name, sql in asked.items()}
    code = READ_ALL.format(path=str(path))
    found["bytes"] = best(lambda: run([sys.executable, "-c", code]), repeats)
    found["python"] = best(lambda: run([sys.executable, "-c", "import hashlib"]), repeats)
    return found


def fixed_cost(work: Path) -> tuple[float, float]:
    """What init and plan cost whatever the pool: loading programs, planning the strata."""
    begun = best(lambda: begin(make(1000), work))
    return begun.cpu, seal(work).cpu


def begin(path: Path, work: Path) -> Cost:
    shutil.rmtree(work / "p", ignore_errors=True)
    return assaymark("init", work / "p", "--pool", path, *OPTIONS)


def seal(work: Path) -> Cost:
    return assaymark("plan", "f1 >= 0.75", "--seed", "s", "-p", work / "p")


def grow(items: int, work: Path, repeats: int, fixed: tuple[float, float]) -> dict[str, float]:
    path = make(items)
    bare = unavoidable(path, repeats)
    start = bare["start"].cpu
    begun = best(lambda: begin(path, work), repeats)
    planned = seal(work)
    names = itertools.count()
    drawn = best(
        lambda: assaymark("draw", 500, "-o", work / f"{items}-{next(names)}.csv", "-p", work / "p"),
        5,
    )
    read = bare["bytes"].cpu - bare["python"].cpu
    for_init = read + sum(bare[name].cpu - start for name in ("scan", "histogram", "distinct"))
    for_plan = read + sum(bare[name].cpu - start for name in ("scan", "tickets", "texts"))
    row = {
        "items": items,
        "init": begun.cpu,
        "plan": planned.cpu,
        "draw": drawn.wall,
        "init_wall": begun.wall,
        "plan_wall": planned.wall,
        "peak": max(begun.peak_gb, planned.peak_gb),
        "init_ratio": (begun.cpu - fixed[0]) / for_init,
        "plan_ratio": (planned.cpu - fixed[1]) / for_plan,
    }
    print(
        f"      {items:>13,}  init {begun.cpu:7.2f} s ({row['init_ratio']:.2f} ×)  plan "
        f"{planned.cpu:7.2f} s ({row['plan_ratio']:.2f} ×)  draw {drawn.wall:.2f} s "
        f"(CPU {drawn.cpu:.2f})  peak {row['peak']:.2f} GB  wall {begun.wall:.1f} + {planned.wall:.1f} s"
    )
    print("        bare: " + ", ".join(f"{name} {cost.cpu:.2f} s" for name, cost in bare.items()))
    return row


def table(largest: int) -> bool:
    work = Path(tempfile.mkdtemp())
    fixed = fixed_cost(work)
    print(f"      1,000 items: init {fixed[0]:.2f} s, plan {fixed[1]:.2f} s of CPU: the fixed cost")
    print("      × = CPU beyond the fixed cost over the bare scans and hashes")
    rows = [grow(items, work, 3 if items < 50_000_000 else 2, fixed) for items in sizes(largest)]
    shutil.rmtree(work)
    last, before = rows[-1], rows[-2]
    for step in ("init", "plan"):
        slope = math.log(last[step] / before[step]) / math.log(last["items"] / before["items"])
        print(f"      {step}: cost grows like items^{slope:.2f} between the last two sizes")
    name = f"{largest:,} items"
    good = report(f"init, {name}: CPU over scans, distinct ids and bytes", last["init_ratio"], 1.5)
    good &= report(f"plan, {name}: CPU over scan, tickets, texts, bytes", last["plan_ratio"], 1.5)
    good &= report(f"peak memory of init and plan, {name}", last["peak"], 6, " GB")
    return good & report(f"draw of 500, {name}, wall with start-up", last["draw"], 1, " s")


def strata(items: int) -> None:
    """The ticket pass against the number of strata."""
    from assaymark.pool import open_pool
    from assaymark.records.plan import Stratum
    from assaymark.records.pool import Columns

    pool = open_pool(str(make(items)), Columns(id="id", score="score", threshold=0.5))
    seen = pool.summary().negative
    inside = dict(zip(seen.edges, seen.counts, strict=False))
    for number in (1, 8, 32, 128):
        cuts = [seen.edges[len(seen.counts) * k // number] for k in range(number)] + [
            seen.edges[-1]
        ]
        parts = [
            Stratum(
                items=sum(n for edge, n in inside.items() if a <= edge < b),
                prediction=False,
                grid_from=a,
                grid_to=b,
            )
            for a, b in itertools.pairwise(cuts)
        ]
        before = time.process_time()
        pool.reserve("seed", strata=parts, limits=[500] * number)
        used = time.process_time() - before
        print(f"      tickets, {items:,} items, {number:>3} strata: {used:.2f} s of CPU")
    pool.close()


def people() -> None:
    """Draw, label and look against labels and annotators."""
    from assaymark.certification.drawing import draw_batch
    from assaymark.certification.looks import look
    from assaymark.certification.sealing import PlanRequest, seal_plan
    from assaymark.claims.ratio_metrics import parse_claim
    from assaymark.files.labels import LabelRow
    from assaymark.labelling.recording import label
    from assaymark.project.folder import Project
    from assaymark.project.registration import init
    from assaymark.records.pool import Columns

    for labels, annotators in ((1000, 1), (5000, 1), (20_000, 1), (1000, 5), (1000, 30)):
        work = Path(tempfile.mkdtemp())
        columns = Columns(id="id", score="score", threshold=0.5, text=("body",))
        init(work / "p", pool=str(make(100_000)), columns=columns)
        project = Project(folder=work / "p")
        seal_plan(
            project, PlanRequest(claim=parse_claim("accuracy >= 0.999"), design="simple", seed="s")
        )
        took = {}
        before = time.perf_counter()
        drawn = draw_batch(project, count=labels, output=work / "b.csv").items
        took["draw"] = time.perf_counter() - before
        for who in range(annotators):
            rows = [LabelRow(item=item, label=0, annotator=f"a{who}") for item in drawn]
            before = time.perf_counter()
            label(project, rows)
            took["the last one's labels"] = time.perf_counter() - before
        before = time.perf_counter()
        look(project)
        took["look"] = time.perf_counter() - before
        shown = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in took.items())
        print(f"      {labels:>6,} items, {annotators:>2} annotators: {shown}")
        shutil.rmtree(work)


def spark(items: int) -> bool:
    """What assaymark adds to bare queries in the same Spark; CPU seconds of its JVM."""
    from assaymark.pool.spark.session import has_java

    if not has_java():
        print("      (no Java: Spark is not measured)")
        return True
    os.environ.setdefault("ASSAYMARK_SPARK", "local[2]")
    from assaymark.pool.spark.engine import SparkPool
    from assaymark.records.plan import Stratum
    from assaymark.records.pool import Columns

    path = make(items)
    pool = SparkPool(str(path), Columns(id="id", score="score", threshold=0.5))
    session = pool._spark  # the very session that the pool uses, for the bare queries
    session.read.parquet(f"file://{path.absolute()}").createOrReplaceTempView("bare")
    jvm = session.sparkContext._gateway.proc.pid
    bare = {
        "summary": (
            "SELECT count(*), count(id), min(score), max(score) FROM bare",
            "SELECT count(DISTINCT id) FROM bare",
            "SELECT score >= 0.5, floor(score * 16384), count(*), sum(floor(score * 1e9)) FROM bare "
            "GROUP BY ALL",
        ),
        "tickets": ("SELECT max(sha2('seed:' || id, 256)) FROM bare",),
    }

    def fresh() -> None:
        pool._summary = None
        pool.summary()

    mine = {
        "summary": fresh,
        "tickets": lambda: pool.reserve("seed", strata=[Stratum(items=items)], limits=[5000]),
    }
    good = True
    for name, queries in bare.items():
        asked = [lambda sql=sql: session.sql(sql).collect() for sql in queries]
        plain = sum(min(_jvm_cpu(jvm, ask) for _ in range(2)) for ask in asked)
        used = min(_jvm_cpu(jvm, mine[name]) for _ in range(2))
        print(f"      Spark, {items:,} items, {name}: {used:.1f} s of CPU, bare {plain:.1f} s")
        good &= report(f"Spark's {name}: CPU over bare queries", used / plain, 1.3, " ×")
    pool.close()
    session.stop()
    return good


def _jvm_cpu(process: int, work) -> float:
    before = _cpu(process)
    work()
    return _cpu(process) - before


def _cpu(process: int) -> float:
    """CPU seconds of the process and of the children it waited for."""
    pids = [
        process,
        *map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()),
    ]
    total = 0
    for pid in pids:
        words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += sum(int(word) for word in words[11:13])
    return total / os.sysconf("SC_CLK_TCK")


def main() -> bool:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, default=3_000_000, help="the largest pool on DuckDB")
    parser.add_argument("--spark", type=int, default=2_000_000, help="the pool on Spark; 0: none")
    chosen = parser.parse_args()
    good = table(chosen.items)
    strata(min(chosen.items, 10_000_000))
    people()
    return good & (spark(chosen.spark) if chosen.spark else True)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
