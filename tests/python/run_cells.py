"""Runs cells in a bare Jupyter kernel and prints what each of them showed, as JSON.

A process of its own: Jupyter leaves sockets open that the test run would count as errors.
"""

import json
import sys

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient


def main() -> None:
    cells = [nbformat.v4.new_code_cell(cell) for cell in json.load(sys.stdin)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    manager = KernelManager()
    manager._kernel_spec = KernelSpec(
        argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        display_name="bare",
        language="python",
    )
    NotebookClient(notebook, km=manager, timeout=600).execute()
    shown = [
        next((dict(output.data) for output in cell.outputs if "data" in output), {})
        for cell in notebook.cells
    ]
    sys.stdout.write(json.dumps(shown))


if __name__ == "__main__":
    main()
