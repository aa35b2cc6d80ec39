"""Where a pool's rows come from: a path as people write it, to the files and a reader of them."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assaymark.claims.label_sets import SEPARATOR
from assaymark.errors import InputError
from assaymark.pool import Progress
from assaymark.records.pool import PoolFile

KINDS = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "csv",
    ".jsonl": "json",
    ".jsonl.gz": "json",
    ".ndjson": "json",
}
TABLE = "table:"


@dataclass(frozen=True, kw_only=True)
class Source:
    """The files of a pool, all of one kind, in name order."""

    kind: str
    files: tuple[Path, ...]

    @property
    def listed(self) -> str:
        """The file names as a SQL list."""
        return "[" + ", ".join(quoted(str(path)) for path in self.files) + "]"

    @property
    def names(self) -> tuple[str, ...]:
        """What each file is called below the folder they all share; no two alike."""
        shared = os.path.commonpath([path.absolute().parent for path in self.files])
        return tuple(path.absolute().relative_to(shared).as_posix() for path in self.files)


def quoted(text: str) -> str:
    """Text as a SQL string."""
    return "'" + text.replace("'", "''") + "'"


def named(column: str) -> str:
    """A column name as a SQL identifier."""
    return '"' + column.replace('"', '""') + '"'


def set_sql(column: str, kind: str) -> str:
    """The labels that a cell holds, as a DuckDB list: a list, JSON of one, or text as "a; b"."""
    if kind.endswith("[]"):
        return f"coalesce(CAST({named(column)} AS VARCHAR[]), [])"
    text = f"trim(coalesce(CAST({named(column)} AS VARCHAR), ''))"
    written = f"string_split_regex({text}, '\\s*{SEPARATOR}\\s*')"
    listed = f"TRY_CAST(TRY_CAST({text} AS JSON) AS VARCHAR[])"
    return f"CASE WHEN {text} LIKE '[%' THEN coalesce({listed}, {written}) ELSE {written} END"


def find_source(text: str) -> Source:
    """The files behind a path, a folder of parquet files or a glob."""
    path = Path(text).expanduser()
    if path.is_dir():
        files = sorted(path.rglob("*.parquet"))
        if not files:
            raise InputError(f"The folder {text!r} holds no .parquet file. Name a file or a glob.")
    elif path.exists():
        files = [path]
    else:
        root = Path(path.anchor) if path.is_absolute() else Path()
        files = sorted(root.glob(str(path.relative_to(path.anchor))))
        if not files:
            raise InputError(f"There is no pool at {text!r}. Give a file, a folder or a glob.")
    for file in files:
        if not file.is_file():  # a pipe or a device may never end
            raise InputError(f"{str(file)!r} is not a file that can be read to its end.")
    kinds = {_kind(file) for file in files}
    if len(kinds) > 1:
        raise InputError(f"{text!r} mixes {' and '.join(sorted(kinds))} files. Use one kind.")
    return Source(kind=kinds.pop(), files=tuple(files))


def hash_files(source: Source, progress: Progress) -> tuple[PoolFile, ...]:
    """Name, size and SHA-256 of every file."""
    files = []
    for number, (name, path) in enumerate(zip(source.names, source.files, strict=True)):
        progress("reading the pool's bytes", number / len(source.files))
        with path.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        files.append(PoolFile(name=name, size=path.stat().st_size, sha256=sha256))
    return tuple(files)


def file_difference(files: Sequence[PoolFile], registered: Sequence[PoolFile]) -> str | None:
    """The first file that is not as it was registered, and how; None if all are."""
    now = {file.name: file for file in files}
    if len(now) == len(registered) == 1:
        # a lone file may have been renamed; what counts is what is in it
        (expected,) = registered
        (lone,) = now.values()
        now = {expected.name: replace(lone, name=expected.name)}
    for file in registered:
        present = now.pop(file.name, None)
        if present != file:
            how = "is missing" if present is None else "is not what was registered"
            return f"{file.name!r} {how}"
    return f"{min(now)!r} was added" if now else None


def settle(source: str, engine: str) -> str:
    """The source as it is recorded: a prefix tells a table of the engine from a path."""
    if engine == "duckdb" or is_elsewhere(source) or "/" in source or "*" in source:
        return source
    if Path(source).expanduser().exists() or source.endswith(tuple(KINDS)):
        return source
    return TABLE + source


def is_elsewhere(source: str) -> bool:
    """Whether only the engine can reach it: a table of its catalogue, or an address."""
    return source.startswith(TABLE) or "://" in source


def _kind(path: Path) -> str:
    name = path.name.lower()
    for ending, kind in KINDS.items():
        if name.endswith(ending):
            return kind
    raise InputError(
        f"{path.name!r} is not a kind of file that assaymark reads. Pools are {', '.join(KINDS)} "
        "files, or one .xlsx, .dat, .ris or .nbib file."
    )
