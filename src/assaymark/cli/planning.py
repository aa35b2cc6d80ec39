"""The command plan: what a claim will cost, then sealed."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.certification.cli import (
    ExpectedOptions,
    expectation_options,
    forecast_json,
    read_expectation,
    show_forecast,
)
from assaymark.claims.defaults import POWER
from assaymark.claims.record import plain
from assaymark.cli.sealed_plans import PlanOptions, ledger_head, seal_several, show_plan
from assaymark.cli.seeds import advise_after_seal, show_new_part, show_revealed
from assaymark.cli.typed_claims import typed_claim
from assaymark.composite.cli.steps import abandon_several, is_of_several
from assaymark.estimation.cli.estimate import plan_estimate
from assaymark.terminal.output import (
    advise,
    asks,
    confidence_option,
    confirmed,
    connection_option,
    headline,
    json_option,
    progress_bar,
    project_option,
    quoted,
    say,
    show_json,
)

if TYPE_CHECKING:
    from assaymark.certification.sealing import PlanRequest
    from assaymark.claims.results import Forecast
    from assaymark.project.folder import Project


@click.command()
@click.argument("words", metavar="[CLAIM]", nargs=-1)
@click.option(
    "--mode",
    help="score-guided, anytime, budget or fixed, as in the table of costs (default: the recommended "
    "one).",
)
@click.option(
    "--design",
    help="With mode anytime: score-guided or simple. With mode budget: score-guided ends at a sealed number.",
)
@click.option(
    "--one-by-one",
    is_flag=True,
    help="For a score-guided plan: draw nothing ahead of the labels; for a single reviewer.",
)
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="Labels to buy.")
@confidence_option
@click.option(
    "--power", default=POWER, show_default=True, type=float, help="Wanted chance to pass."
)
@expectation_options
@click.option(
    "--reserve", default=0.0, type=float, metavar="PART",
    help="Part of the claim's risk to keep for a later plan on it, such as 0.1.",
)  # fmt: skip
@click.option(
    "--claim-only", is_flag=True, help="For a fixed plan: state the claim alone, no better bound."
)
@click.option(
    "--new-risk", is_flag=True,
    help="Start a second risk account for a claim planned before; what is stated covers both.",
)  # fmt: skip
@click.option(
    "--family", is_flag=True, help="Share one risk among all claims on the pool that say so."
)
@click.option(
    "--which", is_flag=True,
    help="For a claim of several parts: say which of them hold, not whether all do.",
)  # fmt: skip
@click.option(
    "--least-group", default=0, type=click.IntRange(min=0), metavar="N",
    help="For a claim in every group: leave out smaller groups, by name.",
)  # fmt: skip
@click.option(
    "--seed", metavar="TEXT", callback=lambda _context, _option, seed: seed and seed.encode().decode(),
    help="Decides every draw (default: 128 random bits).",
)  # fmt: skip
@click.option(
    "--commit", multiple=True, metavar="HASH",
    help="Draw the seed jointly: the hash of the other side's part, or own for this side alone.",
)  # fmt: skip
@click.option(
    "--beacon", metavar="NAME[:ROUND]", help="Take the seed from a public beacon's next value."
)
@click.option(
    "--reveal", multiple=True, metavar="TEXT", help="A part of the seed, or the beacon's value."
)
@click.option("--part", "make_part", is_flag=True, help="Make a part of a joint seed and its hash.")
@click.option("--forecast", "only_forecast", is_flag=True, help="Show the cost; seal nothing.")
@click.option(
    "--anyway",
    is_flag=True,
    help="Seal a claim that looks false, or one that points the wrong way.",
)
@click.option("--abandon", metavar="REASON", help="Close the open plan for good, with a reason.")
@connection_option
@click.option("--estimate", metavar="METRIC", help="Plan an estimate of METRIC, not a claim.")
@click.option(
    "--within", type=float, metavar="X", help="For an estimate: half the interval's width."
)
@click.option("--guarantee", is_flag=True, help="For an estimate: plan for a proved interval.")
@click.option(
    "--stratifier",
    metavar="NAME",
    help="For an estimate of accuracy: how the collection is divided (default: mixc).",
)
@click.option(
    "--allocation",
    metavar="NAME",
    help="For an estimate: how labels are shared out (accuracy: mass; F1, recall: chances, or renewed).",
)
@click.option(
    "--strata",
    type=click.IntRange(min=1),
    metavar="K",
    help="For an estimate of accuracy: how many parts.",
)
@click.option(
    "--first", type=click.IntRange(min=1), metavar="N",
    help="With an allocation that learns: labels in each part before it does (default: 5).",
)  # fmt: skip
@click.option(
    "--step", type=click.IntRange(min=1), metavar="N",
    help="With allocation optimal-steps: labels per batch after that (default: 50).",
)  # fmt: skip
@click.option(
    "--no-guard", is_flag=True,
    help="With an allocation that learns: as printed in its paper; may never visit a part again.",
)  # fmt: skip
@project_option
@json_option
def plan(
    words: tuple[str, ...],
    mode: str | None,
    design: str | None,
    one_by_one: bool,
    budget: int | None,
    confidence: float,
    power: float,
    pilot: str | None,
    expect: float | None,
    precision: float | None,
    recall: float | None,
    prevalence: float | None,
    reserve: float,
    claim_only: bool,
    new_risk: bool,
    family: bool,
    which: bool,
    least_group: int,
    seed: str | None,
    commit: tuple[str, ...],
    beacon: str | None,
    reveal: tuple[str, ...],
    make_part: bool,
    only_forecast: bool,
    anyway: bool,
    abandon: str | None,
    connection: str | None,
    estimate: str | None,
    within: float | None,
    guarantee: bool,
    stratifier: str | None,
    allocation: str | None,
    strata: int | None,
    first: int | None,
    step: int | None,
    no_guard: bool,
    folder: Path,
    as_json: bool,
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
    estimating = {
        "within": within,
        "guarantee": guarantee or None,
        "stratifier": stratifier,
        "allocation": allocation,
        "strata": strata,
        "first": first,
        "step": step,
        "no_guard": no_guard or None,
    }
    options = [name for name, value in estimating.items() if value is not None]
    if estimate is None and options:
        name = options[0].replace("_", "-")
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
        sharing = reserve or claim_only or new_risk or family
        if claim is not None or mode or design or sharing or abandon is not None:
            raise click.UsageError(
                "--estimate plans an estimate: leave out the claim, --mode, --design, --reserve, "
                "--claim-only, --new-risk, --family and --abandon."
            )
        from assaymark.estimation.planning import EstimateRequest

        request = EstimateRequest(
            metric=estimate, within=within, budget=budget, confidence=confidence, guarantee=guarantee,
            stratifier=stratifier, allocation=allocation, strata=strata, first=first, step=step,
            guard=not no_guard, expect=expect, seed=seed,
        )  # fmt: skip
        plan_estimate(project, request, only_forecast=only_forecast, as_json=as_json)
        return
    _seal_claim(
        project,
        claim,
        {
            "mode": mode,
            "design": design,
            "one_by_one": one_by_one,
            "confidence": confidence,
            "power": power,
            "budget": budget,
            "seed": seed,
            "commit": commit,
            "beacon": beacon,
            "reserve": reserve,
            "claim_only": claim_only,
            "new_risk": new_risk,
            "family": family,
            "anyway": anyway,
        },
        {
            "pilot": pilot,
            "expect": expect,
            "precision": precision,
            "recall": recall,
            "prevalence": prevalence,
        },
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
    from assaymark.certification.forecasts.calculators import read_claim
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
    asked = read_claim(claim)
    expectation = read_expectation(asked, **expected, share=predicted_share(project, asked))
    request = PlanRequest(claim=asked, expectation=expectation, **options)
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
