"""Cells: items of a pool put together by what is known of them before any label."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from assaymark.claims.canonical import digest
from assaymark.claims.checks import count, did_you_mean
from assaymark.claims.label_sets import members
from assaymark.claims.language.tree import Figure
from assaymark.claims.metrics import AVERAGES
from assaymark.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Items with the same predictions and group values.

    `beliefs` are the expected shares of each label among them, in the order of `Cells.labels`.
    """

    predictions: tuple[str, ...]
    groups: tuple[str, ...] = ()
    items: int
    beliefs: tuple[Fraction, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Cells:
    """All cells of a pool, and the names that their values belong to.

    `others` are labels that no classifier predicts, such as "none of the list". With `tags` every
    class is a set of them, and what a claim calls a class is a tag.
    """

    classifiers: tuple[str, ...]
    classes: tuple[str, ...]
    positive: str | None = None
    columns: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    cells: tuple[Cell, ...]

    def __post_init__(self) -> None:
        if len(set(self.labels)) < len(self.labels):
            raise InputError(f"A label is listed twice: {', '.join(self.labels)}.")
        if self.positive is not None and self.positive not in self.classes:
            raise InputError(f"The positive class '{self.positive}' is not {_or(self.classes)}.")
        for cell in self.cells:
            self._check(cell)

    def _check(self, cell: Cell) -> None:
        count("items", cell.items)
        shapes = (len(cell.predictions), len(cell.groups), len(cell.beliefs))
        if shapes[:2] != (len(self.classifiers), len(self.columns)) or shapes[2] not in (
            0,
            len(self.labels),
        ):
            raise InputError(f"The cell {cell} does not fit its classifiers, columns and labels.")
        for value in cell.predictions:
            if value not in self.labels:
                raise InputError(f"The prediction '{value}' is not {_or(self.labels)}.")

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Every value a label can have."""
        return (*self.classes, *self.others)

    @property
    def names(self) -> tuple[str, ...]:
        """What a claim can name as a class."""
        return self.tags or self.classes

    def has(self, label: str, name: str) -> bool:
        """Whether an item with this label, or a prediction, is of the class that a claim names."""
        return name in members(label) if self.tags else name == label

    @cached_property
    def digest(self) -> str:
        """Hex SHA-256 of names and counts: what the numbers of cells in rows stand for."""
        cells = [[list(c.predictions), list(c.groups), c.items] for c in self.cells]
        names = [self.classifiers, self.classes, self.others, self.columns]
        tags = [list(self.tags)] if self.tags else []
        return digest([*map(list, names), *tags, self.positive, cells])

    @cached_property
    def everywhere(self) -> tuple[int, ...]:
        """The numbers of all cells that hold items."""
        return tuple(i for i, cell in enumerate(self.cells) if cell.items)

    def items(self, scope: Sequence[int]) -> int:
        """How many items these cells hold."""
        return sum(self.cells[i].items for i in scope)

    def column(self, name: str) -> int:
        """The place of a column; a plural ("regions") names the column "region"."""
        for candidate in (name, name.removesuffix("s"), name.removesuffix("ies") + "y"):
            if candidate in self.columns:
                return self.columns.index(candidate)
        raise InputError(
            f"The pool has no group column '{name}': it has {_known(name, self.columns)}"
        )

    def groups(self, columns: Sequence[str]) -> dict[tuple[str, ...], tuple[int, ...]]:
        """The cells of every group: every combination of the columns' values that has items."""
        places = tuple(self.column(name) for name in columns)
        if places not in self._groups:
            groups: dict[tuple[str, ...], list[int]] = {}
            for i in self.everywhere:
                key = tuple(self.cells[i].groups[place] for place in places)
                groups.setdefault(key, []).append(i)
            self._groups[places] = {key: tuple(scope) for key, scope in sorted(groups.items())}
        return self._groups[places]

    @cached_property
    def _groups(self) -> dict[tuple[int, ...], dict[tuple[str, ...], tuple[int, ...]]]:
        return {}

    def classifier(self, name: str) -> int:
        """The place of a classifier."""
        if name not in self.classifiers:
            raise InputError(
                f"There is no classifier '{name}': there is {_known(name, self.classifiers)}"
            )
        return self.classifiers.index(name)

    def believed(self, label: str, scope: Sequence[int]) -> int | None:
        """Expected number of items with this label, at least 1; None without beliefs."""
        if not all(self.cells[i].beliefs for i in scope):
            return None
        places = [o for o, name in enumerate(self.labels) if self.has(name, label)]
        total = sum(
            (self.cells[i].items * self.cells[i].beliefs[o] for i in scope for o in places),
            Fraction(0),
        )
        return max(1, round(total))

    def predicted(self, label: str, classifier: int, scope: Sequence[int]) -> int:
        """How many items the classifier gives this label."""
        return sum(
            self.cells[i].items
            for i in scope
            if self.has(self.cells[i].predictions[classifier], label)
        )


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What a figure is about: a class (None: the label itself) and a classifier's place."""

    metric: str
    klass: str | None
    classifier: int


def subjects(figure: Figure, cells: Cells) -> tuple[Subject, ...]:
    """The figure's class and classifier, by the names of the pool; one per class for every class."""
    names = list(figure.names)
    klass = None
    if figure.every_class:
        classifier = cells.classifier(names[0]) if names else _only(cells)
        if figure.metric in AVERAGES:
            raise InputError(f"{figure.metric} is about all classes together: leave out the class.")
        return tuple(
            Subject(metric=figure.metric, klass=name, classifier=classifier) for name in cells.names
        )
    if len(names) == 2 or (names and _is_class(names[0], cells)):
        klass = _known_class(names.pop(0), figure, cells)
    classifier = cells.classifier(names[0]) if names else _only(cells)
    if klass is None and figure.metric not in (*AVERAGES, "accuracy"):
        klass = _positive(figure, cells)
    return (Subject(metric=figure.metric, klass=klass, classifier=classifier),)


def _is_class(name: str, cells: Cells) -> bool:
    if name in cells.names and name in cells.classifiers:
        raise InputError(
            f"'{name}' is a class and a classifier: name both, as in recall of {name} of {name}."
        )
    if name not in cells.names and len(cells.classifiers) == 1 and name not in cells.classifiers:
        raise InputError(f"There is no class '{name}': there is {_known(name, cells.names)}")
    if name not in cells.names and name not in cells.classifiers:
        known = _known(name, (*cells.names, *cells.classifiers))
        raise InputError(f"'{name}' is neither a class nor a classifier: there is {known}")
    return name in cells.names


def _known_class(name: str, figure: Figure, cells: Cells) -> str:
    if name not in cells.names:
        raise InputError(f"There is no class '{name}': there is {_known(name, cells.names)}")
    if figure.metric in AVERAGES:
        raise InputError(f"{figure.metric} is about all classes together: leave out '{name}'.")
    return name


def _positive(figure: Figure, cells: Cells) -> str:
    if cells.positive is None:
        raise InputError(
            f"{figure.metric} needs a class: write {figure.metric} of {_or(cells.names)}, "
            f"or {figure.metric} of every class."
        )
    return cells.positive


def _only(cells: Cells) -> int:
    if len(cells.classifiers) != 1:
        raise InputError(f"Name the classifier: there is {_or(cells.classifiers)}.")
    return 0


def _known(name: str, names: Sequence[str]) -> str:
    """The names there are, and the one that may be meant: a long list is cut before it."""
    return f"{_or(names)}.{did_you_mean(name, names)}"


def _or(names: Sequence[str]) -> str:
    shown = [f"'{name}'" for name in names[:10]] + (["…"] if len(names) > 10 else [])
    return " or ".join(shown) if shown else "none"
