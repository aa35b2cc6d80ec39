"""How far undecided claims are, what is asked before a doubtful one is sealed, and what a refuted one leaves."""

import csv
import json

import numpy as np
import pytest

import assaymark as front_door
from assaymark.composite.planning.forecast import forecast_claim, labels_in
from assaymark.composite.planning.forecast_words import cost_lines, doubt, part_line
from assaymark.composite.planning.worlds import claimed_figures, world_ahead
from assaymark.composite.view.estimates import labelled_shares, margins
from assaymark.composite.work import required_claim
from assaymark.errors import InputError
from assaymark.overview.dossier import dossier
from worlds_on_disk import write_csv

ITEMS = 1_200


def pool(sharp: float = 1.0) -> tuple[dict[str, list[object]], dict[int, int]]:
    """Scores that are right, or too timid where `sharp` is more than 1; two groups."""
    rng = np.random.default_rng(7)
    score = np.clip(rng.beta(0.35, 0.35, ITEMS), 0.01, 0.99)
    odds = sharp * np.log(score / (1 - score))
    truth = (rng.random(ITEMS) < 1 / (1 + np.exp(-odds))).astype(int)
    group = ["de" if i % 2 else "en" for i in range(ITEMS)]
    return {"score": score.tolist(), "g": group}, dict(enumerate(truth.tolist()))


def claimed(claim: str, *, sharp: float = 1.0, **options: object):
    table, truth = pool(sharp)
    work = front_door.certify_parts(
        table, claim, score="score", threshold=0.5, group="g", seed=1, **options
    )
    return work, truth


def looked(work, truth, labels: int):
    """The verdict after so many labels, or when it is decided."""
    verdict = work.verdict()
    while verdict.labels < labels and verdict.decision == "continue":
        work.tell([(item.id, truth[item.id]) for item in work.ask(60)])
        verdict = work.verdict()
    return verdict


def test_a_gap_shows_how_far_it_is_before_it_passes() -> None:
    """Nothing was shown until it passed."""
    work, truth = claimed("accuracy gap between g <= 0.1")
    verdict = looked(work, truth, 240)
    assert verdict.decision == "continue"
    bound = verdict.figures["so_far"][0]
    assert 0.1 < bound < 1
    assert f"proven so far, with 95% confidence: at most {bound:g}" in str(verdict)
    assert verdict.rows[0]["bound"] == bound
    assert f"at most {bound:g}" in work.status().summary


def test_an_average_shows_how_far_it_is_before_it_passes() -> None:
    work, truth = claimed("balanced accuracy >= 0.8")
    verdict = looked(work, truth, 60)
    assert verdict.decision == "continue"
    assert 0.5 <= verdict.figures["so_far"][0] < 0.8
    assert "proven so far, with 95% confidence: at least" in str(verdict)


def test_bounds_of_an_open_claim_hold_together_at_one_level() -> None:
    """An answer said 95 % for the claim and 90 % for all bounds; now one level covers every figure."""
    work, truth = claimed("recall >= 0.75 in every g")
    verdict = looked(work, truth, 120)
    assert verdict.decision == "continue"
    alone = [part["bound"] for part in verdict.figures["parts"]]
    together = verdict.figures["so_far"]
    assert any(bound is not None for bound in together)
    pairs = [(x, y) for x, y in zip(together, alone, strict=True) if x is not None]
    assert all(y is not None and x <= y for x, y in pairs)
    assert verdict.note == "All figures above hold together with 95% confidence, at every look."


def test_figures_of_too_many_parts_hold_each_on_its_own(monkeypatch) -> None:
    monkeypatch.setattr("assaymark.composite.looks.MOST_TOGETHER", 1)
    work, truth = claimed("recall >= 0.75 in every g")
    verdict = looked(work, truth, 120)
    assert "so_far" not in verdict.figures
    assert any(part["bound"] is not None for part in verdict.figures["parts"])


def test_a_certificate_knows_nothing_of_progress() -> None:
    work, truth = claimed("recall >= 0.6 in every g")
    assert looked(work, truth, ITEMS).decision == "pass"
    assert "so_far" not in work.certify().facts["result"]
    assert work.verify().status != "failed"


def test_scores_that_call_a_claim_false_name_its_price_and_expectations_refuse_it() -> None:
    work, _ = claimed("recall >= 0.97 in every g", sharp=3.0)
    forecast = forecast_claim(work.sealed)
    assert forecast.looks_false
    lines = " ".join(text for _, text in cost_lines(work.sealed, forecast))
    assert "labels" in lines
    claimed("recall >= 0.97 in every g", sharp=3.0, expect=0.99)
    with pytest.raises(InputError, match="would not hold"):
        claimed("recall >= 0.97 in every g", sharp=3.0, expect=0.9)
    claimed("recall >= 0.97 in every g", sharp=3.0, expect=0.9, anyway=True)


def test_forecasts_follow_the_scores_and_not_what_bets_begin_with() -> None:
    """They were made from opinions drawn towards one half: three times the labels, or "looks false"."""
    work, _ = claimed("recall >= 0.7 in every g")
    forecast = forecast_claim(work.sealed)
    figures = {figure.part: figure for figure in claimed_figures(work.sealed)}
    for number, part in enumerate(forecast.parts):
        assert part.value == pytest.approx(figures[number].value(np.array(work.sealed.beliefs)))
        assert part.value > 0.8
    world = world_ahead(work.sealed, lambda _: 0.1)
    margins = [figure.margin(world) for figure in figures.values()]
    assert min(margins) == pytest.approx(0.1, abs=1e-6), "the worst part is as good as expected"
    assert max(margins) > 0.1, "and the other one better, as the scores say"
    assert forecast.labels == labels_in(work.sealed, np.array(work.sealed.beliefs))
    assert forecast.labels is not None
    assert forecast.labels.bad_luck < 200


def test_what_is_expected_is_that_of_the_worst_part_and_never_above_the_pool() -> None:
    work, _ = claimed("recall >= 0.7 in every g", expect=0.78)
    near, far = (forecast_claim(work.sealed, expect=value) for value in (0.72, 0.78))
    assert near.needed is not None
    assert far.needed is not None
    assert near.needed.typical > far.needed.typical
    for labels in (near.needed, far.needed):
        assert labels.low <= labels.typical <= labels.bad_luck <= ITEMS
    lines = " ".join(text for _, text in cost_lines(work.sealed, far))
    assert "with bad luck) if the worst part is 0.78" in lines


def test_a_claim_too_large_to_rehearse_is_priced_by_limits_and_says_so(monkeypatch) -> None:
    monkeypatch.setattr("assaymark.composite.planning.rehearsing.WORK", 1)
    work, _ = claimed("recall >= 0.7 in every g")
    forecast = forecast_claim(work.sealed)
    assert forecast.needed is not None
    assert not forecast.needed.rehearsed
    assert "too many parts to rehearse" in " ".join(t for _, t in cost_lines(work.sealed, forecast))


def test_a_refuted_claim_says_what_could_still_be_claimed(assaymark, tmp_path) -> None:
    """`look` pointed to `status`, `status` to `report` and `report` to `status`."""
    table, truth = pool()
    write_csv(
        tmp_path / "p.csv",
        ["id", "score", "g"],
        zip(range(ITEMS), table["score"], table["g"], strict=True),
    )
    place = tmp_path / "my work"
    columns = ("--id", "id", "--score", "score", "--threshold", "0.5", "--group", "g")
    assaymark("init", place, "--pool", tmp_path / "p.csv", *columns)
    assaymark("plan", "recall >= 0.99 in every g", "--anyway", "--seed", "s", "-p", place)
    code = 0
    while not code:
        drawn = json.loads(assaymark("draw", "-p", place, "--json").out)
        with (tmp_path / "l.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows(
                [("id", "label"), *((i, truth[int(i)]) for i in drawn["items"])]
            )
        assaymark("label", tmp_path / "l.csv", "-p", place)
        seen = assaymark("look", "-p", place)
        code = seen.code
    assert "Claim less: recall >= 0." in seen.out
    assert f'in every g" -p "{place}")' in seen.out
    assert "Claim less: recall >= 0." in assaymark("status", "-p", place).out
    assert "Next:" not in assaymark("report", "-p", place).out


def test_an_open_claim_that_looks_false_says_so_before_it_is_refuted() -> None:
    """Bounds of a part that will fail prove nothing: labels went in without a warning."""
    work, truth = claimed("recall >= 0.85 and precision >= 0.9", anyway=True, confidence=0.99)
    looked(work, truth, 180)
    work.tell([(item.id, truth[item.id]) for item in work.ask(40)])
    assert work.verdict().decision == "continue"
    now = work.status()
    assert "Not yet" in now.summary
    assert now.doubt is not None
    assert now.doubt.startswith(
        "Judging by the labels so far the claim looks false (if it were true, it would ever look so in "
        "at most 10% of cases): precision >= 0.9 would be 0.8"
    )
    assert " labels)" in now.doubt
    assert now.doubt in dossier(work.project).answer.for_lead


def test_an_estimate_behind_its_target_alone_raises_no_doubt() -> None:
    """Nine of ten claims that are just true are behind at some look, "surely" by one look's standards."""
    work, truth = claimed("recall >= 0.85 in every g", anyway=True)
    looked(work, truth, 120)
    claim = required_claim(work.project.state())
    values = margins(claimed_figures(claim.sealed), labelled_shares(work.project.state(), claim))
    assert all(ahead < -0.04 for _, ahead in values.values())
    assert work.status().doubt is None


def test_an_open_claim_that_seems_to_hold_raises_no_doubt() -> None:
    work, truth = claimed("recall >= 0.5 and precision >= 0.5")
    looked(work, truth, 10)
    assert work.status().doubt is None


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("recall >= 0.7 in every g", "then"),
        ("recall >= 0.9 in every g", "if the worst part is 0.05 better than claimed"),
    ],
)
def test_the_price_of_a_part_is_of_the_world_that_its_line_names(claim: str, words: str) -> None:
    """It stood beside "if the scores are right", and was that of another world: 120 labels, not 2,700."""
    work, _truth = claimed(claim)
    forecast = forecast_claim(work.sealed)
    part = forecast.parts[0]
    price = part.labels if words == "then" else part.needed
    assert price is not None
    assert part.labels != part.needed
    assert part_line(part, forecast)[1].endswith(f"; about {price:,} labels {words}")


def test_a_narrow_margin_is_written_out() -> None:
    work, _truth = claimed("recall >= 0.9999")
    assert "0.00005 better than claimed" in doubt(work.sealed, forecast_claim(work.sealed))
