"""Seeds that no side chooses alone: commit, seal, reveal; levels instead of an account; verify."""

import hashlib
import json
import struct
from dataclasses import replace

import pytest

from assaymark.certification.sealing import PlanRequest, abandon_plan, seal_plan
from assaymark.certification.seeding import beacon_source, new_part, reveal_seed
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import InputError, PlanError, VerificationError
from assaymark.ledger.events import PlanSealed, SeedRevealed, check_story
from assaymark.project.folder import Project
from assaymark.records.seeds import BEACONS, SeedSource, commitment_of, seed_from

NOW = "2026-01-01T12:00:00+00:00"


@pytest.fixture
def say(assaymark, tmp_path):
    """Runs a command on a project of 120 items, of which the classifier knows most."""
    rows = "".join(f"i{n},{n % 2},{n % 2 if n % 12 else 1 - n % 2}\n" for n in range(120))
    (tmp_path / "pool.csv").write_text("id,truth,guess\n" + rows)
    pool = ("--pool", tmp_path / "pool.csv", "--id", "id", "--prediction", "guess")
    assert assaymark("init", tmp_path / "w", *pool).code == 0

    def run(*arguments, code=0):
        done = assaymark(*arguments, "--json", "-p", tmp_path / "w")
        assert done.code == code, (done.out, done.err)
        return json.loads(done.out) if code == 0 else done.err

    return run


SIMPLE = ("--design", "simple")
CLAIM = "accuracy >= 0.7"


def label_all(say, tmp_path, count):
    say("draw", str(count), "-o", tmp_path / "b.csv")
    items = [line.split(",")[0] for line in (tmp_path / "b.csv").read_text().splitlines()[1:]]
    given = "".join(f"{item},{int(item[1:]) % 2}\n" for item in items)
    (tmp_path / "given.csv").write_text("id,label\n" + given)
    say("label", tmp_path / "given.csv")


def test_two_sides_draw_the_seed_together(say, tmp_path, assaymark) -> None:
    theirs = say("plan", "--part")
    sealed = say("plan", CLAIM, *SIMPLE, "--commit", theirs["commitment"])
    assert sealed["seed"] == ""
    assert sealed["source"]["law"] == "joint"
    assert sealed["stake"] | {"account": "joint", "level": "0.045"} == sealed["stake"]
    assert "waits for the parts" in say("draw", code=2)
    assert "does not fit" in say("plan", "--reveal", "x" * 32, code=2)
    own = (tmp_path / "w" / "seed.part").read_text().strip()
    assert (tmp_path / "w" / "seed.part").stat().st_mode & 0o077 == 0
    revealed = say("plan", "--reveal", theirs["part"])
    assert revealed["source"]["parts"] == [own, theirs["part"]]
    assert len(revealed["seed"]) == 64
    assert not (tmp_path / "w" / "seed.part").exists()
    assert "known already" in say("plan", "--reveal", theirs["part"], code=2)
    label_all(say, tmp_path, 60)
    assert say("look")["decision"] == "pass"
    say("certify")
    certificate = tmp_path / "w" / "certificate.json"
    seen = json.loads(assaymark("verify", certificate, "-p", tmp_path / "w", "--json").out)
    told = {check["name"]: (check["outcome"], check["detail"]) for check in seen["checks"]}
    assert told["seed"][0] == "ok"
    assert "drawn by 2 sides together" in told["seed"][1]
    assert told["risk"][0] == "ok"


@pytest.mark.usefixtures("say")
def test_the_default_seed_is_said_to_be_unwitnessed(tmp_path, assaymark) -> None:
    shown = assaymark("plan", CLAIM, *SIMPLE, "-p", tmp_path / "w")
    assert "drawn or chosen by the person who sealed the plan; no witness" in shown.out


def test_levels_of_joint_plans_use_the_risk_once(say) -> None:
    levels = []
    for _ in range(3):
        sealed = say("plan", CLAIM, *SIMPLE, "--commit", new_part().commitment)
        levels.append(float(sealed["stake"]["level"]))
        say("plan", "--abandon", "the other side withdrew")
    assert levels == pytest.approx([0.045, 0.0025, 0.05 * 0.1 / 6], rel=1e-6)
    mixed = say("plan", CLAIM, *SIMPLE)
    assert mixed["confidence"] == 0.9


def test_joint_plans_refuse_what_would_void_them(say) -> None:
    hashed = new_part().commitment
    joint = ("plan", CLAIM, *SIMPLE, "--commit", hashed)
    assert "one place" in say(*joint, "--seed", "x", code=2)
    assert "share no risk account" in say(*joint, "--family", code=2)
    assert "share no risk account" in say(*joint, "--reserve", "0.1", code=2)
    assert "in place of its part of the seed" in say(
        "plan", CLAIM, *SIMPLE, "--commit", "abc", code=2
    )
    say(*joint)
    say("plan", "--abandon", "x")
    assert "committed to before" in say(*joint, code=2)


def test_sealed_renewal_goes_with_a_joint_seed(say) -> None:
    """Chances that batch ends could steer have none; those renewed at sealed draw numbers do."""
    sealed = say("plan", CLAIM, "--design", "weighted", "--commit", new_part().commitment)
    assert (sealed["method"], sealed["source"]["law"]) == ("betting/2", "joint")


def test_one_side_alone_commits_to_a_seed(say) -> None:
    sealed = say("plan", CLAIM, *SIMPLE, "--commit", "own")
    assert (sealed["source"]["law"], sealed["stake"]["account"]) == ("committed", "claim")
    assert len(say("plan", "--reveal", "own")["seed"]) == 64


def test_a_beacon_names_a_round_that_is_not_known_yet() -> None:
    source = beacon_source("drand-quicknet", NOW)
    assert source.round == (1767268800 + 300 - 1692803367) // 3 + 2
    with pytest.raises(InputError, match="before this plan"):
        beacon_source("drand-quicknet:17", NOW)
    with pytest.raises(InputError, match="no beacon"):
        beacon_source("dice", NOW)
    with pytest.raises(InputError, match="whole number"):
        beacon_source("drand-quicknet:²", NOW)


@pytest.mark.parametrize("option", ["--beacon", "--commit"])
def test_a_variable_that_was_not_set_seals_no_plan_without_a_witness(option, say, tmp_path) -> None:
    before = Project(folder=tmp_path / "w").state().head
    said = say("plan", CLAIM, *SIMPLE, option, "", code=2)
    assert "no beacon ''" in said or "not a commitment" in said
    assert Project(folder=tmp_path / "w").state().head == before


def test_a_beacon_plan_waits_for_its_value(say, tmp_path) -> None:
    sealed = say("plan", CLAIM, *SIMPLE, "--beacon", "drand-default")
    assert (sealed["source"]["law"], sealed["stake"]["account"]) == ("beacon", "joint")
    assert "64 hexadecimal" in say("plan", "--reveal", "y" * 64, code=2)
    number = sealed["source"]["round"]
    assert f"Round {number} of drand-default comes at" in say("plan", "--reveal", "AB" * 32, code=2)
    later = Project(folder=tmp_path / "w", now=lambda: "2126-01-01T12:00:00Z")
    assert reveal_seed(later, ["AB" * 32]).source.parts == ("ab" * 32,)


def test_a_value_that_could_not_be_known_is_no_seed(say, tmp_path, assaymark, monkeypatch) -> None:
    monkeypatch.setattr("assaymark.certification.seeding._refuse_early", lambda *_: None)
    say("plan", CLAIM, *SIMPLE, "--beacon", "drand-default")
    say("plan", "--reveal", "ab" * 32)
    label_all(say, tmp_path, 100)
    say("look")
    say("certify", "-o", tmp_path / "c.json")
    done = assaymark("verify", tmp_path / "c.json", "-p", tmp_path / "w")
    assert done.code == 1
    assert "before that round came, so it cannot be genuine" in done.out


CHAINS = {
    "drand-default": (
        "868f005eb8e6e4ca0a47c8a77ceaa5309a47978a7c71bc5cce96366b5d7a569937c529eeda66c7293784a9402801af31",
        "176f93498eac9ca337150b46d21dd58673ea4e3581185f869672e59fa4cb390a",
        "",
    ),
    "drand-quicknet": (
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
        "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
        "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e",
        "quicknet",
    ),
}
"""Public key, hash of the first group and name, as the /info of each chain publishes them."""


@pytest.mark.parametrize("name", BEACONS)
def test_times_of_a_beacon_are_those_that_its_chain_hash_fixes(name: str) -> None:
    """The hash of a drand chain is SHA-256(period, genesis, key, group hash, name); source: its docs."""
    beacon = BEACONS[name]
    key, group, chain = CHAINS[name]
    times = struct.pack(">Iq", beacon.period, beacon.first)
    content = times + bytes.fromhex(key) + bytes.fromhex(group) + chain.encode()
    assert hashlib.sha256(content).hexdigest() == beacon.address


def test_the_seed_follows_from_all_parts_and_everything_sealed() -> None:
    parts = ("a" * 32, "b" * 32)
    seeds = {
        seed_from(parts, plan="p"),
        seed_from(parts[::-1], plan="p"),
        seed_from(parts, plan="q"),
        seed_from(("a" * 32,), plan="p"),
    }
    assert len(seeds) == 4


def test_a_ledger_with_a_seed_known_early_is_refused(say, tmp_path) -> None:
    theirs = new_part()
    say("plan", CLAIM, *SIMPLE, "--commit", theirs.commitment)
    project = Project(folder=tmp_path / "w")
    reveal_seed(project, [theirs.part])
    entries = project.ledger.entries()
    check_story(entries)
    kinds = [entry.kind for entry in entries]
    assert kinds[1:] == ["PlanSealed", "SeedRevealed", "ReserveStored"]
    sealed, revealed = entries[1], entries[2]
    early = PlanSealed(plan=sealed.event.plan.revealed(revealed.event.parts), software="x")
    with pytest.raises(VerificationError, match="known when it was sealed"):
        check_story([entries[0], replace(sealed, body=early.body())])
    wrong = SeedRevealed(plan=1, parts=("x" * 32, "y" * 32))
    with pytest.raises(VerificationError, match="not those that the plan committed to"):
        check_story([*entries[:2], replace(revealed, body=wrong.body())])
    with pytest.raises(VerificationError, match="not revealed yet"):
        check_story([*entries[:2], entries[3]])


def test_a_law_has_its_own_fields() -> None:
    with pytest.raises(InputError):
        SeedSource(law="joint", commitments=(commitment_of("a"),))
    with pytest.raises(InputError):
        SeedSource(law="beacon", beacon="drand-default")
    with pytest.raises(InputError):
        SeedSource(law="joint", commitments=(commitment_of("a"),) * 2)


def test_python_seals_and_reveals(tmp_path) -> None:
    import assaymark as am

    work = am.Certification.begin(
        tmp_path / "p", {"id": list(range(80)), "guess": [0, 1] * 40}, id="id", prediction="guess"
    )
    theirs = work.new_part()
    plan = work.claim("accuracy >= 0.6", design="simple", commit=theirs.commitment)
    assert plan.seed == ""
    assert work.reveal(theirs.part).seed
    with pytest.raises(PlanError, match="known already"):
        work.reveal(theirs.part)
    abandon_plan(work.project, "done")
    with pytest.raises(PlanError, match="seed chosen by hand"):
        seal_plan(work.project, PlanRequest(claim=parse_claim("accuracy >= 0.6"), seed="mine"))
