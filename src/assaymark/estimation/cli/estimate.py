"""The command that reads an estimate, and what plan and draw say about one."""

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.claims.direction import usual_side
from assaymark.claims.record import plain
from assaymark.claims.results import counted, percent, rounded, shown
from assaymark.estimation.estimate import EstimateDesign, Estimates, MetricEstimate
from assaymark.hints import command
from assaymark.terminal.batches import show_batch
from assaymark.terminal.options import FOLDER, JSON, option, with_options
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
    from assaymark.estimation.planning import EstimateRequest
    from assaymark.project.folder import Project
    from assaymark.sampling.surveys import SurveyBatch


def plan_estimate(
    project: "Project", request: "EstimateRequest", *, only_forecast: bool, as_json: bool
) -> None:
    """Plan an estimate and say what it will cost."""
    from assaymark.estimation.survey import forecast_estimate, open_estimate

    if only_forecast:
        design = forecast_estimate(project, request)
        number, seed = None, None
    else:
        planned = open_estimate(project, request)
        number, seed, design = planned.number, planned.seed, planned.design
    if as_json:
        show_json({"estimate": number, "seed": seed, **plain(design)})
        return
    if number is None:
        scores = ", if the scores are right" if design.scored else ""
        headline(f"What an estimate of {design.metric} will cost{scores}")
    else:
        headline(f"Estimate {number} planned: {design.metric}")
    rows(_cost(design) + ([("seed", seed)] if seed else []))
    if number is not None:
        advise(f"assaymark draw -p {quoted(project.folder)}")


def _cost(design: EstimateDesign) -> list[tuple[str, str]]:
    from assaymark.estimation.design_words import describe

    strata = (
        counted(len(design.strata), "part").replace("parts", "strata").replace("part", "stratum")
    )
    lines = [("labels to buy", f"{design.labels:,} of {design.items:,} items, in {strata}")]
    if design.first is not None:
        lines.append(("drawn", describe(design)))
    if design.renew:
        lines.append(("handed out", _portions(design)))
    lines += _foreseen(design)
    if design.forecast_ratio is not None and design.forecast_ratio < 1:
        random = round(design.labels / design.forecast_ratio)
        lines.append(("at random", f"about {random:,} labels for the same precision (a forecast)"))
    if design.sampling == "fixed":
        lines.append(("guarantee", "none: strata of fixed numbers; plan with --guarantee for one"))
    else:
        lines.append(
            ("guarantee", "holds at every look; usually wider than the interval for reading")
        )
    return lines


def _foreseen(design: EstimateDesign) -> list[tuple[str, str]]:
    """How precise it will be, as far as that is known."""
    if not design.foreseeable:
        return [("forecast", "none: without scores nothing is known before the first label")]
    lines, value = [], f"{design.metric} {shown(design.expected)}"
    if design.within is not None:
        which = "guaranteed interval" if design.guarantee else "interval"
        if design.scored:
            basis = " if the scores are right"
        else:
            basis = ", whatever it is" if design.expected is None else " if it is as you expect"
        lines.append(("forecast", f"{which} within ± {design.within:.3g}{basis}"))
    if design.expected is not None:
        lines.append(("scores promise" if design.scored else "expected", value))
    return lines


def _portions(design: EstimateDesign) -> str:
    """How many items are handed out at a time where later ones are chosen by the labels so far."""
    ends = (0, *(design.renew or ()), design.labels)
    first, *others = [f"{stop - start:,}" for start, stop in itertools.pairwise(ends)]
    return f"{first} items, then {' and '.join(others)} more, chosen by what the labels before them say"


def estimating_now(project: "Project") -> bool:
    """Whether the next items are those of an estimate."""
    state = project.state()
    if not any(work.survey.purpose == "estimate" for work in state.surveys):
        return False  # claims start faster without the statistics of estimates
    from assaymark.estimation.survey import current_estimate

    return current_estimate(state) is not None


def draw_for_estimate(
    project: "Project", count: int | None, output: Path | None, *, pending: bool, as_json: bool
) -> None:
    """Hand out the next items of the estimate, or write its open ones again."""
    from assaymark.estimation.survey import draw_estimate, draw_open

    if pending:
        batch = draw_open(project, output=output)
    else:
        with progress_bar("draw") as progress:
            batch = draw_estimate(project, count=count, output=output, progress=progress)
    show_survey_batch(batch, project.folder, as_json=as_json, pending=pending)


def show_survey_batch(batch: "SurveyBatch", folder: Path, *, as_json: bool, pending: bool) -> None:
    """What was handed out for an estimate, or again for any survey."""
    if as_json:
        show_json(plain(batch))
        return
    title = "Open items" if pending else f"Batch {batch.number} of estimate {batch.survey}"
    lines = []
    if batch.held:
        lines.append(
            ("later", f"{batch.held:,} more, chosen by the labels of these: draw when they are in")
        )
    show_batch(
        batch,
        f"{title}: {counted(len(batch.items), 'item')}",
        folder,
        lines=lines,
        flags=" --adjudicate" if batch.disputed else "",
        done="estimate",
    )


@click.command()
@with_options
def estimate(
    labels: Path | None = option(
        "A labelled file sampled elsewhere: id, label, prediction and probability or stratum."
    ),
    key: Path | None = option(
        "A second file with id and how each item was drawn, where the labels lack it."
    ),
    pool: Path | None = option(
        "Without a project: draw from this pool of a classifier with any number of classes.",
        type=click.Path(path_type=Path),
    ),
    id_column: str = option(
        "With a file: unique id of an item.", "--id", default="id", metavar="COL"
    ),
    prediction: str = option("Predicted class.", default="prediction", metavar="COL"),
    score: str = option("Its probability.", default="score", metavar="COL"),
    text: tuple[str, ...] = option("What people read to label; repeatable.", metavar="COL"),
    count: int | None = option("How many items.", "--draw", least=1, metavar="N"),
    output: Path | None = option(
        "With --pool: the batch to label.", "-o", type=click.Path(path_type=Path)
    ),
    seed: str = option(
        "With --pool: decides the draw.", default="assay", metavar="TEXT", show_default=False
    ),
    confidence: float | None = option("With --labels: of the intervals (0.95 unless given)."),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """How good the classifier is, from the labels so far: every metric with its interval.

    In a project: from the labels of the latest estimate, or of the latest plan. With --labels: from
    a file that was sampled elsewhere with known probabilities. With --pool and --draw: draws a
    stratified sample for a classifier with many classes and writes a batch and its key.

    \b
    Examples:
      assaymark estimate -p work
      assaymark estimate --labels sample.csv
      assaymark estimate --pool all.parquet --prediction class --score top --draw 200 -o b.csv --key k.csv
      assaymark estimate --labels b.csv --key k.csv
    """
    if pool is not None:
        columns = {"id": id_column, "prediction": prediction, "score": score}
        _draw_classes(pool, columns, text, count, output, key, seed, as_json=as_json)
        return
    if labels is not None:
        from assaymark.estimation.sampled_file import estimate_file

        estimates = estimate_file(
            labels, key=key, confidence=0.95 if confidence is None else confidence
        )
    else:
        if confidence is not None or key is not None:
            raise click.UsageError(
                "--confidence and --key go with --labels. In a project the confidence was fixed in "
                "the plan."
            )
        from assaymark.estimation.survey import read_estimate
        from assaymark.project.folder import Project

        with progress_bar("estimate") as progress:
            estimates = read_estimate(Project(folder=folder), progress=progress)
    if as_json:
        show_json(estimates_json(estimates))
        return
    show_estimates(estimates)
    if labels is None:
        _advise_claim(estimates, folder)


def _is_guaranteed(one: MetricEstimate, target: float) -> bool:
    """Whether the labels guarantee the target already, so that nothing need be bought to prove it."""
    if one.guaranteed_reason is not None:
        return False
    if usual_side(one.metric) == "lower":
        return one.guaranteed_low is not None and one.guaranteed_low >= target
    return one.guaranteed_high is not None and one.guaranteed_high <= target


def _advise_claim(estimates: Estimates, folder: Path) -> None:
    """What can probably be proved, as the next step; nothing while a plan is open."""
    from assaymark.certification.planning.forecast_words import target_with_room
    from assaymark.project.folder import Project

    state, first = Project(folder=folder).state(), estimates.metrics[0]
    if (state.attempt is not None and state.attempt.open) or first.point is None or first.exact:
        return
    side = usual_side(first.metric)
    end = first.low if side == "lower" else first.high
    target = None if side is None else target_with_room(first.point, side, end=end)
    if target is not None and _is_guaranteed(first, target):
        advise(f"a page with these figures: {command('report')}")
    elif target is not None:
        sign = ">=" if side == "lower" else "<="
        claim = f"{first.metric} {sign} {target:g}"
        advise(f"if you want it proved: {command('plan', claim)}")


def _draw_classes(
    pool: Path,
    columns: dict[str, str],
    text: tuple[str, ...],
    count: int | None,
    output: Path | None,
    key: Path | None,
    seed: str,
    *,
    as_json: bool,
) -> None:
    from assaymark.estimation.many_classes import draw_classes

    if count is None or output is None or key is None:
        raise click.UsageError(
            "Drawing from a pool needs --draw N, -o for the batch and --key for how it was drawn."
        )
    with progress_bar("draw") as progress:
        drawn = draw_classes(
            pool, columns, text=text, count=count, output=output, key=key, seed=seed,
            progress=progress,
        )  # fmt: skip
    if as_json:
        show_json(plain(drawn) | {"output": output, "key": key})
        return
    headline(f"{counted(drawn.labels, 'item')} to label in {output}")
    rows(
        [
            ("pool", f"{drawn.items:,} items, {drawn.classes:,} predicted classes"),
            ("strata", f"{drawn.strata:,}"),
            ("key", f"{key} (keep it from the annotators: it holds predictions)"),
            ("scores promise", f"accuracy {shown(drawn.expected)}"),
        ]
    )
    advise(
        "fill in the column 'label', then: assaymark estimate --labels "
        f"{quoted(output)} --key {quoted(key)}"
    )


def estimates_json(estimates: Estimates) -> dict[str, object]:
    """One key per metric, and what was counted beside them."""
    answer: dict[str, object] = {one.metric: plain(one) for one in estimates.metrics}
    answer["labels"] = estimates.labels
    for name in ("skipped", "waiting", "confidence", "design"):
        answer[name] = getattr(estimates, name)
    for name in ("strata", "classes", "warnings", "assumptions"):
        answer[name] = plain(getattr(estimates, name))
    return answer


def show_estimates(estimates: Estimates) -> None:
    """The metric that was asked for first, then the others, then their assumptions."""
    headline(str(estimates))
    rows([(one.title, _line(one)) for one in estimates.metrics])
    promised = [
        one
        for one in estimates.metrics
        if one.guaranteed_low is not None and one.guaranteed_reason is None
    ]
    if all(one.exact for one in promised):
        promised = []  # what is known exactly needs no guarantee
    if promised:
        level = percent(estimates.confidence)
        if estimates.every_look:
            say(f"Guaranteed with {level} confidence each, at every look:")
        else:
            say(f"Guaranteed with {level} confidence each:")
        rows([(one.title, _promise(one)) for one in promised])
    elif estimates.metrics[0].guaranteed_reason and not estimates.metrics[0].exact:
        say(f"Nothing is guaranteed: {estimates.metrics[0].guaranteed_reason}.")
    if estimates.classes:
        say("By class (precision, recall, F1):")
        rows(
            [
                (one.name, f"{shown(one.precision)}  {shown(one.recall)}  {shown(one.f1)}")
                for one in estimates.classes
            ]
        )
    rows([("sample", f"{counted(estimates.labels, 'label')}, {estimates.design}")])
    if estimates.waiting:
        wait = "waits" if estimates.waiting == 1 else "wait"
        items = counted(estimates.waiting, "drawn item")
        say(f"  {items} {wait} for a label (or for one before it)")
    for warning in estimates.warnings:
        say(f"  {warning}")


def _line(one: MetricEstimate) -> str:
    if one.point is None:
        return f"undefined: {one.reason}"
    if one.low is None or one.high is None:
        return f"{shown(one.point)}  (no interval: {one.reason})"
    if one.exact:
        return f"{shown(one.point)}"
    text = f"{shown(one.point)}  ({rounded(one.low)} to {rounded(one.high, up=True)}, {one.method})"
    if one.efficiency is not None and one.efficiency < 0.995:
        text += f"; these labels are worth {one.efficiency:.0%} of ones drawn for it"
    return text


def _promise(one: MetricEstimate) -> str:
    side = f"at least {rounded(one.guaranteed_low or 0.0)}"
    small = side == "at least 0" or usual_side(one.metric) == "upper"
    if small and one.guaranteed_high is not None:
        side = f"at most {rounded(one.guaranteed_high, up=True)}"
    elif side == "at least 0":
        side = "nothing useful yet"
    if one.guaranteed_interval is None:
        return side
    first, last = one.guaranteed_interval
    return f"{side}; two-sided {rounded(first)} to {rounded(last, up=True)}"
