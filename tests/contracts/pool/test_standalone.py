"""Spark's own cluster manager: a master and workers as processes, one of which is lost."""

import json
import subprocess
import sys

import pytest
from test_engines import write_pool

from assaymark.pool import open_pool
from assaymark.records.plan import Stratum
from assaymark.records.pool import Columns
from spark_cluster import end, missing, standalone

pytestmark = pytest.mark.slow
ITEMS, WANTED = 1_500_000, 5000
# a driver of its own, as assaymark would be; it says when it is in the middle of the ticket pass
DRIVER = """
import json, sys, threading, time
from assaymark.pool import open_pool
from assaymark.records.pool import Columns
from assaymark.records.plan import Stratum

path, address, items, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
columns = Columns(id="id", score="score", threshold=0.5)
pool = open_pool(path, columns, engine="spark", connection=address)
context = pool._spark.sparkContext
tracker = context.statusTracker()
found = []
strata = [Stratum(items=items)]
job = threading.Thread(
    target=lambda: found.extend(pool.reserve("s", strata=strata, limits=[wanted]))
)
executors = lambda: len(context._jsc.sc().statusTracker().getExecutorInfos()) - 1


def halfway():
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return any(s and 4 <= s.numCompletedTasks < s.numTasks - 4 for s in stages)


job.start()
while not halfway():
    time.sleep(0.01)
print(json.dumps({"master": context.master, "executors": executors()}), flush=True)
sys.stdin.readline()  # until the worker is dead
print(json.dumps({"alive": job.is_alive()}), flush=True)
job.join()
print(json.dumps({"executors": executors(), "items": [[i.id, i.ticket] for i in found]}), flush=True)
"""


def test_a_worker_lost_in_the_ticket_pass_changes_no_ticket(tmp_path) -> None:
    if (reason := missing()) is not None:
        pytest.skip(f"Spark cannot be started: {reason}")
    path = write_pool(tmp_path / "pool.parquet", ITEMS)
    duck = open_pool(str(path), Columns(id="id", score="score", threshold=0.5))
    expected = duck.reserve("s", strata=[Stratum(items=ITEMS)], limits=[WANTED])
    duck.close()
    with standalone(tmp_path) as spark:
        words = [sys.executable, "-W", "ignore", "-c", DRIVER]
        words += [str(path), spark.address, str(ITEMS), str(WANTED)]
        with subprocess.Popen(
            words,
            env=spark.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as driver:
            try:
                middle = json.loads(driver.stdout.readline())
                spark.lose_a_worker()
                driver.stdin.write(b"\n")
                driver.stdin.flush()
                still = json.loads(driver.stdout.readline())
                last = json.loads(driver.stdout.readline())
            finally:
                end(driver)
    sys.stdout.write(f"{middle}, {still}, {last['executors']}, {len(last['items'])} tickets\n")
    assert middle == {"master": spark.address, "executors": 2}
    assert still == {"alive": True}  # it was the middle of the pass
    assert last["executors"] == 1
    assert last["items"] == [[item.id, item.ticket] for item in expected]
