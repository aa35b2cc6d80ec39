"""A claim as it was typed, with or without its quotation marks."""

import re
from pathlib import Path

import click


def typed_claim(words: tuple[str, ...]) -> str | None:
    """The claim, also where it was not quoted; one whose > the shell took is recognised."""
    if not words:
        return None
    text = " ".join(words)
    if not re.search(r"[<>≥≤]|at least|at most|within|gap", text) and _is_metric(words[0]):
        raise click.UsageError(_without_sign(words))
    return text


def _without_sign(words: tuple[str, ...]) -> str:
    """What is missing, how the claim is written, and the file that the shell made of its sign."""
    from assaymark.claims.direction import SIGNS, usual_side
    from assaymark.claims.ratio_metrics import metric

    side = usual_side(metric(words[0]).name) or "upper"
    target = words[1] if len(words) > 1 else {"lower": "0.8", "upper": "0.05"}[side]
    missing = (
        f"The claim {words[0]!r} has no target."
        if len(words) == 1
        else f"The claim {' '.join(words)!r} has no sign between its metric and its target."
    )
    made = " It made one here, called '=': delete it." if Path("=").is_file() else ""
    return (
        f'{missing} Write: assaymark plan "{words[0]} {SIGNS[side]} {target}", with the quotation '
        f"marks: without them the shell takes > for the name of a file.{made}"
    )


def _is_metric(word: str) -> bool:
    from assaymark.claims.ratio_metrics import metric
    from assaymark.errors import InputError

    try:
        return bool(metric(word))
    except InputError:
        return False
