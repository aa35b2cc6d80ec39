"""Whatever is changed in a ledger or a certificate, verification notices and names it."""

import json
import shutil
import sqlite3

import pytest

from assaymark.certification.verification import verify
from assaymark.errors import VerificationError
from assaymark.ledger.events import read_event
from assaymark.ledger.head import head_file, settle_heads
from assaymark.project.folder import Project

FIELDS = ("ledger", "seq", "time", "kind", "body", "previous", "hash")


@pytest.fixture
def certified(assaymark, labelled):
    assaymark("look", "-p", labelled)
    assert assaymark("certify", "-p", labelled).code == 0
    settle_heads()
    head_file(labelled / "ledger.sqlite").unlink()  # here the chain itself must tell
    return labelled


def check(folder):
    return verify(folder / "certificate.json", project=Project(folder=folder))


def edit(folder, sql: str, *values: object) -> None:
    connection = sqlite3.connect(folder / "ledger.sqlite")
    connection.execute(sql, values)
    connection.commit()
    connection.close()


def test_any_stored_field_of_any_event(certified, tmp_path) -> None:
    """One changed byte in each field of each kind of event, and the first bad event is named."""
    connection = sqlite3.connect(certified / "ledger.sqlite")
    rows = connection.execute("SELECT * FROM event ORDER BY seq").fetchall()
    connection.close()
    first_of_kind = {row[3]: row for row in reversed(rows)}
    chosen = [*first_of_kind.values(), rows[-1], rows[len(rows) // 2]]
    for row in chosen:
        for place, field in enumerate(FIELDS):
            folder = tmp_path / "copy"
            shutil.copytree(certified, folder)
            value = row[place]
            changed = value + 1000 if field == "seq" else value[:-1] + chr(ord(value[-1]) ^ 1)
            edit(folder, f"UPDATE event SET {field} = ? WHERE seq = ?", changed, row[1])
            found = check(folder)
            assert found.status == "failed", (row[3], field)
            assert str(row[1]) in found.checks[-1].detail or field == "ledger", found.checks[-1]
            shutil.rmtree(folder)


def test_events_deleted_inserted_or_swapped(certified, tmp_path) -> None:
    last = len(Project(folder=certified).ledger.entries())
    edits = {
        "delete the first": "DELETE FROM event WHERE seq = 1",
        "delete one": "DELETE FROM event WHERE seq = 40",
        "delete the last": f"DELETE FROM event WHERE seq = {last}",
        "insert": f"INSERT INTO event SELECT ledger, {last + 1}, time, kind, body, hash, 'x' "
        f"FROM event WHERE seq = {last}",
        "swap": "UPDATE event SET seq = CASE seq WHEN 30 THEN -31 WHEN 31 THEN -30 END "
        "WHERE seq IN (30, 31)",
    }
    for name, sql in edits.items():
        folder = tmp_path / "copy"
        shutil.copytree(certified, folder)
        edit(folder, sql)
        if name == "swap":
            edit(folder, "UPDATE event SET seq = -seq WHERE seq < 0")
        found = check(folder)
        assert found.status == "failed", name
        assert "vent" in found.checks[-1].detail
        shutil.rmtree(folder)


@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_any_byte_of_the_certificate(certified, world, step) -> None:
    """Bytes flipped in turn: verification fails and no exception escapes."""
    world.path.unlink()  # without the pool it is faster and no less strict about the certificate
    path = certified / "certificate.json"
    text = path.read_bytes()
    project = Project(folder=certified)
    for place in range(0, len(text), step):
        path.write_bytes(text[:place] + bytes([text[place] ^ 1]) + text[place + 1 :])
        assert verify(path, project=project).status == "failed", place
    path.write_bytes(text)
    assert verify(path, project=project).status.startswith("verified")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("statement",), "F1 ≥ 0.99"),
        (("plan", "claim", "tree", "target"), "0.9"),
        (("rows", 0, "low"), 0.99),
        (("tallies", 0, "n"), 300),
        (("account", "level"), "0.5"),
        (("ledger", "events"), 3),
        (("software",), "9.9.9"),
        (("issued",), "2020-01-01T00:00:00Z"),
        (("hash",), "0" * 64),
        (("pool", "fingerprint"), "0" * 64),
        (("strata",), []),
        (("earlier",), ["x"]),
        (("extra",), 1),
    ],
)
def test_a_changed_field_is_named(certified, path, value) -> None:
    file = certified / "certificate.json"
    data = json.loads(file.read_text())
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    from assaymark.claims.canonical import canonical

    file.write_text(canonical(data) + "\n")
    found = check(certified)
    assert found.status == "failed"
    assert path[-1] in found.checks[-1].detail or path[0] in found.checks[-1].detail


def test_a_certificate_of_a_newer_format(assaymark, certified) -> None:
    file = certified / "certificate.json"
    text = file.read_text().replace('"format":1', '"format":2')
    file.write_text(text.replace('"software":"0.1.0"', '"software":"7.0.0"'))
    answer = assaymark("verify", file)
    assert answer.code == 1
    assert "format 2" in answer.out
    assert "7.0.0" in answer.out


def test_an_event_of_a_newer_number(certified) -> None:
    body = '{"plan":{},"software":"7.0.0"}'
    with pytest.raises(VerificationError, match=r"PlanSealed/2.*assaymark 7\.0\.0 or newer"):
        read_event("PlanSealed/2", body)
    with pytest.raises(VerificationError, match=r"kind 'Unheard'.*newer"):
        read_event("Unheard", "{}")


def test_a_damaged_database_file(assaymark, certified) -> None:
    path = certified / "ledger.sqlite"
    for leftover in certified.glob("ledger.sqlite-*"):
        leftover.unlink()
    data = bytearray(path.read_bytes())
    data[:2048] = b"\x00" * 2048
    path.write_bytes(bytes(data))
    answer = assaymark("look", "-p", certified)
    assert answer.code == 1
    assert "damaged" in answer.err
    assert len(answer.err.strip().splitlines()) == 1


def test_a_damaged_page_inside_the_database(assaymark, certified) -> None:
    path = certified / "ledger.sqlite"
    data = bytearray(path.read_bytes())
    data[4096:8192] = b"\xff" * 4096
    path.write_bytes(bytes(data))
    answer = assaymark("verify", certified / "certificate.json")
    assert answer.code == 1
    assert "damaged" in answer.out or "edited" in answer.out


def test_a_changed_pool_is_refused(assaymark, certified, world) -> None:
    with world.path.open("a") as stream:
        stream.write("doc-99999,0.9,1,late\n")
    found = assaymark("verify", certified / "certificate.json")
    assert found.code == 1
    assert "changed after init" in found.out


def test_a_missing_pool_is_said(assaymark, certified, world) -> None:
    world.path.unlink()
    found = assaymark("verify", certified / "certificate.json", "--json")
    assert found.code == 0
    draws = next(check for check in found.json["checks"] if check["name"] == "draw")
    assert draws["outcome"] == "not checked"
