"""The package works in a bare Jupyter kernel: no ipywidgets, standard output that is no terminal."""

import json
import subprocess
import sys
from pathlib import Path

CELLS = (
    "import assaymark",
    "work = assaymark.certify({'score': [i / 100 for i in range(100)]}, 'accuracy >= 0.9',"
    " threshold=0.5, seed='kernel')",
    "work.run(lambda item: item.id >= 50)",
    "work.verdict().plot()",
    "assaymark.bound('f1', [1, 1, 0, 0] * 50, [1, 1, 0, 0] * 50, sample='random')",
)


def test_a_claim_is_established_in_a_kernel_and_its_results_are_shown() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "run_cells.py")],
        input=json.dumps(CELLS),
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    _, _, verdict, picture, bound = json.loads(done.stdout)
    assert "Established" in verdict["text/html"]
    assert picture["image/svg+xml"].startswith("<svg")
    assert "F1 ≥ 0.985" in bound["text/html"]
