"""The gate of claim files from Python: how every claim stands today."""

from datetime import UTC, date, datetime
from pathlib import Path

from assaymark.api.expectations import seed_text
from assaymark.api.wording import in_python
from assaymark.claims.results import Verdict
from assaymark.errors import PlanError
from assaymark.monitoring.claim_files import read_date
from assaymark.monitoring.gate import Gate
from assaymark.monitoring.gate import gate as gate_claims
from assaymark.monitoring.locking import Locked
from assaymark.monitoring.locking import lock as lock_claim


def gate(claims: str | Path, *, today: date | str | None = None) -> Gate:
    """How the claims of a claim file, or of a folder of them, stand today; asserts nothing.

    `assert_certified` takes the same parameters and fails unless every claim is certified.
    """
    if isinstance(today, str):
        today = read_date("today", today)
    return in_python(gate_claims(Path(claims), today=today or datetime.now(UTC).date()))


def lock(claim: str | Path, *, seed: int | str | None = None) -> Locked:
    """Seal the plan of a claim file, and put the file's digest into the ledger and beside the file.

    The project that the file names is made if there is none; then open it: `Certification(folder)`.
    """
    return lock_claim(Path(claim), seed=seed_text(seed))


def require(verdict: Verdict) -> Verdict:
    """The verdict, where the claim is established; refused with its sentence otherwise.

    >>> from assaymark import certify
    >>> work = certify(y_score=[0.1, 0.9] * 60, threshold=0.5, claim="recall >= 0.8", seed=1)
    >>> require(work.verdict())  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    assaymark.errors.PlanError: Not yet: ...
    """
    if not verdict.established:
        raise PlanError(str(verdict))
    return verdict
