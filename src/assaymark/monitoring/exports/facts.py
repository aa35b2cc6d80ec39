"""What every export takes from a certificate, of one figure or of several parts."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assaymark.certification.certificate import check_form, read
from assaymark.composite.issuing import ClaimCertificate, certificate_of
from assaymark.composite.look_facts import LookFacts
from assaymark.composite.verification import is_claim_certificate, read_facts
from assaymark.composite.wording import bounds_words, part_name, statement
from assaymark.errors import InputError
from assaymark.monitoring.exports.figures import Figure, several_figures, single_figure
from assaymark.records.certificate import Certificate
from assaymark.records.claim_terms import LockNote

if TYPE_CHECKING:
    from assaymark.certification.signatures.signing import Signer


@dataclass(frozen=True, kw_only=True)
class Exported:
    """The facts of a certificate, the name and SHA-256 of its file, and the key to sign with, if any.

    `passed` are the sentences that it proves, `open` and `failed` those of its family that it does
    not. `facts` are those that other formats have no field for, as text.
    """

    claim: str
    metric: str
    issued: str
    software: str
    pool: str
    fingerprint: str
    lock: LockNote | None
    figures: tuple[Figure, ...]
    passed: tuple[str, ...]
    open: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    facts: Mapping[str, str]
    file: str
    sha256: str
    signer: "Signer | None" = None

    @property
    def model(self) -> str:
        """What the classifier is called: the name of its claim, or what was proved about it."""
        return self.lock.name if self.lock else f"classifier of {self.pool}"

    @property
    def classifier(self) -> dict[str, str]:
        """Names and digests as the owner of the claim gave them."""
        return dict(self.lock.classifier) if self.lock else {}

    @property
    def details(self) -> dict[str, str]:
        """The facts that other formats have no field for, with those of the lock."""
        facts = {**self.facts, "certificate_sha256": self.sha256}
        if self.lock is not None and self.lock.expires is not None:
            facts["expires"] = self.lock.expires
        return facts | {f"classifier.{name}": value for name, value in self.classifier.items()}


def read_exported(path: Path, signer: "Signer | None" = None) -> Exported:
    """The certificate in this file, once its hash was found to fit its contents."""
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"The certificate {str(path)!r} cannot be read: {why}.") from error
    source = _File(name=path.name, sha256=hashlib.sha256(raw).hexdigest(), signer=signer)
    if is_claim_certificate(path):
        return _of_several(certificate_of(read_facts(text, [])), source)
    certificate, data = read(text)
    check_form(certificate, data, text)
    return _of_one(certificate, source)


@dataclass(frozen=True, kw_only=True)
class _File:
    """The file of a certificate, and the key to sign its export with."""

    name: str
    sha256: str
    signer: "Signer | None"


def _of_one(certificate: Certificate, source: _File) -> Exported:
    figure = single_figure(certificate)
    return Exported(
        claim=str(certificate.claim),
        metric=figure.metric,
        issued=certificate.issued,
        software=certificate.software,
        pool=certificate.pool.source,
        fingerprint=certificate.pool.fingerprint,
        lock=certificate.lock,
        figures=(figure,),
        passed=(figure.claim,),
        facts=_facts_of_one(certificate, figure),
        file=source.name,
        sha256=source.sha256,
        signer=source.signer,
    )


def _facts_of_one(certificate: Certificate, figure: Figure) -> dict[str, str]:
    plan = certificate.plan
    return {
        "claim": str(certificate.claim),
        "mode": plan.mode,
        "design": plan.design,
        "method": figure.method,
        "confidence": number(plan.confidence),
        "side": "both" if certificate.census else certificate.claim.side,
        "labels": str(figure.labels),
        "draws": str(certificate.draws),
        "pool_items": str(certificate.pool.items),
        "pool_fingerprint": certificate.pool.fingerprint,
        "ledger_head": certificate.ledger.head,
    }


def _of_several(certificate: ClaimCertificate, source: _File) -> Exported:
    result = certificate.look
    figures = several_figures(result)
    return Exported(
        claim=certificate.claim,
        metric=" and ".join(dict.fromkeys(figure.metric for figure in figures)),
        issued=certificate.issued,
        software=certificate.software,
        pool=f"pool {certificate.pool[:16]}",
        fingerprint=certificate.pool,
        lock=certificate.lock,
        figures=figures,
        passed=_parts_in(result, "reached") or (statement(result),),
        open=_parts_in(result, "open"),
        failed=_parts_in(result, "failed"),
        facts=_facts_of_several(certificate),
        file=source.name,
        sha256=source.sha256,
        signer=source.signer,
    )


def _parts_in(result: LookFacts, state: str) -> tuple[str, ...]:
    parts = result.parts if result.kind == "conjunction" else ()
    return tuple(part_name(part) for part in parts if part.state == state)


def _facts_of_several(certificate: ClaimCertificate) -> dict[str, str]:
    result = certificate.look
    bounds = bounds_words(result)
    return {
        "claim": certificate.claim,
        "statement": statement(result),
        **({"bounds": bounds} if bounds else {}),
        "judged": result.judged,
        "confidence": number(certificate.confidence),
        "labels": str(result.labels),
        "draws": str(result.draws),
        "pool_fingerprint": certificate.pool,
        "ledger_head": certificate.ledger.head,
    }


def number(value: float) -> str:
    """A number as text, with all the digits that tell it from others."""
    return json.dumps(value)


def as_text(value: dict[str, Any]) -> str:
    """JSON that people can read."""
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
