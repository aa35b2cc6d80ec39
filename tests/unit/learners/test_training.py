"""Classifiers that grow: honest counts, cuts for the claim, any pipeline, and who is asked next."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from assaymark.claims.ratio_metrics import metric, parse_claim
from assaymark.errors import InputError
from assaymark.lab.texts import made_collection
from assaymark.learners.active_selection import next_rows
from assaymark.learners.cross_validation import (
    TooFewLabelsError,
    bands,
    crossed_counts,
    crossed_flags,
    study,
)
from assaymark.learners.documents import READING, LinearDocuments, PipelineDocuments, load_factory
from assaymark.learners.features import Features, vectorise
from assaymark.stats.operating_point import best_cut

F1 = parse_claim("f1 >= 0.6")
COLLECTION = made_collection(7, items=1500)
LABELS = COLLECTION.labels("harbours")


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> Features:
    texts = list(COLLECTION.texts)
    ids = [str(i) for i in range(len(texts))]
    return vectorise([(ids, texts)], tmp_path_factory.mktemp("features"), items=len(texts))


def everyone(size: int) -> np.ndarray:
    return np.ones(size, dtype=np.bool_)


def test_a_study_is_deterministic_and_complete(features: Features) -> None:
    """The same labels give the same scores; bands and counts add up; it learns something."""
    rows = np.arange(500)
    one, two = (
        study(LinearDocuments(features=features), rows, LABELS[:500], everyone(500), F1)
        for _ in range(2)
    )
    assert np.array_equal(one.scores, two.scores)
    assert one.look.counts.total == 500
    assert sum(band.items for band in one.look.bands) == 1500
    assert sum(band.expected for band in one.look.bands) == pytest.approx(one.scores.sum())
    flagged = one.scores[500:] >= one.look.threshold
    truth = LABELS[500:]
    assert 2 * (flagged & truth).sum() / (flagged.sum() + truth.sum()) > 0.7


def test_a_machine_for_reading_would_rather_read_one_too_many(features: Features) -> None:
    """Where labels contradict each other, a relevant one outweighs several that are not."""
    rows, labels = np.zeros(6, dtype=np.int64), np.arange(6) < 1
    usual = LinearDocuments(features=features).fit(rows, labels)
    reading = LinearDocuments(features=features, how=READING).fit(rows, labels)
    assert usual.at(rows)[0] < 0 < reading.at(rows)[0]


def test_scores_are_kept_in_single_precision(features: Features) -> None:
    """What a file of 32-bit numbers keeps is flagged as what was computed."""
    rows = np.arange(300)
    found = study(LinearDocuments(features=features), rows, LABELS[:300], everyone(300), F1)
    kept = found.scores.astype(np.float32)
    assert np.array_equal(kept >= found.look.threshold, found.scores >= found.look.threshold)


def test_chosen_items_do_not_colour_the_counts(features: Features) -> None:
    """Counts, threshold and calibration come from the random items; the others only train."""
    rows = np.arange(400)
    random = np.arange(400) < 300
    found = study(LinearDocuments(features=features), rows, LABELS[:400], random, F1)
    assert found.look.counts.total == found.look.random == 300
    assert found.look.labels == 400
    alone = study(LinearDocuments(features=features), rows[:300], LABELS[:300], everyone(300), F1)
    assert found.look.counts != alone.look.counts or found.look.threshold != alone.look.threshold


def test_the_bands_count_the_pool_only(features: Features) -> None:
    """Bands are about the items that the claim will be about."""
    pool = np.arange(1500) >= 500
    rows = np.arange(300)
    documents = LinearDocuments(features=features)
    found = study(documents, rows, LABELS[:300], everyone(300), F1, pool=pool)
    assert sum(band.items for band in found.look.bands) == 1000


@pytest.mark.parametrize(("share", "word"), [(0, "0 positives"), (1, "0 negatives")])
def test_too_few_of_a_kind(features: Features, share: int, word: str) -> None:
    """Without both kinds there is nothing to cross-validate: say so, and what to do."""
    labels = np.full(40, bool(share))
    documents = LinearDocuments(features=features)
    with pytest.raises(TooFewLabelsError, match=f"{word} among 40 random.*Go on labelling"):
        study(documents, np.arange(40), labels, everyone(40), F1)


def test_scores_that_say_nothing_yet(features: Features) -> None:
    """Labels that are pure chance give nearly flat scores and no failure."""
    labels = np.random.default_rng(3).random(60) < 0.3
    documents = LinearDocuments(features=features)
    found = study(documents, np.arange(60), labels, everyone(60), F1)
    assert 0 < found.scores.min() <= found.scores.max() < 1


def test_crossed_counts_never_ask_the_fold_itself() -> None:
    """A fold is calibrated and cut by the others: its own labels change nothing in its flags."""
    rng = np.random.default_rng(4)
    labels = rng.random(200) < 0.3
    scores = rng.normal(labels * 1.5, 1.0)
    folds = np.arange(200) % 4
    turned = labels.copy()
    turned[folds == 0] = ~turned[folds == 0]
    mine = folds == 0
    flagged = crossed_flags(scores, labels, folds, F1)
    assert np.array_equal(flagged[mine], crossed_flags(scores, turned, folds, F1)[mine])
    assert not np.array_equal(flagged[~mine], crossed_flags(scores, turned, folds, F1)[~mine])
    counts = crossed_counts(scores, labels, folds, F1)
    assert counts.cells == (
        int((flagged & labels).sum()),
        int((flagged & ~labels).sum()),
        int((~flagged & labels).sum()),
        int((~flagged & ~labels).sum()),
    )


METRICS = ("f1", "f2", "f0.5", "jaccard", "accuracy")


@given(
    st.lists(st.integers(1, 19), min_size=1, max_size=30).map(lambda n: np.array(n) / 20),
    st.sampled_from(METRICS),
)
def test_no_cut_is_expected_to_be_better(shares: np.ndarray, name: str) -> None:
    """The cut has the highest expected metric of all cuts at a score, ties together."""

    def value(cut: float) -> float:
        flagged = shares >= cut
        cells = [shares[flagged].sum(), (1 - shares)[flagged].sum(),
                 shares[~flagged].sum(), (1 - shares)[~flagged].sum()]  # fmt: skip
        return metric(name).value([float(c) for c in cells]) or 0.0

    best = max(value(cut) for cut in set(shares))
    found = value(best_cut(shares, parse_claim(f"{name} >= 0.5")))
    assert found == pytest.approx(best)


def test_recall_and_precision_aim_above_the_target() -> None:
    """Recall flags as few as reach the aim, precision as many as keep it."""
    shares = np.linspace(0.01, 0.99, 99)
    cut = best_cut(shares, parse_claim("recall >= 0.5"))
    assert shares[shares >= cut].sum() / shares.sum() >= 0.65
    assert shares[shares > cut].sum() / shares.sum() < 0.65
    cut = best_cut(shares, parse_claim("precision >= 0.6"))
    assert shares[shares >= cut].mean() >= 0.72
    assert shares[shares >= cut - 0.02].mean() < 0.72


def test_the_cut_does_not_depend_on_what_was_handed_out(features: Features) -> None:
    """Items that wait for a label move the bands and not the classifier."""
    rows, documents = np.arange(300), LinearDocuments(features=features)
    pools = (np.arange(1500) >= 300, np.arange(1500) >= 700)
    one, two = (study(documents, rows, LABELS[:300], everyone(300), F1, pool=p) for p in pools)
    assert one.look.threshold == two.look.threshold
    assert one.look.bands != two.look.bands


def test_metrics_without_a_cut_are_refused() -> None:
    """Nobody can be trained for prevalence."""
    with pytest.raises(InputError, match="cannot be tuned"):
        best_cut(np.ones(3), parse_claim("prevalence >= 0.1"))


def piped(pipeline: object, name: str = "mine:build") -> PipelineDocuments:
    texts = list(COLLECTION.texts)
    return PipelineDocuments(
        name=name,
        factory=lambda: pipeline,
        items=len(texts),
        texts_of=lambda rows: [texts[i] for i in rows],
        batches=lambda: (texts[i : i + 400] for i in range(0, len(texts), 400)),
    )


@pytest.mark.parametrize("classifier", [LogisticRegression(C=30), MultinomialNB()])
def test_any_pipeline_can_be_trained(classifier: object) -> None:
    """Classifiers with decision_function or predict_proba alone are scored as they stream past."""
    documents = piped(make_pipeline(TfidfVectorizer(), classifier))
    found = study(documents, np.arange(400), LABELS[:400], everyone(400), F1)
    assert len(found.scores) == 1500
    assert found.scores[LABELS].mean() > found.scores[~LABELS].mean()


def test_a_pipeline_without_scores_is_refused() -> None:
    """Yes and no are not enough."""
    with pytest.raises(InputError, match="gives no scores: it needs predict_proba"):
        piped(TfidfVectorizer()).fit(np.arange(20), LABELS[:20])


def test_a_pipeline_that_cannot_be_fitted() -> None:
    """What the pipeline says is passed on."""
    documents = piped(make_pipeline(TfidfVectorizer(min_df=999), LogisticRegression()))
    with pytest.raises(InputError, match="'mine:build' cannot be trained"):
        documents.fit(np.arange(20), LABELS[:20])


def test_learners_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function or a ready pipeline in a file of this folder; anything else is refused."""
    (tmp_path / "own_learner.py").write_text(
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.feature_extraction.text import TfidfVectorizer\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "def build():\n    return make_pipeline(TfidfVectorizer(), LogisticRegression())\n"
        "ready = build()\nnumber = 3\n"
    )
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    assert hasattr(load_factory("own_learner:build")(), "fit")
    ready = load_factory("own_learner:ready")
    assert ready() is not ready()
    assert sys.path == before
    for name, words in (
        ("own_learner", "module:function"),
        ("nowhere:build", "cannot be loaded"),
        ("own_learner:absent", "cannot be loaded"),
        ("own_learner:number", "neither a pipeline nor a function"),
    ):
        with pytest.raises(InputError, match=words):
            load_factory(name)


def test_a_learner_of_the_same_name_in_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process may work in several folders: each means its own file."""
    for folder, number in (("one", 1), ("two", 2)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same_name.py").write_text(f"def build():\n    return {number}\n")
        monkeypatch.chdir(tmp_path / folder)
        assert load_factory("same_name:build")() == number


def test_random_items_are_next_in_ticket_order_whatever_the_scores() -> None:
    """The random part of an active batch is the same as if no scores existed."""
    rng = np.random.default_rng(1)
    order, scores = rng.permutation(200), rng.random(200)
    taken = np.zeros(200, dtype=np.bool_)
    taken[order[:17]] = True
    plain = next_rows(order, taken, number=6)
    for sampling in ("uncertainty", "relevance"):
        mixed = next_rows(order, taken, number=20, sampling=sampling, scores=scores)
        assert [c.row for c in mixed if c.random] == [c.row for c in plain]
        assert len({c.row for c in mixed}) == 20
        assert not taken[[c.row for c in mixed]].any()


def test_uncertain_and_relevant_items() -> None:
    """Uncertainty takes scores next to the threshold, relevance the highest."""
    scores = np.linspace(0.01, 0.99, 99)
    order, taken = np.arange(99), np.zeros(99, dtype=np.bool_)
    near = next_rows(
        order, taken, number=4, sampling="uncertainty", scores=scores, threshold=0.7,
        random_share=0.0,
    )  # fmt: skip
    assert max(abs(scores[c.row] - 0.7) for c in near) < 0.03
    top = next_rows(
        order, taken, number=3, sampling="relevance", scores=scores, random_share=0.0
    )  # fmt: skip
    assert [c.row for c in top] == [98, 97, 96]


def test_fewer_are_left_than_asked() -> None:
    """The last batch is short, and then empty."""
    order, taken = np.arange(5), np.array([True, True, True, False, True])
    assert [c.row for c in next_rows(order, taken, number=9)] == [3]
    assert next_rows(order, np.ones(5, dtype=np.bool_), number=9) == ()


def test_bands_keep_every_item() -> None:
    """Bands are cut by rank on each side of the threshold."""
    scores = np.random.default_rng(2).random(1000)
    found = bands(scores, 0.8)
    assert sum(b.items for b in found if b.predicted) == int((scores >= 0.8).sum())
    assert len(found) == 9
    assert bands(np.full(10, 0.2), 0.5)[0].items > 0
