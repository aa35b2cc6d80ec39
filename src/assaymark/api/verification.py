"""Verification from Python: recompute a certificate of any kind."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from assaymark.api.wording import in_python
from assaymark.certification.signatures.timestamp import read_certificates
from assaymark.certification.signatures.witness import read_head_hash, read_witness
from assaymark.certification.verification import Brought
from assaymark.errors import InputError
from assaymark.overview.certificates import verify_certificate
from assaymark.project.folder import Project
from assaymark.project.place import is_project
from assaymark.records.certificate import Verification

Required = Literal["pool", "witness", "signature"]


@runtime_checkable
class Issued(Protocol):
    """What `certify()` returned, which knows where its certificate was written."""

    @property
    def path(self) -> Path:
        """The file of the certificate."""
        ...


def verify(
    certificate: str | Path | Issued,
    *,
    project: str | Path | Project | None = None,
    pool: str | Path | None = None,
    public_key: str | None = None,
    heads: str | Sequence[str] = (),
    witnesses: str | Path | Sequence[str | Path] = (),
    tsa: str | Path | None = None,
    require: Required | Sequence[Required] = (),
) -> Verification:
    """Recompute a certificate from the ledger, and from the pool if it is at hand. Writes nothing.

    It takes certificates of claims, comparisons, cut-offs and reviews: their file, or what `certify()`
    returned. `project` is the folder with
    the ledger (the certificate's own folder unless named), `pool` where the pool is now. `public_key`
    demands a signature by this key (64 hex digits). `heads` are hashes of the ledger that you were
    given earlier, `witnesses` files with such a hash, `tsa` a file with the certificates (PEM) of
    time-stamp services that you trust. What `require` names must be checked, or the status is "failed".
    """
    place = _file_of(certificate)
    brought = Brought(
        public_key=public_key,
        heads=(
            *(read_head_hash(str(head)).encode() for head in _listed(heads)),
            *(read_witness(Path(file)) for file in _listed(witnesses)),
        ),
        authorities=() if tsa is None else read_certificates(Path(tsa)),
        require=tuple(str(name) for name in _listed(require)),
    )
    return in_python(
        verify_certificate(place, project=_project(place, project, pool), brought=brought)
    )


def _file_of(certificate: object) -> Path:
    if isinstance(certificate, str | Path):
        return Path(certificate)
    if isinstance(certificate, Issued):
        return certificate.path
    raise InputError(
        f"The certificate is named by its file, or is what certify() returned; got a "
        f"{type(certificate).__name__}."
    )


def _project(
    certificate: Path, project: str | Path | Project | None, pool: str | Path | None
) -> Project | None:
    if isinstance(project, Project):
        return project if pool is None else replace(project, pool_at=str(pool))
    if project is None and is_project(certificate.parent):
        project = certificate.parent
    if project is not None:
        return Project(folder=Path(project), pool_at=None if pool is None else str(pool))
    if pool is not None:
        raise InputError("The pool needs the ledger too: name the project with project=…")
    return None


def _listed(values: str | Path | Sequence[str | Path]) -> Sequence[str | Path]:
    """One value is a list of one."""
    return (values,) if isinstance(values, str | Path) else values
