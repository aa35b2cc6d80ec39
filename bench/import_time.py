"""How long `import assaymark` takes, without the start of Python itself; at most 50 ms."""

import re
import subprocess
import sys

BAR = 50.0
RUNS = 9


def import_milliseconds() -> float:
    """The fastest of a few fresh processes: what the package costs, not what the machine does."""
    times = []
    for _ in range(RUNS):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-c", "import assaymark"],
            capture_output=True,
            text=True,
            check=True,
        )
        found = re.search(r"\|\s+(\d+) \| assaymark$", done.stderr, re.MULTILINE)
        if found is None:
            raise RuntimeError("Python did not say how long the import took")
        times.append(int(found.group(1)) / 1000)
    return min(times)


def main() -> int:
    taken = import_milliseconds()
    print(f"import assaymark: {taken:.1f} ms (bar {BAR:g} ms)")
    return 0 if taken <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
