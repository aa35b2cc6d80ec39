"""What people answered about one item, and whether it needs two. Items with the same answers share them."""

import hashlib
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


class AnswersByItem(dict[str, ItemAnswers]):
    """The answers about every item; those that are alike are one object."""

    def __init__(self) -> None:
        super().__init__()
        self._alike: dict[tuple[tuple[str, int | None], ...], ItemAnswers] = {}

    def of(self, item: str) -> ItemAnswers:
        """What each annotator answered about the item."""
        return self.get(item, NO_ANSWERS)

    def give(self, item: str, annotator: str, label: int | None) -> None:
        """Take an answer into account, in place of the one this annotator gave before."""
        before = self.get(item)
        answers = tuple({**before, annotator: label}.items()) if before else ((annotator, label),)
        if answers not in self._alike:
            self._alike[answers] = ItemAnswers(answers)
        self[item] = self._alike[answers]

    def copy(self) -> "AnswersByItem":
        """The same answers, to go on from apart from these."""
        twin = AnswersByItem()
        twin.update(self)
        twin._alike = self._alike.copy()
        return twin


def read_twice(seed: str, item: str, share: float) -> bool:
    """Whether this item is among the share that two people label: decided by seed and id alone."""
    number = int(hashlib.sha256(f"{seed}:second reader:{item}".encode()).hexdigest()[:13], 16)
    return number < share * 16**13
