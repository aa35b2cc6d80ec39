"""Command: watch new scores of a certified classifier, without labels."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.claims.results import percent, rounded
from assaymark.terminal.options import FOLDER, JSON, argument, with_options
from assaymark.terminal.output import (
    advise,
    headline,
    progress_bar,
    quoted,
    rows,
    say,
    show_json,
)

if TYPE_CHECKING:
    from assaymark.monitoring.score_watch import ScoreWatch


@click.command()
@with_options
@click.pass_context
def watch(
    context: click.Context,
    file: str = argument(),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Would the certificate still hold at the mix of scores in FILE? Needs no label.

    The certified strata are re-weighted to the scores of new items, named by the columns of the pool. If
    the bound no longer clears the bar, the certificate is stale, here and at the gate, until scores that
    are watched later do. An alarm, no proof: it assumes that within a stratum labels are as they were,
    which only sentinels can check. Exit code: 0 no alarm, 5 stale.

    \b
    Example:
      assaymark watch this-week.parquet -p work
    """
    from assaymark.monitoring.outcomes import EXIT_CODES
    from assaymark.monitoring.score_watch import watch_scores
    from assaymark.project.folder import Project

    with progress_bar("watch") as progress:
        drift = watch_scores(Project(folder=folder), file, progress)
    if as_json:
        show_json(drift.result())
    else:
        _show(drift, folder)
    context.exit(EXIT_CODES["certified" if drift.decision == "holds" else "stale"])


def _show(drift: "ScoreWatch", folder: Path) -> None:
    headline(str(drift), "good" if drift.decision == "holds" else "wait")
    rows(
        [
            ("items", f"{drift.items:,}"),
            ("moved", f"{percent(round(drift.moved, 4))} of the mix, from stratum to stratum"),
            ("bound", f"{rounded(drift.certified)} certified"),
        ]
    )
    width = max(len(stratum.name) for stratum in drift.strata)
    say(f"  {'stratum':<{width}}  certified    today  score then, now  labels")
    for stratum in drift.strata:
        shares = f"{stratum.share_before:>9.1%} {stratum.share_now:>8.1%}"
        means = "–" if stratum.score_now is None or stratum.score_before is None else (
            f"{stratum.score_before:.3f}, {stratum.score_now:.3f}"
        )  # fmt: skip
        say(f"  {stratum.name:<{width}}  {shares}  {means:>15}  {stratum.labels:>6,}")
    if drift.outside:
        one = drift.outside == 1
        say(
            f"  {drift.outside:,} {'item lies' if one else 'items lie'} beyond the certified scores and "
            f"{'counts' if one else 'count'} against the claim"
        )
    if drift.decision == "drifted":
        advise(f"certify them, or label some of them: assaymark sentinel start -p {quoted(folder)}")
