"""The command plan: what a claim will cost, then sealed."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.certification.cli import (
    ExpectedOptions,
    forecast_json,
    read_expectation,
    show_forecast,
)
from assaymark.claims.record import plain
from assaymark.cli.sealed_plans import (
    PlanOptions,
    advise_after_seal,
    ledger_head,
    seal_several,
    show_new_part,
    show_plan,
    show_revealed,
)
from assaymark.composite.cli.steps import abandon_several, is_of_several
from assaymark.estimation.cli.estimate import plan_estimate
from assaymark.terminal.options import (
    CONNECTION,
    FOLDER,
    JSON,
    argument,
    option,
    with_options,
)
from assaymark.terminal.output import (
    advise,
    asks,
    confirmed,
    headline,
    progress_bar,
    quoted,
    say,
    show_json,
)

if TYPE_CHECKING:
    from assaymark.certification.sealing import PlanRequest
    from assaymark.claims.results import Forecast
    from assaymark.project.folder import Project


def typed_claim(words: tuple[str, ...]) -> str | None:
    """The claim, also where it was not quoted; one whose > the shell took is recognised."""
    if not words:
        return None
    text = " ".join(words)
    if not re.search(r"[<>≥≤]|at least|at most|within|gap", text) and _is_metric(words[0]):
        raise click.UsageError(_without_sign(words))
    return text


def _without_sign(words: tuple[str, ...]) -> str:
    """What is missing, how the claim is written, and the file that the shell made of its sign."""
    from assaymark.claims.direction import SIGNS, usual_side
    from assaymark.claims.ratio_metrics import metric

    side = usual_side(metric(words[0]).name) or "upper"
    target = words[1] if len(words) > 1 else {"lower": "0.8", "upper": "0.05"}[side]
    missing = (
        f"The claim {words[0]!r} has no target."
        if len(words) == 1
        else f"The claim {' '.join(words)!r} has no sign between its metric and its target."
    )
    made = " It made one here, called '=': delete it." if Path("=").is_file() else ""
    return (
        f'{missing} Write: assaymark plan "{words[0]} {SIGNS[side]} {target}", with the quotation '
        f"marks: without them the shell takes > for the name of a file.{made}"
    )


def _is_metric(word: str) -> bool:
    from assaymark.claims.ratio_metrics import metric
    from assaymark.errors import InputError

    try:
        return bool(metric(word))
    except InputError:
        return False


@dataclass(frozen=True, kw_only=True)
class EstimateOptions:
    """What a plan takes about an estimate, in place of a claim."""

    within: float | None = option("For an estimate: half the interval's width.", metavar="X")
    guarantee: bool = option("For an estimate: plan for a proved interval.")
    stratifier: str | None = option(
        "For an estimate of accuracy: how the collection is divided (default: mixc).",
        metavar="NAME",
    )
    allocation: str | None = option(
        "For an estimate: how labels are shared out (accuracy: mass; F1, recall: chances, or "
        "renewed).",
        metavar="NAME",
    )
    strata: int | None = option(
        "For an estimate of accuracy: how many parts.", least=1, metavar="K"
    )
    first: int | None = option(
        "With an allocation that learns: labels in each part before it does (default: 5).",
        least=1,
        metavar="N",
    )
    step: int | None = option(
        "With allocation optimal-steps: labels per batch after that (default: 50).",
        least=1,
        metavar="N",
    )
    no_guard: bool = option(
        "With an allocation that learns: as printed in its paper; may never visit a part again."
    )


@click.command()
@with_options
def plan(
    *,
    words: tuple[str, ...] = argument(metavar="[CLAIM]"),
    options: PlanOptions,
    expected: ExpectedOptions,
    which: bool = option(
        "For a claim of several parts: say which of them hold, not whether all do."
    ),
    least_group: int = option(
        "For a claim in every group: leave out smaller groups, by name.",
        default=0,
        least=0,
        metavar="N",
        show_default=False,
    ),
    reveal: tuple[str, ...] = option("A part of the seed, or the beacon's value.", metavar="TEXT"),
    make_part: bool = option("Make a part of a joint seed and its hash.", "--part"),
    only_forecast: bool = option("Show the cost; seal nothing.", "--forecast"),
    abandon: str | None = option("Close the open plan for good, with a reason.", metavar="REASON"),
    connection: str | None = CONNECTION,
    estimate: str | None = option("Plan an estimate of METRIC, not a claim.", metavar="METRIC"),
    estimating: EstimateOptions,
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Seal a claim and how it will be tested. Nothing about it can change afterwards.

    Write the claim in quotation marks: without them the shell takes > for a file.

    With --estimate, plan how to estimate a metric instead: no verdict, but an interval.

    \b
    Examples:
      assaymark plan "f1 >= 0.75" -p work
      assaymark plan "f1 >= 0.75" --mode fixed --pilot 80,20,20,880 -p work
      assaymark plan "precision >= 0.9" --mode budget --design score-guided --expect 0.95 -p work
      assaymark plan --abandon "the classifier was retrained" -p work
      assaymark plan --estimate accuracy --within 0.02 -p work
      assaymark plan --estimate recall --budget 400 --guarantee -p work
    """
    from assaymark.project.folder import Project

    claim = typed_claim(words)
    given = [name for name, value in vars(estimating).items() if value not in (None, False)]
    if estimate is None and given:
        name = given[0].replace("_", "-")
        raise click.UsageError(f"--{name} is for an estimate: add --estimate METRIC.")
    project = Project(folder=folder, connection=connection)
    if make_part or reveal:
        if claim is not None:
            raise click.UsageError("--part and --reveal go without a claim: it is sealed already.")
        if make_part:
            show_new_part(as_json=as_json)
        else:
            show_revealed(project, reveal, as_json=as_json)
        return
    if estimate is not None:
        sharing = options.reserve or options.claim_only or options.new_risk or options.family
        ways = options.mode or options.design or sharing
        if claim is not None or ways or abandon is not None:
            raise click.UsageError(
                "--estimate plans an estimate: leave out the claim, --mode, --design, --reserve, "
                "--claim-only, --new-risk, --family and --abandon."
            )
        from assaymark.estimation.planning import EstimateRequest

        request = EstimateRequest(
            metric=estimate, within=estimating.within, budget=options.budget,
            confidence=options.confidence, guarantee=estimating.guarantee,
            stratifier=estimating.stratifier, allocation=estimating.allocation,
            strata=estimating.strata, first=estimating.first, step=estimating.step,
            guard=not estimating.no_guard, expect=expected.expect, seed=options.seed,
        )  # fmt: skip
        plan_estimate(project, request, only_forecast=only_forecast, as_json=as_json)
        return
    _seal_claim(
        project,
        claim,
        options,
        expected,
        least_group=least_group,
        which=which,
        only_forecast=only_forecast,
        abandon=abandon,
        as_json=as_json,
    )


def _seal_claim(
    project: "Project",
    claim: str | None,
    options: PlanOptions,
    expected: ExpectedOptions,
    *,
    least_group: int,
    which: bool,
    only_forecast: bool,
    abandon: str | None,
    as_json: bool,
) -> None:
    from assaymark.certification.drawing import first_batch
    from assaymark.certification.planning.forecast_words import SOURCES
    from assaymark.certification.sealing import (
        PlanRequest,
        chances_at_other_margins,
        expected_in_words,
        forecast_plan,
        predicted_share,
        seal_plan,
    )
    from assaymark.claims.direction import refuse_wrong_way, wrong_way
    from assaymark.claims.ratio_metrics import parse_claim

    if abandon is not None:
        _abandon(project, abandon, as_json=as_json)
        return
    if claim is None:
        raise click.UsageError('Name the claim: assaymark plan "f1 >= 0.75" …')
    if is_of_several(project, claim):
        seal_several(
            project,
            claim,
            options,
            expected,
            least_group=least_group,
            which=which,
            only_forecast=only_forecast,
            as_json=as_json,
        )
        return
    if which:
        raise click.UsageError(f"'{claim}' is one claim: there is nothing to choose from.")
    asked = parse_claim(claim)
    expectation = read_expectation(asked, expected, share=predicted_share(project, asked))
    request = PlanRequest(claim=asked, expectation=expectation, **vars(options))
    request = _ask_back(request, wrong_way(asked), "Seal it as it is written?", quiet=as_json)
    refuse_wrong_way(asked, anyway=request.anyway)
    cost = forecast_plan(project, request)
    if cost is not None and not as_json and (only_forecast or asks() or not cost.refused):
        headline(f"What {cost.claim} will cost, {SOURCES[cost.basis]}")
        row = None if only_forecast else _row(request, cost)
        show_forecast(cost, expected_in_words(project, request), sealed=row, budget=request.budget)
    if only_forecast:
        _end_forecast(cost, as_json=as_json)
        return
    looks_false = None if cost is None else cost.looks_false
    request = _ask_back(request, looks_false and "", "Seal it anyway?", quiet=as_json)
    with progress_bar("plan") as progress:
        sealed = seal_plan(project, request, progress=progress)
    first, others = first_batch(sealed), chances_at_other_margins(project, sealed)
    if as_json:
        forecast = None if cost is None else forecast_json(cost)
        more = {"first_batch": first, "if_margin": others, "head": ledger_head(project)}
        show_json({**plain(sealed), "forecast": forecast, **more})
        return
    show_plan(sealed, ledger_head(project), first=first, others=others)
    advise_after_seal(sealed, quoted(project.folder))


def _end_forecast(cost: "Forecast | None", *, as_json: bool) -> None:
    """A forecast that seals nothing ends here."""
    if cost is None:
        raise click.UsageError("A forecast needs --pilot or --expect, or scores between 0 and 1.")
    if as_json:
        show_json(forecast_json(cost))


def _ask_back(
    request: "PlanRequest", question: str | None, sealing: str, *, quiet: bool
) -> "PlanRequest":
    """The request, sealed anyway if somebody at the terminal says so; a no ends the command."""
    if question is None or request.anyway or quiet or not asks():
        return request
    if question:
        say(f"  {question}")
    if not confirmed(sealing):
        say("  Nothing was sealed.")
        raise click.exceptions.Exit(0)
    return replace(request, anyway=True)


def _row(request: "PlanRequest", cost: "Forecast") -> str | None:
    """The row of the table of costs that will be sealed."""
    if request.mode is None and request.design is None:
        return str(cost.recommended or "score-guided")
    return request.kind.name if request.kind else request.mode


def _abandon(project: "Project", reason: str, *, as_json: bool) -> None:
    """Close what is open: a claim of several rows, or a plan."""
    from assaymark.certification.sealing import abandon_plan

    if abandon_several(project, reason, as_json=as_json):
        return
    number = abandon_plan(project, reason)
    if as_json:
        show_json({"plan": number, "outcome": "abandoned", "reason": reason})
        return
    headline(f"Plan {number} is closed: abandoned.")
    say("  Later plans on this claim share its risk, so what it used up is not given back.")
    advise(f"assaymark report -p {quoted(project.folder)}")
