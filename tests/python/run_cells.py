"""Runs cells in a bare Jupyter kernel and prints what each of them showed, as JSON.

A process of its own: Jupyter leaves sockets open that the test run would count as errors.
"""

import json
import sys
from typing import Any

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager


def main() -> None:
    manager = KernelManager()
    manager._kernel_spec = KernelSpec(
        argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        display_name="bare",
        language="python",
    )
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=600)
        shown = [_shown(client, cell) for cell in json.load(sys.stdin)]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    sys.stdout.write(json.dumps(shown))


def _shown(client: Any, cell: str) -> dict[str, Any]:
    """The first thing that the cell shows, by media type."""
    found: list[dict[str, Any]] = []

    def keep(message: dict[str, Any]) -> None:
        if "data" in message["content"]:
            found.append(message["content"]["data"])

    reply = client.execute_interactive(cell, output_hook=keep, timeout=600)["content"]
    if reply["status"] != "ok":
        sys.exit("\n".join(reply["traceback"]))
    return found[0] if found else {}


if __name__ == "__main__":
    main()
