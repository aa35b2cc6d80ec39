"""The command plan: what a claim will cost, then sealed."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assaymark.certification.cli import (
    expectation_options,
    forecast_json,
    read_expectation,
    show_forecast,
)
from assaymark.claims.defaults import POWER
from assaymark.claims.record import plain
from assaymark.claims.results import chance, counted, percent
from assaymark.cli.seeds import advise_after_seal, seed_lines, show_new_part, show_revealed
from assaymark.composite.cli.steps import abandon_several, is_of_several, plan_conjunction
from assaymark.estimation.cli.estimate import plan_estimate
from assaymark.records.plan import Plan
from assaymark.terminal.output import (
    asks,
    confirmed,
    connection_option,
    headline,
    json_option,
    progress_bar,
    project_option,
    quoted,
    rows,
    say,
    show_json,
)

if TYPE_CHECKING:
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
    help="Of mode anytime: score-guided or simple. With budget, score-guided ends at a sealed number.",
)
@click.option(
    "--one-by-one", is_flag=True, help="Of a score-guided plan: no lead, for a single annotator."
)
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="Labels to buy.")
@click.option("--confidence", default=0.95, show_default=True, type=float)
@click.option(
    "--power", default=POWER, show_default=True, type=float, help="Wanted chance to pass."
)
@expectation_options
@click.option(
    "--reserve", default=0.0, type=float, metavar="PART",
    help="Part of the claim's risk to keep for a later plan on it, such as 0.1.",
)  # fmt: skip
@click.option("--claim-only", is_flag=True, help="Of a fixed plan: state no bound but the claim.")
@click.option(
    "--new-risk", is_flag=True,
    help="Open a second account for a claim planned before; what is stated covers both.",
)  # fmt: skip
@click.option("--family", is_flag=True, help="One risk for all claims on the pool that say so.")
@click.option(
    "--which", is_flag=True,
    help="Of a claim of several parts: which of them hold, not whether all do.",
)  # fmt: skip
@click.option(
    "--least-group", default=0, type=click.IntRange(min=0), metavar="N",
    help="Of a claim in every group: smaller groups are left out, by name.",
)  # fmt: skip
@click.option("--seed", metavar="TEXT", help="Decides every draw (default: 128 random bits).")
@click.option(
    "--commit", multiple=True, metavar="HASH",
    help="Draw the seed together: the hash of another side's part. own: this side alone.",
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
    "--within", type=float, metavar="X", help="Of an estimate: half the interval's width."
)
@click.option("--guarantee", is_flag=True, help="Of an estimate: plan for a proved interval.")
@click.option("--stratifier", metavar="NAME", help="Of an estimate of accuracy (default: mixc).")
@click.option("--allocation", metavar="NAME", help="Of an estimate of accuracy (default: mass).")
@click.option(
    "--strata", type=click.IntRange(min=1), metavar="K", help="Of an estimate of accuracy."
)
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

    claim = _claim(words)
    estimating = {
        "within": within,
        "guarantee": guarantee or None,
        "stratifier": stratifier,
        "allocation": allocation,
        "strata": strata,
    }
    given = [name for name, value in estimating.items() if value is not None]
    if estimate is None and given:
        raise click.UsageError(f"--{given[0]} is for an estimate: add --estimate METRIC.")
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
        wish = {"metric": estimate, "budget": budget, "confidence": confidence, "expect": expect}
        options = {**estimating, **wish, "guarantee": guarantee, "seed": seed}
        plan_estimate(project, options, only_forecast=only_forecast, as_json=as_json)
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
            "least_group": least_group,
            "which": which,
            "anyway": anyway,
        },
        {
            "pilot": pilot,
            "expect": expect,
            "precision": precision,
            "recall": recall,
            "prevalence": prevalence,
        },
        only_forecast=only_forecast,
        abandon=abandon,
        as_json=as_json,
    )


def _claim(words: tuple[str, ...]) -> str | None:
    """The claim, also where it was not quoted; one whose > the shell took is recognised."""
    if not words:
        return None
    text = " ".join(words)
    if not re.search(r"[<>≥≤]|at least|at most|within|gap", text) and _is_metric(words[0]):
        number = words[1] if len(words) > 1 else "0.8"
        made = "'=' " if len(words) > 1 else ""
        raise click.UsageError(
            f"The claim was typed without quotation marks, so the shell took > for a file and made one "
            f'{made}in this folder. Write: assaymark plan "{words[0]} >= {number}"'
        )
    return text


def _is_metric(word: str) -> bool:
    from assaymark.claims.ratio_metrics import metric
    from assaymark.errors import InputError

    try:
        return bool(metric(word))
    except InputError:
        return False


def _seal_claim(
    project: "Project",
    claim: str | None,
    options: dict[str, Any],
    expected: dict[str, Any],
    *,
    only_forecast: bool,
    abandon: str | None,
    as_json: bool,
) -> None:
    from assaymark.certification.calculators import read_claim
    from assaymark.certification.drawing import first_batch
    from assaymark.certification.planning.forecast_words import SOURCES
    from assaymark.certification.sealing import (
        Wish,
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
        _seal_several(
            project, claim, options | expected, only_forecast=only_forecast, as_json=as_json
        )
        return
    options.pop("least_group")
    if options.pop("which"):
        raise click.UsageError(f"'{claim}' is one claim: there is nothing to choose from.")
    asked = read_claim(claim)
    expectation = read_expectation(asked, **expected, share=predicted_share(project))
    wish = Wish(claim=asked, expectation=expectation, **options)
    wish = _ask_back(wish, wrong_way(asked), "Seal it as it is written?", quiet=as_json)
    refuse_wrong_way(asked, anyway=wish.anyway)
    cost = forecast_plan(project, wish)
    if cost is not None and not as_json and (only_forecast or asks() or not cost.refused):
        headline(f"What {cost.claim} will cost, {SOURCES[cost.basis]}")
        row = None if only_forecast else _row(wish, cost)
        show_forecast(cost, expected_in_words(project, wish), sealed=row)
    if only_forecast:
        _end_forecast(cost, as_json=as_json)
        return
    looks_false = None if cost is None else cost.looks_false
    wish = _ask_back(wish, looks_false and "", "Seal it all the same?", quiet=as_json)
    with progress_bar("plan") as progress:
        sealed = seal_plan(project, wish, progress=progress)
    first, others = first_batch(sealed), chances_at_other_margins(project, sealed)
    if as_json:
        told = None if cost is None else forecast_json(cost)
        more = {"first_batch": first, "if_margin": others, "head": _head(project)}
        show_json({**plain(sealed), "forecast": told, **more})
        return
    _show_plan(sealed, _head(project), first=first, others=others)
    advise_after_seal(sealed, quoted(project.folder))


def _end_forecast(cost: "Forecast | None", *, as_json: bool) -> None:
    """A forecast that seals nothing ends here."""
    if cost is None:
        raise click.UsageError("A forecast needs --pilot or --expect, or scores between 0 and 1.")
    if as_json:
        show_json(forecast_json(cost))


def _ask_back(wish: Any, question: str | None, sealing: str, *, quiet: bool) -> Any:
    """The wish, sealed anyway if somebody at the terminal says so; otherwise the step refuses it."""
    if question is None or wish.anyway or quiet or not asks():
        return wish
    if question:
        say(f"  {question}")
    return replace(wish, anyway=confirmed(sealing))


def _row(wish: Any, cost: Any) -> str | None:
    """The row of the table of costs that will be sealed."""
    if wish.mode is None and wish.design is None:
        return str(cost.recommended or "score-guided")
    if wish.mode == "budget" and wish.design == "weighted":
        return "ceiling"
    guided = wish.mode in (None, "anytime") and wish.design != "simple"
    return "score-guided" if guided else str(wish.mode or "anytime")


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


def _seal_several(
    project: "Project",
    claim: str,
    options: dict[str, Any],
    *,
    only_forecast: bool,
    as_json: bool,
) -> None:
    """A conjunction, or a claim in every group: judged whenever one looks, and in no other mode."""
    names = ("design", "one_by_one", "reserve", "claim_only", "commit", "beacon", "pilot", "precision",
             "recall", "prevalence", "anyway")  # fmt: skip
    given = [name for name in names if options.get(name)]
    mode = "budget" if options["budget"] else "anytime"
    if options["mode"] not in (None, mode) or given:
        name = given[0] if given else "mode"
        raise click.UsageError(
            f"A claim of several parts is judged whenever you look: leave out --{name.replace('_', '-')}."
        )
    kept = {
        name: options[name]
        for name in ("confidence", "seed", "least_group", "budget", "which", "new_risk", "family")
    }
    plan_conjunction(
        project,
        claim,
        kept,
        only_forecast=only_forecast,
        expect=options["expect"],
        as_json=as_json,
    )


def _head(project: "Project") -> str:
    """The last hash of the ledger, which somebody else should keep."""
    last = project.state().head
    return last.hash if last else ""


def _show_plan(
    sealed: Plan, head: str, *, first: int | None, others: tuple[tuple[float, float], ...]
) -> None:
    from assaymark.certification.certificate.words import account_words
    from assaymark.certification.planning import little_left

    sure = percent(sealed.confidence)
    headline(f"Plan {sealed.number} sealed: {sealed.claim} with {sure} confidence")
    lines = [("labels to buy", _labels_to_buy(sealed)), ("sampled", _sampled(sealed))]
    judged = {
        "fixed": "once, when all of them are labelled",
        "census": "once, when all of them are labelled",
        "budget": f"after every informative item, up to {sealed.informative or 0:,} of them",
        "ceiling": f"whenever you look, up to {sealed.size or 0:,} labels; there it ends",
    }.get(sealed.kind.name, f"whenever you look; the {sure} still holds")
    lines.append(("judged", judged))
    if sealed.power is not None:
        lines.append(
            ("chance to pass", f"{chance(sealed.power)}, if the classifier is as expected")
        )
    lines += [
        ("", f"{chance(power)} if it beats the target by {times:g} times what you expect")
        for times, power in others
    ]
    if first is not None:
        lines.append(("draw first", counted(first, "item")))
    if shared := account_words(sealed):
        lines.append(("risk", shared))
    rows([*lines, *seed_lines(sealed), ("head", head)])
    if advice := little_left(sealed.stake):
        say(f"  {advice}")


def _labels_to_buy(sealed: Plan) -> str:
    if sealed.kind.whole:
        return f"all {sealed.items:,}: the test would need that many"
    if sealed.kind.promise and sealed.kind.guided:
        expected = sealed.expected_labels
        about = "" if expected is None else f"; about {expected:,} if the classifier is as expected"
        return f"at most {sealed.size:,}{about}"
    if sealed.kind.promise:
        return f"{sealed.size:,}"
    given = "the classifier is as expected" if sealed.expectation else "the scores are right"
    expected = sealed.expected_labels
    return "as many as it takes" if expected is None else f"about {expected:,} if {given}"


def _sampled(sealed: Plan) -> str:
    items = {
        "predicted positive": f"the {sealed.items:,} items that the classifier flagged",
        "predicted negative": f"the {sealed.items:,} items that the classifier rejected",
    }.get(sealed.domain, f"all {sealed.items:,} items")
    if sealed.kind.guided:
        return f"from {items}, more often where the scores are uncertain"
    return f"{items}, every one" if sealed.kind.whole else f"at random from {items}"


COMMANDS = (plan,)
