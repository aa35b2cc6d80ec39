"""Claim files: `claims/*.toml`, one claim each, reviewed like code."""

import hashlib
import os
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from assaymark.claims.checks import choice, open_share
from assaymark.errors import InputError
from assaymark.pool.sources import is_elsewhere
from assaymark.records.claim_terms import ClaimTerms, PoolTerms
from assaymark.records.modes import OFFERED

ENDING, LOCKED = ".toml", ".lock"
FIELDS = (
    "name", "claim", "project", "confidence", "mode", "budget", "expires", "owner", "protocol",
    "pool", "classifier",
)  # fmt: skip
POOL_FIELDS = (
    "path", "id", "score", "prediction", "threshold", "text", "group", "least_group", "positive",
    "classes", "tags", "a", "b", "score_a", "score_b",
)  # fmt: skip
LARGEST = 1_000_000  # bytes: a claim file is written by hand


@dataclass(frozen=True, kw_only=True)
class ClaimFile:
    """A claim file as it stands. `digest` is the SHA-256 of its bytes; `project` is its folder."""

    path: Path
    digest: str
    name: str
    project: Path
    terms: ClaimTerms
    classifier: dict[str, str]
    owner: str | None = None

    @property
    def folder(self) -> str:
        """The folder of the project as people write it: "claims/../work" is work."""
        return os.path.normpath(self.project)

    @property
    def lock_path(self) -> Path:
        """Where the lock of this file lies."""
        return self.path.with_suffix(LOCKED)

    @property
    def pool(self) -> str:
        """Where the pool is: relative to the claim file, unless it is a table or an address."""
        place = self.terms.pool.path
        return place if is_elsewhere(place) else str(self.path.parent / Path(place).expanduser())


def find_claim_files(place: Path, *, may_be_none: bool = False) -> list[Path]:
    """The claim files of a folder in the order of their names, or the one file that is named."""
    if place.is_dir():
        paths = sorted(place.glob(f"*{ENDING}"))
        if paths or may_be_none:
            return paths
        raise InputError(
            f"The folder {str(place)!r} holds no claim file (*{ENDING}). Name the folder that does."
        )
    if place.suffix != ENDING:
        raise InputError(f"A claim file ends in {ENDING}, got {str(place)!r}.")
    return [place]


def read_claim_file(path: Path) -> ClaimFile:
    """The claim in this file; refused with the first field that cannot be used."""
    raw = _bytes(path)
    try:
        data = tomllib.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"The claim file {str(path)!r} is not readable TOML: {error}.") from error
    try:
        return _claim_file(path, hashlib.sha256(raw).hexdigest(), data)
    except InputError as error:
        raise InputError(f"The claim file {str(path)!r}: {error.message}") from error


def _bytes(path: Path) -> bytes:
    if path.suffix != ENDING:
        raise InputError(f"A claim file ends in {ENDING}, got {str(path)!r}.")
    try:
        with path.open("rb") as stream:
            raw = stream.read(LARGEST + 1)
    except OSError as error:
        raise InputError(
            f"The claim file {str(path)!r} cannot be read: {error.strerror}."
        ) from error
    if len(raw) > LARGEST:
        raise InputError(f"The claim file {str(path)!r} is larger than {LARGEST:,} bytes.")
    return raw


def _claim_file(path: Path, digest: str, data: dict[str, Any]) -> ClaimFile:
    _refuse_unknown(data, FIELDS)
    mode = _text(data, "mode")
    terms = ClaimTerms(
        claim=_needed(data, "claim"),
        confidence=open_share("confidence", data.get("confidence", 0.95)),
        pool=_pool(data.get("pool")),
        mode=None if mode is None else choice("mode", mode, OFFERED),
        budget=_whole(data, "budget", "labels"),
        expires=_expires(data.get("expires")),
        protocol=_text(data, "protocol"),
    )
    return ClaimFile(
        path=path,
        digest=digest,
        name=_needed(data, "name"),
        project=path.parent / Path(_needed(data, "project")).expanduser(),
        terms=terms,
        classifier=_classifier(data.get("classifier", {})),
        owner=_text(data, "owner"),
    )


def _refuse_unknown(data: dict[str, Any], known: Collection[str], table: str = "") -> None:
    for name in data:
        choice(f"{table}field", name, known)


def _text(data: dict[str, Any], name: str) -> str | None:
    value = data.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise InputError(f"'{name}' must be one line of text, got {value!r}.")
    return value


def _needed(data: dict[str, Any], name: str, table: str = "") -> str:
    value = _text(data, name)
    if value is None:
        where = f" in the table [{table}]" if table else ""
        raise InputError(f"the field '{name}' is missing{where}. Add a line: {name} = \"…\".")
    return value


def _pool(data: Any) -> PoolTerms:
    if not isinstance(data, dict):
        raise InputError("the table [pool] is missing. It needs at least path and id.")
    _refuse_unknown(data, POOL_FIELDS, "[pool] ")
    threshold = data.get("threshold")
    if threshold is not None and (
        isinstance(threshold, bool) or type(threshold) not in (int, float)
    ):
        raise InputError(f"'threshold' must be a number, got {threshold!r}.")
    text = _names(data, "text", "a column or a list of columns") or ()
    return PoolTerms(
        path=_needed(data, "path", "pool"),
        id=_id(data),
        score=_text(data, "score"),
        prediction=_text(data, "prediction"),
        threshold=None if threshold is None else float(threshold),
        text=(text,) if isinstance(text, str) else text,
        group=_names(data, "group", "a column or a list of columns"),
        least_group=_whole(data, "least_group", "items"),
        positive=_text(data, "positive"),
        classes=_class_names(data, "classes"),
        tags=_class_names(data, "tags"),
        **_compared(data),
    )


def _id(data: dict[str, Any]) -> str:
    """The column of ids; a list of columns makes one, named after them."""
    names = _names(data, "id", "a column or a list of columns")
    if not isinstance(names, tuple):
        return _needed(data, "id", "pool")
    from assaymark.pool.joined_ids import joined_name  # loads DuckDB, which the gate needs not

    return joined_name(names)


def _class_names(data: dict[str, Any], name: str) -> bool | tuple[str, ...] | None:
    value = data.get(name)
    if value is None or value is True:
        return value
    if not value or not isinstance(value, list) or not all(isinstance(n, str) for n in value):
        raise InputError(f"'{name}' must be true or a list of names, got {value!r}.")
    return tuple(value)


def _compared(data: dict[str, Any]) -> dict[str, str | None]:
    """The columns of two classifiers that are compared."""
    columns = {name: _text(data, name) for name in ("a", "b", "score_a", "score_b")}
    if (columns["a"] is None) != (columns["b"] is None):
        raise InputError("a comparison needs both 'a' and 'b' in the table [pool].")
    if columns["a"] is not None and (data.get("prediction") or data.get("score")):
        raise InputError(
            "'a' and 'b' in the table [pool] are the predictions that are compared: leave out "
            "'prediction' and 'score'; scores of the two are 'score_a' and 'score_b'."
        )
    return columns


def _names(data: dict[str, Any], name: str, what: str) -> str | tuple[str, ...] | None:
    value = data.get(name)
    if value is None or isinstance(value, str):
        return _text(data, name)
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise InputError(f"'{name}' must be {what}, got {value!r}.")
    return tuple(value)


def _whole(data: dict[str, Any], name: str, what: str) -> int | None:
    value = data.get(name)
    if value is None or (type(value) is int and value > 0):
        return value
    raise InputError(f"'{name}' must be a whole number of {what}, got {value!r}.")


def _expires(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    return read_date("expires", value).isoformat()


def read_date(name: str, value: object) -> date:
    """A date as people write it: 2027-06-30."""
    try:
        if isinstance(value, str) and len(value) == len("2027-06-30"):
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise InputError(f"'{name}' must be a date such as 2027-06-30, got {str(value)!r}.")


def _classifier(data: Any) -> dict[str, str]:
    """Names and digests as the user gives them; a number counts as it is written."""
    if not isinstance(data, dict):
        raise InputError('[classifier] must be a table of names and digests: prompt = "sha256:…".')
    for name, value in data.items():
        if isinstance(value, bool) or type(value) not in (str, int, float):
            raise InputError(f"'{name}' in the table [classifier] must be text, got {value!r}.")
    return {name: str(value) for name, value in data.items()}
