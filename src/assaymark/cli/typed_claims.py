"""A claim as it was typed, with or without its quotation marks."""

import re

import click


def typed_claim(words: tuple[str, ...]) -> str | None:
    """The claim, also where it was not quoted; one whose > the shell took is recognised."""
    if not words:
        return None
    text = " ".join(words)
    if not re.search(r"[<>≥≤]|at least|at most|within|gap", text) and _is_metric(words[0]):
        if len(words) == 1:
            raise click.UsageError(
                f'The claim {words[0]!r} has no target. Write: assaymark plan "{words[0]} >= 0.8", with '
                "the quotation marks: without them the shell takes > for a file and makes one."
            )
        raise click.UsageError(
            "The claim was typed without quotation marks, so the shell took > for a file and made one "
            f"'=' in this folder. Write: assaymark plan \"{words[0]} >= {words[1]}\""
        )
    return text


def _is_metric(word: str) -> bool:
    from assaymark.claims.ratio_metrics import metric
    from assaymark.errors import InputError

    try:
        return bool(metric(word))
    except InputError:
        return False
