"""All measurements, one after the other; exit code 1 if a bar is missed."""

import subprocess
import sys
from pathlib import Path

SCRIPTS = (
    "import_time.py",
    "simulate.py",
    "answers.py",
    "pool.py",
    "growth.py",
    "ledger.py",
    "append.py",
    "serve_load.py",
    "serve_kill.py",
    "attack_storage.py",
    "attack_page.py",
    "stratified.py",
    "triage.py",
    "overlap.py",
    "training.py",
    "review.py",
)


def main() -> int:
    here = Path(__file__).parent
    missed = 0
    for script in SCRIPTS:
        print(f"== {script}", flush=True)
        missed += subprocess.run([sys.executable, here / script], check=False).returncode != 0
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
