"""Certificates of every kind: of one figure, of several parts, of a cut-off, of a review."""

from pathlib import Path

from assaymark.certification.verification import Brought
from assaymark.pool import Progress, silent
from assaymark.project.folder import Project
from assaymark.records.certificate import Verification


def verify_certificate(
    path: Path,
    *,
    project: Project | None = None,
    brought: Brought | None = None,
    progress: Progress = silent,
) -> Verification:
    """Recompute a certificate, whichever kind it is; only what its kind needs is loaded."""
    from assaymark.composite.verification import is_claim_certificate, verify_claim
    from assaymark.reviewing.certificate import is_review_certificate

    if is_claim_certificate(path):
        return verify_claim(path, project=project, brought=brought)
    if is_review_certificate(path):
        from assaymark.reviewing.verifying import verify_review

        return verify_review(path, project=project, brought=brought, progress=progress)
    from assaymark.certification.verification import verify

    return verify(path, project=project, brought=brought, progress=progress)
