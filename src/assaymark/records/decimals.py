"""Numbers that decide, as decimal text: no digit is lost, and any language reads the same."""

from decimal import ROUND_FLOOR, Decimal


def decimal_text(value: float) -> str:
    """The shortest decimal text of the value, without an exponent.

    >>> decimal_text(0.75), decimal_text(1.0)
    ('0.75', '1')
    """
    text = format(Decimal(repr(float(value))), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def rounded_down(value: float, digits: int = 8) -> str:
    """The value cut to this many significant digits, never above it.

    >>> rounded_down(0.0123456789), rounded_down(0.5)
    ('0.012345678', '0.5')
    """
    exact = Decimal(repr(float(value)))
    if exact == 0:
        return "0"
    step = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    return decimal_text(float(exact.quantize(step, rounding=ROUND_FLOOR)))


def complement(text: str) -> str:
    """One minus the number, exactly.

    >>> complement("0.95")
    '0.05'
    """
    rest = format(1 - Decimal(text), "f")
    return rest.rstrip("0").rstrip(".") if "." in rest else rest
