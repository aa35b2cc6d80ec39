"""What people answered about one item. Many items have the same answers, and share them."""

from collections.abc import Iterable


class ItemAnswers(dict[str, int | None]):
    """The answer of each annotator, by name; never changed once made.

    They `differ` if they hold two labels, "cannot tell" aside; `label` is the one they hold, or None.
    """

    __slots__ = ("differ", "label")

    def __init__(self, answers: Iterable[tuple[str, int | None]]) -> None:
        super().__init__(answers)
        labels = {label for label in self.values() if label is not None}
        self.differ = len(labels) > 1
        self.label = next(iter(labels), None)

    def __reduce__(self) -> tuple[type["ItemAnswers"], tuple[tuple[tuple[str, int | None], ...]]]:
        return ItemAnswers, (tuple(self.items()),)


NO_ANSWERS = ItemAnswers(())
