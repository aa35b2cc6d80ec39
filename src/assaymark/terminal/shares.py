"""A share as people type it: 0.8 and 80% are one number."""

import click


class Share(click.ParamType[float]):
    """A number, or a number of per cent with its sign.

    >>> Share().convert("80 %", None, None)
    0.8
    """

    name = "float"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The share; refused where it is no number."""
        text = str(value).strip()
        number = text.removesuffix("%").rstrip()
        try:
            return float(number) / 100 if number != text else float(text)
        except ValueError:
            self.fail(f"{text!r} is not a number. Write 0.8 or 80%.", param, ctx)


SHARE = Share()
