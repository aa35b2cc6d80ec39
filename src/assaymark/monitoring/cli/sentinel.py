"""Sentinels of a certificate, on the command line."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.claims.results import counted, digits
from assaymark.terminal.batches import show_batch
from assaymark.terminal.options import FOLDER, JSON, option, with_options
from assaymark.terminal.output import (
    WholeSentences,
    advise,
    headline,
    quoted,
    rows,
    show_json,
    warn,
)

if TYPE_CHECKING:
    from assaymark.monitoring.stats.sentinel_bets import Fall
    from assaymark.stats.sequential.unit_alarm import UnitAlarm


@click.group(cls=WholeSentences)
def sentinel() -> None:
    """Is the certificate still true? A few random labels of every new unit (a week), and an alarm."""


@sentinel.command()
@with_options
def start(
    alarm: "UnitAlarm" = option(
        "ever: seldom false, however long it watches. yearly: seldom false in a year, so it notices sooner. "
        "average: about all items since the start, taken together.",
        default="ever",
        type=click.Choice(["ever", "yearly", "average"]),
    ),
    labels: int = option(
        "Labels for every unit, such as a week.", "--per-week", default=35, least=3
    ),
    items: int | None = option("Items of a typical unit (default: the pool's).", least=1),
    year: int = option("How many units a year has.", default=52, least=1),
    deadline: int = option(
        "After how many later units an item without an answer counts as cannot tell.",
        default=4,
        least=1,
        metavar="UNITS",
    ),
    confidence: float = option("How sure the alarm is to be.", default=0.95),
    seed: str | None = option(
        "Decides the draws of all units (default: 128 random bits).", metavar="TEXT"
    ),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Seal the alarm, and print how long a drop in quality is expected to go unnoticed."""
    from assaymark.monitoring.sentinels import SentinelRequest, start_sentinels
    from assaymark.project.folder import Project

    request = SentinelRequest(
        alarm=alarm,
        labels=labels,
        items=items,
        year=year,
        deadline=deadline,
        confidence=confidence,
        seed=seed,
    )
    plan = start_sentinels(Project(folder=folder), request)
    if as_json:
        show_json(plan.result())
        return
    headline(f"Sentinels watch {plan.claim}")
    lines = [(f"alarm '{request.alarm}'", f"silent while {plan.null}")]
    for one in plan.falls:
        of = f"{one.claim}, " if one.claim else ""
        lines.append((f"{of}a fall to {one.level:g}", _delay(one)))
    rows(lines)
    rows([("simulated", "after 30 units .05 above the bar; precision and recall fall alike, and four fifths "
                        "of the misses lie near the threshold")])  # fmt: skip
    advise(f"assaymark sentinel draw --pool FILE -p {quoted(folder)}")


def _delay(one: "Fall") -> str:
    if one.median is None:
        return "noticed within 120 units in fewer than half of the runs"
    late = "more than 120" if one.nine_of_ten is None else f"{one.nine_of_ten:.0f}"
    return f"noticed after about {one.median:.0f} units (nine of ten within {late})"


@sentinel.command()
@with_options
def draw(
    batch: str = option(
        "The new items with their scores, such as a week's.", "--pool", metavar="FILE"
    ),
    seed: str | None = option(
        "Decides this draw (default: by the seed of the start).", metavar="TEXT"
    ),
    output: Path | None = option("Where to write.", "-o"),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Hand out random items of a new unit to label, without scores or predictions."""
    from assaymark.monitoring.sentinels import draw_sentinels
    from assaymark.project.folder import Project

    drawn = draw_sentinels(Project(folder=folder), batch, seed=seed, output=output)
    if as_json:
        show_json({name: getattr(drawn, name) for name in ("survey", "items", "path")})
        return
    show_batch(drawn, counted(len(drawn.items), "sentinel"), folder, then="sentinel look")


@sentinel.command()
@with_options
def look(
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """What the sentinels say so far; ends with 1 where the certificate is refuted."""
    from assaymark.monitoring.sentinel_judging import look_at_sentinels
    from assaymark.project.folder import Project

    answer = look_at_sentinels(Project(folder=folder))
    if as_json:
        show_json(answer.result())
    else:
        headline(str(answer), "bad" if answer.decision == "refuted" else "good")
        rows([
            (f"alarm '{answer.alarm}'", f"silent while {answer.null}"),
            ("evidence", f"{digits(answer.evidence)} at its highest; the alarm goes off at "
                         f"{digits(answer.needed)}"),
        ])  # fmt: skip
        if answer.missing:
            rows([("without label", f"{answer.missing:,}; units count when all theirs have one")])
        if answer.doubtful:
            warn(f"Doubtful: the unclear items decide whether {answer.claim} still holds.")
        if answer.decision == "refuted":
            advise("take the classifier out of use, or certify it again on today's items")
    if answer.decision == "refuted":
        click.get_current_context().exit(1)
