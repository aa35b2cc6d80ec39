"""How people write labels."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from assaymark.claims.label_sets import members, set_name
from assaymark.errors import InputError

RELEVANT = {
    "1", "true", "yes", "y", "relevant", "1.0", "included", "include", "responsive", "ja", "oui",
}  # fmt: skip
NOT_RELEVANT = {
    "0", "false", "no", "n", "irrelevant", "not relevant", "0.0", "excluded", "exclude",
    "not responsive", "non-responsive", "nein", "non",
}  # fmt: skip
CANNOT_TELL = {"?", "skip", "unclear", "cannot tell"}


@dataclass(frozen=True, kw_only=True)
class Names:
    """Other names that a project gives to its labels. They win over assaymark's own spellings.

    Where labels are `classes`, a label is one of these names, as they are written, or cannot tell;
    it means its place in the list; with `tags` it is a set of them, as "a; b". `id_column` and
    `label_column` name the columns of a table whose
    own are not called id and label.
    """

    relevant: frozenset[str] = frozenset()
    irrelevant: frozenset[str] = frozenset()
    unclear: frozenset[str] = frozenset()
    classes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    id_column: str = ""
    label_column: str = ""

    def meaning(self, text: str) -> str | None:
        """Which answer this is: "1", "0" or the place of a class, "?", or None for no label."""
        word = _word(text)
        if self.tags:
            return self._place(self._set(text), word)
        if self.classes:
            return self._place(text.strip(), word)
        names = {"1": self.relevant, "0": self.irrelevant, "?": self.unclear}
        usual = {"1": RELEVANT, "0": NOT_RELEVANT, "?": CANNOT_TELL}
        for spellings in (names, usual):
            answer_code = next(
                (answer for answer, words in spellings.items() if word in words), None
            )
            if answer_code:
                return answer_code
        return None

    def _set(self, text: str) -> str:
        """The name of the set, whatever the order and case of its tags; else the text as it is."""
        known = {_word(tag): tag for tag in self.tags}
        chosen = [known.get(_word(one)) for one in members(text)]
        if len(known) < len(self.tags):  # two tags differ in case alone: each as it is written
            chosen = [one if one in self.tags else None for one in members(text)]
        inside = [tag for tag in chosen if tag is not None]
        return (
            set_name(inside, self.tags) if chosen and len(inside) == len(chosen) else text.strip()
        )

    def _place(self, name: str, word: str) -> str | None:
        if name in self.classes:
            return str(self.classes.index(name))
        if word in self.unclear or word in CANNOT_TELL:
            return "?"
        alike = [place for place, known in enumerate(self.classes) if _word(known) == word]
        return str(alike[0]) if len(alike) == 1 else None

    def with_verdicts(
        self, positive: str, negative: str | None, unclear: str | None = None
    ) -> "Names":
        """These names, and the answers as predictions or buttons spell them; these names win."""
        return replace(
            self,
            relevant=self.relevant | {_word(positive)} - self.irrelevant - self.unclear,
            irrelevant=self.irrelevant | ({_word(negative)} if negative else set()) - self.relevant,
            unclear=self.unclear | ({_word(unclear)} if unclear else set()),
        )


USUAL = Names()


def label_names(
    *,
    relevant: Iterable[str] = (),
    irrelevant: Iterable[str] = (),
    unclear: Iterable[str] = (),
    id_column: str | None = None,
    label_column: str | None = None,
) -> Names:
    """The names people gave their labels; refused where one name has two meanings."""
    spellings = [frozenset(map(_word, words)) for words in (relevant, irrelevant, unclear)]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        both = sorted(spellings[one] & spellings[other])
        if both:
            raise InputError(
                f"The label name {both[0]!r} is given two meanings. Name each label once."
            )
    if any("" in words for words in spellings):
        raise InputError("A label name cannot be empty: an empty label means not labelled yet.")
    return Names(
        relevant=spellings[0],
        irrelevant=spellings[1],
        unclear=spellings[2],
        id_column=(id_column or "").strip().lower(),
        label_column=(label_column or "").strip().lower(),
    )


def read_label(text: str, names: Names = USUAL) -> int | None:
    """1 for relevant, 0 for not, None for "cannot tell".

    >>> read_label(" Yes ")
    1
    """
    meaning = names.meaning(text)
    if meaning is None and names.classes:
        listed = names.tags or names.classes
        shown = ", ".join(listed[:8]) + (", …" if len(listed) > 8 else "")
        raise InputError(f"{text!r} is no class of this project's list ({shown})")
    if meaning is None:
        raise InputError(f"{text!r} is no label")
    return None if meaning == "?" else int(meaning)


def _word(text: str) -> str:
    return text.strip().lower()
