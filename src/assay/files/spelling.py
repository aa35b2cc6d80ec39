"""How people write labels."""

from assay.errors import InputError

RELEVANT = {"1", "true", "yes", "y", "relevant", "1.0"}
NOT_RELEVANT = {"0", "false", "no", "n", "irrelevant", "not relevant", "0.0"}
CANNOT_TELL = {"?", "skip", "unclear", "cannot tell"}


def read_label(text: str) -> int | None:
    """1 for relevant, 0 for not, None for "cannot tell".

    >>> read_label(" Yes ")
    1
    """
    word = text.strip().lower()
    if word in RELEVANT:
        return 1
    if word in NOT_RELEVANT:
        return 0
    if word in CANNOT_TELL:
        return None
    raise InputError(f"{text!r} is no label")
