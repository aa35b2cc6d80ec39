"""Every mode keeps the same contract, for every claim it accepts: plan, draw, judge, replay, words."""

import ast
from pathlib import Path
from typing import get_args

import pytest

import assaymark
from assaymark.api.certification import ClaimMode
from assaymark.certification.certificate.draws import check_chances
from assaymark.certification.certificate.issue import read
from assaymark.certification.certificate.words import estimate_of, statement_of
from assaymark.certification.modes import MODES, judge, labelled_prefix, mode_of
from assaymark.certification.planning import check_sealed
from assaymark.certification.view.method_words import method_of
from assaymark.claims.ratio_metrics import binomial_test, parse_claim
from assaymark.errors import PlanError, VerificationError
from assaymark.project.folder import latest_attempt, registered_pool
from assaymark.records import modes
from assaymark.records.modes import KINDS, OFFERED, kind_asked_for, kind_of, mode_on_the_way
from assaymark.records.plan import Expectation
from assaymark.stats.methods import METHODS

ITEMS = 240
SCORES = [0.05 if i % 3 else 0.95 for i in range(ITEMS)]
EXPECTED = Expectation(precision=0.98, recall=0.98, prevalence=1 / 3)
ASKED = {  # what a plan of each mode is asked for with
    "fixed": {"mode": "fixed", "budget": 60},
    "census": {"mode": "fixed", "budget": ITEMS},
    "budget": {"mode": "budget", "budget": 120, "expect": EXPECTED},
    "anytime": {"mode": "anytime", "design": "simple"},
    "score-guided": {"mode": "anytime", "design": "weighted"},
    "ceiling": {"mode": "budget", "design": "score-guided", "budget": 120},
}
METRICS = (
    "accuracy",
    "precision",
    "recall",
    "f1",
    "prevalence",
    "elusion",
)  # the others are of their kinds
UPPER = ("elusion", "prevalence")


def _claims() -> list[str]:
    return [f"{name} <= 0.6" if name in UPPER else f"{name} >= 0.5" for name in METRICS]


def _accepts(name: str, claim: str) -> bool:
    return kind_of(*_stored(name)).guided or binomial_test(parse_claim(claim)) is not None


def _stored(name: str) -> tuple[str, str]:
    kind = next(kind for kind in KINDS if kind.name == name)
    return kind.mode, kind.design


def _begin(name: str, claim: str) -> assaymark.Certification:
    return assaymark.certify(
        y_score=SCORES, threshold=0.5, claim=claim, seed="modes", **ASKED[name]
    )


PAIRS = [(name, claim) for name in MODES for claim in _claims() if _accepts(name, claim)]
REFUSED = [(name, claim) for name in MODES for claim in _claims() if not _accepts(name, claim)]


def test_every_registered_mode_is_an_object_and_under_this_contract() -> None:
    """A mode that is registered cannot be left out here."""
    assert list(MODES) == [kind.name for kind in KINDS] == list(ASKED)
    assert all(MODES[kind.name].kind is kind and kind.method in METHODS for kind in KINDS)


@pytest.mark.parametrize(
    ("mode", "design", "predicts", "name"),
    [
        (None, None, True, "score-guided"),
        (None, None, False, "anytime"),
        (None, "simple", True, "anytime"),
        (None, "weighted", False, "score-guided"),
        ("anytime", None, True, "score-guided"),
        ("anytime", None, False, "anytime"),
        ("anytime", "simple", True, "anytime"),
        ("fixed", None, True, "fixed"),
        ("fixed", "simple", False, "fixed"),
        ("fixed", "weighted", True, None),
        ("budget", None, True, "budget"),
        ("budget", "weighted", True, "ceiling"),
        ("score guided", None, True, None),
    ],
)
def test_words_for_a_mode_and_a_design_name_one_kind(
    mode: str | None, design: str | None, predicts: bool, name: str | None
) -> None:
    """Nobody gets a plan that ends, or that takes every item, without asking for it."""
    kind = kind_asked_for(mode, design, predicts=predicts)
    assert (kind and kind.name) == name


def test_modes_are_offered_by_name_the_usual_one_first() -> None:
    """Training and claim files offer the same ones, and Python's hints name them."""
    assert list(OFFERED) == ["score-guided", "anytime", "budget", "fixed"]
    assert get_args(ClaimMode) == tuple(OFFERED)
    assert (mode_on_the_way(None), mode_on_the_way(100)) == ("anytime", "budget")


@pytest.mark.parametrize(("name", "claim"), PAIRS)
def test_a_mode_plans_draws_judges_replays_and_says_so(name: str, claim: str) -> None:
    """From the seal to a certificate that verifies, by the mode's own object."""
    work = _begin(name, claim)
    plan, mode = work.plan, MODES[name]
    assert plan.kind.name == name
    assert mode_of(plan) is mode
    assert mode.is_sized(plan)
    check_sealed(plan, registered_pool(work.project.state()).summary)
    verdict = work.run(lambda item: item.id % 3 == 0, batch=80)
    state = work.project.state()
    attempt = latest_attempt(state)
    prefix = labelled_prefix(state, attempt)
    assert verdict.decision == "pass"
    again = judge(state, attempt)
    assert (again.decision, again.estimate.interval) == ("pass", verdict.estimate.interval)
    steps = [(step.number, step.repeat, step.stratum) for step in mode.replayed(attempt)]
    assert steps == [(draw.draw, draw.repeat, draw.stratum) for draw in attempt.draws]
    assert 0 <= mode.left(attempt) <= plan.items - len(attempt.order)
    assert verdict.census or mode.holds(attempt, prefix)
    assert len(mode.points(attempt, prefix, [prefix.draws])) == 1
    assert len(mode.bounds(attempt, prefix, [prefix.draws])) == 1
    interval = mode.metric_range(attempt, prefix, plan.claim.metric)
    assert 0 <= interval.low <= interval.high <= 1
    strength = None if verdict.census else mode.evidence(attempt, prefix, verdict)
    assert (strength is None) == (plan.kind.judged_once or verdict.census)
    assert mode.assumptions
    assert len(method_of(plan)) == 5
    certificate, _ = read(work.certify().path.read_text(encoding="utf-8"))
    assert work.verify().status in ("verified", "verified in part")
    assert estimate_of(certificate).interval.confidence == plan.confidence
    assert statement_of(certificate)
    assert check_chances(certificate, work.project.ledger.entries()).outcome == "ok"


@pytest.mark.parametrize(("name", "claim"), REFUSED)
def test_a_mode_refuses_a_claim_that_it_has_no_bound_for(name: str, claim: str) -> None:
    """Refused at the seal, not at the verdict."""
    with pytest.raises(PlanError, match="no exact bound for a simple random sample"):
        _begin(name, claim)


def test_a_mode_and_a_design_that_do_not_go_together_are_refused() -> None:
    """A stranger's plan names them, so it is no bug of ours."""
    with pytest.raises(VerificationError, match="No plan has the mode 'fixed'"):
        kind_of("fixed", "weighted")


def test_nothing_else_asks_which_mode_a_plan_has() -> None:
    """Everything that differs between modes is a method of theirs or a field of their kind."""
    root = Path(assaymark.__file__).parent
    places = {}
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "mode" not in text and "design" not in text:
            continue
        lines = [node.lineno for node in ast.walk(ast.parse(text)) if _asks(node)]
        if lines:
            places[path.relative_to(root).as_posix()] = lines
    assert places == {}


@pytest.mark.parametrize(
    "code",
    ["plan.mode == other.mode", "request.mode in ('fixed', 'budget')", "design != 'simple'"],
)
def test_a_question_for_the_mode_is_noticed(code: str) -> None:
    """Otherwise the test above would prove nothing."""
    assert _asks(ast.parse(code, mode="eval").body)


def _asks(node: ast.AST) -> bool:
    """Whether a plan's mode or design is compared, or anything of that name with one of theirs."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    asked = [side for side in sides if _name(side) in ("mode", "design")]
    constants = {
        part.value for side in sides for part in ast.walk(side) if isinstance(part, ast.Constant)
    }
    of_plan = any("plan" in ast.unparse(side) or "sealed" in ast.unparse(side) for side in asked)
    return bool(asked) and (of_plan or bool(constants & {*modes.MODES, *modes.DESIGNS}))


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
