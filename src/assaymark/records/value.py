"""What an answer says of an item: 0 or 1, the name of a class, or a list of names."""

from collections.abc import Sequence

from assaymark.errors import VerificationError

Value = int | str | tuple[str, ...]


def binary(value: Value | None) -> int | None:
    """The value where labels are 0 and 1; None stands for "cannot tell".

    >>> binary(1)
    1
    """
    if value is None or (type(value) is int and value in (0, 1)):
        return value
    raise VerificationError(
        f"The ledger holds the label {value!r}, and this version of assaymark counts labels 0 and 1. "
        "Install a newer assaymark to read it."
    )


def class_code(value: Value | None, classes: Sequence[str]) -> int | None:
    """The place of a class in the list; None stands for "cannot tell".

    >>> class_code("ham", ("spam", "ham"))
    1
    """
    if value is None:
        return None
    if not isinstance(value, str) or value not in classes:
        raise VerificationError(
            f"The ledger holds the label {value!r}, which is no class of this project's list."
        )
    return classes.index(value)
