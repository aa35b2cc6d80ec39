"""Labels that exist: what they support, what weights repair, and what is refused."""

import subprocess
import sys

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assaymark.errors import InputError
from assaymark.estimation.label_doctor import diagnose
from assaymark.estimation.label_file import LabelColumns
from assaymark.estimation.stats.horvitz_thompson import Weighted, numbered
from assaymark.estimation.stats.label_design import Mix, chance_of_mix, stratum_weights
from assaymark.hints import for_command_line
from worlds_on_disk import write_csv

COLUMNS = LabelColumns(prediction="predicted", id="id")
BY_PREDICTION = LabelColumns(prediction="predicted", id="id", strata="prediction")
ITEMS = 20_000


def world(seed=3):
    """5 % predicted positive at precision .8; 2 % of the rest are positive: recall .68."""
    rng = np.random.default_rng(seed)
    predicted = np.arange(ITEMS) < ITEMS * 0.05
    label = rng.random(ITEMS) < np.where(predicted, 0.8, 0.02)
    return predicted, label


def write(path, rows, *, names=("id", "predicted", "label")):
    write_csv(path, names, rows)
    return str(path)


@pytest.fixture
def pool(tmp_path):
    predicted, _ = world()
    return write(tmp_path / "pool.csv", [(i, int(p)) for i, p in enumerate(predicted)],
                 names=("id", "predicted"))  # fmt: skip


def balanced(tmp_path, each=400):
    """Labels drawn half and half by the verdict of the classifier."""
    predicted, label = world()
    rng = np.random.default_rng(4)
    chosen = [rng.choice(np.flatnonzero(predicted == side), each, replace=False) for side in (0, 1)]
    rows = [(i, int(predicted[i]), int(label[i])) for i in np.concatenate(chosen)]
    return write(tmp_path / "balanced.csv", rows)


def figure(found, name):
    return next(one for one in found.figures if one.metric == name)


def test_verdict_balanced_labels_are_wrong_without_weights_and_right_with(tmp_path, pool):
    predicted, label = world()
    truth = (predicted & label).sum() / label.sum()
    found = diagnose(balanced(tmp_path), BY_PREDICTION, pool=pool)
    assert found.support == "repairable"
    recall = figure(found, "recall")
    assert recall.plain > 0.95
    assert abs(recall.repaired - truth) < 0.12
    assert recall.low <= truth <= recall.high
    assert figure(found, "prevalence").plain > 0.3
    assert figure(found, "prevalence").repaired == pytest.approx(label.mean(), abs=0.015)


def test_the_repaired_recall_covers_the_truth_and_the_plain_one_never_comes_near(tmp_path, pool):
    """30 balanced samples: the interval covers in nearly all, the plain figure is off by a quarter."""
    predicted, label = world()
    truth = (predicted & label).sum() / label.sum()
    rng, covered = np.random.default_rng(9), 0
    for number in range(30):
        chosen = [rng.choice(np.flatnonzero(predicted == s), 400, replace=False) for s in (0, 1)]
        rows = [(i, int(predicted[i]), int(label[i])) for i in np.concatenate(chosen)]
        path = write(tmp_path / f"{number}.csv", rows)
        recall = figure(diagnose(path, BY_PREDICTION, pool=pool), "recall")
        assert recall.plain - truth > 0.2
        covered += recall.low <= truth <= recall.high
    assert covered >= 26


def test_balanced_labels_are_refused_where_nobody_says_how_they_were_drawn(tmp_path, pool):
    found = diagnose(balanced(tmp_path), COLUMNS, pool=pool)
    assert found.support == "refused"
    assert "50% of the labels are predicted" in found.reason
    assert figure(found, "recall").repaired is None
    said = diagnose(balanced(tmp_path), COLUMNS, random=True, pool=pool)
    assert said.support == "refused"
    assert "say --strata prediction" in for_command_line(said.reason)


def test_a_random_sample_is_taken_as_it_is(tmp_path, pool):
    predicted, label = world()
    chosen = np.random.default_rng(5).choice(ITEMS, 600, replace=False)
    path = write(tmp_path / "r.csv", [(i, int(predicted[i]), int(label[i])) for i in chosen])
    found = diagnose(path, COLUMNS, random=True, pool=pool)
    assert found.support == "random"
    accuracy = figure(found, "accuracy")
    assert accuracy.plain == accuracy.repaired
    assert diagnose(path, COLUMNS).support == "refused"


def test_chances_and_strata_in_the_file_speak_for_themselves(tmp_path):
    rows = [(i, i % 2, i % 2, 0.5 if i % 2 else 0.1) for i in range(40)]
    path = write(tmp_path / "p.csv", rows, names=("id", "predicted", "label", "probability"))
    found = diagnose(path, COLUMNS)
    assert found.support == "repairable"
    assert figure(found, "prevalence").repaired == pytest.approx(2 / 12)
    rows = [(i, i % 2, i % 2, f"s{i % 2}", 100 if i % 2 else 900) for i in range(40)]
    names = ("id", "predicted", "label", "stratum", "stratum_items")
    found = diagnose(write(tmp_path / "s.csv", rows, names=names), COLUMNS)
    assert figure(found, "prevalence").repaired == pytest.approx(0.1)


def test_repeats_conflicts_gaps_and_people_are_counted(tmp_path):
    rows = [("a", 1, 1, "ann"), ("a", 1, 1, "bob"), ("b", 1, 1, "ann"), ("b", 1, 0, "bob"),
            ("c", 0, "?", "ann"), ("d", 0, "", "ann"), ("e", 0, 0, "ann")]  # fmt: skip
    path = write(tmp_path / "x.csv", rows, names=("id", "predicted", "label", "who"))
    columns = LabelColumns(prediction="predicted", id="id", annotator="who")
    found = diagnose(path, columns, random=True)
    file = found.file
    assert (file.rows, file.items, file.repeats) == (7, 5, 2)
    assert (file.conflicts, file.unclear, file.missing) == (1, 1, 1)
    assert (file.compared, file.agreed) == (2, 1)
    assert dict(file.annotators) == {"ann": 4, "bob": 2}
    assert found.labels == 2
    assert len(found.findings) == 5


def test_what_cannot_be_read_or_repaired_is_refused(tmp_path, pool):
    odd = write(tmp_path / "o.csv", [(1, 1, "maybe")])
    with pytest.raises(InputError, match="neither 1, 0 nor"):
        diagnose(odd, COLUMNS)
    none = write(tmp_path / "n.csv", [(1, "", 1)])
    with pytest.raises(InputError, match="no prediction that says 1 or 0"):
        diagnose(none, COLUMNS)
    one = write(tmp_path / "one.csv", [(1, 1, 1), (2, 1, 0)])
    with pytest.raises(InputError, match="No item of the stratum '0' is labelled"):
        diagnose(one, BY_PREDICTION, pool=pool)
    with pytest.raises(InputError, match="give it with pool="):
        diagnose(one, BY_PREDICTION)
    with pytest.raises(InputError, match="random=True or strata="):
        diagnose(one, BY_PREDICTION, random=True)
    with pytest.raises(InputError, match="Give either prediction=COL"):
        LabelColumns()


def test_the_mix_of_a_random_sample_is_doubted_at_the_stated_rate():
    assert chance_of_mix(Mix(labelled={"a": 1})) is None
    assert chance_of_mix(Mix(labelled={"a": 50, "b": 50}, collection={"a": 95, "b": 905})) < 1e-9
    assert chance_of_mix(Mix(labelled={"a": 10, "b": 90}, collection={"a": 100, "b": 900})) == 1.0
    three = Mix(labelled={"a": 30, "b": 30, "c": 30}, collection={"a": 100, "b": 800, "c": 100})
    assert chance_of_mix(three) < 1e-9
    with pytest.raises(InputError, match="which the collection does not have"):
        stratum_weights(Mix(labelled={"x": 1, "a": 1}, collection={"a": 5}))


def test_on_the_command_line(assaymark, tmp_path, pool):
    path = balanced(tmp_path)
    refused = assaymark("doctor", path, "--prediction", "predicted", "--id", "id", "--json")
    assert refused.code == 1
    assert refused.json["support"] == "refused"
    good = assaymark("doctor", path, "--prediction", "predicted", "--id", "id", "--strata", "prediction",
                     "--pool", pool)  # fmt: skip
    assert good.code == 0, good.err
    assert "with weights" in good.out
    assert "without weights" in good.out


def test_a_million_rows(tmp_path):
    """Fast enough to run by the way; the time-out only guards against hanging."""
    path = tmp_path / "big.parquet"
    duckdb.sql(
        "COPY (SELECT range AS id, (range % 20 = 0)::INT AS predicted, (range % 19 = 0)::INT AS label "
        f"FROM range(1000000)) TO '{path}'"
    )
    found = diagnose(str(path), COLUMNS, random=True)
    assert found.labels == 1_000_000


@pytest.mark.parametrize(
    ("claim", "ruling", "code"),
    [
        ("recall >= 0.4", "established", 0),
        ("recall >= 0.9", "refuted", 1),
        ("recall >= 0.68", "undecided", 4),
        ("prevalence <= 0.1", "established", 0),
    ],
)
def test_a_claim_in_one_command(assaymark, tmp_path, pool, claim, ruling, code):
    """Balanced labels, judged with the sizes of the collection; the true recall is about 0.68."""
    ask = ("doctor", balanced(tmp_path), "--prediction", "predicted", "--id", "id", "--strata",
           "prediction", "--pool", pool, "--claim", claim)  # fmt: skip
    found = assaymark(*ask, "--json")
    assert (found.code, found.json["claim"]["ruling"]) == (code, ruling), found.out
    shown = assaymark(*ask)
    assert shown.code == code
    assert f"{ruling.capitalize()}: " in shown.out
    assert "judged once" in shown.out


def test_a_claim_needs_a_design_and_a_label_for_every_item(tmp_path, pool):
    assert diagnose(balanced(tmp_path), COLUMNS, claim="recall >= 0.5").claim is None
    gaps = write(tmp_path / "g.csv", [(1, 1, 1), (2, 1, ""), (3, 0, "?")])
    with pytest.raises(InputError, match=r"1 item without a label, 1 item nobody could tell"):
        diagnose(gaps, COLUMNS, random=True, claim="precision >= 0.5")
    rows = [(i, i % 2, i % 2, 0.5) for i in range(20)]
    chances = write(tmp_path / "p.csv", rows, names=("id", "predicted", "label", "probability"))
    with pytest.raises(InputError, match="needs to know the collection"):
        diagnose(chances, COLUMNS, claim="precision >= 0.5")
    with pytest.raises(InputError, match="cannot be read"):
        diagnose(gaps, COLUMNS, random=True, claim="good enough")


def test_a_claim_from_tables_in_memory():
    import assaymark

    predicted, label = world()
    chosen = np.random.default_rng(5).choice(ITEMS, 800, replace=False)
    labels = {
        "id": chosen,
        "said": predicted[chosen].astype(int),
        "label": label[chosen].astype(int),
    }
    found = assaymark.doctor(
        labels, prediction="said", id="id", random=True, claim="accuracy >= 0.9",
        pool={"id": np.arange(ITEMS), "said": predicted.astype(int)},
    )  # fmt: skip
    assert found.established
    assert 0.9 <= found.bound <= 0.98
    assert found.claim.method == "exact, random sample"
    assert len(found.to_frame()) == 5
    assert found._repr_html_().count("<svg") == 1
    assert str(found).endswith("the claim was accuracy >= 0.9.")
    with pytest.raises(TypeError, match=r"diagnosis\.established"):
        bool(found)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([1.0, 2.5, 7.0])), min_size=1))
def test_items_of_one_stratum_and_one_weight_are_one_group(items) -> None:
    """As a sort of whole rows would number them, which takes fifty times as long."""
    stratum, weight = (np.array(part) for part in zip(*items, strict=True))
    _, rows = np.unique(np.stack([stratum, weight]), axis=1, return_inverse=True)
    sample = Weighted(weight=weight, stratum=stratum)
    assert sample.groups.tolist() == rows.reshape(-1).tolist()
    assert numbered(stratum).tolist() == np.unique(stratum, return_inverse=True)[1].tolist()


def test_labels_that_name_their_design_are_judged_without_the_tables_of_distributions(
    tmp_path,
) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("label,predicted,probability\n1,1,0.5\n0,0,0.1\n", encoding="utf-8")
    script = (
        "import sys\n"
        "from assaymark.estimation.label_doctor import LabelColumns, diagnose\n"
        "diagnose(sys.argv[1], LabelColumns(prediction='predicted'))\n"
        "print('scipy.stats' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_labels_of_another_collection_or_another_classifier_are_refused(tmp_path, pool) -> None:
    """By their mix alone they would pass: both sides are there, in any number."""
    rows = [(i, int(i < 1000), 1) for i in range(0, 20_000, 100)]
    path = write(tmp_path / "other.csv", [*rows[:-1], ("x7", 0, 1), ("x8", 0, 0)])
    with pytest.raises(InputError, match=r"2 labelled items .* by 'id' \(the first is 'x7'\)"):
        diagnose(path, BY_PREDICTION, pool=pool)
    turned = write(tmp_path / "turned.csv", [*rows[:-1], (19_900, 1, 1)])
    with pytest.raises(
        InputError, match=r"predict differently for 1 item \(the first is '19900'\)"
    ):
        diagnose(turned, BY_PREDICTION, pool=pool)
    unnamed = LabelColumns(prediction="predicted", strata="prediction")
    assert diagnose(turned, unnamed, pool=pool).support == "repairable"
