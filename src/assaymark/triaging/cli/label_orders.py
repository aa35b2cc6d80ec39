"""Labels for triage, on the command line: those to order, and how many are needed."""

from pathlib import Path

import click

from assaymark.claims.record import plain
from assaymark.claims.results import counted
from assaymark.terminal.batches import show_batch
from assaymark.terminal.options import FOLDER, JSON, option, with_options
from assaymark.terminal.output import (
    advise,
    headline,
    progress_bar,
    rows,
    show_json,
)


@click.command(name="draw")
@with_options
def draw_wanted(
    target: float = option("Wanted accuracy of automated decisions."),
    labels: int = option("How many to buy.", least=1),
    delta: float = option("Risk of a broken promise.", default=0.1),
    slack: float = option("How far the scores may be off.", default=0.05),
    train: str | None = option("Scores and labels to calibrate with.", metavar="FILE"),
    score: str | None = option("The score in --train (default: score).", metavar="COL"),
    label: str = option("The label in --train.", default="label", metavar="COL"),
    calibrator: str = option("platt, beta or isotonic.", default="platt"),
    seed: str | None = option("Decides the draw (default: 128 random bits).", metavar="TEXT"),
    output: Path | None = option("Where to write: .csv or .jsonl.", "-o"),
    folder: Path = FOLDER,
    as_json: bool = JSON,
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
    batch = drawn.batch
    if as_json:
        show_json(
            {
                **{name: getattr(batch, name) for name in ("survey", "items", "known", "path")},
                **plain(drawn.region),
                "region": drawn.items,
                "predicted_accuracy": drawn.predicted,
                "risk": drawn.risk,
            }
        )
        return
    lines = [
        ("drawn from", f"{drawn.items:,} items that might be automated ({drawn.region})"),
        ("predicted", f"accuracy {drawn.predicted:.3f} there, by the scores"),
        ("risk", f"{drawn.risk:g}, earlier attempts included"),
    ]
    title = counted(len(batch.items), "item")
    show_batch(batch, title, folder, lines=lines, then="triage")


@click.command(name="size")
@with_options
def size_needed(
    target: float = option("Wanted accuracy of automated decisions."),
    expect: float = option("The true accuracy you expect."),
    delta: float = option("Risk of a broken promise.", default=0.1),
    power: float = option("Wanted chance to pass.", default=0.8),
    as_json: bool = JSON,
) -> None:
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
