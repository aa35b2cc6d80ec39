"""Texts become rows of word weights once, whatever comes in, without holding the texts."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from assaymark.errors import InputError
from assaymark.learners.features import Features, has_features, open_features, prepared, vectorise

TEXTS = [
    "harbour ships harbour crane",
    "ships and cranes and harbours",
    "crane harbour dock",
    "",
    "dock ships harbour harbour harbour",
    "東京の港 harbour",
    "港の船 ships",
    "порт и суда",
] * 4


def batches(texts: list[str], size: int) -> Iterator[tuple[list[str], list[str]]]:
    for start in range(0, len(texts), size):
        part = texts[start : start + size]
        yield [f"d{start + i}" for i in range(len(part))], part


def made(folder: Path, texts: list[str] = TEXTS, size: int = 5) -> Features:
    return vectorise(batches(texts, size), folder, items=len(texts))


def test_rows_are_the_stated_weights(tmp_path: Path) -> None:
    """Similarities equal those of (1 + ln tf)·ln(N/df) computed with a vocabulary, to 1e-5."""
    found = made(tmp_path / "f")
    counts = CountVectorizer(preprocessor=prepared, token_pattern=r"\w+").fit_transform(TEXTS)
    tf = counts.toarray().astype(float)
    weights = np.where(tf > 0, 1 + np.log(np.maximum(tf, 1)), 0) * np.log(
        len(TEXTS) / (tf > 0).sum(axis=0)
    )
    length = np.linalg.norm(weights, axis=1, keepdims=True)
    unit = np.divide(weights, length, out=np.zeros_like(weights), where=length > 0)
    mine = found.matrix.toarray()
    assert np.allclose(mine @ mine.T, unit @ unit.T, atol=1e-5)


def test_batches_do_not_matter(tmp_path: Path) -> None:
    """The same texts in other batches give the same rows."""
    one, two = made(tmp_path / "a", size=3), made(tmp_path / "b", size=32)
    assert (one.matrix != two.matrix).nnz == 0
    assert list(one.ids) == list(two.ids)


def test_reopened_features_are_the_same(tmp_path: Path) -> None:
    """What is read from disk is what was made."""
    first = made(tmp_path / "f")
    assert (open_features(tmp_path / "f").matrix != first.matrix).nnz == 0
    assert has_features(tmp_path / "f", items=len(TEXTS))
    assert not has_features(tmp_path / "f", items=len(TEXTS) + 1)


def test_half_made_features_are_not_taken(tmp_path: Path) -> None:
    """Reading that broke off leaves nothing that looks complete."""

    def broken() -> Iterator[tuple[list[str], list[str]]]:
        yield ["a"], ["one text"]
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        vectorise(broken(), tmp_path / "f", items=2)
    assert not has_features(tmp_path / "f", items=2)
    with pytest.raises(InputError, match="not read for training yet"):
        open_features(tmp_path / "f")


def test_empty_giant_and_foreign_texts(tmp_path: Path) -> None:
    """Empty texts are rows of zeros, giants have length one, scripts without spaces share words."""
    texts = [*TEXTS, "word " * 500_000, "   ", "\x00\ufffd", "港"]
    found = made(tmp_path / "f", texts)
    length = np.sqrt(np.asarray(found.matrix.multiply(found.matrix).sum(axis=1)).ravel())
    assert length[3] == 0
    assert length[0] == pytest.approx(1, abs=1e-5)
    asian = found.matrix[[5, 6]].toarray()
    assert asian[0] @ asian[1] > 0.05


def test_only_empty_texts(tmp_path: Path) -> None:
    """A collection without any word still has its rows."""
    found = made(tmp_path / "f", ["", " ", ""])
    assert found.matrix.shape[0] == 3
    assert not found.products(np.ones(found.matrix.shape[1], dtype=np.float32)).any()


def test_unknown_items_are_refused(tmp_path: Path) -> None:
    """An item that was not read is named."""
    found = made(tmp_path / "f")
    assert list(found.places(["d3", "d0"])) == [3, 0]
    with pytest.raises(InputError, match="'nobody' is not among the texts"):
        found.places(["nobody"])
