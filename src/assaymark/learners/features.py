"""Texts as rows of word weights, made once per collection and kept on disk.

One idea: words are numbered by a hash, so texts can stream past without a vocabulary; only the
weights stay, in files that are read where they are needed. Words weigh (1 + ln tf)·ln(N/df), rows
have length one. Labels are never seen.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Progress = Callable[[str, float | None], None]

WIDTH = 2**18
LEAST_TEXTS = 3  # a word in fewer texts than this says nothing about other texts
LONGEST = 1_000_000  # characters of one text that are read
CHUNK = 20_000
WORD = r"\w+"
META, IDS = "features.json", "ids.json"
# Scripts that write words without spaces between them: their letters and pairs of letters count.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)


def _nothing(_message: str, _share: float | None) -> None:
    return None


def needed(module: str) -> Any:
    """A module of scikit-learn or SciPy that only training needs."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(
            "Training a classifier needs scikit-learn, which is not installed. Install it with: "
            "pip install 'assaymark[learn]'."
        ) from error


@dataclass(frozen=True, kw_only=True, eq=False)
class Features:
    """The rows of a collection: row i of `matrix` is the text of item ids[i]."""

    ids: NDArray[Any]
    matrix: Any

    @property
    def items(self) -> int:
        """How many rows there are."""
        return len(self.ids)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {str(item): row for row, item in enumerate(self.ids)}

    def places(self, ids: Iterable[str]) -> Ints:
        """The rows of these items."""
        try:
            return np.array([self._place[item] for item in ids], dtype=np.int64)
        except KeyError as error:
            raise InputError(
                f"The item {error.args[0]!r} is not among the texts that were read for training."
            ) from error

    def products(self, weights: NDArray[np.float32]) -> Floats:
        """Every row times these weights, a part of the rows at a time."""
        parts = [
            self.matrix[start : start + CHUNK] @ weights for start in range(0, self.items, CHUNK)
        ]
        return np.concatenate(parts).astype(np.float64)


def prepared(text: str) -> str:
    """The text as words are looked for in it.

    >>> prepared("Der Fluß"), prepared("東京 x")
    ('der fluß', ' 東 京 東京  x')
    """
    text = text[:LONGEST].lower()
    return text if text.isascii() else UNSPACED.sub(_letters, text)


def _letters(run: re.Match[str]) -> str:
    letters = run.group()
    pairs = [letters[i : i + 2] for i in range(len(letters) - 1)]
    return f" {' '.join([*letters, *pairs])} "


def hashing_vectorizer() -> Any:
    """Word counts of texts, numbered by a hash."""
    return needed("sklearn.feature_extraction.text").HashingVectorizer(
        n_features=WIDTH,
        alternate_sign=False,
        norm=None,
        preprocessor=prepared,
        token_pattern=WORD,
        dtype=np.float32,
    )


def importance_of(features: Features) -> NDArray[np.float32]:
    """The importance of every word in the collection that these features were made of."""
    texts_with = np.bincount(features.matrix.indices, minlength=WIDTH)
    return _importance(texts_with, features.items)


def vectorise(
    batches: Iterable[tuple[Sequence[str], Sequence[str]]],
    folder: Path,
    *,
    items: int,
    progress: Progress = _nothing,
) -> Features:
    """The features of a collection whose ids and texts come in batches; written into the folder.

    Texts are forgotten batch by batch. What is there is complete or not there at all: the file
    that names the parts is written last.
    """
    hashing = hashing_vectorizer()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / META).unlink(missing_ok=True)
    ids: list[str] = []
    ends, texts_with = [np.zeros(1, dtype=np.int64)], np.zeros(WIDTH, dtype=np.int64)
    with (folder / "words.bin").open("wb") as words, (folder / "weights.bin").open("wb") as weights:
        for batch_ids, texts in batches:
            counts = hashing.transform(texts)
            counts.sort_indices()
            ids += map(str, batch_ids)
            ends.append(counts.indptr[1:].astype(np.int64) + ends[-1][-1])
            texts_with += np.bincount(counts.indices, minlength=WIDTH)
            words.write(counts.indices.astype(np.int32).tobytes())
            weights.write((1 + np.log(counts.data)).astype(np.float32).tobytes())
            progress("reading the texts", 0.9 * min(1.0, len(ids) / max(items, 1)))
    rows = np.concatenate(ends)
    _weigh(folder, rows, _importance(texts_with, len(ids)), progress)
    np.save(folder / "rows.npy", rows)
    (folder / IDS).write_text(json.dumps(ids), encoding="utf-8")
    (folder / META).write_text(json.dumps({"items": len(ids), "width": WIDTH}), encoding="utf-8")
    return open_features(folder)


def _importance(texts_with: Ints, texts: int) -> NDArray[np.float32]:
    """ln(N/df) of every word; nothing for words of too few texts."""
    idf = np.log(max(texts, 1) / np.maximum(texts_with, 1))
    rare = texts_with < min(LEAST_TEXTS, max(1, texts // 20))
    return np.where(rare, 0.0, idf).astype(np.float32)


def _weigh(folder: Path, rows: Ints, importance: NDArray[np.float32], progress: Progress) -> None:
    """Multiply the stored weights by the importance of their words; rows get length one."""
    if rows[-1] == 0:
        return
    words = np.memmap(folder / "words.bin", dtype=np.int32, mode="r")
    weights = np.memmap(folder / "weights.bin", dtype=np.float32, mode="r+")
    for first in range(0, len(rows) - 1, CHUNK):
        last = min(first + CHUNK, len(rows) - 1)
        start, stop = rows[first], rows[last]
        part = weights[start:stop] * importance[words[start:stop]]
        inside = np.repeat(np.arange(last - first), np.diff(rows[first : last + 1]))
        length = np.sqrt(np.bincount(inside, weights=part**2, minlength=last - first))
        weights[start:stop] = part / np.maximum(length, 1e-12)[inside]
        progress("weighing the words", 0.9 + 0.1 * last / (len(rows) - 1))
    weights.flush()


def open_features(folder: Path) -> Features:
    """Features that were made before, read from disk as they are used."""
    if not (folder / META).exists():
        raise InputError("The texts of this project were not read for training yet.")
    ids = json.loads((folder / IDS).read_text(encoding="utf-8"))
    rows = np.load(folder / "rows.npy")
    words, weights = (
        np.memmap(folder / name, dtype=kind, mode="r") if rows[-1] else np.zeros(0, dtype=kind)
        for name, kind in (("words.bin", np.int32), ("weights.bin", np.float32))
    )
    matrix = needed("scipy.sparse").csr_matrix((weights, words, rows), shape=(len(ids), WIDTH))
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return Features(ids=np.array(ids, dtype=object), matrix=matrix)


def has_features(folder: Path, *, items: int) -> bool:
    """Whether the features of a collection of this many items are complete in the folder."""
    try:
        meta = json.loads((folder / META).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(meta == {"items": items, "width": WIDTH})
