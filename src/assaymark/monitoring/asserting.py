"""Certified or not, as an assertion: for tests that must fail while a claim is not proved."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from assaymark.hints import for_python

if TYPE_CHECKING:
    from assaymark.monitoring.gate import Gate


class NotCertifiedError(AssertionError):
    """A claim is refuted, undecided, stale or tampered with. `gate` has every claim and its reason."""

    def __init__(self, gate: "Gate") -> None:
        super().__init__(
            "\n".join(
                for_python(f"{claim.name} is {claim.outcome} ({claim.claim}): {claim.reason}")
                for claim in gate.claims
                if claim.outcome != "certified"
            )
        )
        self.gate = gate


def assert_certified(claims: str | Path, *, today: date | str | None = None) -> "Gate":
    """The gate of a claim file or a folder of them; fails unless every claim is certified today."""
    from assaymark.monitoring.claim_files import read_date
    from assaymark.monitoring.gate import gate

    if today is None:
        day = datetime.now(UTC).date()
    else:
        day = today if isinstance(today, date) else read_date("today", today)
    result = gate(Path(claims), today=day)
    if result.outcome != "certified":
        raise NotCertifiedError(result)
    return result
