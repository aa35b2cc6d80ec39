"""What the lead may set about the labelling page. None of it touches the statistics."""

import json
from dataclasses import dataclass
from pathlib import Path

from assaymark.claims.canonical import read_json
from assaymark.claims.record import Record
from assaymark.errors import InputError
from assaymark.files.places import write_safely

SETTINGS = "page.json"
HISTORY = "page-history.jsonl"
LONGEST_CRITERIA = 20_000
LONGEST_NAME = 40
LONGEST_FACT = 2_000


@dataclass(frozen=True, kw_only=True)
class Settings(Record):
    """Title, review protocol, the words on the three buttons, the share read twice, money.

    A `cost` of 0 is no price: nothing is said about money then.

    `matter`, `classifier` (with its version) and `roles` (who did what) stand in the report;
    `protocol` names the preset whose figures it shows.
    """

    title: str = ""
    criteria: str = ""
    relevant: str = "Relevant"
    not_relevant: str = "Not relevant"
    cannot_tell: str = "Cannot tell"
    twice: float = 0.0
    cost: float = 0.0
    currency: str = "EUR"
    auto_draw: bool = True
    matter: str = ""
    classifier: str = ""
    roles: str = ""
    protocol: str = ""

    def __post_init__(self) -> None:
        if len(self.criteria) > LONGEST_CRITERIA:
            raise InputError(
                f"The criteria are {len(self.criteria):,} characters long; at most "
                f"{LONGEST_CRITERIA:,} are kept. Shorten them."
            )
        for name in ("title", "relevant", "not_relevant", "cannot_tell", "currency"):
            if len(getattr(self, name)) > 2 * LONGEST_NAME:
                raise InputError(f"'{name}' must be at most {2 * LONGEST_NAME} characters long.")
        for name in ("matter", "classifier", "roles", "protocol"):
            if len(getattr(self, name)) > LONGEST_FACT:
                raise InputError(f"'{name}' must be at most {LONGEST_FACT:,} characters long.")
        if not (self.relevant.strip() and self.not_relevant.strip() and self.cannot_tell.strip()):
            raise InputError("Each of the three answers needs a name.")
        if not 0 <= self.twice <= 1:
            raise InputError(
                f"The share read twice must be between 0 and 1, got {self.twice:g}. Example: 0.1."
            )
        if not 0 <= self.cost < 1e6:
            raise InputError(f"The cost of a label must be 0 or more, got {self.cost:g}.")


def read_settings(folder: Path) -> Settings:
    """The project's settings, or the usual ones."""
    path = folder / SETTINGS
    if not path.exists():
        return Settings()
    try:
        return Settings.from_dict(read_json(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(
            f"{SETTINGS} cannot be read ({error}). Correct it or remove it."
        ) from error


def write_settings(folder: Path, settings: Settings, *, by: str = "", time: str = "") -> None:
    """Keep these settings, and a line about who changed what they were to what they are, and when.

    The history says which criteria held when a label was given. It is a plain file beside the
    ledger, not part of its chain: nothing that is proven depends on it.
    """
    path = folder / HISTORY
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    line = {"time": time, "by": by, "settings": settings.to_dict()}
    write_safely(path, before + json.dumps(line, ensure_ascii=False) + "\n")
    text = json.dumps(settings.to_dict(), indent=1, ensure_ascii=False) + "\n"
    write_safely(folder / SETTINGS, text)
