"""Labels for triage, on the command line: those to order, and how many are needed."""

from pathlib import Path

import click

from assaymark.claims.results import counted
from assaymark.terminal.output import (
    FILE,
    advise,
    headline,
    json_option,
    progress_bar,
    project_option,
    quoted,
    rows,
    show_json,
)


@click.command(name="draw")
@click.option("--target", type=float, required=True, help="Wanted accuracy of automated decisions.")
@click.option("--labels", type=click.IntRange(min=1), required=True, help="How many to buy.")
@click.option(
    "--delta", default=0.1, show_default=True, type=float, help="Risk of a broken promise."
)
@click.option(
    "--slack", default=0.05, show_default=True, type=float, help="How far the scores may be off."
)
@click.option("--train", metavar="FILE", help="Scores and labels to calibrate with.")
@click.option("--score", metavar="COL", help="The score in --train (default: score).")
@click.option(
    "--label", default="label", show_default=True, metavar="COL", help="The label in --train."
)
@click.option("--calibrator", default="platt", show_default=True, help="platt, beta or isotonic.")
@click.option("--seed", metavar="TEXT", help="Decides the draw (default: 128 random bits).")
@click.option("-o", "--output", type=FILE, help="Where to write: .csv or .jsonl.")
@project_option
@json_option
def draw_wanted(
    target: float,
    labels: int,
    delta: float,
    slack: float,
    train: str | None,
    score: str | None,
    label: str,
    calibrator: str,
    seed: str | None,
    output: Path | None,
    folder: Path,
    as_json: bool,
) -> None:
    """Draw the labels that prove most: at random inside the region that might be automated.

    Without --train the pool's scores are taken as probabilities.

    \b
    Example:
      assaymark triage draw --target 0.9 --labels 300 -p work
    """
    from assaymark.project.folder import Project
    from assaymark.triaging.survey import LabelRequest, draw_labels

    request = LabelRequest(
        target=target,
        labels=labels,
        delta=delta,
        slack=slack,
        train=train,
        score=score,
        label=label,
        calibrator=calibrator,
        seed=seed,
    )
    with progress_bar("draw") as progress:
        drawn = draw_labels(Project(folder=folder), request, output=output, progress=progress)
    path = drawn.batch.path
    if as_json:
        show_json(
            {
                "survey": drawn.batch.survey,
                "items": list(drawn.batch.items),
                "known": drawn.batch.known,
                "path": None if path is None else str(path),
                "low": drawn.region.low,
                "high": drawn.region.high,
                "region": drawn.items,
                "predicted_accuracy": drawn.predicted,
                "risk": drawn.risk,
            }
        )
        return
    headline(f"{counted(len(drawn.batch.items), 'item')} to label")
    rows(
        [
            ("drawn from", f"{drawn.items:,} items that might be automated ({drawn.region})"),
            ("predicted", f"accuracy {drawn.predicted:.3f} there, by the scores"),
            ("risk", f"{drawn.risk:g}, earlier attempts included"),
            ("file", "none: every item has a label already" if path is None else str(path)),
        ]
    )
    then = f"assaymark triage -p {quoted(folder)}"
    label = (
        f"fill in the column 'label', then: assaymark label {path} -p {quoted(folder)}, and {then}"
    )
    advise(then if path is None else label)


@click.command(name="size")
@click.option("--target", type=float, required=True, help="Wanted accuracy of automated decisions.")
@click.option("--expect", type=float, required=True, help="The true accuracy you expect.")
@click.option(
    "--delta", default=0.1, show_default=True, type=float, help="Risk of a broken promise."
)
@click.option("--power", default=0.8, show_default=True, type=float, help="Wanted chance to pass.")
@json_option
def size_needed(target: float, expect: float, delta: float, power: float, as_json: bool) -> None:
    """How many labels of automated items a certificate will need.

    \b
    Example:
      assaymark triage size --target 0.9 --expect 0.95
    """
    from assaymark.triaging.files import size

    answer = size(target=target, expected=expect, delta=delta, power=power)
    if as_json:
        show_json(
            {
                "target": target,
                "expected": expect,
                "delta": delta,
                "power": power,
                "labels": answer.stable,
                "first": answer.first,
                "fewest": answer.fewest,
            }
        )
        return
    headline(str(answer))
    rows(
        [
            ("first size that is enough", f"{answer.first:,}"),
            ("from here on every size does", f"{answer.stable:,}"),
            ("can never pass with fewer than", f"{answer.fewest:,}, all of them right"),
        ]
    )
    advise(f"assaymark triage draw --target {target:g} --labels {answer.stable} -p DIR")
