"""The command that repeats our experiments: lab."""

from pathlib import Path

import click

from assaymark.terminal.options import JSON, argument, option, with_options
from assaymark.terminal.output import (
    DIRECTORY,
    headline,
    progress_bar,
    rows,
    say,
    show_json,
)


@click.command()
@with_options
def lab(
    name: str = argument(),
    data: tuple[Path, ...] = option(
        "A collection as a parquet file; repeatable. Without it: synthetic worlds only."
    ),
    runs: int | None = option("How many runs (default: a small number).", least=1),
    jobs: int = option("Processes at the same time.", default=1, least=1),
    seed: int = option("Another seed, other runs.", default=42),
    output: Path | None = option(
        "Where to write tables and figures; an interrupted run goes on from there.",
        "-o",
        type=DIRECTORY,
    ),
    full: bool = option(
        "As the paper has it: policies look after every 20 labels; sequential-bias goes to 15,000 "
        "labels and 580 curves; stratified 3,000 samples, pairs 100 splits, test-size 100 tables and "
        "pilots; review 12 topics in 20,000 records. Hours; goes on from -o. Refused elsewhere."
    ),
    as_json: bool = JSON,
) -> None:
    """Run an experiment by name; each is described below.

    sequential-bias: what stopping at the first good test does to bounds made for one test.
    certify-race: how many labels each way to certify needs, beside the information limit.
    estimate-errors: how far estimates of F1, precision and recall are off, beside published rivals.
    stratified: what stratified samples save when accuracy is estimated, by true error.
    guarantee: how often guaranteed figures of estimates err at any look, and reading ones miss.
    triage: how often each rule of triage breaks its promise, and how much it automates.
    test-size: whether tests of the planned size pass as often as asked, a paper's plan and ours.
    pairs: recall of rare topics from two classifiers that overlap, and when that fails.
    policies: when to stop training and certify, and what both cost together.
    review: what a certified end of a review costs, and how often other rules stop too early.
    The same seed gives the same figures, whatever the number of jobs.

    \b
    Examples:
      assaymark lab certify-race --runs 20 -o race
      assaymark lab sequential-bias --data arxiv_cs.parquet -o bias
    """
    from assaymark.lab.experiments import run_experiment
    from assaymark.lab.outcome import write_outcome
    from assaymark.lab.tasks import Order

    with progress_bar(name) as progress:
        order = Order(
            data=data,
            runs=runs,
            jobs=jobs,
            seed=seed,
            folder=output,
            full=full,
            progress=progress,
        )
        outcome = run_experiment(name, order)
        written = write_outcome(outcome, output) if output else None
    if as_json:
        files = list(written.files) if written else []
        show_json(
            {
                "experiment": outcome.name,
                "settings": outcome.settings,
                **outcome.tables,
                "files": files,
                "missing": written.missing if written else None,
            }
        )
        return
    headline(outcome.name)
    for sentence in outcome.sentences:
        say(f"  {sentence}")
    if written:
        rows([("written to", str(output)), ("files", f"{len(written.files)}")])
        if written.missing:
            say(f"  {written.missing}")
