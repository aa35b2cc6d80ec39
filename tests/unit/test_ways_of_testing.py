"""What the tests rely on: seeds that repeat, and files that stay together."""

import secrets
from collections import OrderedDict

from distribution import Distribution, rank

POOLS = "tests/contracts/pool/test_pools.py"
TUTORIAL = "tests/docs/test_tutorial.py"


def test_a_seed_that_nobody_gave_is_the_same_in_every_run() -> None:
    assert secrets.token_hex(16) == "1e01e353fd9f9cff46529d0a46471084"
    assert secrets.token_hex(16) == "6e7b5d94e36088256e135983fe98e414"
    assert secrets.token_hex(32) != secrets.token_hex(32)


def scope(nodeid: str) -> str:
    return Distribution._split_scope(object.__new__(Distribution), nodeid)


def test_all_that_needs_spark_is_one_group_and_other_files_stay_together() -> None:
    assert scope(f"{POOLS}::test_a[x]") == scope(f"{TUTORIAL}::test_the_page_on_spark") == "spark"
    assert scope("tests/unit/test_a.py::test_a") == scope("tests/unit/test_a.py::test_b[1-a::b]")
    assert scope(f"{TUTORIAL}::test_a[1]") != scope(f"{TUTORIAL}::test_a[2]")


def test_long_kinds_are_handed_out_first(monkeypatch) -> None:
    plan = object.__new__(Distribution)
    units = ("tests/unit/a.py", "tests/exact/a.py", "src/a.py", "tests/e2e/a.py::b", "spark")
    plan.workqueue, order = OrderedDict.fromkeys(units), []
    parent = Distribution.__bases__[0]
    monkeypatch.setattr(
        parent,
        "_assign_work_unit",
        lambda self, _: order.append(self.workqueue.popitem(last=False)[0]),
    )
    while plan.workqueue:
        plan._assign_work_unit(None)
    assert order == [
        "spark",
        "tests/e2e/a.py::b",
        "tests/exact/a.py",
        "tests/unit/a.py",
        "src/a.py",
    ]
    assert sorted(units, key=rank) == order
