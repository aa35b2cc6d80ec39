"""The notebooks of the documentation run as they stand, and show their answers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "docs/notebooks"
# what the answers of each notebook say, in order
ANSWERS = {
    "e-discovery": ["score-guided", "Established", "report.html"],
    "llm-judge": ["Established", "is better than"],
    "moderation": ["0.", "prevalence"],
    "systematic-review": ["Stop", "certified", "certificate.json"],
}


def test_every_notebook_is_named_here() -> None:
    assert sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")) == sorted(ANSWERS)


@pytest.mark.parametrize("name", ANSWERS)
def test_the_notebook_runs(name: str) -> None:
    notebook = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(not cell.get("outputs") for cell in notebook["cells"])
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "run_cells.py")],
        input=json.dumps(cells),
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    shown = [" ".join(map(str, one.values())) for one in json.loads(done.stdout) if one]
    assert len(shown) == len(ANSWERS[name])
    for text, wanted in zip(shown, ANSWERS[name], strict=True):
        assert wanted in text
