"""What every export takes from a certificate."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assaymark.certification.certificate import check_form, read
from assaymark.certification.certificate.words import estimate_of
from assaymark.claims.results import Estimate
from assaymark.composite.verification import is_claim_certificate
from assaymark.errors import InputError
from assaymark.records.certificate import Certificate

if TYPE_CHECKING:
    from assaymark.certification.signatures.signing import Signer


@dataclass(frozen=True, kw_only=True)
class Exported:
    """A certificate, the name and SHA-256 of its file, and the key to sign with, if there is one."""

    certificate: Certificate
    file: str
    sha256: str
    signer: "Signer | None" = None

    @property
    def model(self) -> str:
        """What the classifier is called: the name of its claim, or what was proved about it."""
        lock = self.certificate.lock
        return lock.name if lock else f"classifier of {self.certificate.pool.source}"

    @property
    def classifier(self) -> dict[str, str]:
        """Names and digests as the owner of the claim gave them."""
        return dict(self.certificate.lock.classifier) if self.certificate.lock else {}

    @property
    def estimate(self) -> Estimate:
        """The estimate behind the certificate and its proved bound."""
        return estimate_of(self.certificate)

    @property
    def details(self) -> dict[str, str]:
        """The facts that other formats have no field for, as text."""
        certificate = self.certificate
        plan, estimate = certificate.plan, self.estimate
        facts = {
            "claim": str(certificate.claim),
            "mode": plan.mode,
            "design": plan.design,
            "method": estimate.interval.method,
            "confidence": number(plan.confidence),
            "side": estimate.interval.side,
            "labels": str(estimate.labels),
            "draws": str(estimate.draws),
            "pool_items": str(certificate.pool.items),
            "pool_fingerprint": certificate.pool.fingerprint,
            "ledger_head": certificate.ledger.head,
            "certificate_sha256": self.sha256,
        }
        if certificate.lock is not None and certificate.lock.expires is not None:
            facts["expires"] = certificate.lock.expires
        facts |= {f"classifier.{name}": value for name, value in self.classifier.items()}
        return facts


def read_exported(path: Path, signer: "Signer | None" = None) -> Exported:
    """The certificate in this file, once its hash was found to fit its contents."""
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"The certificate {str(path)!r} cannot be read: {why}.") from error
    if is_claim_certificate(path):
        raise InputError(
            "These formats hold certificates of one figure with its bounds, and this one is of several "
            "parts."
        )
    certificate, data = read(text)
    check_form(certificate, data, text)
    return Exported(
        certificate=certificate,
        file=path.name,
        sha256=hashlib.sha256(raw).hexdigest(),
        signer=signer,
    )


def number(value: float) -> str:
    """A number as text, with all the digits that tell it from others."""
    return json.dumps(value)


def as_text(value: dict[str, Any]) -> str:
    """JSON that people can read."""
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
