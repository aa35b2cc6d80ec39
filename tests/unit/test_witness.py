"""What verify needs before it says verified: keys, heads kept by others, and the whole ledger."""

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from assaymark.certification.certificate import read, write
from assaymark.certification.signatures.witness import commit_id
from assaymark.certification.verification import Brought, verify
from assaymark.ledger.head import Head, head_file, keep_head, read_head, settle_heads
from assaymark.ledger.sqlite import SqliteLedger
from assaymark.project.folder import Project
from worlds_on_disk import Answer, World

Run = Callable[..., Answer]


@pytest.fixture
def certified(labelled: Path, tmp_path: Path, assaymark: Run) -> Path:
    """A certificate beside its project and its pool."""
    path = tmp_path / "c.json"
    assert assaymark("look", "-p", labelled).code == 0
    assert assaymark("certify", "-o", path, "-p", labelled).code == 0
    return path


def heads(folder: Path) -> list[str]:
    return [entry.hash for entry in SqliteLedger(folder / "ledger.sqlite").entries()]


@pytest.mark.parametrize("key", ["", " ", "00", "xyz", "0" * 63, "g" * 64])
def test_a_key_that_is_none_vouches_for_nothing(
    key: str, certified: Path, tmp_path: Path, assaymark: Run
) -> None:
    certificate, _ = read(certified.read_text())
    forged = tmp_path / "elsewhere" / "forged.json"
    forged.parent.mkdir()
    forged.write_text(write(certificate))
    done = assaymark("verify", forged, "--public-key", key)
    assert done.code == 2, done.out
    assert "64 hex digits" in done.err


def test_a_signature_by_an_unknown_key_is_no_check_mark(
    labelled: Path, tmp_path: Path, assaymark: Run
) -> None:
    public = assaymark("key", tmp_path / "k", "--json").json["public_key"]
    assaymark("certify", "--key", tmp_path / "k", "-o", tmp_path / "c.json", "-p", labelled)
    done = assaymark("verify", tmp_path / "c.json", "-p", labelled, "--json").json
    found = next(check for check in done["checks"] if check["name"] == "signature")
    assert found["outcome"] == "not checked"
    assert (
        f"made by the key {public}, which was not compared with the key of anybody you know"
        in found["detail"]
    )
    assert "signature" in done["missing"]
    vouched = assaymark("verify", tmp_path / "c.json", "--public-key", public)
    assert vouched.code == 0
    assert vouched.out.startswith("Verified in part: no ledger, no pool and no witness at hand.")


def test_the_first_line_says_what_is_missing(
    certified: Path, labelled: Path, world: World, tmp_path: Path, assaymark: Run
) -> None:
    head = heads(labelled)[-1]

    def first(*more: object) -> tuple[int, str]:
        done = assaymark("verify", certified, *more)
        return done.code, done.out.splitlines()[0]

    assert first("-p", labelled, "--head", head) == (0, "Verified.")
    assert first("-p", labelled) == (0, "Verified in part: no witness at hand.")
    assert first("-p", labelled, "--require", "pool")[0] == 0
    assert first("-p", labelled, "--require", "pool,witness")[0] == 1
    assert first("-p", labelled, "--head", head, "--require", "witness,signature")[0] == 1
    world.path.rename(tmp_path / "away.csv")
    lacking = "Verified in part: no pool and no witness at hand."
    assert first("-p", labelled) == (0, lacking)
    assert first("-p", labelled, "--require", "pool") == (
        1, "Not verified: required, but not at hand: pool.",
    )  # fmt: skip
    code, said = first()
    assert (code, said.split(":")[0]) == (1, "Not verified")
    for name in ("trust", "", "pool,", " "):
        refused = assaymark("verify", certified, "-p", labelled, "--require", name)
        assert (refused.code, "'require' must be one of" in refused.err) == (2, True)


def test_what_is_required_and_missing_is_not_verified_from_python_either(
    certified: Path, labelled: Path
) -> None:
    project = Project(folder=labelled)
    assert verify(certified, project=project).status == "verified in part"
    found = verify(certified, project=project, brought=Brought(require=("witness",)))
    assert (found.status, found.checks[-1].detail) == ("failed", "not at hand: witness")
    alone = verify(certified, brought=Brought(require=("pool",)))
    assert (alone.status, alone.missing[0]) == ("failed", "ledger")


def test_plan_and_certify_print_the_head_to_send(
    project: Path, labelled: Path, tmp_path: Path, assaymark: Run
) -> None:
    done = assaymark("certify", "-o", tmp_path / "c.json", "-p", labelled)
    assert heads(labelled)[-1] in done.out
    planned = assaymark("plan", "recall >= 0.5", "-p", labelled)
    assert heads(labelled)[-1] in planned.out
    assaymark("plan", "--abandon", "x", "-p", labelled)
    told = assaymark("plan", "recall >= 0.5", "-p", labelled, "--json").json["head"]
    assert told == heads(labelled)[-1]


def test_a_head_that_was_never_on_the_chain_fails(
    certified: Path, labelled: Path, assaymark: Run
) -> None:
    good = heads(labelled)
    both = assaymark(
        "verify", certified, "-p", labelled, "--head", good[5], "--head", good[-1].upper()
    )
    assert both.code == 0
    assert f"nothing up to event {len(good):,} was rewritten since" in both.out
    done = assaymark("verify", certified, "-p", labelled, "--head", good[5], "--head", "ab" * 32)
    assert done.code == 1
    assert "was never on this ledger" in done.out
    assert assaymark("verify", certified, "-p", labelled, "--head", "abc").code == 2
    early = assaymark("verify", certified, "-p", labelled, "--head", good[0])
    assert "before the plan was sealed" in early.out
    assert "no witness" in early.out.splitlines()[0]


def test_a_witness_on_record_is_listed_and_not_believed(
    labelled: Path, tmp_path: Path, assaymark: Run
) -> None:
    head = heads(labelled)[-1]
    done = assaymark("witness", head, "--by", "counsel, by mail", "-p", labelled)
    assert done.code == 0, done.err
    assert assaymark("witness", "cd" * 32, "--by", "kim", "-p", labelled).code == 1
    path = tmp_path / "c.json"
    assert assaymark("certify", "-o", path, "-p", labelled).code == 0
    listed = json.loads(path.read_text())["witnesses"]
    assert [(one["head"], one["by"], one["form"]) for one in listed] == [
        (head, "counsel, by mail", "head")
    ]
    found = assaymark("verify", path, "-p", labelled)
    assert found.code == 0
    assert "no witness at hand" in found.out.splitlines()[0]
    assert "counsel, by mail is said to keep it" in found.out
    assert assaymark("verify", path, "-p", labelled, "--head", head).out.startswith("Verified.")


def test_a_git_commit_is_a_witness(
    certified: Path, labelled: Path, tmp_path: Path, assaymark: Run
) -> None:
    head = heads(labelled)[-1]
    commit = (
        "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
        "author Kim <kim@example.org> 1700000000 +0000\n"
        "committer Kim <kim@example.org> 1700000000 +0000\n"
        f"\nhead {head}\n"
    )
    (tmp_path / "commit").write_text(commit)
    done = assaymark("verify", certified, "-p", labelled, "--witness", tmp_path / "commit")
    assert done.out.startswith("Verified.")
    assert f"git commit {commit_id(commit.encode())}" in done.out
    if shutil.which("git"):
        subprocess.run(["git", "init", "-q", str(tmp_path / "r")], check=True)
        said = subprocess.run(
            ["git", "-C", str(tmp_path / "r"), "hash-object", "-t", "commit", str(tmp_path / "commit")],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert said.stdout.strip() == commit_id(commit.encode())


OPENSSL = """
[ tsa ]
default_tsa = one
[ one ]
serial = {place}/serial
crypto_device = builtin
signer_cert = {place}/tsa.pem
certs = {place}/ca.pem
signer_key = {place}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
ordering = yes
ess_cert_id_alg = sha256
[ stamps ]
basicConstraints = critical,CA:FALSE
extendedKeyUsage = critical,timeStamping
[ authority ]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[ req ]
distinguished_name = names
[ names ]
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A time-stamp service of our own, certified by an authority of our own."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, which plays the time-stamp service")
    place = tmp_path_factory.mktemp("tsa")
    (place / "conf").write_text(OPENSSL.format(place=place))
    (place / "serial").write_text("01\n")
    openssl(place, "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 3650 "
                   "-subj /CN=authority -config conf -extensions authority")  # fmt: skip
    openssl(place, "req -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.csr -subj /CN=stamps "
                   "-config conf")  # fmt: skip
    openssl(place, "x509 -req -in tsa.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out tsa.pem "
                   "-days 3650 -extfile conf -extensions stamps")  # fmt: skip
    return place


def openssl(place: Path, line: str) -> None:
    done = subprocess.run(
        ["openssl", *line.split()], cwd=place, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def stamp(service: Path, head: str, output: Path) -> Path:
    openssl(service, f"ts -query -digest {head} -sha256 -cert -out q.tsq")
    openssl(service, f"ts -reply -queryfile q.tsq -config conf -out {output}")
    return output


def test_a_time_stamp_is_a_witness_if_its_service_is_trusted(
    service: Path, labelled: Path, tmp_path: Path, assaymark: Run
) -> None:
    token = stamp(service, heads(labelled)[-1], tmp_path / "head.tsr")
    done = assaymark("witness", token, "--by", "stamps", "-p", labelled)
    assert done.code == 0, done.err
    path = tmp_path / "c.json"
    assert assaymark("certify", "-o", path, "-p", labelled).code == 0
    alone = assaymark("verify", path, "-p", labelled)
    assert "no witness at hand" in alone.out.splitlines()[0]
    assert "by CN=stamps" in alone.out
    for trusted in ("ca.pem", "tsa.pem"):
        found = assaymark("verify", path, "-p", labelled, "--tsa", service / trusted)
        assert found.out.startswith("Verified."), found.out
    brought = assaymark(
        "verify", path, "-p", labelled, "--witness", token, "--tsa", service / "ca.pem"
    )
    assert brought.out.startswith("Verified.")


def test_a_time_stamp_that_was_changed_or_is_of_something_else_fails(
    service: Path, certified: Path, labelled: Path, tmp_path: Path, assaymark: Run
) -> None:
    other = stamp(service, "ab" * 32, tmp_path / "other.tsr")
    done = assaymark("verify", certified, "-p", labelled, "--witness", other)
    assert (done.code, "over no head of this ledger" in done.out) == (1, True)
    good = stamp(service, heads(labelled)[-1], tmp_path / "good.tsr").read_bytes()
    swapped = good.replace(bytes.fromhex(heads(labelled)[-1]), bytes.fromhex(heads(labelled)[-2]))
    assert swapped != good
    for number, bad in enumerate((swapped, good[:-1], good[:200], b"0" * 100)):
        path = tmp_path / f"{number}.tsr"
        path.write_bytes(bad)
        found = assaymark("verify", certified, "-p", labelled, "--witness", path)
        assert found.code == 1, found.out
        assert "✗ verification" in found.out


def test_a_ledger_that_lost_its_end_is_noticed(
    certified: Path, labelled: Path, assaymark: Run
) -> None:
    """As when the file is copied without its write-ahead log, or put back from an older copy."""
    settle_heads()
    assert head_file(labelled / "ledger.sqlite").exists()
    with closing(sqlite3.connect(labelled / "ledger.sqlite")) as connection:
        last = connection.execute("SELECT max(seq) FROM event").fetchone()[0]
    assaymark("plan", "recall >= 0.5", "-p", labelled)
    settle_heads()
    with closing(sqlite3.connect(labelled / "ledger.sqlite")) as connection, connection:
        connection.execute("DELETE FROM event WHERE seq > ?", (last,))
    for command in (("check", "-p", labelled), ("verify", certified, "-p", labelled)):
        done = assaymark(*command)
        assert done.code == 1
        assert "the end is lost" in done.out


def test_a_ledger_that_was_exchanged_is_noticed(labelled: Path, assaymark: Run) -> None:
    settle_heads()
    file = head_file(labelled / "ledger.sqlite")
    file.unlink()
    keep_head(labelled / "ledger.sqlite", Head(events=5, hash="0" * 64))
    settle_heads()
    assert "the ledger was exchanged" in assaymark("check", "-p", labelled).out


def test_a_head_that_is_late_or_unreadable_is_no_fault(labelled: Path, assaymark: Run) -> None:
    settle_heads()
    file = head_file(labelled / "ledger.sqlite")
    line = file.read_bytes()
    events, rest = line[:20], line[20:]
    half = b"%020d" % (int(events) + 1) + rest  # as if the next line were half written
    for text in (half, line[:30], b"", b"nonsense", b"\xff" * 300):
        file.write_bytes(text)
        assert read_head(labelled / "ledger.sqlite") is None
        assert assaymark("check", "-p", labelled).code == 0
    file.unlink()
    os.mkfifo(file)  # would be waited for without end
    assert read_head(labelled / "ledger.sqlite") is None


def test_a_ledger_that_was_copied_alone_is_not_called_well(
    labelled: Path, assaymark: Run, tmp_path: Path
) -> None:
    """Without the head beside it nobody knows whether acknowledged labels are missing at its end."""
    settle_heads()
    assert "All well." in assaymark("check", "-p", labelled).out
    copied = tmp_path / "copied"
    shutil.copytree(labelled, copied, ignore=shutil.ignore_patterns("ledger.head"))
    done = assaymark("check", "-p", copied)
    assert done.code == 0
    assert "All well." not in done.out
    assert f"assaymark backup -p {copied}, never the file" in " ".join(done.out.split())


def test_a_head_is_written_in_its_place_and_never_goes_back(tmp_path: Path) -> None:
    """Whoever copies the folder meanwhile finds no file that comes and goes."""
    ledger, found = tmp_path / "ledger.sqlite", []
    for events in (3, 7, 5):
        keep_head(ledger, Head(events=events, hash=f"{events}" * 64))
        settle_heads()
        found.append((head_file(ledger).stat().st_ino, read_head(ledger).events))
    assert [events for _, events in found] == [3, 7, 7]
    assert len({inode for inode, _ in found}) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.head"]


def test_a_link_in_the_place_of_the_head_leads_nowhere(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    head_file(tmp_path / "ledger.sqlite").symlink_to(precious)
    keep_head(tmp_path / "ledger.sqlite", Head(events=1, hash="1" * 64))
    settle_heads()
    assert precious.read_text() == "mine"
