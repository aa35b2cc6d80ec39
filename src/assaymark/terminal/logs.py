"""Structured logs: one JSON object per line, without texts, labels or secrets."""

import json
import logging
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assaymark.errors import InputError

LOG = logging.getLogger("assaymark.command")
RUNNING: dict[str, Any] = {}
OURS = ("events", "seq", "command", "seconds", "code")


class JsonLines(logging.Formatter):
    """Time, level, source and message, and the few values that assaymark itself attaches."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line of JSON."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "time": at.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "source": record.name,
            "message": record.getMessage(),
        }
        line |= {key: getattr(record, key) for key in OURS if hasattr(record, key)}
        return json.dumps(line, ensure_ascii=False)


def log_to(path: Path, *, command: str) -> None:
    """Append what happens during this command to this file."""
    try:
        handler = logging.FileHandler(path, encoding="utf-8")
    except OSError as error:
        raise InputError(f"The log {str(path)!r} cannot be written: {error.strerror}.") from error
    handler.setFormatter(JsonLines())
    root = logging.getLogger("assaymark")
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    root.propagate = False
    RUNNING.update(command=command, start=time.monotonic())
    LOG.info("command began", extra={"command": command})


def log_end(code: int) -> None:
    """Log how long the command took and how it ended."""
    if not RUNNING:
        return
    seconds = round(time.monotonic() - RUNNING.pop("start"), 3)
    extra = {"command": RUNNING.pop("command"), "seconds": seconds, "code": code}
    LOG.info("command ended", extra=extra)
    root = logging.getLogger("assaymark")
    for handler in list(root.handlers):
        root.removeHandler(handler)
        handler.close()
