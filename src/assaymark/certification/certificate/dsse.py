"""Signatures beside a certificate: a DSSE envelope around an in-toto statement about its file.

The envelope holds the certificate again, so that whoever has only the envelope can read it, and
the SHA-256 of the plain file, so that the two cannot drift apart. Keys are given in and taken out
as functions: nothing here touches a key.
"""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assaymark.claims.canonical import canonical, read_json
from assaymark.errors import VerificationError

PAYLOAD = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:assaymark:certificate:1"


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """What an envelope holds: the signed statement, whose key is named, and the signature."""

    statement: dict[str, Any]
    message: bytes
    keyid: str
    signature: bytes


def pre_authentication(kind: str, payload: bytes) -> bytes:
    """The bytes that DSSE signs: type and payload, each with its length before it.

    >>> pre_authentication("t", b"ab")
    b'DSSEv1 1 t 2 ab'
    """
    name = kind.encode()
    return b"DSSEv1 %d %s %d %s" % (len(name), name, len(payload), payload)


def seal_envelope(text: str, *, name: str, keyid: str, sign: Callable[[bytes], bytes]) -> str:
    """The envelope about the certificate whose file holds this text."""
    statement = {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": _sha256(text)}}],
        "predicateType": PREDICATE,
        "predicate": read_json(text),
    }
    payload = canonical(statement).encode()
    signature = {"keyid": keyid, "sig": _base64(sign(pre_authentication(PAYLOAD, payload)))}
    return (
        canonical({"payload": _base64(payload), "payloadType": PAYLOAD, "signatures": [signature]})
        + "\n"
    )


def open_envelope(envelope: str) -> Envelope:
    """What the envelope holds; its signature is not checked yet."""
    try:
        data = read_json(envelope)
        payload = base64.b64decode(data["payload"], validate=True)
        (signature,) = data["signatures"]
        statement = read_json(payload)
        if data["payloadType"] != PAYLOAD or statement["_type"] != STATEMENT:
            raise ValueError("it is not an in-toto statement")
        return Envelope(
            statement=statement,
            message=pre_authentication(PAYLOAD, payload),
            keyid=str(signature["keyid"]),
            signature=base64.b64decode(signature["sig"], validate=True),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise VerificationError(f"The signature cannot be read: {error}.") from error


def check_subject(envelope: Envelope, text: str) -> None:
    """Refuses an envelope about another certificate than the one in this text."""
    try:
        statement = envelope.statement
        digests = [subject["digest"]["sha256"] for subject in statement["subject"]]
        same = digests == [_sha256(text)] and statement["predicate"] == read_json(text)
        about = statement["predicateType"] == PREDICATE
    except (KeyError, TypeError, ValueError) as error:
        raise VerificationError(f"The signature cannot be read: {error}.") from error
    if not (same and about):
        raise VerificationError("The signature beside the certificate belongs to another file.")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
