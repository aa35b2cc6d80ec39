"""A command ends at once, and libraries with a last word of their own say nothing."""

import subprocess
import sys


def run(*arguments, cwd) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "assaymark", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_nothing_is_printed_after_the_answer(tmp_path) -> None:
    """DuckDB reports leaks if garbage is left; commands that load it are left to collect it."""
    (tmp_path / "s.csv").write_text("id,score,body\na,0.1,x\nb,0.9,y\n", encoding="utf-8")
    columns = ("--id", "id", "--score", "score", "--threshold", "0.5", "--text", "body")
    begun = run("init", "work", "--pool", "s.csv", *columns, cwd=tmp_path)
    assert (begun.returncode, begun.stderr) == (0, "")
    ended = run("status", "-p", "work", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_last_search_for_garbage_is_left_out() -> None:
    script = (
        "import atexit, gc, sys\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 1000))\n"  # called after those below
        "sys.argv = ['assaymark', '--version']\n"
        "from assaymark.cli import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "True", done.stderr
