"""Numbers that decide, as decimal text: no digit is lost, and any language reads the same."""

from decimal import Decimal


def decimal_text(value: float) -> str:
    """The shortest decimal text of the value, without an exponent.

    >>> decimal_text(0.75), decimal_text(1.0)
    ('0.75', '1')
    """
    text = format(Decimal(repr(float(value))), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def complement(text: str) -> str:
    """One minus the number, exactly.

    >>> complement("0.95")
    '0.05'
    """
    rest = format(1 - Decimal(text), "f")
    return rest.rstrip("0").rstrip(".") if "." in rest else rest
