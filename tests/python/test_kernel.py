"""The package works in a bare Jupyter kernel: no ipywidgets, standard output that is no terminal."""

import sys

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

pytestmark = pytest.mark.filterwarnings("default")  # of Jupyter's own packages

CELLS = (
    "import assaymark",
    "work = assaymark.certify({'score': [i / 100 for i in range(100)]}, 'accuracy >= 0.9',"
    " threshold=0.5, seed='kernel')",
    "work.run(lambda item: item.id >= 50)",
    "work.verdict().plot()",
    "assaymark.bound('f1', [1, 1, 0, 0] * 50, [1, 1, 0, 0] * 50, sample='random')",
)


def _run(*cells: str) -> list[dict[str, str]]:
    """What each cell showed, by its media type."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    manager = KernelManager()
    manager._kernel_spec = KernelSpec(
        argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        display_name="bare",
        language="python",
    )
    NotebookClient(notebook, km=manager, timeout=600).execute()
    return [
        next((output.data for output in cell.outputs if "data" in output), {})
        for cell in notebook.cells
    ]


def test_a_claim_is_established_in_a_kernel_and_its_results_are_shown() -> None:
    _, _, verdict, picture, bound = _run(*CELLS)
    assert "Established" in verdict["text/html"]
    assert picture["image/svg+xml"].startswith("<svg")
    assert "F1 ≥ 0.97" in bound["text/html"]
