"""The command that grows a classifier: train."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.output import (
    advise,
    headline,
    json_option,
    progress_bar,
    project_option,
    quoted,
    rows,
    show_json,
)
from assay.types.record import plain
from assay.types.results import counted, percent, shown

if TYPE_CHECKING:
    from assay.steps.project import Project
    from assay.steps.survey import SurveyBatch
    from assay.steps.training import Trained
    from assay.steps.training_freeze import Stopped

FILE = click.Path(dir_okay=False, path_type=Path)
LOOKS_SHOWN = 12


@click.command()
@click.argument("claim", required=False)
@click.option("--budget", type=click.IntRange(min=1), metavar="N",
              help="Labels for training and certification together.")  # fmt: skip
@click.option("--population", metavar="NAME",
              help="What the claim is about: rest, whole or future. Needed for active sampling.")  # fmt: skip
@click.option("--keep", type=float, metavar="SHARE",
              help="Of population future: the share set aside (default: 0.5).")  # fmt: skip
@click.option("--sampling", metavar="NAME", help="random (default), uncertainty or relevance.")
@click.option("--policy", metavar="NAME",
              help="split (default with a budget), adaptive, first-in-budget or wait.")  # fmt: skip
@click.option(
    "--wait", type=click.IntRange(min=0), metavar="N", help="Looks that policy wait waits."
)
@click.option("--batch", type=click.IntRange(min=1), metavar="N",
              help="Items to hand out at a time, and now in any case (default: as many as pay).")  # fmt: skip
@click.option("--learner", metavar="MODULE:NAME", help="A scikit-learn text pipeline of your own.")
@click.option("--seeds", type=FILE, help="Ids to label first, such as known positives.")
@click.option("--confidence", type=float, metavar="X", help="Of the certificate (default: 0.95).")
@click.option("--power", type=float, metavar="X", help="Wanted chance to pass (default: 0.93).")
@click.option("--mode", metavar="NAME",
              help="How to certify: weighted (default), anytime, budget or fixed.")  # fmt: skip
@click.option("--auto-certify", is_flag=True, help="Freeze, seal and draw when it is advised.")
@click.option(
    "--seed", metavar="TEXT", help="Decides the random items; with --stop the plan's draws."
)
@click.option("--stop", is_flag=True, help="Freeze the classifier and seal its certification plan.")
@click.option("--labels", type=click.IntRange(min=1), metavar="N",
              help="With --stop: where a fixed or budget plan ends.")  # fmt: skip
@click.option("--status", "only_status", is_flag=True, help="Show where it stands; record nothing.")
@click.option("--plot", type=FILE, help="Write the learning curve: .html, .svg or .png.")
@click.option("-o", "--output", type=FILE, help="Where to write the batch.")
@project_option
@json_option
def train(
    claim: str | None,
    budget: int | None,
    population: str | None,
    keep: float | None,
    sampling: str | None,
    policy: str | None,
    wait: int | None,
    batch: int | None,
    learner: str | None,
    seeds: Path | None,
    confidence: float | None,
    power: float | None,
    mode: str | None,
    auto_certify: bool,
    seed: str | None,
    stop: bool,
    labels: int | None,
    only_status: bool,
    plot: Path | None,
    output: Path | None,
    folder: Path,
    as_json: bool,
) -> None:
    """Grow a text classifier under a label budget, and be told when to stop and certify it.

    The first call seals the CLAIM and what it is about, and hands out items to label. Every further
    call refits on all training labels, says what the classifier is believed to reach and what more
    training would save, and hands out the next items. With --stop the classifier is frozen, scores
    the collection, and its certification plan is sealed: draw, label, look and certify as ever.

    \b
    Examples:
      assay train "f1 >= 0.75" --budget 3000 -p work
      assay label work/survey-1-1.csv -p work
      assay train -p work
      assay train --plot curve.svg --status -p work
      assay train --stop -p work
    """
    from assay.steps.calculators import read_claim
    from assay.steps.project import Project
    from assay.steps.training_settings import TrainWish

    project = Project(folder=folder)
    if labels is not None and not stop:
        raise click.UsageError("--labels says where a plan ends: add --stop.")
    if only_status or (plot is not None and not stop and claim is None):
        _refuse_with_status(claim, seeds, batch, stop=stop)
        _show_status(project, plot, as_json=as_json)
        return
    if stop:
        if claim is not None or seeds is not None or plot is not None:
            raise click.UsageError(
                "--stop ends the training: leave out the claim, --seeds, --plot."
            )
        _stop(project, mode, labels, seed, as_json=as_json)
        return
    wish = TrainWish(
        claim=None if claim is None else read_claim(claim),
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
    _round(project, wish, output, as_json=as_json)


def _refuse_with_status(
    claim: str | None, seeds: Path | None, batch: int | None, *, stop: bool
) -> None:
    if claim is not None or seeds is not None or batch is not None or stop:
        raise click.UsageError(
            "--status and --plot only show: leave out the claim, --seeds, --batch and --stop."
        )


def _round(project: "Project", wish: Any, output: Path | None, *, as_json: bool) -> None:
    from assay.steps.training_freeze import train_on

    with progress_bar("train") as progress:
        went = train_on(project, wish, output=output, progress=progress)
    done, stopped = went.trained, went.stopped
    if as_json:
        show_json(
            {
                **done.told,
                "begun": done.begun,
                "refitted": done.refitted,
                "reason": done.reason,
                "batch": _batch_json(done.batch),
                "advice": None if done.advice is None else plain(done.advice),
                "stopped": None if stopped is None else _stopped_json(stopped),
            }
        )
        return
    _show_round(done, project.folder)
    if stopped is not None:
        _show_stopped(stopped, project.folder)


def _batch_json(batch: "SurveyBatch | None") -> dict[str, Any] | None:
    if batch is None:
        return None
    path = None if batch.path is None else str(batch.path)
    return {**plain(batch), "items": list(batch.items), "path": path}


def _show_round(done: "Trained", folder: Path) -> None:
    told = done.told
    place = quoted(folder)
    if done.begun:
        headline(f"Training for {told['claim']} has begun")
        _show_settings(told)
    else:
        _show_now(told, done.advice)
    if done.reason:
        click.echo(f"  {done.reason}")
    if not told["looks"] and not done.begun:
        click.echo(
            "  If you know relevant items, have them labelled first: "
            f"assay train --seeds IDS.csv -p {place}"
        )
    batch = done.batch
    if batch is not None and batch.path is not None:
        rows([("batch", f"{counted(len(batch.items), 'item')} to label in {batch.path}")])
        advise(
            f"fill in the column 'label', then: assay label {quoted(batch.path)} -p {place}; "
            f"assay train -p {place}"
        )
    elif batch is not None:
        advise(f"every item of the batch has a label already: assay train -p {place}")
    elif told["waiting"]:
        advise(f"label them; to write them again: assay draw --pending -p {place}")
    elif done.advice is not None and done.advice.action == "certify" and not told["auto_certify"]:
        advise(
            f"assay train --stop -p {place}; to go on all the same: assay train --batch 50 -p {place}"
        )


def _show_settings(told: dict[str, Any]) -> None:
    budget = "none named" if told["budget"] is None else f"{told['budget']:,} labels in all"
    about = {
        "rest": "the items that training never takes",
        "whole": "the whole collection, training items with the labels people gave them",
        "future": f"a part of {percent(told['keep'] or 0)} that was set aside by lot",
    }[told["population"]]
    rows(
        [
            ("budget", budget),
            ("policy", told["policy"]),
            ("sampling", told["sampling"]),
            ("claim is about", f"{told['population']}: {about}"),
            ("certified by", told["mode"]),
        ]
    )


def _show_now(told: dict[str, Any], advice: Any) -> None:
    """The verdict on the training, then its looks."""
    if advice is None:
        headline(told["sentence"], "wait")
    else:
        tone = "bad" if advice.out_of_reach else "good" if advice.action == "certify" else "wait"
        headline(str(advice), tone)
    lines = [
        ("claim", f"{told['claim']}, about the {told['population']}"),
        ("training labels", _labels(told)),
    ]
    if advice is not None:
        lines += _believed(told, advice)
    rows(lines)
    _show_looks(told["looks"], told["metric"])


def _labels(told: dict[str, Any]) -> str:
    parts = [f"{told['positives']:,} positive", f"{told['random']:,} random"]
    for name, noun in (("active", "active"), ("skipped", "cannot tell"), ("waiting", "waiting")):
        if told[name]:
            parts.append(f"{told[name]:,} {noun}")
    return f"{told['labels']:,} ({', '.join(parts)})"


def _believed(told: dict[str, Any], advice: Any) -> list[tuple[str, str]]:
    lines = [
        (
            told["metric"],
            f"about {shown(advice.estimate)}, {shown(advice.low)} to {shown(advice.high)} with 90% "
            f"belief; {told['target']:g} is wanted",
        )
    ]
    if advice.total is not None:
        budget = "" if told["budget"] is None else f" of {told['budget']:,}"
        lines.append(
            (
                "labels in all",
                f"about {advice.total:,}{budget} if training stops now "
                f"({advice.certification:,} to certify)",
            )
        )
    if advice.best_total is not None and advice.best_at != advice.labels:
        lines.append(
            ("at the best", f"about {advice.best_total:,} with {advice.best_at:,} training labels")
        )
    return lines


def _show_looks(looks: list[dict[str, Any]], metric: str) -> None:
    if not looks:
        return
    if len(looks) > LOOKS_SHOWN:
        click.echo(f"  … {len(looks) - LOOKS_SHOWN} earlier looks")
    head = ("labels", "positive", "cross-validated", metric, "range", "in all", "advice")
    lines = [
        (
            f"{look['labels']:,}",
            f"{look['positives']:,}",
            _short(look["cross_validated"]),
            _short(look["estimate"]),
            f"{_short(look['low'])} to {_short(look['high'])}",
            "–" if look["total"] is None else f"{look['total']:,}",
            look["action"],
        )
        for look in looks[-LOOKS_SHOWN:]
    ]
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, *lines]:
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        click.echo("  " + "  ".join(cells))


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _show_status(project: "Project", plot: Path | None, *, as_json: bool) -> None:
    from assay.steps.training import training_now
    from assay.steps.training_plot import write_training_plot

    told = training_now(project)
    if plot is not None:
        write_training_plot(plot, told)
    if as_json:
        show_json({**told, "plot": None if plot is None else str(plot)})
        return
    headline(told["sentence"])
    rows([("claim", f"{told['claim']}, about the {told['population']}"), ("labels", _labels(told))])
    _show_looks(told["looks"], told["metric"])
    if plot is not None:
        rows([("learning curve", str(plot))])
    place = quoted(project.folder)
    if told["phase"] != "learning":
        click.echo(f"  {told['frozen']['sentence']}")
        advise(f"assay status -p {place}")
    elif told["waiting"]:
        advise(f"label what was handed out, then: assay train -p {place}")
    elif told["advice"] and told["advice"]["action"] == "certify":
        advise(f"assay train --stop -p {place}")
    else:
        advise(f"assay train -p {place}")


def _stop(
    project: "Project", mode: str | None, labels: int | None, seed: str | None, *, as_json: bool
) -> None:
    from assay.steps.training_freeze import stop_training

    with progress_bar("stop") as progress:
        done = stop_training(project, mode=mode, labels=labels, seed=seed, progress=progress)
    if as_json:
        show_json(_stopped_json(done))
        return
    _show_stopped(done, project.folder)


def _stopped_json(done: "Stopped") -> dict[str, Any]:
    frozen = done.frozen
    return {
        "model": frozen.model,
        "threshold": frozen.threshold,
        "population": frozen.population,
        "sentence": frozen.sentence,
        "items": frozen.pool.summary.items,
        "predicted_positive": frozen.pool.summary.predicted_positive,
        "excluded": frozen.excluded,
        "scores": frozen.pool.source,
        "left": done.left,
        "plan": plain(done.plan),
        "batch": None
        if done.batch is None
        else {
            "items": list(done.batch.items),
            "path": None if done.batch.path is None else str(done.batch.path),
        },
    }


def _show_stopped(done: "Stopped", folder: Path) -> None:
    frozen, plan = done.frozen, done.plan
    summary = frozen.pool.summary
    headline(f"Model {frozen.model} is frozen; plan {plan.number} is sealed: {plan.claim}", "good")
    expected = (
        "as many as it takes" if plan.expected_labels is None else f"{plan.expected_labels:,}"
    )
    lines = [
        ("picks", f"{summary.predicted_positive:,} of {counted(summary.items, 'item')}"),
        ("scores", frozen.pool.source),
        ("labels to buy", f"{'' if plan.expected_labels is None else 'about '}{expected}"),
    ]
    if done.left is not None:
        lines.append(("budget left", counted(done.left, "label")))
    rows(lines)
    click.echo(f"  {frozen.sentence}")
    place = quoted(folder)
    if done.batch is not None and done.batch.path is not None:
        rows([("batch", f"{counted(len(done.batch.items), 'item')} to label in {done.batch.path}")])
        advise(f"assay label {quoted(done.batch.path)} -p {place}, when it is filled in")
    else:
        advise(f"assay draw -p {place}")


COMMANDS = (train,)
