"""Ed25519 keys: who vouches for a certificate. A signature proves the key, not the time."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assaymark.certification.certificate.dsse import check_subject, open_envelope, seal_envelope
from assaymark.errors import InputError, VerificationError
from assaymark.hints import command
from assaymark.records.certificate import Check

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


@dataclass(frozen=True, kw_only=True)
class Signer:
    """Somebody's private key."""

    key: "Ed25519PrivateKey"

    def sign(self, text: str, *, name: str) -> str:
        """The envelope that goes beside the certificate of this text and file name."""
        public = self.key.public_key().public_bytes_raw().hex()
        return seal_envelope(text, name=name, keyid=public, sign=self.key.sign)


def signature_path(path: Path) -> Path:
    """Where the signature of a certificate lies: certificate.json has certificate.dsse.json."""
    return path.with_suffix(".dsse.json")


def new_key(path: Path) -> str:
    """Write a new private key that only its owner can read; returns the public key in hex."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    key = Ed25519PrivateKey.generate()
    try:
        path.touch(mode=0o600, exist_ok=False)
        path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    except OSError as error:
        raise InputError(f"The key {str(path)!r} cannot be written: {error.strerror}.") from error
    return key.public_key().public_bytes_raw().hex()


def load_signer(path: Path) -> Signer:
    """The private key in a PEM file."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            f"The key {str(path)!r} cannot be read: it must be an unencrypted Ed25519 private key in "
            f"PEM form. Make one with: {command('key', 'FILE')}."
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError(
            f"The key {str(path)!r} is not an Ed25519 key. Make one: {command('key', 'FILE')}."
        )
    return Signer(key=key)


def read_public_key(text: str) -> str:
    """A public key as people hand it on, checked; nothing less may pass for one."""
    key = text.strip().lower()
    if not re.fullmatch("[0-9a-f]{64}", key):
        raise InputError(
            f"A public key is 64 hex digits, got {text[:80]!r}. The owner of the key finds it where "
            f"{command('key')} printed it."
        )
    return key


def check_signature(text: str, envelope: str | None, *, expected: str | None = None) -> Check:
    """The certificate's signature, and whose key made it: good only if it is the one expected."""
    if envelope is None:
        if expected is not None:
            raise VerificationError("The certificate is not signed, and a signature was asked for.")
        return Check.unchecked("signature", "the certificate is not signed")
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    statement = open_envelope(envelope)
    check_subject(statement, text)
    public = statement.keyid
    if not re.fullmatch("[0-9a-f]{64}", public):  # one spelling for one key
        raise VerificationError(
            f"The signature names no public key in 64 hex digits: {public[:80]!r}."
        )
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(statement.signature, statement.message)
    except (ValueError, InvalidSignature) as error:
        raise VerificationError(
            "The signature beside the certificate does not belong to its contents."
        ) from error
    if expected is None:
        detail = (
            f"made by the key {public}, which was not compared with the key of anybody you know"
        )
        return Check.unchecked("signature", detail)
    if public.lower() != read_public_key(expected):
        raise VerificationError(f"The certificate is signed by another key: {public}.")
    return Check.ok("signature", f"made by the key you gave, {public}")
