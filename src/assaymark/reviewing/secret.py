"""The secret behind the draws: a file that only its owner can read, until it is revealed."""

import os
import secrets
from pathlib import Path

from assaymark.errors import PlanError, VerificationError
from assaymark.ledger.events import ReviewWork
from assaymark.records.seeds import commitment_of


def secret_path(folder: Path, number: int) -> Path:
    """Where a secret is kept; each has a number."""
    return folder / f"review-secret-{number}"


def new_secret(folder: Path, number: int) -> str:
    """A new secret of 256 bits in a file of mode 0600."""
    secret = secrets.token_hex(32)
    path = secret_path(folder, number)
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as stream:
        stream.write(secret)
        stream.flush()
        os.fsync(stream.fileno())
    return secret


def read_secret(folder: Path, work: ReviewWork) -> str:
    """The secret that draws now; refused where it is lost or not the one committed to."""
    number = len(work.commitments)
    try:
        secret = secret_path(folder, number).read_text(encoding="ascii").strip()
    except OSError as error:
        raise PlanError(
            f"The secret of this review ({secret_path(folder, number).name}) is not in the project, so "
            "nothing can be drawn at random. Copy it from where the review was begun."
        ) from error
    if commitment_of(secret) != work.commitments[-1]:
        raise VerificationError(
            f"{secret_path(folder, number).name!r} is not the secret that was committed to before the "
            "first draw. Restore it from a backup."
        )
    return secret
