"""Text from the bytes that editors and spreadsheets leave behind."""

import codecs
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from assaymark.errors import InputError

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
HEAD = 1 << 16


def encoding_of(head: bytes) -> str:
    """UTF-16 where a byte-order mark or every second byte says so, UTF-8 otherwise."""
    for mark, name in MARKS:
        if head.startswith(mark):
            return name
    # a spreadsheet's "Unicode text" that lost its mark: Latin letters leave every second byte zero
    even, odd = head[0:200:2], head[1:200:2]
    if odd and odd.count(0) > len(odd) * 0.8 and 0 not in even:
        return "utf-16-le"
    if even and even.count(0) > len(even) * 0.8 and 0 not in odd:
        return "utf-16-be"
    return "utf-8"


def read_text(path: Path) -> str:
    """The whole file as text, without its byte-order mark."""
    try:
        data = path.read_bytes()
        return decoded(data)
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error) from error


def decoded(data: bytes) -> str:
    """The bytes as text: UTF-8 or UTF-16; else Windows-1252, which Excel writes where it is old.

    Text that is not UTF-8 hardly ever passes for it, so the order is safe.
    """
    name = encoding_of(data[:HEAD])
    try:
        return data.decode(name)
    except UnicodeDecodeError:
        if name != "utf-8" or b"\0" in data:
            raise
        return data.decode("cp1252")


def unreadable(path: Path, error: Exception) -> InputError:
    """The sentence for a file that cannot be read."""
    why = getattr(error, "strerror", None)
    if not why:
        why = "it is neither UTF-8, UTF-16 nor Windows-1252 text; save it as CSV UTF-8"
    return InputError(f"The label file {path.name!r} cannot be read: {why}.")


def _is_utf8(head: bytes) -> bool:
    """Whether the bytes are UTF-8, but for a character that the end of the glimpse cuts."""
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 3
    return True


@dataclass(frozen=True)
class Glimpse:
    """The beginning of a file, enough to tell which tool wrote it."""

    path: Path
    head: bytes

    @cached_property
    def text(self) -> str:
        """The first characters, without a byte-order mark or blank lines before them."""
        name = encoding_of(self.head)
        if name == "utf-8" and not _is_utf8(self.head):
            name = "cp1252"
        return self.head.decode(name, errors="ignore").lstrip("\ufeff \t\r\n")

    @cached_property
    def first_line(self) -> str:
        """The first line that holds anything."""
        return self.text.split("\n", 1)[0]


def glimpse(path: Path) -> Glimpse:
    """The first bytes of the file."""
    try:
        with path.open("rb") as stream:
            return Glimpse(path, stream.read(HEAD))
    except OSError as error:
        raise unreadable(path, error) from error
