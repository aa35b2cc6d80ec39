"""Claims of several parts: seeds that no side chooses alone, levels, signatures, and hostile seals."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assaymark.certification.seeding import new_part
from assaymark.certification.signatures.signing import load_signer, new_key
from assaymark.certification.verification import Brought
from assaymark.composite.drawing import draw_for_claim
from assaymark.composite.issuing import certify_claim
from assaymark.composite.planning.sealing import Terms, seal_conjunction
from assaymark.composite.seeding import check_seed, reveal_claim_seed
from assaymark.composite.verification import _risk, _seal, verify_claim
from assaymark.composite.work import ClaimWork, required_claim
from assaymark.errors import InputError, VerificationError
from assaymark.ledger.events import SurveyOpened, SurveyReported, replay
from assaymark.project.folder import Project

CLAIM = "recall >= 0.5 and precision >= 0.5"


@pytest.fixture
def say(assaymark, tmp_path):
    """Runs a command on a project of 120 items with two classifiers."""
    rows = "".join(
        f"i{n},{n % 2},{n % 2 if n % 12 else 1 - n % 2},{n % 3 % 2},{n / 120}\n" for n in range(120)
    )
    (tmp_path / "pool.csv").write_text("id,truth,guess,other,score\n" + rows)
    pool = (
        "--pool",
        tmp_path / "pool.csv",
        "--id",
        "id",
        "--prediction",
        "guess",
        "--score",
        "score",
    )
    assert assaymark("init", tmp_path / "w", *pool).code == 0

    def run(*arguments, code=0):
        done = assaymark(*arguments, "--json", "-p", tmp_path / "w")
        assert done.code == code, (done.out, done.err)
        return json.loads(done.out) if code == 0 else done.err

    return run


def label(say, tmp_path, count):
    for number in range(count):
        say("draw", "60", "-o", tmp_path / f"b{number}.csv")
        lines = (tmp_path / f"b{number}.csv").read_text().splitlines()[1:]
        items = [line.split(",")[0] for line in lines]
        given = "".join(f"{item},{int(item[1:]) % 2}\n" for item in items)
        (tmp_path / "given.csv").write_text("id,label\n" + given)
        say("label", tmp_path / "given.csv")


def checks(verification):
    return {check.name: check for check in verification.checks}


def test_two_sides_draw_the_seed_of_a_claim_together(say, tmp_path) -> None:
    theirs = say("plan", "--part")
    sealed = say("plan", CLAIM, "--commit", theirs["commitment"])
    assert sealed["source"]["law"] == "joint"
    assert sealed["risk"] == {
        "account": "joint", "carried": [], "earlier": [], "others": [], "number": 1,
    }  # fmt: skip
    project = Project(folder=tmp_path / "w")
    assert required_claim(project.state()).sealed.level == pytest.approx(0.045)
    assert "waits for the parts" in say("draw", code=2)
    assert "does not fit" in say("plan", "--reveal", "x" * 32, code=2)
    own = (tmp_path / "w" / "seed.part").read_text().strip()
    revealed = say("plan", "--reveal", theirs["part"])
    assert revealed["source"]["parts"] == [own, theirs["part"]]
    assert len(revealed["seed"]) == 64
    assert not (tmp_path / "w" / "seed.part").exists()
    assert "known already" in say("plan", "--reveal", theirs["part"], code=2)
    label(say, tmp_path, 2)
    assert say("look")["decision"] == "pass"
    say("certify")
    seen = checks(verify_claim(tmp_path / "w" / "certificate.json", project=project))
    assert seen["seed"].outcome == "ok"
    assert "drawn by 2 sides together" in seen["seed"].detail
    assert "seed is drawn jointly" in seen["risk"].detail
    assert {c.outcome for name, c in seen.items()} <= {"ok", "not checked"}


@pytest.mark.parametrize(
    "step",
    [
        ("compare", "--a", "guess", "--b", "other"),
        ("cutoff", "recall >= 0.5"),
        ("cutoff", "recall >= 0.5", "--budget", "60"),
    ],
)
def test_comparisons_and_cut_offs_have_joint_seeds_too(say, tmp_path, step) -> None:
    theirs = new_part()
    say(*step, "--commit", theirs.commitment)
    project = Project(folder=tmp_path / "w")
    whole = 0.025 if step[0] == "compare" else 0.05
    assert required_claim(project.state()).sealed.level == pytest.approx(0.9 * whole)
    assert "waits for the parts" in say("draw", code=2)
    say("plan", "--reveal", theirs.part)
    label(say, tmp_path, 1)
    work = required_claim(project.state())
    entries = project.ledger.entries()
    assert check_seed(entries, work).outcome == "ok"
    assert "with a risk of its own" in _risk(entries, work).detail


def test_levels_of_joint_claims_use_the_risk_once(say, tmp_path) -> None:
    """.9 of the risk, then .1/(k(k − 1)): never above the whole, and other accounts are added."""
    levels = []
    project = Project(folder=tmp_path / "w")
    for _ in range(3):
        say("plan", CLAIM, "--commit", new_part().commitment)
        levels.append(required_claim(project.state()).sealed.level)
        say("plan", "--abandon", "x")
    assert levels == pytest.approx([0.045, 0.0025, 0.05 / 60])
    sealed = say("plan", CLAIM)
    assert sealed["risk"]["account"] == "claim"
    assert sealed["risk"]["others"] == ["0.05"]
    assert sealed["confidence"] == pytest.approx(0.9)


def test_what_would_void_a_joint_seed_is_refused(say) -> None:
    hashed = new_part().commitment
    say("plan", CLAIM, "--commit", hashed)
    say("plan", "--abandon", "x")
    assert "committed to before" in say("plan", CLAIM, "--commit", hashed, code=2)
    assert "committed to before" in say(
        "plan", "accuracy >= 0.6", "--design", "simple", "--commit", hashed, code=2
    )
    for more in (("--seed", "mine"), ("--beacon", "drand-default")):
        told = say("plan", CLAIM, "--commit", new_part().commitment, *more, code=2)
        assert "comes from one place" in told
    told = say("plan", CLAIM, "--commit", new_part().commitment, "--family", code=2)
    assert "its own risk of error" in told
    assert "not a commitment" in say("plan", CLAIM, "--commit", "their part", code=2)


def test_one_side_alone_commits_and_keeps_its_account(say) -> None:
    sealed = say("plan", CLAIM, "--commit", "own")
    assert (sealed["source"]["law"], sealed["risk"]["account"]) == ("committed", "claim")
    assert len(say("plan", "--reveal", "own")["seed"]) == 64


def test_a_claim_waits_for_its_beacon(say, tmp_path) -> None:
    sealed = say("plan", CLAIM, "--beacon", "drand-default")
    number = sealed["source"]["round"]
    assert "the beacon's value" in say("draw", code=2)
    assert f"Round {number} of drand-default comes at" in say("plan", "--reveal", "AB" * 32, code=2)
    later = Project(folder=tmp_path / "w", now=lambda: "2126-01-01T12:00:00Z")
    assert len(reveal_claim_seed(later, ["AB" * 32]).seed) == 64
    entries = later.ledger.entries()
    work = required_claim(replay(entries))
    assert check_seed(entries, work).outcome == "not checked"
    early = [*entries[:-1], replace(entries[-1], time="2026-01-01T00:00:00Z")]
    with pytest.raises(VerificationError, match="cannot be genuine"):
        check_seed(early, required_claim(replay(early)))


def test_the_seed_follows_from_the_parts_and_everything_sealed(say, tmp_path) -> None:
    theirs = new_part()
    say("plan", CLAIM, "--commit", theirs.commitment)
    say("plan", "--reveal", theirs.part)
    work = required_claim(Project(folder=tmp_path / "w").state())
    other = replace(
        work.survey.survey, settings={**work.survey.survey.settings, "confidence": 0.94}
    )
    changed = ClaimWork(survey=replace(work.survey, survey=other))
    assert changed.seed != work.seed
    later = ClaimWork(survey=replace(work.survey, survey=replace(work.survey.survey, number=2)))
    assert later.seed != work.seed


def test_draws_before_the_reveal_are_refused(say, tmp_path) -> None:
    """A ledger whose events were put in another order."""
    theirs = new_part()
    say("plan", CLAIM, "--commit", theirs.commitment)
    say("plan", "--reveal", theirs.part)
    project = Project(folder=tmp_path / "w")
    draw_for_claim(project, count=5)
    entries = project.ledger.entries()
    place = next(
        i
        for i, e in enumerate(entries)
        if isinstance(e.event, SurveyReported) and e.event.result.get("event") == "seed"
    )
    moved = [*entries[:place], *entries[place + 1 :], entries[place]]
    moved = [replace(entry, seq=n) for n, entry in enumerate(moved, start=1)]
    with pytest.raises(VerificationError, match="before the seed was revealed"):
        check_seed(moved, required_claim(replay(moved)))


def _sealed_with(project, **changes) -> tuple[list, ClaimWork]:
    """The ledger of a claim whose seal says something else."""
    entries = project.ledger.entries()
    event = entries[-1].event
    assert isinstance(event, SurveyOpened)
    survey = replace(event.survey, settings={**event.survey.settings, **changes})
    entries[-1] = replace(entries[-1], body=replace(event, survey=survey).body())
    return entries, required_claim(replay(entries))


def test_a_level_that_the_confidence_does_not_give_is_caught(say, tmp_path) -> None:
    """Sealed by hand at twice the risk, a claim would pass too easily."""
    project = Project(folder=tmp_path / "w")
    seal_conjunction(project, CLAIM, Terms())
    assert _risk(*_sealed_with(project)).outcome == "ok"
    with pytest.raises(VerificationError, match=r"sealed at the level 0\.1"):
        _risk(*_sealed_with(project, level=0.1))
    say("plan", "--abandon", "x")
    say("plan", CLAIM, "--commit", new_part().commitment)
    with pytest.raises(VerificationError, match=r"its confidence gives 0\.045"):
        _risk(*_sealed_with(project, level=0.05))


def test_words_that_are_not_those_of_the_rows_are_caught(say, tmp_path) -> None:
    project = Project(folder=tmp_path / "w")
    say("compare", "--a", "guess", "--b", "other", "--only", "worse")
    assert _seal(_sealed_with(project)[1]).outcome == "ok"
    with pytest.raises(VerificationError, match="text does not say what was sealed"):
        _seal(_sealed_with(project, claim="accuracy of b >= accuracy of a")[1])


def test_certificates_of_several_parts_are_signed(say, tmp_path) -> None:
    public = new_key(tmp_path / "my.key")
    other = new_key(tmp_path / "other.key")
    say("plan", CLAIM)
    label(say, tmp_path, 2)
    assert say("certify", "--key", tmp_path / "my.key")["signed"] is True
    path, project = tmp_path / "w" / "certificate.json", Project(folder=tmp_path / "w")
    beside = Path(path).with_suffix(".dsse.json")
    assert beside.is_file()

    def signature(key=None):
        found = verify_claim(path, project=project, brought=Brought(public_key=key))
        return found.status, checks(found)

    assert signature(public)[1]["signature"].outcome == "ok"
    assert signature()[1]["signature"].outcome == "not checked"
    status, seen = signature(other)
    assert status == "failed"
    assert "another key" in seen["verification"].detail
    assert verify_claim(path, brought=Brought(public_key=public)).status == "verified in part"
    again = certify_claim(project)
    assert beside.is_file(), "the same certificate keeps its signature"
    beside.unlink()
    status, seen = signature(public)
    assert (status, "is not signed" in seen["verification"].detail) == ("failed", True)
    signed = certify_claim(project, signer=load_signer(tmp_path / "other.key"))
    assert signed.hash == again.hash
    assert signature(other)[1]["signature"].outcome == "ok"


def test_a_folder_is_no_place_for_a_certificate(say, tmp_path) -> None:
    say("plan", CLAIM)
    label(say, tmp_path, 2)
    with pytest.raises(InputError, match="is a folder"):
        certify_claim(Project(folder=tmp_path / "w"), output=tmp_path)
