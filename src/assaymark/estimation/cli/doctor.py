"""What labels that exist are worth, on the command line."""

from typing import Any

import click

from assaymark.claims.results import counted, percent, rounded, shown
from assaymark.terminal.output import advise, headline, json_option, rows, show_json, warn

SUPPORT_TONES = {"random": "good", "repairable": "good", "refused": "bad"}
TONES = {"established": "good", "refuted": "bad", "undecided": "wait"}
RULINGS = {"established": 0, "refuted": 1, "undecided": 4}


@click.command()
@click.argument("file")
@click.option("--label", default="label", show_default=True, metavar="COL")
@click.option("--prediction", metavar="COL", help="What the classifier said: 1 or 0.")
@click.option(
    "--score", metavar="COL", help="Its score, with --threshold, in place of a prediction."
)
@click.option("--threshold", type=float, help="Predicted 1 from this score on.")
@click.option(
    "--id", "id_column", metavar="COL", help="What tells items apart (default: every row is one)."
)
@click.option("--annotator", metavar="COL", help="Who labelled.")
@click.option("--random", "is_random", is_flag=True, help="Say that the items are a random sample.")
@click.option("--strata", metavar="COL", help="Say that they were drawn at random within each value of this "
              "column; 'prediction' for the prediction itself.")  # fmt: skip
@click.option(
    "--pool", metavar="FILE", help="The collection, for the sizes of strata and as a check."
)
@click.option(
    "--claim", metavar="CLAIM", help="Judge this claim by the labels, once: 'recall >= 0.9'."
)
@click.option("--confidence", default=0.95, show_default=True, type=float)
@json_option
def doctor(**options: Any) -> None:
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
        label=options["label"],
        prediction=options["prediction"],
        score=options["score"],
        threshold=options["threshold"],
        id=options["id_column"],
        annotator=options["annotator"],
        strata=options["strata"],
    )
    found = diagnose(
        options["file"],
        columns,
        random=options["is_random"],
        pool=options["pool"],
        confidence=options["confidence"],
        claim=options["claim"],
    )
    if options["as_json"]:
        show_json(found.result())
    else:
        _show(found)
    if code := _exit_code(found):
        click.get_current_context().exit(code)


def _exit_code(found: Any) -> int:
    if found.support == "refused":
        return 1
    return 0 if found.claim is None else RULINGS[found.claim.ruling]


def _show(found: Any) -> None:
    from assaymark.estimation.label_doctor import WORDS

    headline(WORDS[found.support], SUPPORT_TONES[found.support])
    rows(
        [
            ("because", found.reason),
            ("labels", f"{found.labels:,} of {counted(found.file.items, 'item')}"),
        ]
    )
    if found.file.annotators:
        people = ", ".join(f"{name} {number:,}" for name, number in found.file.annotators[:10])
        rows([("annotators", f"{len(found.file.annotators):,}: {people}")])
    rows([(one.metric, _figure(one, found.confidence)) for one in found.figures])
    for text in found.findings:
        warn(text)
    if found.claim is not None:
        headline(found.claim.sentence, TONES[found.claim.ruling])
        rows([("method", found.claim.method)])
        rows([("assumes", text) for text in found.claim.assumptions])
    if found.support == "refused":
        advise("draw a new sample: assaymark init, then assaymark plan --estimate or a claim")


def _figure(one: Any, confidence: float) -> str:
    if one.repaired is None or one.low is None:
        return f"{shown(one.plain)} among these labels, which says nothing about the collection"
    ends = (
        f"{rounded(one.low)} to {rounded(one.high, up=True)} at {percent(confidence)}, for reading"
    )
    return f"{shown(one.repaired)} ({ends}); {shown(one.plain)} without weights"
