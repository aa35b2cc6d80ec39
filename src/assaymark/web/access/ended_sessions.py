"""Sessions that were signed out: remembered until they would have ended by themselves."""

import contextlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path

from assaymark.project.users import ENDED

log = logging.getLogger("assaymark.serve")


class Ended:
    """Ids of sessions that must not come back, in a file, so that a restart revives none."""

    def __init__(self, folder: Path, *, now: float) -> None:
        self._path = folder / ENDED
        self._until = {name: until for name, until in self._read() if until > now}

    def __contains__(self, session: object) -> bool:
        """Whether the session was signed out."""
        return session in self._until

    def add(self, session: str, *, until: float) -> None:
        """End a session for good."""
        self._until[session] = until
        try:
            place = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(place, "w", encoding="ascii") as stream:
                stream.write(f"{session} {until:.0f}\n")
        except OSError as error:  # it holds in memory, until the server ends
            log.warning("a sign-out could not be kept: %s", error)

    def _read(self) -> Iterator[tuple[str, float]]:
        try:
            lines = self._path.read_text(encoding="ascii", errors="replace").splitlines()
        except OSError:
            return
        for line in lines:
            name, _, until = line.partition(" ")
            with contextlib.suppress(ValueError):
                yield name, float(until)
