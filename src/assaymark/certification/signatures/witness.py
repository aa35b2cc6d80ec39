"""Copies of the ledger's head that somebody else keeps: what excludes that all was rewritten."""

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from assaymark.certification.signatures.timestamp import digests_of, is_token, read_token
from assaymark.errors import InputError, VerificationError
from assaymark.hints import option
from assaymark.ledger.events import Entry, WitnessRecorded
from assaymark.project.folder import Project
from assaymark.records.certificate import Check

if TYPE_CHECKING:
    from cryptography.x509 import Certificate as Authority

HEAD = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{64}(?![0-9a-fA-F])")
Form = Literal["head", "git", "rfc3161"]
LARGEST = 65_536  # bytes of a witness file


@dataclass(frozen=True, kw_only=True)
class Witness:
    """A head that was on the chain, and why to believe that it was so then.

    `confirmed` is whether it holds without the word of whoever owns the project.
    """

    event: int
    head: str
    description: str
    confirmed: bool


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A recorded witness."""

    event: int
    head: str
    form: str
    description: str


def record_witness(project: Project, text: str, *, by: str) -> Recorded:
    """Record who keeps which head: a hash, or a file that holds one in any known form."""
    if not by.strip():
        raise InputError(f"Say who keeps it: {option('by', 'opposing counsel, by mail')}.")
    content = text.encode() if HEAD.fullmatch(text.strip()) else read_witness(Path(text))
    with project.ledger.writing() as writer:
        witness = find_witness(content, writer.entries)
        form, evidence = _form(content)
        event = WitnessRecorded(form=form, head=witness.head, by=by.strip(), evidence=evidence)
        writer.append([event], time=project.now())
    return Recorded(
        event=witness.event, head=witness.head, form=form, description=witness.description
    )


def read_head_hash(text: str) -> str:
    """A head as people hand it on, checked."""
    if not HEAD.fullmatch(text.strip()):
        raise InputError(f"A head is 64 hex digits, got {text[:80]!r}. plan and certify print it.")
    return text.strip().lower()


def read_witness(path: Path) -> bytes:
    """The contents of a witness file."""
    try:
        content = path.read_bytes() if path.stat().st_size <= LARGEST else None
    except OSError as error:
        raise InputError(
            f"The witness {str(path)!r} cannot be read: {error.strerror}. Give a head of 64 hex digits or "
            "a file: a text with the head in it, a time stamp (RFC 3161), or a git commit."
        ) from error
    if content is None:
        raise InputError(f"The witness {str(path)!r} is larger than {LARGEST:,} bytes.")
    return content


def find_witness(
    content: bytes, entries: Sequence[Entry], trusted: tuple["Authority", ...] = ()
) -> Witness:
    """The latest head of this ledger that the witness names; refused where it names none."""
    places = {entry.hash: entry.seq for entry in entries}
    if is_token(content):
        token = read_token(content, trusted)
        by_digest = {digest: head for head in places for digest in digests_of(head)}
        head = by_digest.get(token.digest)
        description = f"time stamp of {token.time} by {token.signer}"
        if head is None:
            raise VerificationError(f"The {description} is over no head of this ledger.")
        return Witness(
            event=places[head], head=head, description=description, confirmed=token.trusted
        )
    text = content.decode("utf-8", "replace")
    named = [quoted_head.lower() for quoted_head in HEAD.findall(text)]
    known = [head for head in named if head in places]
    if not known:
        what = f"The head {named[0]}" if named else "The witness"
        raise VerificationError(
            f"{what} was never on this ledger: it is another ledger, or it was rewritten."
            if named
            else f"{what} holds no head: expected 64 hex digits."
        )
    head = max(known, key=places.__getitem__)
    description = f"git commit {commit_id(content)}" if _is_commit(content) else "head"
    return Witness(event=places[head], head=head, description=description, confirmed=True)


def check_witnesses(
    contents: Sequence[bytes],
    entries: Sequence[Entry],
    *,
    sealed: int,
    trusted: tuple["Authority", ...] = (),
) -> Check:
    """What the heads that were brought along, and the recorded ones, say about the ledger."""
    witnesses = [find_witness(content, entries, trusted) for content in contents]
    said = [
        _as_said(entry, entries, trusted) for entry in entries if entry.kind == "WitnessRecorded"
    ]
    firm = [one for one in (*witnesses, *said) if one.confirmed and one.event >= sealed]
    if firm:
        last = max(firm, key=lambda one: one.event)
        names = ", ".join(f"{one.description} (event {one.event:,})" for one in firm)
        detail = f"{names}: nothing up to event {last.event:,} was rewritten since"
        return Check.ok("witness", detail)
    if not witnesses and not said:
        detail = "none: the owner of the project could have rewritten all of it"
        return Check.unchecked("witness", detail)
    loose = (*witnesses, *said)
    names = ", ".join(
        f"{one.description} (event {one.event:,}{_why(one, sealed)})" for one in loose
    )
    return Check.unchecked("witness", f"not confirmed: {names}")


def commit_id(content: bytes) -> str:
    """The id that git gives to this commit.

    >>> commit_id(b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\\n")[:8]
    'e43fc45f'
    """
    return hashlib.sha1(b"commit %d\0" % len(content) + content).hexdigest()  # noqa: S324


def _why(one: Witness, sealed: int) -> str:
    if one.event < sealed:
        return ", before the plan was sealed"
    return "" if one.confirmed else "; ask them for the head or the time stamp that they keep"


def _is_commit(content: bytes) -> bool:
    return content.startswith(b"tree ") and b"\ncommitter " in content


def _form(content: bytes) -> tuple[Form, str | None]:
    """How the witness is recorded."""
    if is_token(content):
        return "rfc3161", base64.b64encode(content).decode()
    if _is_commit(content):
        return "git", content.decode("utf-8", "replace")
    return "head", None


def _as_said(entry: Entry, entries: Sequence[Entry], trusted: tuple["Authority", ...]) -> Witness:
    """A recorded witness: the project's word, unless a trusted service signed it."""
    event: WitnessRecorded = entry.event
    before = entries[: entry.seq - 1]
    seq = next((old.seq for old in before if old.hash == event.head), None)
    if seq is None:
        raise VerificationError(
            f"Event {entry.seq} (WitnessRecorded) names a head that was not on the chain before it."
        )
    description = f"{event.by} is said to keep it"
    if event.form != "rfc3161":
        return Witness(event=seq, head=event.head, description=description, confirmed=False)
    try:
        content = base64.b64decode(event.evidence or "", validate=True)
    except binascii.Error as error:
        raise VerificationError(f"Event {entry.seq}: the time stamp cannot be read.") from error
    return find_witness(content, before, trusted)
