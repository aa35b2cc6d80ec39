"""How the tests are shared among processes: a file stays together, and long kinds go first.

What a file makes once (servers, fitted models, enumerations) is then made by one process. All that
needs Spark shares one cluster. `--dist loadgroup` promises the same, but pytest-xdist 3.8 does not
see the marks of pytest 9.2 and shared out every test alone, without a word.
"""

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

SPARK = ("tests/contracts/pool/", "tests/docs/test_tutorial.py::test_the_page_on_spark")
ALONE = "tests/docs/test_tutorial.py"  # long tests that share nothing
# what takes long or waits begins early, so that no process is left alone with it at the end
FIRST = (
    "spark", "tests/docs/test_tutorial", "tests/e2e/", "tests/python/", "tests/exact/",
    "tests/calibration/", "tests/contracts/", "tests/property/", "tests/replication/",
)  # fmt: skip


class Distribution(LoadFileScheduling):
    """Files, one group for Spark, and the pages one by one."""

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(SPARK):
            return "spark"
        return nodeid if nodeid.startswith(ALONE) else super()._split_scope(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        self.workqueue.move_to_end(min(self.workqueue, key=rank), last=False)
        super()._assign_work_unit(node)


def rank(scope: str) -> int:
    """The place of a scope in the order of kinds."""
    return next((place for place, kind in enumerate(FIRST) if scope.startswith(kind)), len(FIRST))
