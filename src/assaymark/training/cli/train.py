"""The command that grows a classifier: train."""

from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.claims.defaults import POWER
from assaymark.claims.record import plain
from assaymark.claims.results import counted
from assaymark.terminal.options import FOLDER, JSON, argument, option, with_options
from assaymark.terminal.output import (
    advise,
    asks,
    confirmed,
    headline,
    progress_bar,
    quoted,
    rows,
    say,
    show_json,
)
from assaymark.training.cli.shown import (
    claim_line,
    flagged_line,
    labels_line,
    show_looks,
    show_round,
    show_stopped,
    stopped_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from assaymark.project.folder import Project
    from assaymark.training.freeze import Stopped
    from assaymark.training.settings import TrainingRequest


@click.command()
@with_options
def train(
    claim: str | None = argument(),
    budget: int | None = option(
        "Labels for training and certification together.", least=1, metavar="N"
    ),
    population: str | None = option(
        "What the claim is about: rest (items not used for training), whole (all items) or "
        "future (later items). Needed for active sampling.",
        metavar="NAME",
    ),
    keep: float | None = option(
        "With population future: the share set aside (default: 0.5).", metavar="SHARE"
    ),
    sampling: str | None = option("random (default), uncertainty or relevance.", metavar="NAME"),
    policy: str | None = option(
        "split (default with a budget), adaptive, first-in-budget or wait.", metavar="NAME"
    ),
    wait: int | None = option("With policy wait: how many more looks.", least=0, metavar="N"),
    batch: int | None = option(
        "Items to hand out at a time, and now in any case (default: as many as pay).",
        least=1,
        metavar="N",
    ),
    learner: str | None = option(
        "A scikit-learn text pipeline of your own.", metavar="MODULE:NAME"
    ),
    seeds: Path | None = option("Ids to label first, such as known positives."),
    confidence: float | None = option(
        "How sure the certificate is to be (default: 0.95).", metavar="X"
    ),
    power: float | None = option(f"Wanted chance to pass (default: {POWER}).", metavar="X"),
    mode: str | None = option(
        "How to certify: score-guided (default), anytime, budget or fixed.", metavar="NAME"
    ),
    auto_certify: bool = option("Freeze, seal and draw when it is advised."),
    seed: str | None = option(
        "Decides the random items; with --stop the plan's draws.", metavar="TEXT"
    ),
    stop: bool = option("Freeze the classifier and seal its certification plan."),
    yes: bool = option("With --stop: freeze without asking."),
    forecast: bool = option("With --stop: show what it would cost; freeze nothing."),
    score: str | None = option(
        "Score FILE by the frozen classifier (with -o OUT.parquet).", metavar="FILE"
    ),
    labels: int | None = option(
        "With --stop: where a fixed or budget plan ends.", least=1, metavar="N"
    ),
    family: bool = option("With --stop: share one risk among all claims on the pool that say so."),
    only_status: bool = option("Show where it stands; record nothing.", "--status"),
    plot: Path | None = option("Write the learning curve: .html, .svg or .png."),
    output: Path | None = option("Where to write the batch.", "-o"),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Train a text classifier under a label budget, with advice on when to stop and certify it.

    The first call seals the CLAIM and what it is about, and hands out items to label. Every further
    call refits on all training labels, says what the classifier is believed to reach and what more
    training would save, and hands out the next items. With --stop the classifier is frozen, scores
    the collection, and its certification plan is sealed: draw, label, look and certify as usual.

    \b
    Examples:
      assaymark train "f1 >= 0.75" --budget 3000 -p work
      assaymark label work/survey-1-1.csv -p work
      assaymark train -p work
      assaymark train --plot curve.svg --status -p work
      assaymark train --stop --forecast -p work
      assaymark train --stop -p work
      assaymark train --score new.csv -o scored.parquet -p work
    """
    from assaymark.claims.ratio_metrics import parse_claim
    from assaymark.project.folder import Project
    from assaymark.training.settings import TrainingRequest

    project = Project(folder=folder)
    if (labels is not None or family or yes or forecast) and not stop:
        raise click.UsageError(
            "--labels, --family, --yes and --forecast are about the plan: add --stop."
        )
    if score is not None:
        _score(project, score, output, as_json=as_json)
        return
    request = TrainingRequest(
        claim=None if claim is None else parse_claim(claim),
        confidence=confidence,
        power=power,
        budget=budget,
        policy=policy,
        wait=wait,
        mode=mode,
        sampling=sampling,
        population=population,
        keep=keep,
        batch=batch,
        learner=learner,
        auto_certify=auto_certify,
        seed=seed,
        seeds=seeds,
    )
    if only_status or (plot is not None and not stop):
        _refuse_others("--status and --plot only show", request, output, stop=stop)
        _show_status(project, plot, as_json=as_json)
        return
    if stop:
        from assaymark.training.freeze import stop_training

        kept = replace(request, mode=None, seed=None)
        _refuse_others("--stop ends the training", kept, output, plot=plot is not None)
        plan = partial(stop_training, project, mode=mode, labels=labels, seed=seed, family=family)
        _stop(project, plan, yes=yes, forecast=forecast, as_json=as_json)
        return
    _round(project, request, output, as_json=as_json)


def _refuse_others(
    why: str, request: "TrainingRequest", output: Path | None, **flags: bool
) -> None:
    """Refuse what would have no effect: somebody meant something by it."""
    options = [
        field.name for field in fields(request) if getattr(request, field.name) not in (None, False)
    ]
    options += ["output"] if output is not None else []
    options += [name for name, present in flags.items() if present]
    if options:
        names = ", ".join(
            "the claim" if n == "claim" else f"--{n.replace('_', '-')}" for n in options
        )
        raise click.UsageError(f"{why}: leave out {names}, or give it to assaymark train first.")


def _round(
    project: "Project", request: "TrainingRequest", output: Path | None, *, as_json: bool
) -> None:
    from assaymark.training.freeze import train_on

    with progress_bar("train") as progress:
        went = train_on(project, request, output=output, progress=progress)
    done, stopped = went.trained, went.stopped
    if as_json:
        show_json(
            {
                **plain(done.summary),
                "begun": done.begun,
                "refitted": done.refitted,
                "reason": done.reason,
                "changed": list(done.changed),
                "batch": plain(done.batch),
                "advice": None if done.advice is None else plain(done.advice),
                "stopped": None if stopped is None else stopped_json(stopped),
            }
        )
        return
    show_round(done, project.folder)
    if stopped is not None:
        show_stopped(stopped, project.folder)


def _show_status(project: "Project", plot: Path | None, *, as_json: bool) -> None:
    from assaymark.training.report import write_training_plot
    from assaymark.training.rounds import training_now

    summary = training_now(project)
    if plot is not None:
        write_training_plot(plot, summary)
    if as_json:
        show_json({**plain(summary), "plot": plot})
        return
    headline(summary.sentence)
    rows(
        [
            ("claim", claim_line(summary)),
            ("labels", labels_line(summary)),
        ]
    )
    show_looks(summary.looks, summary.metric)
    if plot is not None:
        rows([("learning curve", str(plot))])
    place = quoted(project.folder)
    if summary.frozen is not None and summary.phase != "learning":
        say(f"  {summary.frozen.sentence}")
        advise(f"assaymark status -p {place}")
    elif summary.waiting:
        advise(f"label what was handed out, then: assaymark train -p {place}")
    elif summary.advice and summary.advice.action == "certify":
        advise(f"assaymark train --stop -p {place}")
    else:
        advise(f"assaymark train -p {place}")


def _stop(
    project: "Project",
    plan: "Callable[..., Stopped]",
    *,
    yes: bool,
    forecast: bool,
    as_json: bool,
) -> None:
    from assaymark.training.freeze import NotAgreedError
    from assaymark.training.sealed_cost import SealedCost

    costs: list[SealedCost] = []

    def agree(cost: SealedCost) -> bool:
        """The cost is shown before it is final; somebody at the terminal is asked."""
        costs.append(cost)
        if not as_json:
            rows([("flags", flagged_line(cost.flagged, cost.items))])
            say(f"  {cost.sentence}")
        if forecast:
            return False
        return yes or as_json or not asks() or confirmed("Freeze the classifier and seal the plan?")

    try:
        with progress_bar("stop") as progress:
            done = plan(agree=agree, progress=progress)
    except NotAgreedError as refusal:
        if as_json:
            show_json({**plain(costs[0]), "sentence": costs[0].sentence})
        else:
            say(f"  {refusal}")
        return
    if as_json:
        show_json(stopped_json(done))
        return
    show_stopped(done, project.folder)


def _score(project: "Project", source: str, output: Path | None, *, as_json: bool) -> None:
    from assaymark.training.scoring import score_file

    if output is None:
        raise click.UsageError("Say where to write the scores: -o OUT.parquet.")
    with progress_bar("score") as progress:
        done = score_file(project, source, output=output, progress=progress)
    if as_json:
        show_json(plain(done))
        return
    headline(f"{counted(done.items, 'item')} scored by model {done.model}")
    rows([("flags", flagged_line(done.flagged, done.items)), ("file", done.path)])
