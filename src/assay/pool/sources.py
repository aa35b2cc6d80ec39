"""Where a pool's rows come from: a path as people write it, to the files and a reader of them."""

from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError

KINDS = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "csv",
    ".jsonl": "json",
    ".jsonl.gz": "json",
    ".ndjson": "json",
}


@dataclass(frozen=True, kw_only=True)
class Source:
    """The files of a pool, all of one kind, in name order."""

    kind: str
    files: tuple[Path, ...]

    @property
    def listed(self) -> str:
        """The file names as a SQL list."""
        return "[" + ", ".join(quoted(str(path)) for path in self.files) + "]"


def quoted(text: str) -> str:
    """Text as a SQL string."""
    return "'" + text.replace("'", "''") + "'"


def named(column: str) -> str:
    """A column name as a SQL identifier."""
    return '"' + column.replace('"', '""') + '"'


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
    kinds = {_kind(file) for file in files}
    if len(kinds) > 1:
        raise InputError(f"{text!r} mixes {' and '.join(sorted(kinds))} files. Use one kind.")
    return Source(kind=kinds.pop(), files=tuple(files))


def _kind(path: Path) -> str:
    name = path.name.lower()
    for ending, kind in KINDS.items():
        if name.endswith(ending):
            return kind
    raise InputError(
        f"{path.name!r} is of no kind that assay reads. Pools are {', '.join(KINDS)} files."
    )
