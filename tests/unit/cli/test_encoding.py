"""Every command works on a terminal that is not UTF-8: it prints stand-ins, and ends as it should."""

import io
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from assaymark.cli import cli, main
from assaymark.terminal.encoding import STAND_INS
from worlds_on_disk import World, write_csv, write_labels, write_world

Run = Callable[..., tuple[int, str]]
# what each command is asked; projects: W and S certified, O with an open plan, N and C without one, T to train
CALLS: dict[str, str] = {
    "backup": "backup -o B/b.tar.gz -p W",
    "bound": "bound --metric f1 --counts 80,20,20,880",
    "certify": "certify -o B/again.json -p W",
    "check": "check -p W",
    "compare": "compare --pool two.csv --id id --a old --b new --text body -p B/compared",
    "convert": "convert judged.jsonl -o B/answers.jsonl",
    "cutoff": "cutoff recall>=0.9 -p C",
    "demo": "demo --out B/demo --items 5000",
    "doctor": "doctor B/dev.csv --score score --threshold 0.5 --random --claim f1>=0.6",
    "draw": "draw 5 -o B/five.csv -p O",
    "estimate": "estimate --labels B/sample.csv",
    "export": "export B/certificate.json --format hf",
    "gate": "gate claims",
    "init": "init B/other --pool pool.csv --id id --score score --threshold 0.5 --text body",
    "join": "join B/joined --ledger nothing --pool pool.csv",
    "key": "key B/my.key",
    "keywords": "keywords --pool two.csv --text body --seed-terms café --max-share 0.5",
    "lab": "lab --help",
    "label": "label B/given.csv -p O",
    "lock": "lock claims/naïve.toml",
    "look": "look -p W",
    "move": "move --ledger nothing -p N",
    "pair": "pair --pool two.csv --id id --text body --text more --labels labels.csv -o B/flagged.csv",
    "plan": "plan prevalence<=0.9 --forecast --expect 0.2 -p N",
    "recall": "recall --pool two.csv --id id --a old --b new --text body --draw 9 -o B/r.csv",
    "report": "report -o B/report.html -p W",
    "restore": "restore B/kept.tar.gz B/again",
    "review": "review start B/review --pool two.csv --id id --text body --terms café",
    "sentinel": "sentinel start -p S",
    "serve": "serve --tls-cert nothing.pem -p W",
    "size": "size f1>=0.7 --pilot 80,20,20,880",
    "status": "status -p W",
    "train": "train f1>=0.75 --budget 300 -p T",
    "triage": "triage --dev B/dev.csv --score score --label label --target 0.9",
    "users": "users add Zoë --role lead -p W",
    "verify": "verify B/certificate.json -p W",
    "watch": "watch pool.csv -p S",
    "witness": "witness nothing --by Ω -p W",
}

# without PostgreSQL, a key pair or a head there is nothing to join, move to, serve with or witness
CODES = {"gate": 4, "join": 2, "move": 2, "serve": 2, "witness": 2}
CLAIM = """\
name = "naïve"
claim = "f1 >= 0.7"
project = "../B/naïve"
owner = "Zoë – Ω"

[pool]
path = "../pool.csv"
id = "id"
score = "score"
threshold = 0.5
"""


@pytest.fixture
def cp1252(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command line whose terminal knows the letters of Western Europe only."""

    def run(*arguments: object) -> tuple[int, str]:
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="cp1252") for _ in range(2)]
        with monkeypatch.context() as patched:
            patched.setattr(sys, "argv", ["assaymark", *map(str, arguments)])
            patched.setattr(sys, "stdout", streams[0])
            patched.setattr(sys, "stderr", streams[1])
            with pytest.raises(SystemExit) as stop:
                main()
        for stream in streams:
            stream.flush()
        text = "".join(stream.buffer.getvalue().decode("cp1252") for stream in streams)
        assert isinstance(stop.value.code, int)
        return stop.value.code, text

    return run


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certified project, a new one, and files for the commands that want some."""
    from assaymark import Audit, Columns, Project, init
    from assaymark.certification.issuing import certify
    from assaymark.project.backup import backup

    folder = tmp_path_factory.mktemp("cp1252")
    world = write_world(folder / "pool.csv")
    columns = {"id": "id", "score": "score", "threshold": 0.5, "text": ["body"]}
    audit = Audit.begin(folder / "W", folder / "pool.csv", **columns)
    Audit.begin(folder / "N", folder / "pool.csv", **columns)
    init(folder / "T", pool=str(folder / "pool.csv"), columns=Columns(id="id", text=("body",)))
    audit.claim("f1 >= 0.7", seed="s")
    while audit.verdict().decision != "pass":
        audit.tell({item.id: world.truth[item.id] for item in audit.ask(50)})
    (folder / "B").mkdir()
    certify(Project(folder=folder / "W"), output=folder / "B" / "certificate.json")
    backup(Project(folder=folder / "W"), folder / "B" / "kept.tar.gz")
    working = Audit.begin(folder / "O", folder / "pool.csv", **columns)
    working.claim("f1 >= 0.7", seed="s")
    given = {item.id: world.truth[item.id] for item in working.ask(20)}
    write_labels(folder / "B" / "given.csv", given)
    for old, new in (("W", "S"), ("N", "C")):
        shutil.copytree(folder / old, folder / new)
    _files(folder, world)
    return folder


def _files(folder: Path, world: World) -> None:
    write_labels(folder / "labels.csv", dict(list(world.truth.items())[:200]))
    write_csv(
        folder / "B" / "dev.csv",
        ["score", "label"],
        ((world.scores[item], world.truth[item]) for item in world.truth),
    )
    _write(folder / "B" / "sample.csv", ("id", "label", "prediction", "probability"),
           [(item, label, label, 0.5) for item, label in list(world.truth.items())[:40]])  # fmt: skip
    _write(
        folder / "two.csv",
        ("id", "old", "new", "body", "more"),
        [
            (
                item,
                int(label or k % 9 == 0),
                int((label and k % 5 > 0) or k % 7 == 0),
                f"{WORDS[label]} Ω {k}",
                f"{WORDS[label]} → {k % 7}",
            )
            for k, (item, label) in enumerate(world.truth.items())
        ],
    )
    lines = [{"id": k, "answer": f"Ω {k}", "pass": k % 3 > 0} for k in range(30)]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / "judged.jsonl").write_text(text, encoding="utf-8")
    (folder / "claims").mkdir()
    (folder / "claims" / "naïve.toml").write_text(CLAIM, encoding="utf-8")


WORDS = ("an ordinary day", "café crème brûlée")


def _write(path: Path, names: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    write_csv(path, names, rows)


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_a_command_ends_as_it_would_in_utf_8(
    name: str, place: Path, cp1252: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    code, text = cp1252(*CALLS[name].split())
    assert code == CODES.get(name, 0), text  # 3 would be a bug of ours
    assert text.strip()


def _every(group: click.Group, before: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    for name, command in group.commands.items():
        found.append((*before, name))
        if isinstance(command, click.Group):
            found += _every(command, (*before, name))
    return found


@pytest.mark.parametrize("words", sorted(_every(cli)), ids=" ".join)
def test_every_help_can_be_read(words: tuple[str, ...], cp1252: Run) -> None:
    code, text = cp1252(*words, "--help")
    assert code == 0
    assert "Usage: assaymark" in text


def test_a_valid_certificate_is_verified(place: Path, cp1252: Run) -> None:
    code, text = cp1252("verify", place / "B" / "certificate.json", "-p", place / "W")
    assert code == 0, text
    assert "+ " in text  # in place of a tick


def test_json_stays_exact(place: Path, cp1252: Run) -> None:
    """Stand-ins are for people; what a script reads is escaped as JSON has it."""
    code, text = cp1252("users", "add", "Ωmega", "--role", "lead", "-p", place / "W", "--json")
    assert code == 0, text
    assert "\\u03a9mega" in text
    assert "Ωmega" in json.dumps(json.loads(text), ensure_ascii=False)


def test_every_stand_in_is_plain() -> None:
    assert "".join(STAND_INS.values()).isascii()
