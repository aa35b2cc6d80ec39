"""in-toto: a test-result statement (Statement v1) in a DSSE envelope, signed if there is a key."""

import base64
import re
from typing import Any

from assaymark.claims.canonical import canonical
from assaymark.monitoring.exports.facts import Exported, as_text

PAYLOAD = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"


def in_toto(exported: Exported) -> str:
    """The envelope. Its payload is canonical JSON, so that the same certificate gives the same bytes."""
    payload = canonical(statement(exported)).encode()
    envelope = {
        "payloadType": PAYLOAD,
        "payload": base64.b64encode(payload).decode("ascii"),
        "signatures": _signatures(exported, payload),
    }
    return as_text(envelope)


def statement(exported: Exported) -> dict[str, Any]:
    """That the claim passed: about the certificate, and the parts of the classifier with a digest."""
    subjects = [{"name": exported.file, "digest": {"sha256": exported.sha256}}]
    subjects += [
        {"name": name, "digest": {"sha256": match.group(1).lower()}}
        for name, value in sorted(exported.classifier.items())
        if (match := re.fullmatch(r"(?:sha256:)?([0-9a-fA-F]{64})", value))
    ]
    configuration = {
        "name": exported.pool,
        "digest": {"sha256": exported.fingerprint},
        "annotations": exported.details,
    }
    # a certificate exists only for what passed; of a family that is named, other parts may not have
    whole = not exported.open and not exported.failed
    return {
        "_type": STATEMENT,
        "subject": subjects,
        "predicateType": TEST_RESULT,
        "predicate": {
            "result": "PASSED" if whole else "WARNED",
            "configuration": [configuration],
            "passedTests": list(exported.passed),
            "warnedTests": list(exported.open),
            "failedTests": list(exported.failed),
        },
    }


def pre_authentication(kind: str, payload: bytes) -> bytes:
    """DSSE's pre-authentication encoding: what is signed.

    >>> pre_authentication("ab", b"hello")
    b'DSSEv1 2 ab 5 hello'
    """
    return b"DSSEv1 %d %s %d %s" % (len(kind.encode()), kind.encode(), len(payload), payload)


def _signatures(exported: Exported, payload: bytes) -> list[dict[str, str]]:
    if exported.signer is None:
        return []
    key = exported.signer.key
    signature = key.sign(pre_authentication(PAYLOAD, payload))
    return [
        {
            "keyid": key.public_key().public_bytes_raw().hex(),
            "sig": base64.b64encode(signature).decode("ascii"),
        }
    ]
