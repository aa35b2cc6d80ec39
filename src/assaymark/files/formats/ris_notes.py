"""Decisions in the notes of a reference, where a note is a decision and nothing else.

Notes are free text, and "included" is a common word in them. A note is a decision if it is one of
its words alone ("Excluded"), follows a name ("Decision: include"), or comes before a
reason ("Excluded: wrong population"). A short note that could be one and is not certain ("Include?",
"Include: no") is refused, because to pass over it would leave a decision out.
"""

import re

from assaymark.files.spelling import Names

MAYBE = {"maybe", "uncertain", "undecided"}
PLAIN = {
    "include", "included", "exclude", "excluded", "relevant", "irrelevant", "not relevant", "responsive",
    "not responsive", "non-responsive", "unclear", "cannot tell", *MAYBE,
}  # fmt: skip
PARAGRAPH = re.compile(r"</?p>")
STAGES = (
    r"^(?:(?:final|screening|review|reviewer|title|abstract|full[- ]?text|ti/?ab|and|&|/|,)\s*)*"
)
KEY = re.compile(
    STAGES
    + r"(?:decision|status|label|vote|verdict|screening|abstract|full[- ]?text|inclusion)\s*[:=]\s*",
    re.IGNORECASE,
)
ASKED = re.compile(
    STAGES + r"(?:decision|label|vote|verdict|inclusion)\s*[:=]\s*", re.IGNORECASE
)  # names after which a mere yes or no is a decision: "Full text: no" says that there is none
LEAD = re.compile(
    r"^(includ|exclud)(?:e|ed)"
    r"(?:\s*[:;,(|–—]|\s+-\s|\s+(?:on|at)\s+(?:title|abstract|full[- ]?text|ti/?ab)\b)(.*)$",
    re.IGNORECASE,
)
WORD = re.compile(r"\b(includ|exclud)(?:e|ed)\b", re.IGNORECASE)
UNSURE = re.compile(
    r"^\W*(?:no|not|none|yes|true|false|\d+)\W*$|[?/]|\b(?:or|if|unless|maybe|perhaps|probably|possibly|"
    r"likely|uncertain|unsure|undecided|pending|conflict|disputed|votes?|keep|later)\b",
    re.IGNORECASE,
)  # in place of a reason: it may take the decision back
HEDGE = re.compile(
    r"\b(?:includ|exclud)(?:e|ed)\s*\?|\b(?:not|maybe|perhaps|probably|possibly|likely|to be|or)\s+"
    r"(?:includ|exclud)(?:e|ed)\b|\b(?:includ|exclud)(?:e|ed)\s*/",
    re.IGNORECASE,
)
SHORT = 80  # characters of a note that could be a decision in other words


def decision_in(note: str, names: Names) -> str | None:
    """The label that a note gives, in words that are read as one; None where it gives none.

    >>> from assaymark.files.spelling import USUAL
    >>> [decision_in(text, USUAL) for text in ("Excluded: animals", "We included 40 patients", "1")]
    ['exclude', None, None]
    """
    text = _clean(note)
    value = KEY.sub("", text)
    word = value.lower()
    own = word in names.relevant | names.irrelevant | names.unclear or value in names.classes
    if own or (word in PLAIN and not names.classes):
        return "?" if word in MAYBE and not own else value
    if ASKED.match(text) and word not in PLAIN and names.meaning(value) is not None:
        return value
    lead = LEAD.match(value)
    if lead and not names.classes and not WORD.search(lead[2]) and not UNSURE.search(lead[2]):
        return f"{lead[1].lower()}e"
    return None


def is_doubtful(note: str) -> bool:
    """Whether a note could be a decision, but which one is not certain.

    >>> [is_doubtful(text) for text in ("Include?", "include/exclude", "Excluded", "Studies included")]
    [True, True, False, False]
    """
    text = _clean(note)
    both = len({word.lower() for word in WORD.findall(text)}) == 2
    lead = LEAD.match(KEY.sub("", text))
    unsure = lead is not None and (WORD.search(lead[2]) or UNSURE.search(lead[2])) is not None
    return len(text) <= SHORT and (both or unsure or HEDGE.search(text) is not None)


def _clean(note: str) -> str:
    return " ".join(PARAGRAPH.sub(" ", note).split()).rstrip(".; ")
