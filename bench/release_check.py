"""Is this tree fit to release? Build, check the metadata, and try the wheel in every Python at hand.

python bench/release_check.py            what `make release-check` runs
python bench/release_check.py --only 3.11
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
MOST_MEGABYTES = 330
MOST_IMPORT = 50  # milliseconds
LIBRARIES = ("pandas", "polars", "pyarrow")
PATIENCE = 600  # seconds; guards against hanging only
NAMED = {"Author", "Classifier", "Description-Content-Type", "Keywords", "License-Expression",
         "License-File", "Requires-Python", "Summary"}  # fmt: skip


def run(*command: object, folder: Path = ROOT, **more: object) -> str:
    """What the command prints; ends the check if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, **more
    )
    if done.returncode:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(folder: Path) -> Path:
    """Wheel and source archive, checked; the wheel's path."""
    bin_folder = Path(sys.executable).parent
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder)
    wheel = next(folder.glob("*.whl"))
    archive = next(folder.glob("*.tar.gz"))
    run(bin_folder / "twine", "check", "--strict", wheel, archive)
    for made in (wheel, archive):
        print(f"{made.name:<40} {made.stat().st_size / 1e6:8.2f} MB, metadata fine")
    check_metadata(wheel, folder)
    return wheel


def check_metadata(wheel: Path, folder: Path) -> None:
    """Every field that an index page shows is there, and nothing on it leads into the repository."""
    run(sys.executable, "-m", "zipfile", "-e", wheel, folder / "open")
    text = next((folder / "open").glob("*.dist-info/METADATA")).read_text(encoding="utf-8")
    head, _, body = text.partition("\n\n")
    missing = NAMED - {line.partition(":")[0] for line in head.splitlines()}
    if missing:
        sys.exit(f"The metadata lacks {', '.join(sorted(missing))}.")
    lost = re.findall(r"\]\((?!https?:)[^)]*\)|<img[^>]*>", body)
    if lost:
        sys.exit(f"The page of the index would have dead links: {', '.join(lost)}.")


def python_at_hand(version: str) -> str | None:
    """A Python of this version that really starts."""
    for place in (shutil.which(f"python{version}"), *_installed_by_pyenv(version)):
        if place and subprocess.run([place, "-c", ""], capture_output=True).returncode == 0:
            return place
    return None


def _installed_by_pyenv(version: str) -> list[str]:
    root = os.environ.get("PYENV_ROOT")
    return sorted(map(str, Path(root).glob(f"versions/{version}.*/bin/python"))) if root else []


def try_wheel(wheel: Path, python: str, folder: Path) -> list[str]:
    """Install the wheel alone in a clean environment, do the whole job with it, print what it took.

    Which limits it broke.
    """
    uv = Path(sys.executable).parent / "uv"
    run(uv, "venv", "--quiet", "--python", python, folder / "venv")
    begun = time.perf_counter()
    run(
        uv,
        "pip",
        "install",
        "--quiet",
        "--python",
        folder / "venv/bin/python",
        wheel,
        folder=folder,
    )
    installed = time.perf_counter() - begun
    size = sum(p.stat().st_size for p in (folder / "venv/lib").rglob("*") if p.is_file()) / 1e6
    loaded = _import_time(folder)
    assaymark = folder / "venv/bin/assaymark"
    run(assaymark, "demo", "--out", "demo", "--items", 5000, folder=folder)
    certificate = next((folder / "demo").rglob("certificate*.json"))
    run(assaymark, "verify", certificate, "-p", certificate.parent, folder=folder)
    serve(assaymark, certificate.parent, folder)
    scripts = run_scripts(wheel, folder)
    faults = []
    if loaded > MOST_IMPORT:
        faults.append(f"importing assaymark takes {loaded:.0f} ms, more than {MOST_IMPORT}")
    if size > MOST_MEGABYTES:
        faults.append(f"the base install takes {size:.0f} MB, more than {MOST_MEGABYTES}")
    print(
        f"{size:6.0f} MB {installed:7.1f} s {loaded:7.0f} ms   demo, verify, serve, {scripts} scripts work",
        flush=True,
    )
    return faults


def run_scripts(wheel: Path, folder: Path) -> int:
    """What new users write, with the wheel and the libraries that they hold; how many there are."""
    uv, python = Path(sys.executable).parent / "uv", folder / "venv/bin/python"
    run(uv, "pip", "install", "--quiet", "--python", python, f"{wheel}[learn]", *LIBRARIES)
    scripts = sorted((ROOT / "tests/python/scripts").glob("*.py"))
    place = folder / "scripts"
    place.mkdir()
    for script in scripts:  # a copy, so that nothing of the repository is on the path
        run(python, "-W", "error", shutil.copy(script, place), folder=place)
    return len(scripts)


def _import_time(folder: Path) -> float:
    """Milliseconds of processor time to import assaymark, the best of ten fresh interpreters."""
    line = "import time; t = time.process_time(); import assaymark; print(time.process_time() - t)"
    return min(
        1000 * float(run(folder / "venv/bin/python", "-c", line, folder=folder)) for _ in range(10)
    )


def serve(assaymark: Path, project: Path, folder: Path) -> None:
    """The page starts, answers and stops."""
    command = [assaymark, "serve", "--port", "0", "--json", "-p", project]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            told = json.loads(server.stdout.readline())
            link = told["links"]["lead"]
            with urllib.request.urlopen(link, timeout=PATIENCE) as answer:
                if answer.status != 200:
                    sys.exit(f"The page answered {answer.status}.")
        finally:
            server.terminate()
            server.wait(PATIENCE)


def main() -> None:
    """Build once, then try each Python."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=PYTHONS, help="try this Python alone")
    only = parser.parse_args().only
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        wheel = build(folder / "dist")
        print("\nPython   base install    time  import")
        tried, faults = 0, []
        for version in (only,) if only else PYTHONS:
            python = python_at_hand(version)
            if python is None:
                print(f"{version:<6} is not at hand")
                continue
            own = folder / version
            own.mkdir()
            print(f"{version:<6} ", end="", flush=True)
            faults += [f"{version}: {fault}" for fault in try_wheel(wheel, python, own)]
            shutil.rmtree(own)
            tried += 1
    if not tried:
        sys.exit("No Python was at hand to try the wheel in.")
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
