"""What labels that exist are worth, on the command line."""

from typing import TYPE_CHECKING

import click

from assaymark.claims.results import counted, percent, rounded, shown
from assaymark.terminal.options import CONFIDENCE, JSON, argument, option, with_options
from assaymark.terminal.output import (
    advise,
    headline,
    rows,
    show_json,
    warn,
)

if TYPE_CHECKING:
    from assaymark.estimation.label_doctor import Diagnosis, Figure

SUPPORT_TONES = {"random": "good", "repairable": "good", "refused": "bad"}
TONES = {"established": "good", "refuted": "bad", "undecided": "wait"}
RULINGS = {"established": 0, "refuted": 1, "undecided": 4}


@click.command()
@with_options
def doctor(
    file: str = argument(),
    label: str = option("The label: 1 or 0.", default="label", metavar="COL"),
    prediction: str | None = option("What the classifier said: 1 or 0.", metavar="COL"),
    score: str | None = option(
        "Its score, with --threshold, in place of a prediction.", metavar="COL"
    ),
    threshold: float | None = option("Predicted 1 from this score on."),
    id_column: str | None = option(
        "What tells items apart (default: every row is one).", "--id", metavar="COL"
    ),
    annotator: str | None = option("Who labelled.", metavar="COL"),
    is_random: bool = option("Say that the items are a random sample.", "--random"),
    strata: str | None = option(
        "Say that they were drawn at random within each value of this "
        "column; 'prediction' for the prediction itself.",
        metavar="COL",
    ),
    pool: str | None = option(
        "The collection, for the sizes of strata and as a check.", metavar="FILE"
    ),
    claim: str | None = option(
        "Judge this claim by the labels, once: 'recall >= 0.9'.", metavar="CLAIM"
    ),
    confidence: float = CONFIDENCE,
    as_json: bool = JSON,
) -> None:
    """What are labels that exist worth? Says what they can support, and repairs what can be repaired.

    A file with a column probability, or stratum and stratum_items, says itself how it was drawn.
    Otherwise say it: --random, or --strata with --pool. Ends with 1 where nothing can be supported.

    With --claim the labels are judged once: it ends with 0 where they establish the claim, with 1
    where they refute it, with 4 where they do not decide.

    \b
    Examples:
      assaymark doctor labels.csv --prediction predicted --id id
      assaymark doctor labels.csv --prediction predicted --strata prediction --pool all.parquet
      assaymark doctor labels.csv --prediction predicted --random --claim "precision >= 0.9"
    """
    from assaymark.estimation.label_doctor import diagnose
    from assaymark.estimation.label_file import LabelColumns

    columns = LabelColumns(
        label=label,
        prediction=prediction,
        score=score,
        threshold=threshold,
        id=id_column,
        annotator=annotator,
        strata=strata,
    )
    diagnosis = diagnose(
        file,
        columns,
        random=is_random,
        pool=pool,
        confidence=confidence,
        claim=claim,
    )
    if as_json:
        show_json(diagnosis.result())
    else:
        _show(diagnosis)
    if code := _exit_code(diagnosis):
        click.get_current_context().exit(code)


def _exit_code(diagnosis: "Diagnosis") -> int:
    if diagnosis.support == "refused":
        return 1
    return 0 if diagnosis.claim is None else RULINGS[diagnosis.claim.ruling]


def _show(diagnosis: "Diagnosis") -> None:
    from assaymark.estimation.label_doctor import WORDS

    headline(WORDS[diagnosis.support], SUPPORT_TONES[diagnosis.support])
    rows(
        [
            ("because", diagnosis.reason),
            ("labels", f"{diagnosis.labels:,} of {counted(diagnosis.file.items, 'item')}"),
        ]
    )
    if diagnosis.file.annotators:
        people = ", ".join(f"{name} {number:,}" for name, number in diagnosis.file.annotators[:10])
        rows([("annotators", f"{len(diagnosis.file.annotators):,}: {people}")])
    rows([(one.metric, _figure(one, diagnosis.confidence)) for one in diagnosis.figures])
    for text in diagnosis.findings:
        warn(text)
    if diagnosis.claim is not None:
        headline(diagnosis.claim.sentence, TONES[diagnosis.claim.ruling])
        rows([("method", diagnosis.claim.method)])
        rows([("assumes", text) for text in diagnosis.claim.assumptions])
    if diagnosis.support == "refused":
        advise("draw a new sample, for an estimate or a claim; begin it with: assaymark init")


def _figure(one: "Figure", confidence: float) -> str:
    if one.repaired is None or one.low is None or one.high is None:
        return f"{shown(one.plain)} among these labels, which says nothing about the collection"
    ends = (
        f"{rounded(one.low)} to {rounded(one.high, up=True)} at {percent(confidence)}, for reading"
    )
    return f"{shown(one.repaired)} ({ends}); {shown(one.plain)} without weights"
