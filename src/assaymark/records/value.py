"""What an answer says of an item: 0 or 1, the name of a class, or a list of names."""

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
