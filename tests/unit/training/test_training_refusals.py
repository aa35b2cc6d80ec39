"""What training refuses, in one sentence each, and what it bears: odd texts, no positive yet."""

import sys
import threading

import duckdb
import pytest

from assaymark.certification.sealing import PlanRequest, abandon_plan, seal_plan
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import InputError, PlanError
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.ledger.events import training_of
from assaymark.pool.tables import write_table
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.pool import Columns
from assaymark.training.freeze import stop_training
from assaymark.training.rounds import train, training_now
from assaymark.training.settings import TrainingRequest
from training_worlds import answer_training, begun, write_texts

F1 = parse_claim("f1 >= 0.8")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return write_texts(tmp_path_factory.mktemp("texts") / "pool.csv", items=600)


@pytest.fixture
def project(world, tmp_path):
    return begun(world, tmp_path / "work")


@pytest.fixture
def frozen(project, world):
    answer_training(project, world)
    train(project, TrainingRequest())
    stop_training(project)
    return project


def fresh(world, folder, **columns) -> Project:
    init(folder, pool=str(world.path), columns=Columns(id="id", **columns))
    return Project(folder=folder)


def test_active_sampling_asks_what_the_claim_is_about(world, tmp_path) -> None:
    fresh(world, tmp_path / "work", text=("body",))
    wish = TrainingRequest(claim=F1, budget=100, sampling="uncertainty")
    with pytest.raises(PlanError) as refused:
        train(Project(folder=tmp_path / "work"), wish)
    said = str(refused.value)
    assert said.startswith("With uncertainty sampling training picks out items, so what the claim")
    assert all(name in said for name in ("rest (", "whole (", "future ("))


def test_going_over_to_active_sampling_asks_too_and_then_seals(project, world) -> None:
    answer_training(project, world)
    with pytest.raises(PlanError, match="With relevance sampling training picks out items"):
        train(project, TrainingRequest(sampling="relevance"))
    train(project, TrainingRequest(sampling="relevance", population="rest"))
    assert training_of(project.state()).training.named
    with pytest.raises(PlanError, match="cannot become 'whole'"):
        train(project, TrainingRequest(population="whole"))


def test_a_part_for_the_future_is_set_aside_first_or_never(project) -> None:
    with pytest.raises(PlanError, match="set aside before the first training label"):
        train(project, TrainingRequest(population="future"))


def test_keep_belongs_to_the_future(world, tmp_path) -> None:
    fresh(world, tmp_path / "work", text=("body",))
    wish = TrainingRequest(claim=F1, budget=100, population="rest", keep=0.3)
    with pytest.raises(InputError, match='set aside only for population="future"'):
        train(Project(folder=tmp_path / "work"), wish)


@pytest.mark.parametrize("claim", ["prevalence >= 0.1", "elusion >= 0.1", "elusion <= 0.1"])
def test_claims_that_training_cannot_serve_are_refused(claim, world, tmp_path) -> None:
    """Among them all that would not carry over from the rest to the whole collection."""
    fresh(world, tmp_path / "work", text=("body",))
    wish = TrainingRequest(claim=parse_claim(claim), budget=100, population="whole")
    with pytest.raises(InputError, match="A classifier cannot be tuned for"):
        train(Project(folder=tmp_path / "work"), wish)


def test_a_mode_that_could_never_be_sealed_is_refused_before_the_first_label(
    world, tmp_path
) -> None:
    fresh(world, tmp_path / "work", text=("body",))
    wish = TrainingRequest(claim=parse_claim("f2 >= 0.7"), budget=100, mode="fixed")
    with pytest.raises(InputError, match="F2 can be certified in mode score-guided only"):
        train(Project(folder=tmp_path / "work"), wish)


def test_items_on_which_annotators_differ_are_named(project, world) -> None:
    answer_training(project, world)
    item = training_of(project.state()).order[0]
    label(project, [LabelRow(item=item, label=1 - world.truth[item], annotator="lee")])
    done = train(project, TrainingRequest())
    assert done.summary.labels == 59
    assert "1 item that training handed out waits for a label (1 because reviewers differ)" in (
        done.reason
    )


@pytest.mark.parametrize("claim", ["recall >= 0.8", "precision >= 0.7"])
def test_only_the_target_of_the_claim_may_change(project, claim) -> None:
    with pytest.raises(PlanError, match=r'trains for "f1 >= 0\.8", and only its target may change'):
        train(project, TrainingRequest(claim=parse_claim(claim)))


def test_a_training_needs_a_claim(world, tmp_path) -> None:
    fresh(world, tmp_path / "work", text=("body",))
    with pytest.raises(PlanError, match="Say what the classifier should reach"):
        train(Project(folder=tmp_path / "work"), TrainingRequest())
    with pytest.raises(PlanError, match="has no training yet"):
        training_now(Project(folder=tmp_path / "work"))


def test_a_budget_that_is_used_up_is_refused(project, world) -> None:
    answer_training(project, world)
    with pytest.raises(InputError, match="A budget of 50 labels is used up: 60 training labels"):
        train(project, TrainingRequest(budget=50))


def test_training_labels_are_refused_while_they_are_judged(frozen, world) -> None:
    mine = training_of(frozen.state()).order
    rows = [LabelRow(item=item, label=world.truth[item], annotator="lee") for item in mine[-60:]]
    before = len(frozen.ledger.entries())
    with pytest.raises(PlanError, match=r"holds 60 items of the training .* Nothing was recorded"):
        label(frozen, rows)
    assert len(frozen.ledger.entries()) == before
    abandon_plan(frozen, "other things to do")
    label(frozen, rows)


def test_no_training_while_a_plan_is_open(frozen) -> None:
    with pytest.raises(PlanError, match=r"Training is over while plan 1 \(.*\) is open"):
        train(frozen, TrainingRequest())
    with pytest.raises(PlanError, match="Training is over while plan 1"):
        stop_training(frozen)


def test_no_training_while_a_plan_on_the_collection_is_open(project) -> None:
    seal_plan(project, PlanRequest(claim=parse_claim("prevalence <= 0.5")))
    with pytest.raises(PlanError, match="Training is over while plan 1"):
        train(project, TrainingRequest())


def test_without_a_positive_training_goes_on_and_says_how(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work", batch=20)
    order = training_of(project.state()).order
    label(project, [LabelRow(item=item, label=0, annotator="kim") for item in order])
    done = train(project, TrainingRequest())
    assert done.advice is None
    assert "0 positives among 20 random training labels" in done.reason
    assert len(done.batch.items) == 20
    assert done.summary.looks == ()
    with pytest.raises(PlanError, match="no classifier to certify yet"):
        stop_training(project)


def test_only_positives_are_no_reason_to_stop_either(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work", batch=20)
    order = training_of(project.state()).order
    label(project, [LabelRow(item=item, label=1, annotator="kim") for item in order])
    done = train(project, TrainingRequest())
    assert "0 negatives among 20 random training labels" in done.reason


def test_known_positives_are_labelled_first_and_count_as_active(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work", batch=20, population="rest", sampling="uncertainty")
    known = [item for item, about in world.truth.items() if about]
    taken = set(training_of(project.state()).order)
    wanted = [item for item in known if item not in taken][:5]
    file = tmp_path / "seeds.csv"
    file.write_text("id,why\n" + "".join(f"{item},known\n" for item in wanted))
    train(project, TrainingRequest(seeds=file))
    work = training_of(project.state())
    assert [(item.id, item.cell) for item in work.files[-1].items] == [(i, 1) for i in wanted]
    for item in work.order:
        label(project, [LabelRow(item=item, label=int(item in wanted), annotator="kim")])
    done = train(project, TrainingRequest())
    assert done.advice is None, "cross-validation needs random positives"
    cells = [item.cell for item in training_of(project.state()).files[-1].items]
    assert cells.count(1) == 14, "but the seeds steer what is handed out next"


@pytest.mark.parametrize(
    ("text", "said"),
    [("nobody\n", "does not hold 1 item of 'seeds.csv' .the first is 'nobody'."),
     ("\n", "'seeds.csv' names no item"),
     (None, "were handed out before")],
)  # fmt: skip
def test_odd_seeds_are_refused(text, said, world, tmp_path) -> None:
    project = begun(world, tmp_path / "work", population="rest")
    file = tmp_path / "seeds.csv"
    file.write_text(text or "\n".join(training_of(project.state()).order))
    with pytest.raises(InputError, match=said):
        train(project, TrainingRequest(seeds=file))


def test_seeds_ask_for_the_population(project, tmp_path) -> None:
    file = tmp_path / "seeds.csv"
    file.write_text("t00001\n")
    with pytest.raises(PlanError, match="With seeds= training picks out items"):
        train(project, TrainingRequest(seeds=file))


def test_a_claim_out_of_reach_is_said_early(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work", claim=parse_claim("f1 >= 0.999"), batch=150)
    order = training_of(project.state()).order
    noise = [LabelRow(item=item, label=n % 3 == 0, annotator="kim") for n, item in enumerate(order)]
    label(
        project, [LabelRow(item=r.item, label=int(bool(r.label)), annotator="kim") for r in noise]
    )
    done = train(project, TrainingRequest())
    assert done.advice.out_of_reach
    assert "out of reach: f1 is projected to end near" in done.advice.reason
    assert "with all the training that the budget allows" in done.advice.reason


def test_a_pool_with_a_classifier_is_not_trained_on(world, tmp_path, assaymark, project) -> None:
    for name, columns, said in (
        ("plain", {}, "has no text column"),
        ("flags", {"prediction": "flag", "text": ("body",)}, "came with a classifier of its own"),
    ):
        path = tmp_path / f"{name}.csv"
        path.write_text("id,flag,body\na,1,x\nb,0,y\n")
        init(tmp_path / name, pool=str(path), columns=Columns(id="id", **columns))
        with pytest.raises(InputError, match=said):
            train(Project(folder=tmp_path / name), TrainingRequest(claim=F1, budget=100))


def test_a_table_that_only_spark_reaches_is_refused(world, tmp_path) -> None:
    from dataclasses import replace

    from assaymark.training.material import refuse_untrainable_pool

    project = fresh(world, tmp_path / "work", text=("body",))
    collection = project.state().collection
    with pytest.raises(InputError, match=r"'table:lake.texts' can be reached by Spark only"):
        refuse_untrainable_pool(replace(collection, source="table:lake.texts"))


def test_without_scikit_learn_it_says_what_to_install(world, tmp_path, monkeypatch) -> None:
    project = fresh(world, tmp_path / "work", text=("body",))
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(InputError, match=r"pip install 'assaymark\[learn\]'"):
        train(project, TrainingRequest(claim=F1, budget=100))
    assert not project.state().surveys


@pytest.mark.parametrize(
    ("learner", "said"),
    [("mine", "named module:function"),
     ("nowhere_at_all:build", "cannot be loaded"),
     ("json:loads", "cannot be made"),
     ("collections:Counter", "gives no scores")],
)  # fmt: skip
def test_learners_that_cannot_be_used_are_refused_before_any_label(
    learner, said, world, tmp_path
) -> None:
    project = fresh(world, tmp_path / "work", text=("body",))
    with pytest.raises(InputError, match=said):
        train(project, TrainingRequest(claim=F1, budget=100, learner=learner))
    assert not project.state().surveys


def test_empty_giant_and_foreign_texts_are_borne(tmp_path) -> None:
    odd = {
        "empty": "",
        "spaces": "   \t ",
        "giant": "orbit market " * 200_000,
        "japanese": "東京の天気は晴れです 宇宙探査機",
        "arabic": "كوكب المريخ",
        "mixed": "Москва rover 東京 😀 naïve",
    }
    world = write_texts(tmp_path / "pool.csv", items=300, odd=odd)
    project = begun(world, tmp_path / "work", batch=200)
    answer_training(project, world)
    stopped = stop_training(project)
    assert stopped.frozen.pool.summary.items == 106


def test_a_giant_text_takes_no_room_for_others(tmp_path) -> None:
    """Padded to the longest, these would need 40 GB."""
    texts = [*["short"] * 5_000, "giant" * 400_000]
    path = write_table(tmp_path / "texts.parquet", {"id": range(5_001), "text": texts})
    longest, items = duckdb.sql(f"SELECT max(length(text)), count(*) FROM '{path}'").fetchall()[0]
    assert (longest, items) == (2_000_000, 5_001)


def test_texts_without_a_single_word_train_nothing(tmp_path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("id,title,body\n" + "".join(f"d{n},,\n" for n in range(100)))
    init(tmp_path / "work", pool=str(path), columns=Columns(id="id", text=("title", "body")))
    project = Project(folder=tmp_path / "work")
    train(project, TrainingRequest(claim=F1, budget=90, batch=40))
    order = training_of(project.state()).order
    rows = [LabelRow(item=i, label=int(n % 4 == 0), annotator="kim") for n, i in enumerate(order)]
    label(project, rows)
    train(project, TrainingRequest())
    with pytest.raises(PlanError, match=r"The classifier flags (no|every) item"):
        stop_training(project)


def test_when_all_items_are_used_up_it_says_so(tmp_path) -> None:
    world = write_texts(tmp_path / "pool.csv", items=80)
    project = begun(world, tmp_path / "work", batch=60, budget=4000)
    answer_training(project, world)
    train(project, TrainingRequest())
    answer_training(project, world)
    done = train(project, TrainingRequest())
    assert done.reason == "No item of the collection is left that training may take."
    with pytest.raises(PlanError, match="Training took every item of the collection"):
        stop_training(project)


def test_two_rounds_at_the_same_moment_do_not_both_count(project, world, monkeypatch) -> None:
    answer_training(project, world)
    ready, go = threading.Event(), threading.Event()
    from assaymark.training import rounds as training

    real = training.refit_on

    def slow(*args, **options):
        ready.set()
        go.wait(30)
        return real(*args, **options)

    outcomes: list[str] = []

    def late() -> None:
        try:
            train(project, TrainingRequest())
            outcomes.append("done")
        except PlanError as error:
            outcomes.append(str(error))

    monkeypatch.setattr(training, "refit_on", slow)
    thread = threading.Thread(target=late)
    thread.start()
    ready.wait(30)
    monkeypatch.setattr(training, "refit_on", real)
    train(project, TrainingRequest())
    go.set()
    thread.join()
    assert outcomes[0].startswith("Another training step ran at the same moment")
    assert len(training_of(project.state()).models) == 1


def test_labels_that_come_in_during_a_round_are_learnt_from(project, world, monkeypatch) -> None:
    """The model on record is always that of the labels on record."""
    order = training_of(project.state()).order
    rows = [LabelRow(item=item, label=world.truth[item], annotator="kim") for item in order]
    label(project, rows[:50])
    from assaymark.training import rounds as training

    real, calls = training.refit_on, []

    def meanwhile(*args, **options):
        found = real(*args, **options)
        if not calls:
            label(project, rows[50:])
        calls.append(found)
        return found

    monkeypatch.setattr(training, "refit_on", meanwhile)
    done = train(project, TrainingRequest())
    assert len(calls) == 2
    assert done.summary.looks[-1].labels == 60


def test_labels_that_come_in_while_scoring_stop_the_freeze(project, world, monkeypatch) -> None:
    order = training_of(project.state()).order
    rows = [LabelRow(item=item, label=world.truth[item], annotator="kim") for item in order]
    label(project, rows[:50])
    from assaymark.training import freeze as training_freeze

    real = training_freeze.write_scored

    def meanwhile(*args):
        real(*args)
        label(project, rows[50:])

    monkeypatch.setattr(training_freeze, "write_scored", meanwhile)
    with pytest.raises(PlanError, match="came in while the collection was scored"):
        stop_training(project)
    assert not list((project.folder / "scores").iterdir()), "nothing half-written stays"


def test_labels_belong_to_plans_that_end_at_a_number(project, world) -> None:
    answer_training(project, world)
    with pytest.raises(InputError, match="labels= belongs to a plan that ends at a number"):
        stop_training(project, mode="score-guided", labels=100)
    with pytest.raises(InputError, match="'mode' must be one of"):
        stop_training(project, mode="sometimes")
    assert not training_of(project.state()).freezes


def test_a_changed_pool_is_noticed(world, tmp_path) -> None:
    own = write_texts(tmp_path / "pool.csv", items=300)
    project = begun(own, tmp_path / "work")
    answer_training(project, own)
    own.path.write_text(own.path.read_text() + "new,x,y\n")
    with pytest.raises(Exception, match="The pool changed after init"):
        train(project, TrainingRequest())
