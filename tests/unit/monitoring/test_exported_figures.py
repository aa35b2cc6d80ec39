"""Exports of certificates of several parts: which figures they prove, under which names."""

import base64
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import assaymark
from assaymark.monitoring.exports import FORMATS, read_exported
from assaymark.monitoring.exports.facts import Exported
from assaymark.monitoring.exports.figures import several_figures
from assaymark.monitoring.exports.in_toto import statement as in_toto_statement
from looks import a_look

RNG = np.random.default_rng(42)
TRUTH = RNG.random(300) < 0.4
TOPIC = np.array(["arts", "news", "sport"])[RNG.integers(0, 3, 300)]
POOL = {
    "id": np.arange(300),
    "new": TRUTH ^ (np.arange(300) % 25 == 0),
    "old": TRUTH ^ (np.arange(300) % 3 == 0),
    "topic": np.where(np.arange(300) % 25 == 0, "arts", TOPIC),
    "language": np.where(np.arange(300) % 7 < 3, "de", "fr"),
    "score": np.where(TRUTH, 0.8, 0.2) + np.arange(300) / 2000 - 0.05,
}


def _label(item: assaymark.Item) -> bool:
    return bool(TRUTH[item.id])


def _topic(item: assaymark.Item) -> str:
    return str(TOPIC[item.id])


def _exported(work: assaymark.ComposedClaim, label=_label, **more: int):
    assert work.run(label, batch=100, **more).established
    return read_exported(work.certify().path)


def _groups(folder: Path):
    claim = "recall >= 0.6 and precision >= 0.6 in every language"
    return _exported(
        assaymark.certify_parts(
            POOL, claim, prediction="new", group="language", seed=1, folder=folder
        )
    )


def _classes(folder: Path):
    claim = "recall of every class >= 0.6"
    work = assaymark.certify_parts(
        POOL, claim, prediction="topic", classes=True, seed=1, folder=folder
    )
    return _exported(work, _topic)


def _comparison(folder: Path):
    return _exported(assaymark.compare(POOL, a="new", b="old", seed=1, folder=folder))


def _cutoff(folder: Path):
    work = assaymark.cutoff(POOL, "recall >= 0.8", at=[0.3, 0.5], seed=1, folder=folder)
    return _exported(work, max_labels=300)


KEYS = {
    _groups: ["recall/language_de", "precision/language_de", "recall/language_fr", "precision/language_fr"],
    _classes: ["recall/arts", "recall/news", "recall/sport"],
    _comparison: ["accuracy_gap/old_less_new"],
    _cutoff: ["recall/score_0.5"],
}  # fmt: skip


@pytest.mark.parametrize("issue", KEYS)
def test_every_format_takes_a_certificate_of_several_parts(issue, tmp_path: Path) -> None:
    # takes seconds to load, which every process that only collects tests would wait for
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    exported = issue(tmp_path / "work")
    assert sorted(figure.key for figure in exported.figures) == sorted(KEYS[issue])
    text = {name: write(exported) for name, write in FORMATS.items()}
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text["cyclonedx"]) is None
    metrics = json.loads(text["mlflow"])["metrics"]
    assert {f"{key}_lower" for key in KEYS[issue]} < set(metrics)
    assert all(f'type: "{key}_lower"' in text["hf"] for key in KEYS[issue])
    results = json.loads(text["every-eval-ever"])["evaluation_results"]
    assert len(results) == len(KEYS[issue])
    statement = json.loads(base64.b64decode(json.loads(text["in-toto"])["payload"]))
    assert statement["predicate"]["result"] == "PASSED"
    assert statement["predicate"]["passedTests"] == list(exported.passed)
    assert statement["predicate"]["configuration"][0]["digest"]["sha256"] == exported.fingerprint


def test_bounds_are_those_of_the_certificate(tmp_path: Path) -> None:
    exported = _groups(tmp_path / "work")
    facts = json.loads((tmp_path / "work" / "certificate.json").read_text(encoding="utf-8"))
    proved = {(part["part"], *part["group"]): part["bound"] for part in facts["result"]["parts"]}
    assert {
        (f.claim, str(f.part).removeprefix("language = ")): f.low for f in exported.figures
    } == proved
    assert exported.details["bounds"].startswith("Each bound of a part holds with 95% confidence")


def test_a_family_of_which_not_all_is_proved_is_a_warning(tmp_path: Path) -> None:
    """One language is right throughout; of the other every fourth item is wrong."""
    wrong = (POOL["language"] == "fr") & (np.arange(300) % 4 == 0)
    work = assaymark.certify_parts(
        {**POOL, "mixed": TRUTH ^ wrong},
        "accuracy >= 0.8 in every language",
        prediction="mixed",
        group="language",
        which=True,
        seed=1,
        folder=tmp_path / "work",
    )
    work.run(_label, batch=60, max_labels=240)
    exported = read_exported(work.certify().path)
    assert [figure.key for figure in exported.figures] == ["accuracy/language_de"]
    lost, proved = ("accuracy >= 0.8 [fr]",), ["accuracy >= 0.8 [de]"]
    failed = _predicate(exported)
    assert (failed["passedTests"], failed["failedTests"]) == (proved, list(lost))
    waiting = _predicate(replace(exported, failed=(), open=lost))
    assert (waiting["passedTests"], waiting["warnedTests"]) == (proved, list(lost))
    assert failed["result"] == waiting["result"] == "WARNED"


def _predicate(exported: Exported) -> dict:
    from google.protobuf import json_format
    from in_toto_attestation.predicates.test_result.v0 import test_result_pb2 as published

    predicate = in_toto_statement(exported)["predicate"]
    json_format.ParseDict(predicate, published.TestResult())  # unknown fields fail
    return predicate


def test_a_comparison_that_was_lost_is_not_exported_as_won(tmp_path: Path) -> None:
    """The words of the claim ask whether b is better; what is certified is that it is worse."""
    exported = _comparison(tmp_path / "work")
    (sentence,) = exported.passed
    assert sentence.startswith("'old' is worse than 'new' in accuracy")
    (figure,) = exported.figures
    assert figure.claim == sentence
    assert -1 <= figure.low < figure.high <= 0


@pytest.mark.parametrize(
    ("words", "facts", "expected"),
    [
        ("macro f1 >= 0.7", {}, ("macro_f1", 0.7, 1.0, False)),
        ("elusion <= 0.1", {"bound": 0.06}, ("elusion", 0.0, 0.06, True)),
        ("precision gap between languages <= 0.3", {}, ("precision_gap", 0.0, 0.3, True)),
        ("f1 of b >= f1 of a - 0.01", {}, ("f1_gap/b_less_a", -0.01, 1.0, False)),
        ("accuracy of new > accuracy of old", {}, ("accuracy_gap/new_less_old", 0.0, 1.0, False)),
        ("accuracy of b within 0.02 of a", {}, ("accuracy_gap/b_less_a", -0.02, 0.02, False)),
    ],
)
def test_what_is_proved_of_a_part(words: str, facts: dict, expected: tuple) -> None:
    part = {"part": words, "group": [], "state": "reached", "labels": 50, **facts}
    (figure,) = several_figures(a_look(part, claim=words))
    assert (figure.key, figure.low, figure.high, figure.lower_is_better) == expected


def test_what_is_open_in_a_family_is_no_figure_and_two_names_never_share_a_key() -> None:
    parts = [
        {"part": f'recall of "{name}" >= 0.7', "group": [], "state": state, "labels": 9, "bound": 0.8}
        for name, state in (("c#", "reached"), ("c+", "reached"), ("java", "open"))
    ]  # fmt: skip
    figures = several_figures(a_look(*parts, claim="recall of every class >= 0.7"))
    assert [figure.key for figure in figures] == ["recall/c", "recall/c-2"]
