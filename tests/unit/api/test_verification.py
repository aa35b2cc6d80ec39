"""`assaymark.verify` takes certificates of every kind, as the command does."""

from pathlib import Path

import numpy as np
import pytest

import assaymark

RNG = np.random.default_rng(42)
TRUTH = np.where(RNG.random(400) < 0.4, "spam", "ham")
OTHER = np.where(TRUTH == "spam", "ham", "spam")


def _noisy(right: float) -> "np.ndarray":
    return np.where(np.random.default_rng(7).random(400) < right, TRUTH, OTHER)


POOL = {
    "id": np.arange(400),
    "old": _noisy(0.7),
    "new": _noisy(0.97),
    "score": np.where(_noisy(0.95) == "spam", 0.9, 0.1) + np.arange(400) / 10_000,
    "body": [f"{word} {number}" for number, word in enumerate(TRUTH)],
}


def _label(item: assaymark.Item) -> str:
    return str(TRUTH[item.id])


def _comparison(folder: Path) -> Path:
    work = assaymark.compare(POOL, a="old", b="new", positive="spam", seed=1, folder=folder)
    assert work.run(_label).decision == "better"
    return work.certify().path


def _parts(folder: Path) -> Path:
    claim = "recall >= 0.7 and precision >= 0.7"
    work = assaymark.certify_parts(
        POOL, claim, prediction="new", positive="spam", seed=1, folder=folder
    )
    assert work.run(_label, batch=40).established
    return work.certify().path


def _classes(folder: Path) -> Path:
    claim = "recall of every class >= 0.7"
    work = assaymark.certify_parts(
        POOL, claim, prediction="new", classes=True, seed=1, folder=folder
    )
    assert work.run(_label, batch=40).established
    return work.certify().path


def _cutoff(folder: Path) -> Path:
    work = assaymark.cutoff(POOL, "recall >= 0.7", at=[0.05, 0.5], seed=1, folder=folder)
    assert work.run(lambda item: TRUTH[item.id] == "spam", max_labels=200).established
    return work.certify().path


def _review(folder: Path) -> Path:
    work = assaymark.review(POOL, text="body", recall=0.5, known=[0, 1], folder=folder)
    assert work.run(lambda item: item.text.startswith("spam"), batch=80).decision == "stop"
    return work.certify().path


def _claim(folder: Path) -> Path:
    work = assaymark.certify(
        POOL, "accuracy >= 0.8", prediction="new", positive="spam", seed=1, folder=folder
    )
    assert work.run(_label, batch=40).established
    return work.certify().path


@pytest.mark.parametrize("issue", [_claim, _comparison, _parts, _classes, _cutoff, _review])
def test_every_kind_of_certificate_is_verified(issue, tmp_path: Path) -> None:
    path = issue(tmp_path / "work")
    result = assaymark.verify(str(path))
    assert result.status == "verified in part"
    assert "pool" not in result.missing
    assert result.statement in str(result)
    moved = tmp_path / "certificate.json"
    moved.write_bytes(path.read_bytes())
    assert assaymark.verify(moved).status == "consistent only"
    assert assaymark.verify(moved, project=tmp_path / "work").status == "verified in part"
    required = assaymark.verify(moved, project=str(tmp_path / "work"), require="witness")
    assert required.status == "failed"
    moved.write_bytes(path.read_bytes().replace(b'"issued":"20', b'"issued":"19', 1))
    assert assaymark.verify(moved, project=tmp_path / "work").status == "failed"


def test_what_cannot_be_meant_is_refused(tmp_path: Path) -> None:
    path = _claim(tmp_path / "work")
    moved = tmp_path / "certificate.json"
    moved.write_bytes(path.read_bytes())
    with pytest.raises(assaymark.AssaymarkError, match="name the project with project="):
        assaymark.verify(moved, pool="elsewhere.parquet")
    with pytest.raises(assaymark.AssaymarkError, match="64 hex digits"):
        assaymark.verify(path, heads="abc")
    with pytest.raises(
        assaymark.AssaymarkError, match=r"There is no certificate at .* certify\(\)\.$"
    ):
        assaymark.verify(tmp_path / "nothing.json")
    for other in (None, 42, assaymark.Counts(tp=1, fp=0, fn=0, tn=0)):
        with pytest.raises(assaymark.AssaymarkError, match="what certify"):
            assaymark.verify(other)  # type: ignore[arg-type]
    with pytest.raises(assaymark.AssaymarkError, match="'require'"):
        assaymark.verify(path, require="moon")  # type: ignore[arg-type]


def test_a_head_is_a_witness(tmp_path: Path) -> None:
    work = assaymark.certify(
        POOL, "accuracy >= 0.8", prediction="new", positive="spam", seed=1, folder=tmp_path / "w"
    )
    head = work.project.ledger.entries()[-1].hash
    work.run(_label, batch=40)
    issued = work.certify()
    result = assaymark.verify(issued.path, heads=head, require=["witness", "pool"])
    assert assaymark.verify(issued, heads=head) == result
    assert result.status == "verified"
