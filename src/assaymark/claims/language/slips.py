"""Errors that point at the word of a claim and offer the nearest form that can be read."""

import difflib

from assaymark.claims.language.tokens import Token
from assaymark.errors import InputError

FORMS = (
    "f1 >= 0.75",
    "recall >= 0.8",
    "precision >= 0.7",
    "accuracy >= 0.9",
    "elusion <= 0.2 %",
    "recall of spam >= 0.8",
    "recall of every class >= 0.7",
    "recall >= 0.8 in every language",
    "recall >= 0.8 in every language and region",
    "accuracy of b > accuracy of a",
    "f1 of b >= f1 of a - 0.01",
    "accuracy of a within 0.02 of b",
    "recall gap between regions <= 0.1",
    "recall >= 0.8 and precision >= 0.7",
    "macro f1 >= 0.7",
    "balanced accuracy >= 0.7",
)


class SlipError(Exception):
    """Where reading stopped and why. Never leaves the room.

    `words` are what could stand there; `instead` is what would be read in its place;
    `form` is an example that shows what is meant.
    """

    def __init__(
        self,
        token: Token,
        reason: str,
        words: tuple[str, ...] = (),
        *,
        instead: str | None = None,
        form: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.instead = instead
        self.form = form
        self.token = token
        self.reason = reason
        self.words = words


def nearest(word: str, words: tuple[str, ...]) -> str | None:
    """The allowed word that is spelled most like this one."""
    close = difflib.get_close_matches(word.lower(), words, n=1, cutoff=0.6)
    return close[0] if close else None


def nearest_form(text: str) -> str:
    """The example that looks most like the text."""
    return max(FORMS, key=lambda form: difflib.SequenceMatcher(None, text.lower(), form).ratio())


def pointed(text: str, slip: SlipError, offer: str) -> InputError:
    """One sentence, the text with a caret line under the word, and the form to use."""
    line = text.translate({ord(c): " " for c in "\n\r\t\v\f"})
    caret = " " * slip.token.start + "^" * max(1, len(slip.token.text))
    place = f"at {slip.token.text!r}" if slip.token.text else "at its end"
    return InputError(
        f"The claim cannot be read {place}: {slip.reason} Try: {offer}\n  {line}\n  {caret}"
    )
