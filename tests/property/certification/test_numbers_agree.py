"""Verdict, card, estimate and report tell one range per metric, and none contradicts the verdict."""

import numpy as np
import pytest

import assaymark
from assaymark.certification.metric_ranges import agreeing
from assaymark.certification.modes.mode import Range
from assaymark.certification.modes.ranges import anytime_range_of
from assaymark.claims.ratio_metrics import metric, parse_claim
from assaymark.claims.results import Estimate, Interval, Verdict
from assaymark.estimation.survey import read_estimate
from assaymark.overview.dossier import dossier
from assaymark.overview.report_content import report_of

WORLDS = [
    (seed, claim, mode)
    for seed in range(2)
    for claim in (
        "recall >= 0.6",
        "precision >= 0.7",
        "elusion <= 0.1",
        "f1 >= 0.97",
        "recall >= 0.3",
    )
    for mode in ("score-guided", "anytime", "budget")
]


def played(seed: int, claim: str, mode: str, labels: int = 150):
    """A small world, labelled as far as it goes."""
    rng = np.random.default_rng(seed)
    score = np.round(rng.beta(0.4, 1.2, 300), 3)
    truth = rng.random(300) < score
    options = {"budget": 400, "expect": 0.99 if ">=" in claim else 0.01} if mode == "budget" else {}
    work = assaymark.certify(
        y_score=score, threshold=0.5, claim=claim, mode=mode, seed=str(seed), anyway=True,
        folder=":memory:", design="simple" if mode == "anytime" else None, **options,
    )  # fmt: skip
    while labels > 0 and (items := work.ask(50)):
        work.tell([(i.id, None if i.id % 37 == 0 else int(truth[i.id])) for i in items])
        labels -= len(items)
        if work.verdict().decision != "continue":
            break
    return work, truth, score >= 0.5


@pytest.mark.parametrize(("seed", "claim", "mode"), WORLDS)
def test_every_shell_tells_the_same_ranges_and_none_contradicts_the_verdict(seed, claim, mode):
    work, _truth, _predicted = played(seed, claim, mode)
    verdict, shown = work.verdict(), dossier(work.project)
    found = read_estimate(work.project)
    name, target, side = verdict.claim.metric, verdict.claim.target, verdict.claim.side
    card = {number.name: number for number in shown.card if number.point is not None}
    for one in found.metrics:
        if one.metric in card and one.point is not None:
            number = card[one.metric]
            assert (one.point, one.low, one.high) == (number.point, number.low, number.high)
            assert number.low <= number.point <= number.high
    own = found[name]
    if own.low is not None:
        proven = verdict.bound if not verdict.census else verdict.estimate.point
        if side == "lower":
            assert own.low == proven or proven == 0 or own.low == pytest.approx(target - 1e-4)
            assert (own.low >= target) == (verdict.decision == "pass")
        else:
            assert own.high == proven or proven == 1 or own.high == pytest.approx(target + 1e-4)
            assert (own.high <= target) == (verdict.decision == "pass")
        refuted = verdict.decision == "fail" and work.plan.kind.failure == "refuted"
        if refuted and not verdict.census:
            assert own.high <= target if side == "lower" else own.low >= target
    progress = shown.progress
    assert progress.labels + progress.waiting == progress.labelled
    report = report_of(shown)
    for title, text, _note, _meaning in report.card:
        number = next(n for n in shown.card if n.title == title)
        assert (text == "not known") == (number.low is None)
    if card:
        assert shown.card_note in report.card_note


@pytest.mark.parametrize("name", ["f1", "jaccard", "recall", "precision", "accuracy", "elusion"])
def test_a_range_is_on_the_scale_of_its_metric_and_holds_what_the_sample_shows(name):
    """F1 was shown with the range of the Jaccard index: 0.7949 (0.4987 to 0.7949) for 0.812."""
    work, _truth, _predicted = played(0, "accuracy >= 0.5", "anytime")
    pairs = [(True, 1)] * 41 + [(True, 0)] * 17 + [(False, 1)] * 2 + [(False, 0)] * 90
    pairs = [pairs[place] for place in np.random.default_rng(1).permutation(150)]
    found = anytime_range_of(work.plan, name, pairs)
    assert found.point == pytest.approx(metric(name).value([41.0, 17.0, 2.0, 90.0]))
    assert found.low < found.point < found.high
    if name == "f1":
        jaccard = anytime_range_of(work.plan, "jaccard", pairs)
        for end in ("low", "high"):
            share = getattr(jaccard, end)
            assert getattr(found, end) == pytest.approx(2 * share / (1 + share))


def test_after_a_census_every_place_tells_the_exact_value():
    """`estimate` printed recall 0.7772 ± 0.5 where 0.7811 was known exactly."""
    rng = np.random.default_rng(5)
    score = np.round(rng.random(60), 3)
    truth = rng.random(60) < score
    work = assaymark.certify(
        y_score=score, threshold=0.5, claim="recall >= 0.99", anyway=True, seed="s"
    )
    while items := work.ask(30):
        work.tell([(i.id, int(truth[i.id])) for i in items])
    predicted = score >= 0.5
    cells = [(predicted & truth).sum(), (predicted & ~truth).sum(), (~predicted & truth).sum(), (~predicted & ~truth).sum()]  # fmt: skip
    shown, found = dossier(work.project), read_estimate(work.project)
    for one in found.metrics:
        exact = metric(one.metric).value([float(c) for c in cells])
        assert one.point == one.low == one.high == pytest.approx(exact)
    for number in shown.card:
        assert number.low == number.high == pytest.approx(metric(number.name).value([float(c) for c in cells]))  # fmt: skip
    assert "exact" in (shown.card_note or "")
    assert work.verdict().census


def verdict_of(claim, decision, bound):
    asked = parse_claim(claim)
    lower = asked.side == "lower"
    interval = Interval(low=bound if lower else 0.0, high=1.0 if lower else bound, confidence=0.95,
                        side=asked.side, method="anytime", guaranteed=True)  # fmt: skip
    estimate = Estimate(metric=asked.metric, title=asked.metric, point=0.5, interval=interval,
                        labels=10, draws=10, design="simple")  # fmt: skip
    return Verdict(decision=decision, claim=asked, estimate=estimate, labels_expected=None, waiting=0,
                   skipped=0, census=False, reason="")  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "decision", "bound", "given", "expected"),
    [
        ("recall >= 0.4", "pass", 0.4, (0.3632, 0.6545), (0.4, 0.6545)),
        ("recall >= 0.7", "fail", 0.1, (0.204, 0.8374), (0.1, 0.7)),
        ("recall >= 0.7", "continue", 0.5, (0.6, 0.65), (0.5, 0.7)),
        ("recall >= 0.7", "continue", 0.0, (0.75, 0.9), (0.6999, 0.9)),
        ("elusion <= 0.1", "pass", 0.1, (0.02, 0.15), (0.02, 0.1)),
        ("elusion <= 0.1", "fail", 0.4, (0.05, 0.3), (0.1, 0.4)),
    ],
)
def test_a_range_gives_way_to_the_verdict(claim, decision, bound, given, expected):
    """Established at 0.40 beside 0.3632 to 0.6545; refuted at 0.7 beside 0.204 to 0.8374."""
    verdict = verdict_of(claim, decision, bound)
    row = (verdict.claim.side, verdict.claim.target)
    found = agreeing(
        Range(point=0.5, low=given[0], high=given[1], method="x"), verdict, row, refutes=True
    )
    assert (found.low, found.high) == pytest.approx(expected)
