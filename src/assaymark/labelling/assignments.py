"""Items that the lead gave to one person: a plain file beside the ledger, nothing proven depends on it."""

import json
from pathlib import Path

from assaymark.claims.canonical import read_json
from assaymark.errors import InputError
from assaymark.files.places import write_safely

FILE = "assignments.json"


def read_assignments(folder: Path) -> dict[str, str]:
    """Whose item each is; none where nothing was assigned."""
    path = folder / FILE
    if not path.exists():
        return {}
    try:
        value = read_json(path.read_text(encoding="utf-8"))
        return {str(item): str(name) for item, name in value.items()}
    except (ValueError, AttributeError) as error:
        raise InputError(f"{FILE} cannot be read ({error}). Correct it or remove it.") from error


def write_assignments(folder: Path, assigned: dict[str, str]) -> None:
    """Keep whose item each is."""
    write_safely(folder / FILE, json.dumps(assigned, indent=0, ensure_ascii=False) + "\n")
