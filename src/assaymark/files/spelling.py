"""How people write labels."""

from collections.abc import Iterable
from dataclasses import dataclass

from assaymark.errors import InputError

RELEVANT = {"1", "true", "yes", "y", "relevant", "1.0"}
NOT_RELEVANT = {"0", "false", "no", "n", "irrelevant", "not relevant", "0.0"}
CANNOT_TELL = {"?", "skip", "unclear", "cannot tell"}


@dataclass(frozen=True, kw_only=True)
class Names:
    """Other names that a project gives to its labels. They win over assaymark's own spellings."""

    relevant: frozenset[str] = frozenset()
    irrelevant: frozenset[str] = frozenset()
    unclear: frozenset[str] = frozenset()

    def meaning(self, text: str) -> str | None:
        """Which of the three answers this is: "1", "0", "?", or None for no label."""
        word = _word(text)
        own = {"1": self.relevant, "0": self.irrelevant, "?": self.unclear}
        usual = {"1": RELEVANT, "0": NOT_RELEVANT, "?": CANNOT_TELL}
        for spellings in (own, usual):
            found = next((answer for answer, words in spellings.items() if word in words), None)
            if found:
                return found
        return None


USUAL = Names()


def label_names(
    *, relevant: Iterable[str] = (), irrelevant: Iterable[str] = (), unclear: Iterable[str] = ()
) -> Names:
    """The names people gave their labels; refused where one name has two meanings."""
    given = [frozenset(map(_word, words)) for words in (relevant, irrelevant, unclear)]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        both = sorted(given[one] & given[other])
        if both:
            raise InputError(
                f"The label name {both[0]!r} is given two meanings. Name each label once."
            )
    if any("" in words for words in given):
        raise InputError("A label name cannot be empty: an empty label means not labelled yet.")
    return Names(relevant=given[0], irrelevant=given[1], unclear=given[2])


def read_label(text: str, names: Names = USUAL) -> int | None:
    """1 for relevant, 0 for not, None for "cannot tell".

    >>> read_label(" Yes ")
    1
    """
    meaning = names.meaning(text)
    if meaning is None:
        raise InputError(f"{text!r} is no label")
    return None if meaning == "?" else int(meaning)


def _word(text: str) -> str:
    return text.strip().lower()
