"""Reviews that were certified once verify for ever: ranked, imported, and read by two people.

`tests/data/golden_reviews/make_reviews.py` wrote them. A golden project is never written again.
"""

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assaymark.certification.verification import Brought
from assaymark.claims.canonical import canonical
from assaymark.errors import VerificationError
from assaymark.ledger.events import Entry, reviews, seal
from assaymark.project.folder import Project
from assaymark.records.certificate import Verification
from assaymark.reviewing import verifying
from assaymark.reviewing.certificate import ReviewCertificate
from assaymark.reviewing.stats import wealth
from assaymark.reviewing.verifying import verify_review

GOLDEN = Path(__file__).parents[1] / "data" / "golden_reviews"
WITNESSES: dict[str, dict[str, str]] = json.loads(
    (GOLDEN / "witnesses.json").read_text(encoding="utf-8")
)


def copied(name: str, place: Path) -> Path:
    """A copy of a golden project beside its pool; the one that merged a duplicate has its own."""
    shutil.copy(GOLDEN / "pool.csv", place)
    return Path(shutil.copytree(GOLDEN / name, place / "moved"))


def verified(folder: Path, brought: Brought | None = None) -> Verification:
    return verify_review(
        folder / "certificate.json", project=Project(folder=folder), brought=brought
    )


def witnessed(name: str, place: Path) -> Verification:
    """A copy verified with what was kept apart from it: the head of its ledger and a public key."""
    kept = WITNESSES[name]
    return verified(
        copied(name, place), Brought(heads=(kept["head"].encode(),), public_key=kept["key"])
    )


def stored(folder: Path) -> list[Entry]:
    return Project(folder=folder).ledger.entries()


@pytest.mark.parametrize("name", WITNESSES)
def test_a_golden_review_verifies(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ledger, bound, pool, draws, head, labels and signature; whatever sentences say later."""
    monkeypatch.setattr(ReviewCertificate, "__str__", lambda _self: "Quite another sentence.")
    found = witnessed(name, tmp_path)
    assert {check.name: check.outcome for check in found.checks if check.outcome != "ok"} == {}
    assert found.status == "verified"
    assert found.statement == "Quite another sentence."


def test_the_golden_reviews_hold_every_event_of_a_review(tmp_path: Path) -> None:
    """Both roads of a handout, corrections, what is known, a second secret, and two readers."""
    # copies: an open ledger has files beside it, which a test at the same time would copy
    copies = [Path(shutil.copytree(GOLDEN / name, tmp_path / name)) for name in WITNESSES]
    entries = [entry for folder in copies for entry in stored(folder)]
    kinds = {entry.kind for entry in entries}
    assert {kind.__name__ for kind in vars(reviews).values() if _is_review_event(kind)} <= kinds
    assert {"LabelCorrected", "LabelAdjudicated"} <= kinds
    bodies = [entry.body for entry in entries if entry.kind == "ReviewDrawn"]
    assert {json.loads(body)["route"] for body in bodies} == {"random", "directed"}


def _is_review_event(kind: object) -> bool:
    own = isinstance(kind, type) and kind.__module__ == reviews.__name__
    return own and issubclass(kind, reviews.Event)  # type: ignore[arg-type]


CHANGED = {
    "a large bet": ("ranked", wealth, "BETS", (0.0, 0.1, 0.5)),
    "a small bet": ("imported", wealth, "BETS", (0.0, 0.1, 0.4)),
    "weights": ("two-readers", wealth, "WEIGHTS", (0.5, 0.25, 0.25)),
    "tickets": (
        "imported",
        verifying,
        "draw_batch",
        lambda _secret, _batch, unread, count: sorted(unread)[:count],
    ),
    "second readers": ("two-readers", reviews, "read_twice", lambda *_: False),
}


@pytest.mark.parametrize("what", CHANGED)
def test_a_constant_that_changes_is_noticed(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the first test would prove nothing."""
    name, *change = CHANGED[what]
    monkeypatch.setattr(*change)
    assert witnessed(name, tmp_path).status == "failed"


@pytest.mark.parametrize("name", WITNESSES)
def test_a_changed_label_is_noticed(name: str, tmp_path: Path) -> None:
    """As a plain edit, and with every hash after it made to fit."""
    folder = copied(name, tmp_path)
    before = stored(folder)
    place = next(i for i, e in enumerate(before) if e.kind == "LabelRecorded" and '"value":1' in e.body)  # fmt: skip
    body = before[place].body.replace('"value":1', '"value":0')
    _edit(folder, [(body, before[place].previous, before[place].hash, place + 1)])
    (failed,) = [check for check in verified(folder).checks if check.outcome == "failed"]
    assert f"event {place + 1}" in failed.detail
    _edit(folder, _fitting(before, place, body))
    (failed,) = [check for check in verified(folder).checks if check.outcome == "failed"]
    told = ("The ledger is not the one that the certificate names.", "The ledger cannot be genuine")
    assert failed.detail.startswith(told)


def _fitting(before: list[Entry], place: int, body: str) -> list[tuple[object, ...]]:
    """The rows from one event on whose body was changed, in a chain that holds."""
    last = before[place - 1]
    rows: list[tuple[object, ...]] = []
    for number, entry in enumerate(before[place:]):
        new = seal(last, time=entry.time, kind=entry.kind, body=entry.body if number else body)
        rows.append((new.body, new.previous, new.hash, new.seq))
        last = new
    return rows


def _edit(folder: Path, rows: list[tuple[object, ...]]) -> None:
    line = "UPDATE event SET body = ?, previous = ?, hash = ? WHERE seq = ?"
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection:
        connection.executemany(line, rows)
        connection.commit()


@pytest.mark.parametrize("field", ["found", "bound", "evidence", "target", "method"])
def test_a_changed_fact_of_the_certificate_is_noticed(field: str, tmp_path: Path) -> None:
    folder = copied("ranked", tmp_path)
    (folder / "certificate.dsse.json").unlink()
    data = json.loads((folder / "certificate.json").read_bytes())
    data[field] = data[field] + 1 if isinstance(data[field], int) else "0.6"
    (folder / "certificate.json").write_text(json.dumps(data), encoding="utf-8")
    assert verified(folder).status == "failed"


@pytest.mark.parametrize("number", [2, "2", None])
def test_a_certificate_of_a_higher_number_names_the_version_that_reads_it(
    number: object, tmp_path: Path
) -> None:
    folder = copied("ranked", tmp_path)
    data = json.loads((folder / "certificate.json").read_bytes())
    data |= {"schema": number, "software": "7.1", "unheard": 1}
    (folder / "certificate.json").write_text(json.dumps(data), encoding="utf-8")
    assert [check.detail for check in verified(folder).checks] == [
        f"The certificate has schema {number!r}, and this version of assaymark reads schema 1. "
        "Install the assaymark that wrote it (7.1) or a newer one."
    ]


def test_a_review_of_a_higher_method_names_the_version_that_reads_it(tmp_path: Path) -> None:
    folder = copied("ranked", tmp_path)
    before = stored(folder)
    place = next(i for i, entry in enumerate(before) if entry.kind == "ReviewOpened")
    body = json.loads(before[place].body) | {"method": "review/2", "software": "7.1"}
    _edit(folder, _fitting(before, place, canonical(body)))
    told = (
        "The review is judged by the method 'review/2', and this version of assaymark knows "
        "review/1. Install assaymark 7.1 or newer to read it."
    )
    with pytest.raises(VerificationError, match=f"^{re.escape(told)}"):
        Project(folder=folder).state()
    assert told in verified(folder).checks[-1].detail
