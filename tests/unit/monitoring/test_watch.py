"""New scores against a certificate: no label, the certified strata at today's mix."""

import csv

import numpy as np
import pytest

from assaymark.claims.claim import Claim
from assaymark.monitoring.stats.score_mix import LabelledStratum, Reading, moved_bound, read_mix
from worlds_on_disk import write_csv, write_labels


def write_scores(path, scores):
    write_csv(path, ["id", "score"], ((f"n{i}", score) for i, score in enumerate(scores)))
    return path


def pool_scores(folder):
    with (folder.project.parent / "pool.csv").open(encoding="utf-8") as stream:
        return [float(row["score"]) for row in csv.DictReader(stream)]


def test_the_pool_itself_gives_the_certified_bound(certified) -> None:
    path = certified.project.parent / "pool.csv"
    found = certified.run("watch", path, "-p", certified.project, "--json")
    assert found.code == 0, found.err
    answer = found.json
    assert answer["decision"] == "holds"
    assert (answer["moved"], answer["outside"]) == (0, 0)
    assert answer["bound"] == pytest.approx(answer["certified"], abs=1e-12)
    assert sum(own["share_now"] for own in answer["strata"]) == pytest.approx(1)
    assert certified.gate().code == 0


def test_scores_in_the_doubtful_middle_make_it_stale_until_they_are_back(
    certified, tmp_path
) -> None:
    rng = np.random.default_rng(1)
    own = np.array(pool_scores(certified))
    middle = own[(own > 0.3) & (own < 0.7)]
    path = write_scores(tmp_path / "week.csv", rng.choice(middle, 3000))
    found = certified.run("watch", path, "-p", certified.project)
    assert found.code == 5
    assert found.out.startswith("Stale: at today's mix of scores the bound would be ")
    answer = certified.gate()
    assert (answer.code, answer.json["outcome"]) == (5, "stale")
    assert "the scores of 'week.csv', watched on" in answer.json["claims"][0]["reason"].lower()
    back = write_scores(tmp_path / "next.csv", rng.choice(own, 3000))
    assert certified.run("watch", back, "-p", certified.project).code == 0
    assert certified.gate().code == 0


def test_items_beyond_the_certified_scores_count_against_the_claim(certified, tmp_path) -> None:
    path = write_scores(tmp_path / "beyond.csv", [*pool_scores(certified), *[7.5] * 2000])
    found = certified.run("watch", path, "-p", certified.project)
    assert found.code == 5
    assert "2,000 items lie beyond the certified scores and count against the claim" in found.out
    assert "moved  50% of the mix, from stratum to stratum" in found.out
    path = write_scores(tmp_path / "one.csv", [*pool_scores(certified), 7.5])
    found = certified.run("watch", path, "-p", certified.project)
    assert "1 item lies beyond the certified scores and counts against the claim" in found.out


def test_nothing_predicted_positive_leaves_no_metric(certified, tmp_path) -> None:
    low = [score for score in pool_scores(certified) if score < 0.5]
    found = certified.run("watch", write_scores(tmp_path / "low.csv", low), "-p", certified.project)
    assert found.code == 5


def test_what_watching_refuses(folder, certified, tmp_path) -> None:
    path = write_scores(tmp_path / "bad.csv", ["0.5", "", "x"])
    bad = certified.run("watch", path, "-p", certified.project)
    assert (bad.code, "2 of 3 items have no usable score" in bad.err) == (2, True)
    (tmp_path / "other.csv").write_text("id,points\n1,2\n", encoding="utf-8")
    other = certified.run("watch", tmp_path / "other.csv", "-p", certified.project)
    assert "Column 'score' is not in" in other.err
    (tmp_path / "empty.csv").write_text("id,score\n", encoding="utf-8")
    assert certified.run("watch", tmp_path / "empty.csv", "-p", certified.project).code == 2


def test_a_project_without_a_certificate_has_nothing_to_watch(folder) -> None:
    folder.lock()
    found = folder.run("watch", folder.project.parent / "pool.csv", "-p", folder.project)
    assert (found.code, "has none yet" in found.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (("--mode", "fixed", "--budget", 300), ()),
        (("--mode", "anytime", "--design", "simple"), (250,)),
    ],
)
def test_simple_samples_are_placed_by_their_scores(
    assaymark, folder, options, count, tmp_path
) -> None:
    work, pool = tmp_path / "simple", tmp_path / "pool.csv"
    init = ("init", work, "--pool", pool, "--id", "id", "--score", "score", "--threshold", 0.5)
    assert assaymark(*init).code == 0
    assert assaymark("plan", "f1 >= 0.7", *options, "--seed", "x", "-p", work).code == 0
    drawn = assaymark("draw", *count, "-o", tmp_path / "b.csv", "-p", work, "--json")
    labels = {item: folder.world.truth[item] for item in drawn.json["items"]}
    assert assaymark("label", write_labels(tmp_path / "l.csv", labels), "-p", work).code == 0
    assert assaymark("certify", "-p", work).code == 0
    found = assaymark("watch", pool, "-p", work, "--json")
    assert found.code == 0, found.err
    assert found.json["bound"] == pytest.approx(found.json["certified"])
    assert sum(own["labels"] for own in found.json["strata"]) >= 250


CLAIM = Claim(metric="f1", side="lower", target=0.8)
STRATA = (
    LabelledStratum(predicted=True, labels=100, relevant=90),
    LabelledStratum(predicted=False, labels=80, relevant=8),
    LabelledStratum(predicted=False, labels=60, relevant=0),
)


def test_the_reading_is_the_metric_of_the_rates() -> None:
    found = read_mix(CLAIM, STRATA, [1000, 500, 5000], (0, 0))
    assert found is not None
    assert found.point == pytest.approx(2 * 900 / (2 * 900 + 100 + 50))
    worse = read_mix(CLAIM, STRATA, [1000, 500, 5000], (0, 100))
    assert worse is not None
    assert worse.point == pytest.approx(2 * 900 / (2 * 900 + 100 + 150))


def test_the_standard_error_is_that_of_simulated_labels() -> None:
    rng = np.random.default_rng(42)
    sizes, rates = (1000, 500, 5000), (0.9, 0.1, 0.01)
    points, errors = [], []
    for _ in range(400):
        own = tuple(
            LabelledStratum(predicted=k == 0, labels=200, relevant=int(rng.binomial(200, rate)))
            for k, rate in enumerate(rates)
        )
        found = read_mix(CLAIM, own, sizes, (0, 0))
        points.append(found.point)
        errors.append(found.error)
    # 400 runs know a standard deviation to about 3.5 %; the reading smooths rates towards one half
    assert np.std(points) == pytest.approx(np.mean(errors), rel=0.15)


def test_an_upper_bound_moves_the_other_way() -> None:
    claim = Claim(metric="elusion", side="upper", target=0.05)
    before = Reading(point=0.02, error=0.01)
    assert moved_bound(claim, 0.04, before, Reading(point=0.03, error=0.02)) == pytest.approx(0.07)
