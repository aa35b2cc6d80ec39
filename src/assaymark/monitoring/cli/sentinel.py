"""Sentinels of a certificate, on the command line."""

from pathlib import Path
from typing import Any

import click

from assaymark.claims.results import counted
from assaymark.terminal.output import (
    advise,
    headline,
    json_option,
    project_option,
    quoted,
    rows,
    show_json,
    warn,
)


@click.group()
def sentinel() -> None:
    """Is the certificate still true? A few random labels of every new unit, and an alarm."""


@sentinel.command()
@click.option(
    "--alarm", type=click.Choice(["ever", "yearly", "average"]), default="ever", show_default=True
)
@click.option("--per-week", "labels", type=click.IntRange(min=3), default=35, show_default=True,
              help="Labels for every unit, such as a week.")  # fmt: skip
@click.option(
    "--items", type=click.IntRange(min=1), help="Items of a typical unit (default: the pool's)."
)
@click.option(
    "--year", type=click.IntRange(min=1), default=52, show_default=True, help="Units a year."
)
@click.option("--confidence", type=float, default=0.95, show_default=True)
@click.option(
    "--seed", metavar="TEXT", help="Decides every draw of all units (default: 128 random bits)."
)
@project_option
@json_option
def start(**options: Any) -> None:
    """Seal the alarm, and print how long a fall is expected to go unnoticed."""
    from assaymark.claims.record import plain
    from assaymark.monitoring.sentinels import SentinelWish, start_sentinels
    from assaymark.project.folder import Project

    names = ("alarm", "labels", "items", "year", "confidence", "seed")
    wish = SentinelWish(**{name: options[name] for name in names})
    plan = start_sentinels(Project(folder=options["folder"]), wish)
    if options["as_json"]:
        show_json(plain(plan))
        return
    headline(f"Sentinels watch {plan.claim}")
    lines = [(f"alarm '{wish.alarm}'", f"silent while {plan.null}")]
    lines += [(f"a fall to {one.level:g}", _delay(one)) for one in plan.falls]
    rows(lines)
    rows([("simulated", "after 30 units .05 above the bar; precision and recall fall alike, and four fifths "
                        "of the misses lie near the threshold")])  # fmt: skip
    advise(f"assaymark sentinel draw --pool FILE -p {quoted(options['folder'])}")


def _delay(one: Any) -> str:
    if one.median is None:
        return "noticed within 120 units in fewer than half of the runs"
    late = "more than 120" if one.nine_of_ten is None else f"{one.nine_of_ten:.0f}"
    return f"noticed after about {one.median:.0f} units (nine of ten within {late})"


@sentinel.command()
@click.option("--pool", "batch", required=True, metavar="FILE", help="The new unit's scored items.")
@click.option(
    "--seed",
    metavar="TEXT",
    help="Decides this draw (default: by the seed of the start).",
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Where to write."
)
@project_option
@json_option
def draw(**options: Any) -> None:
    """Hand out the sentinels of a new unit, blind."""
    from assaymark.monitoring.sentinels import draw_sentinels
    from assaymark.project.folder import Project

    folder = options["folder"]
    batch = draw_sentinels(
        Project(folder=folder), options["batch"], seed=options["seed"], output=options["output"]
    )
    if options["as_json"]:
        show_json({"survey": batch.survey, "items": list(batch.items), "path": str(batch.path)})
        return
    headline(f"{counted(len(batch.items), 'sentinel')} to label")
    rows([("file", str(batch.path))])
    advise(f"fill in the column 'label', then: assaymark label {batch.path} -p {quoted(folder)}, and "
           f"assaymark sentinel look -p {quoted(folder)}")  # fmt: skip


@sentinel.command()
@project_option
@json_option
def look(**options: Any) -> None:
    """What the sentinels say so far; ends with 1 where the certificate is refuted."""
    from assaymark.monitoring.sentinel_judging import look_at_sentinels
    from assaymark.project.folder import Project

    found = look_at_sentinels(Project(folder=options["folder"]))
    if options["as_json"]:
        show_json(found.result())
    else:
        headline(str(found), "bad" if found.decision == "refuted" else "good")
        rows([
            (f"alarm '{found.alarm}'", f"silent while {found.null}"),
            ("evidence", f"{found.evidence:.3g} at most so far; it rings at {found.needed:g}"),
        ])  # fmt: skip
        if found.missing:
            rows([("without label", f"{found.missing:,}; units count when all theirs have one")])
        if found.doubtful:
            warn(f"Doubtful: the unclear items decide whether {found.claim} still holds.")
        if found.decision == "refuted":
            advise("take the classifier out of use, or certify it anew on today's items")
    if found.decision == "refuted":
        click.get_current_context().exit(1)


COMMANDS = (sentinel,)
