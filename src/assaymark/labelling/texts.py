"""The texts of drawn items, fetched from the project's files a shelf at a time."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

from assaymark.ledger.events import State
from assaymark.project.folder import Project, registered_pool

Fields = tuple[tuple[str, str], ...]
Sources = tuple[tuple[str, tuple[str, ...]], ...]
SHORT = 140  # characters of a text that can stand beside another
MOST_BYTES = 64_000_000  # kept in memory; the rest is read again when it is wanted


def text_sources(state: State) -> Sources:
    """Each project file that holds texts, with the names of its text columns, newest first."""
    sources = [
        (batch.file, work.survey.text) for work in reversed(state.surveys) for batch in work.files
    ]
    pool = registered_pool(state)
    sources += [
        (file, pool.columns.text)
        for review in state.reviews
        for file in dict.fromkeys(batch.file for batch in reversed(review.batches))
    ]
    sources += [
        (reserve.file, pool.columns.text)
        for attempt in reversed(state.attempts)
        for reserve in attempt.reserves
    ]
    return tuple(sources)


class Shelf:
    """Texts near at hand: what came first goes first when space runs out."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._kept: OrderedDict[str, Fields] = OrderedDict()
        self._size = 0
        self._lengths: dict[str, list[int]] = {}  # of each column: texts, characters, long ones
        self._lock = threading.Lock()

    def has(self, item: str) -> bool:
        """Whether the item's text is at hand."""
        return item in self._kept

    def fetch(self, sources: Sources, items: Sequence[str]) -> None:
        """Bring these items' texts to hand, in one reading of each file."""
        from assaymark.pool.reserve import load_texts  # loads a database engine

        with self._lock:
            missing = [item for item in dict.fromkeys(items) if item not in self._kept]
            for file, columns in sources:
                path = self._project.folder / file
                if not missing or not path.exists():
                    continue
                for item, fields in load_texts(path, missing, columns).items():
                    self._put(item, tuple((name, fields[name] or "") for name in columns))
                missing = [item for item in missing if item not in self._kept]
            for item in missing:
                self._put(item, ())

    def fields(self, sources: Sources, item: str) -> Fields:
        """Names and texts of the item's columns."""
        texts = self._kept.get(item)
        if texts is None:
            self.fetch(sources, [item])
            texts = self._kept.get(item, ())
        return texts

    def main_columns(self) -> frozenset[str]:
        """The columns that people read; others stand beside them. Without a long one, the longest."""
        lengths = dict(self._lengths)
        long = frozenset(name for name, (_, _, wide) in lengths.items() if wide)
        if long or not lengths:
            return long
        return frozenset({max(lengths, key=lambda name: lengths[name][1] / lengths[name][0])})

    def _put(self, item: str, fields: Fields) -> None:
        self._kept[item] = fields
        for name, text in fields:
            known = self._lengths.setdefault(name, [0, 0, 0])
            known[0] += 1
            known[1] += len(text)
            known[2] += len(text) >= SHORT or "\n" in text.strip()
        self._size += sum(len(text) for _, text in fields)
        while self._size > MOST_BYTES and len(self._kept) > 1:
            _, old = self._kept.popitem(last=False)
            self._size -= sum(len(text) for _, text in old)
