"""The ask-and-tell interface: items to label out, labels in, until there is an answer."""

import operator
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, SupportsIndex, TypeVar

from assaymark.api.labels import LabelColumns, Labels, label_rows
from assaymark.api.wording import in_python
from assaymark.errors import InputError
from assaymark.files.labels import LabelRow
from assaymark.files.spelling import USUAL
from assaymark.hints import for_python
from assaymark.labelling.blocking import blocking_items, draw_warning
from assaymark.labelling.recording import DEFAULT_ANNOTATOR, Labelled, label, project_names
from assaymark.ledger.events import SurveyWork
from assaymark.overview.report import write_report
from assaymark.overview.status import Status, status
from assaymark.pool.dialect import WHOLE
from assaymark.pool.joined_ids import joined_name, parts_of_name, split_id
from assaymark.pool.reserve import load_texts
from assaymark.project.folder import Project, collection_of
from assaymark.project.place import is_project
from assaymark.sampling.surveys import open_items

Id = str | int | tuple[str | int, ...]
Answer = TypeVar("Answer")
USUAL_BATCH = 50


@dataclass(frozen=True, kw_only=True)
class Item:
    """Something to label: its id and the texts to read. Never its score or prediction."""

    id: Any
    texts: dict[str, str] = field(hash=False)

    @property
    def text(self) -> str:
        """All texts, one below the other."""
        return "\n".join(self.texts.values())


class AskTell(ABC, Generic[Answer]):
    """A project that asks for labels and takes them.

    The folder is an ordinary project: the command line and the page can work on it too.
    """

    project: Project
    _begun_with: ClassVar[str]

    def __init__(self, folder: str | Path, *, connection: object = None) -> None:
        self.project = Project(folder=Path(folder), connection=connection)
        if not is_project(self.project.folder):
            raise InputError(
                f"There is no assaymark project in {str(folder)!r}. Name the folder of one, or begin "
                f"one there: assaymark.{self._begun_with}(…, folder={str(folder)!r})."
            )
        self._read_id: Callable[[str], Id] | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.folder)!r})"

    @property
    def folder(self) -> Path:
        """The folder of the project."""
        return self.project.folder

    def ask(self, count: int | None = None) -> list[Item]:
        """The next items to label: `count` of them, or as many as are useful at this point.

        The last batch may be shorter, and there is none, an empty list, when nothing is left to
        draw. Items that were handed out before and have no label yet come with `open_items`.
        """
        if count is not None:
            count = _at_least("count", count, 1)
        with self.project.read_once() as state:
            left = self._left()
            if left == 0:
                return []
            blocking = blocking_items(state)
            if blocking is not None:
                how = " Differences are settled with adjudicate()." if blocking.disputed else ""
                warnings.warn(for_python(draw_warning(blocking)) + how, stacklevel=2)
            return self._items(self._draw(None if count is None else min(count, left)))

    def tell(
        self,
        labels: Labels,
        *,
        annotator: str = DEFAULT_ANNOTATOR,
        correct: bool = False,
        id: str | Sequence[str] | None = None,  # noqa: A002 - as on the command line
        label: str = "label",
    ) -> Labelled:
        """Record labels by item id: True/False, 1/0, the words of label files, None or "?".

        Where the pool names its verdicts (`positive`) or classes, their names are labels too.
        `labels` is a mapping or series by id, a list of pairs, or a table whose columns are named
        by `id` (the pool's unless given) and `label`. All are recorded, or none. An annotator's
        other answer to the same item is refused unless `correct` says that it is a correction.
        """
        return self._record(labels, annotator, id, label, correct=correct, adjudicate=False)

    def adjudicate(
        self,
        labels: Labels,
        *,
        annotator: str = "adjudicator",
        correct: bool = False,
        id: str | Sequence[str] | None = None,  # noqa: A002 - as above
        label: str = "label",
    ) -> Labelled:
        """Decide items on which reviewers differ. The same forms of labels as `tell`."""
        return self._record(labels, annotator, id, label, correct=correct, adjudicate=True)

    def run(
        self,
        label: Callable[[Item], Any],
        *,
        batch: int | None = None,
        max_labels: int | None = None,
        annotator: str = DEFAULT_ANNOTATOR,
    ) -> Answer:
        """Ask and tell until there is an answer, nothing is left, or `max_labels` were given.

        `label` is called with each `Item` and returns its label. Without `batch`, as many items are
        asked for at a time as are useful.
        """
        if not callable(label):
            raise InputError(
                f"'label' must be a function that labels an item, got a {type(label).__name__}. Labels "
                "that exist go to tell(labels)."
            )
        batch = None if batch is None else _at_least("batch", batch, 1)
        max_labels = None if max_labels is None else _at_least("max_labels", max_labels, 0)
        labelled = 0
        while not self._finished():
            room = None if max_labels is None else max_labels - labelled
            if room == 0:
                break
            items = self.open_items()[:room]
            if not items:
                items = self._next(batch, room)
            if not items:
                break
            self.tell([(item.id, label(item)) for item in items], annotator=annotator)
            labelled += len(items)
        return self._answer()

    def open_items(self) -> list[Item]:
        """Items that were handed out and have no settled label yet."""
        return self._items(self._open())

    def status(self) -> Status:
        """Where the work stands, without looking at the verdict."""
        return in_python(status(self.project))

    def report(self, path: str | Path | None = None) -> Path:
        """Write the report, .html or .pdf (report.html in the project unless named); its path."""
        return write_report(self.project, output=None if path is None else Path(path)).path

    def _record(
        self,
        labels: Labels,
        annotator: str,
        id_column: str | Sequence[str] | None,
        label_column: str,
        *,
        correct: bool,
        adjudicate: bool,
    ) -> Labelled:
        with self.project.read_once():
            rows = self._rows(labels, annotator, id_column, label_column)
            return in_python(label(self.project, rows, correct=correct, adjudicate=adjudicate))

    def _rows(
        self,
        labels: Labels,
        annotator: str,
        id_column: str | Sequence[str] | None,
        label_column: str,
    ) -> list[LabelRow]:
        state = self.project.state()
        usual = collection_of(state).columns.id
        column = usual if id_column is None else joined_name(id_column)
        columns = LabelColumns(id=column, label=label_column)
        names = project_names(state, USUAL)
        return label_rows(labels, annotator=annotator, columns=columns, names=names)

    def _items(self, ids: Sequence[str]) -> list[Item]:
        texts = self._texts(ids)
        return [Item(id=self._pool_id(name), texts=texts.get(name, {})) for name in ids]

    def _pool_id(self, name: str) -> Id:
        """The id in the type of the pool's column, a tuple where several columns make it."""
        if self._read_id is None:
            self._read_id = _id_reader(self.project)
        return self._read_id(name)

    def _next(self, batch: int | None, room: int | None) -> list[Item]:
        """The next items of a run: a batch, or as many as are useful, and no more than there is room."""
        if room is None:
            return self.ask(batch)
        return self.ask(min(batch or self._useful(), room))

    def _useful(self) -> int:
        """How many items are worth asking for at a time."""
        return USUAL_BATCH

    @abstractmethod
    def _draw(self, count: int | None) -> Sequence[str]:
        """Draw the next items."""

    @abstractmethod
    def _left(self) -> int:
        """How many items can still be drawn."""

    @abstractmethod
    def _open(self) -> Sequence[str]:
        """Items without a settled label."""

    @abstractmethod
    def _texts(self, ids: Sequence[str]) -> dict[str, dict[str, str]]:
        """What people read of these items."""

    @abstractmethod
    def _finished(self) -> bool:
        """Whether there is an answer already."""

    @abstractmethod
    def _answer(self) -> Answer:
        """What the labels say now."""


def _at_least(name: str, value: SupportsIndex, least: int) -> int:
    """The number, which may be one of numpy's."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise InputError(f"'{name}' must be a whole number of at least {least}, got {value!r}.")
    return number


def _id_reader(project: Project) -> Callable[[str], Id]:
    """Turns an id as it is stored into what it was in the collection that was given."""
    column = collection_of(project.state()).columns.id
    names = parts_of_name(column) or (column,)
    whole = [kind in WHOLE for kind in _types(project, names)]
    if len(names) > 1:
        return lambda name: tuple(
            int(part) if one else part for part, one in zip(split_id(name), whole, strict=True)
        )
    return int if whole[0] else str


def _types(project: Project, names: Sequence[str]) -> list[str]:
    """The types of these columns of the pool; text where the pool is a text file or elsewhere."""
    registered = collection_of(project.state())
    if registered.engine != "duckdb":
        return ["VARCHAR"] * len(names)
    pool = project.pool(registered)
    try:
        types: dict[str, str] = getattr(pool, "types", {})
        text = len(names) == 1 and _is_text_file(pool)
        return ["VARCHAR" if text else types.get(name, "VARCHAR") for name in names]
    finally:
        pool.close()


def _is_text_file(pool: Any) -> bool:
    """CSV and JSON files are read as text: their ids are as they are written there."""
    return bool(getattr(pool, "id_is_text", True))


class SurveyAskTell(AskTell[Answer]):
    """A project whose items are those of a survey."""

    @abstractmethod
    def _work(self) -> SurveyWork | None:
        """The survey; None before its first item is drawn."""

    def _useful(self) -> int:
        return self._left()

    def _finished(self) -> bool:
        return not self._left() and not self._open()

    def _drawn(self) -> int:
        work = self._work()
        return 0 if work is None else len(work.order)

    def _open(self) -> Sequence[str]:
        work = self._work()
        return [] if work is None else open_items(self.project.state(), work)

    def _texts(self, ids: Sequence[str]) -> dict[str, dict[str, str]]:
        work = self._work()
        texts: dict[str, dict[str, str]] = {}
        for file in work.files if work else ():
            texts |= load_texts(
                self.folder / file.file, list(ids), work.survey.text if work else ()
            )
        return texts
