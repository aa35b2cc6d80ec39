"""The command that repeats our experiments: lab."""

from pathlib import Path

import click

from assaymark.terminal.output import (
    FILE,
    headline,
    json_option,
    progress_bar,
    rows,
    say,
    show_json,
)


@click.command()
@click.argument("name")
@click.option(
    "--data",
    multiple=True,
    type=FILE,
    help="A collection as a parquet file; repeatable. Without it: synthetic worlds only.",
)
@click.option("--runs", type=click.IntRange(min=1), help="How many runs (default: a small number).")
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(min=1),
              help="Processes at the same time.")  # fmt: skip
@click.option("--seed", default=42, show_default=True, type=int, help="Another seed, other runs.")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to write tables and figures; an interrupted run goes on from there.",
)
@click.option(
    "--full",
    is_flag=True,
    help="As the paper has it: policies look after every 20 labels; sequential-bias goes to 15,000 "
    "labels and 580 curves; stratified 3,000 samples, pairs 100 splits, test-size 100 tables and "
    "pilots; review 12 topics in 20,000 records. Hours; goes on from -o. Refused elsewhere.",
)
@json_option
def lab(
    name: str,
    data: tuple[Path, ...],
    runs: int | None,
    jobs: int,
    seed: int,
    output: Path | None,
    full: bool,
    as_json: bool,
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
