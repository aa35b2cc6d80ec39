"""Time-stamp tokens (RFC 3161), read and checked without a network."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assaymark.errors import InputError, VerificationError
from assaymark.hints import option

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

SEQUENCE, SET, OCTETS, OID, TIME, NUMBER = 0x30, 0x31, 0x04, 0x06, 0x18, 0x02
SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
TOKEN_INFO = bytes.fromhex("2a864886f70d0109100104")
MESSAGE_DIGEST = bytes.fromhex("2a864886f70d010904")
CONTENT_TYPE = bytes.fromhex("2a864886f70d010903")
HASHES = {
    bytes.fromhex("608648016503040201"): "sha256",
    bytes.fromhex("608648016503040202"): "sha384",
    bytes.fromhex("608648016503040203"): "sha512",
}
LONGEST_CHAIN = 6
BREAKAGE = (ValueError, KeyError, IndexError, TypeError, StopIteration)


@dataclass(frozen=True, kw_only=True)
class Token:
    """What a time-stamp service signed: this digest existed at this time."""

    digest: bytes
    time: str
    signer: str
    trusted: bool


@dataclass(frozen=True, kw_only=True)
class _Node:
    """One element of DER."""

    tag: int
    content: bytes
    whole: bytes

    @property
    def parts(self) -> list["_Node"]:
        """The elements inside."""
        nodes, rest = [], self.content
        while rest:
            node = _node(rest)
            nodes.append(node)
            rest = rest[len(node.whole) :]
        return nodes

    def tagged(self, tag: int) -> "_Node":
        """The first element inside with this tag."""
        return next(part for part in self.parts if part.tag == tag)


def is_token(data: bytes) -> bool:
    """Whether this looks like DER at all."""
    return data[:1] == b"\x30" and len(data) > 64


def read_token(data: bytes, trusted: tuple["Certificate", ...] = ()) -> Token:
    """The token, or the answer of a service that holds one, once its signature was checked."""
    try:
        content = _signed_data(_node(data))
        wrapped = content.parts[2]
        if wrapped.parts[0].content != TOKEN_INFO:
            raise VerificationError("The time-stamp file holds something other than a time stamp.")
        text = wrapped.parts[1].parts[0].content
        info = _node(text).parts
        imprint = info[2].parts
        if HASHES[imprint[0].parts[0].content] != "sha256":
            raise VerificationError("The time stamp is not over a SHA-256 digest.")
        time = _time(info[4].content)
        signer, vouched = _checked_signer(content, text, time, trusted)
    except BREAKAGE as error:
        raise VerificationError(f"The time stamp cannot be read ({error!r}).") from error
    return Token(
        digest=imprint[1].content,
        time=time.isoformat(timespec="seconds").replace("+00:00", "Z"),
        signer=signer,
        trusted=vouched,
    )


def read_certificates(path: Path) -> tuple["Certificate", ...]:
    """The certificates of time-stamp services, or of who vouches for them, in a PEM file."""
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return tuple(load_pem_x509_certificates(path.read_bytes()))
    except (OSError, ValueError) as error:
        raise InputError(
            f"The certificates in {str(path)!r} cannot be read. Give a PEM file."
        ) from error


def digests_of(head: str) -> tuple[bytes, ...]:
    """What a time stamp of this head may be over: the hash itself, or a file that holds its text."""
    texts = (head.encode(), f"{head}\n".encode())
    return (bytes.fromhex(head), *(hashlib.sha256(text).digest() for text in texts))


def _node(data: bytes) -> _Node:
    length, start = data[1], 2
    if length >= 0x80:
        start = 2 + (length & 0x7F)
        length = int.from_bytes(data[2:start], "big")
    if len(data) < start + length or start > 8:
        raise ValueError("it ends too early")
    return _Node(tag=data[0], content=data[start : start + length], whole=data[: start + length])


def _signed_data(outer: _Node) -> _Node:
    first = outer.parts[0]
    if first.tag == SEQUENCE:  # the answer of a service: its status, then the token
        if first.tagged(NUMBER).content not in (b"\x00", b"\x01"):
            raise VerificationError("The time-stamp service refused: the file holds no time stamp.")
        outer = outer.parts[1]
    if outer.parts[0].content != SIGNED_DATA:
        raise VerificationError("The file holds no time stamp.")
    return outer.parts[1].parts[0]


def _time(text: bytes) -> datetime:
    plain = text.decode("ascii").removesuffix("Z").partition(".")[0]
    return datetime.strptime(plain, "%Y%m%d%H%M%S").replace(tzinfo=UTC)


def _checked_signer(
    content: _Node, text: bytes, time: datetime, trusted: tuple["Certificate", ...]
) -> tuple[str, bool]:
    """Who signed, and whether somebody trusted vouches for them."""
    signed = content.parts[-1].parts[0].parts
    name = HASHES[signed[2].parts[0].content]
    attributes = next(part for part in signed if part.tag == 0xA0)
    stated = {part.parts[0].content: part.parts[1].parts[0].content for part in attributes.parts}
    if stated[CONTENT_TYPE] != TOKEN_INFO:
        raise VerificationError("The signature of the time stamp is for other contents.")
    if stated[MESSAGE_DIGEST] != hashlib.new(name, text).digest():
        raise VerificationError("The time stamp was changed: its signature is over other contents.")
    message = bytes([SET]) + attributes.whole[1:]
    signature = [part for part in signed if part.tag == OCTETS][-1].content
    known = (*trusted, *_certificates(content))
    issuer, number = signed[1].parts if signed[1].tag == SEQUENCE else (None, None)
    for one in known:
        fits = number is None or one.serial_number == int.from_bytes(number.content, "big")
        fits = fits and (issuer is None or one.issuer.public_bytes() == issuer.whole)
        if fits and _made_by(one, signature, message, name):
            _refuse_unfit(one, time)
            return one.subject.rfc4514_string(), _vouched(one, known, trusted, time)
    raise VerificationError(
        "The time stamp's signature fits no certificate at hand. Give the service's by "
        f"{option('tsa', 'FILE')}."
    )


def _certificates(content: _Node) -> list["Certificate"]:
    from cryptography.x509 import load_der_x509_certificate

    sets = [part for part in content.parts if part.tag == 0xA0]
    return [load_der_x509_certificate(one.whole) for part in sets for one in part.parts]


def _made_by(one: "Certificate", signature: bytes, message: bytes, name: str) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

    kinds: dict[str, Any] = {
        "sha256": hashes.SHA256,
        "sha384": hashes.SHA384,
        "sha512": hashes.SHA512,
    }
    how = kinds[name]()
    key = one.public_key()
    try:
        if isinstance(key, rsa.RSAPublicKey):
            key.verify(signature, message, padding.PKCS1v15(), how)
        elif isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(signature, message, ec.ECDSA(how))
        else:
            return False
    except InvalidSignature:
        return False
    return True


def _refuse_unfit(one: "Certificate", time: datetime) -> None:
    from cryptography import x509
    from cryptography.x509.oid import ExtendedKeyUsageOID

    try:
        usage = one.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
        fit = ExtendedKeyUsageOID.TIME_STAMPING in usage
    except x509.ExtensionNotFound:
        fit = False
    if not fit or not one.not_valid_before_utc <= time <= one.not_valid_after_utc:
        raise VerificationError(
            "The time stamp was signed with a certificate that is not for time stamps, or not valid then."
        )


def _vouched(
    one: "Certificate",
    known: tuple["Certificate", ...],
    trusted: tuple["Certificate", ...],
    time: datetime,
) -> bool:
    """Whether a chain of certificates, each valid at the time, leads to a trusted one."""
    for _ in range(LONGEST_CHAIN):
        if one in trusted:
            return True
        above = next((other for other in known if other != one and _issued(one, other, time)), None)
        if above is None:
            return False
        one = above
    return False


def _issued(one: "Certificate", by: "Certificate", time: datetime) -> bool:
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature

    try:
        one.verify_directly_issued_by(by)
        limits = by.extensions.get_extension_for_class(x509.BasicConstraints).value
    except (ValueError, TypeError, InvalidSignature, x509.ExtensionNotFound):
        return False
    return limits.ca and by.not_valid_before_utc <= time <= by.not_valid_after_utc
