"""Commands that set a project up: init, plan."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assaymark.certification.cli import (
    expectation_options,
    forecast_json,
    read_expectation,
    show_forecast,
)
from assaymark.claims.record import plain
from assaymark.claims.results import counted, percent
from assaymark.cli.seeds import advise_after_seal, seed_lines, show_new_part, show_revealed
from assaymark.composite.cli import abandon_several, is_of_several, plan_conjunction
from assaymark.estimation.cli.estimate import plan_estimate
from assaymark.records.plan import Plan
from assaymark.records.pool import Columns
from assaymark.terminal.output import (
    advise,
    headline,
    json_option,
    progress_bar,
    project_option,
    quoted,
    rows,
    say,
    show_json,
    spark_option,
)

if TYPE_CHECKING:
    from assaymark.project.folder import Project


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--pool", required=True, help=".parquet, .csv[.gz], .jsonl, a folder, a glob, or a table."
)
@click.option(
    "--id",
    "id_columns",
    required=True,
    multiple=True,
    metavar="COL",
    help="Unique id of an item; repeat it where several columns make the id.",
)
@click.option("--score", metavar="COL", help="The classifier's score, in any range.")
@click.option("--prediction", metavar="COL", help="The classifier's 0/1 prediction, or its class.")
@click.option("--threshold", type=float, metavar="X", help="Predicted positive if score >= X.")
@click.option("--text", multiple=True, metavar="COL", help="What people read to label; repeatable.")
@click.option(
    "--group", "groups", multiple=True, metavar="COL", help="A column to claim in every group of."
)
@click.option("--positive", metavar="NAME", help="The positive verdict, where not spelled 1.")
@click.option("--classes", is_flag=True, help="Predictions and labels are names of classes.")
@click.option(
    "--class", "named", multiple=True, metavar="NAME",
    help="A class of the list; repeatable. Left out: those that are predicted.",
)  # fmt: skip
@click.option(
    "--probability", "probabilities", multiple=True, metavar="CLASS=COL",
    help="The probability of a class, in place of --prediction; one for each class.",
)  # fmt: skip
@click.option(
    "--engine", default="duckdb", show_default=True, help="duckdb or spark: what reads it."
)
@spark_option
@click.option(
    "--ledger",
    default="ledger.sqlite",
    show_default=True,
    help="Or postgresql://user@host/database[#name], for several servers at once.",
)
@json_option
def init(
    folder: Path,
    pool: str,
    id_columns: tuple[str, ...],
    score: str | None,
    prediction: str | None,
    threshold: float | None,
    text: tuple[str, ...],
    groups: tuple[str, ...],
    positive: str | None,
    classes: bool,
    named: tuple[str, ...],
    probabilities: tuple[str, ...],
    engine: str,
    master: str | None,
    ledger: str,
    as_json: bool,
) -> None:
    """Register a pool and begin a project in FOLDER.

    \b
    Example:
      assaymark init work --pool scores.csv --id id --score score --threshold 0.5 --text body
      assaymark init work --pool lake.scored --id id --score score --threshold 0.5 --engine spark
      assaymark init work --pool mails.csv --id id --prediction topic --classes --text body
    """
    from assaymark.pool.joined_ids import joined_name
    from assaymark.project.registration import init as run

    columns = Columns(
        id=joined_name(id_columns),
        score=score,
        prediction=prediction,
        threshold=threshold,
        text=text,
        groups=groups or None,
        positive=positive,
    )
    columns = _with_names(
        pool, columns, classes=classes, named=named, probabilities=probabilities, engine=engine
    )
    with progress_bar("init") as progress:
        pool_seen = run(
            folder,
            pool=pool,
            columns=columns,
            engine=engine,
            spark=master,
            ledger=ledger,
            progress=progress,
        )
    summary = pool_seen.summary
    if as_json:
        show_json(
            {
                "project": str(folder),
                "items": summary.items,
                "predicted_positive": summary.predicted_positive,
                "predicted_negative": summary.predicted_negative,
                "score_low": summary.score_low,
                "score_high": summary.score_high,
                "fingerprint": pool_seen.fingerprint,
                "classes": list(columns.classes or ()),
            }
        )
        return
    headline(f"{summary.items:,} items registered in {folder}")
    found = [("fingerprint", pool_seen.fingerprint[:16] + "…")]
    if columns.predicts:
        found.insert(0, ("predicted positive", f"{summary.predicted_positive:,}"))
    if summary.score_low is not None:
        found.insert(0, ("scores", f"{summary.score_low:g} to {summary.score_high:g}"))
    if columns.classes:
        found.insert(0, ("classes", f"{len(columns.classes):,}: {', '.join(columns.classes[:5])}…"))
    rows(found)
    place = quoted(folder)
    if columns.classes:
        advise(f'assaymark plan "recall of every class >= 0.7" -p {place}, with your claim')
        return
    if columns.text and not columns.predicts and not columns.score:
        advise(f'grow a classifier: assaymark train "f1 >= 0.75" --budget 3000 -p {place}')
        return
    claim = "f1 >= 0.75" if columns.predicts else "prevalence <= 0.05"
    advise(f'assaymark plan "{claim}" -p {place}, with the claim you want to prove')


def _with_names(
    pool: str,
    columns: Columns,
    *,
    classes: bool,
    named: tuple[str, ...],
    probabilities: tuple[str, ...],
    engine: str,
) -> Columns:
    """The columns with the names of classes or of the two verdicts."""
    from assaymark.project.class_names import with_classes, with_probabilities, with_verdicts

    if probabilities:
        return with_probabilities(columns, probabilities)
    if not classes and not named:
        return with_verdicts(pool, columns) if engine == "duckdb" else columns
    if columns.prediction is None:
        raise click.UsageError("Classes are predicted: add --prediction COL.")
    return with_classes(
        pool, columns, predicted_by=(columns.prediction,), named=named, engine=engine
    )


@click.command()
@click.argument("claim", required=False)
@click.option(
    "--mode",
    help="anytime (default), budget or fixed: when the claim is judged. weighted, as in the table of "
    "costs, is anytime with that design.",
)
@click.option(
    "--design",
    help="score-guided (default where there are predictions, unless fixed or budget) or simple.",
)
@click.option(
    "--one-by-one", is_flag=True, help="Of a score-guided plan: no lead, for a single annotator."
)
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="Labels to buy.")
@click.option("--confidence", default=0.95, show_default=True, type=float)
@click.option("--power", default=0.93, show_default=True, type=float, help="Wanted chance to pass.")
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
@click.option("--abandon", metavar="REASON", help="Close the open plan for good, with a reason.")
@spark_option
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
    claim: str | None,
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
    abandon: str | None,
    master: str | None,
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
    project = Project(folder=folder, spark=master)
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
            **_mode(mode, design),
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


def _mode(mode: str | None, design: str | None) -> dict[str, str | None]:
    """Mode and design; score-guided ones may be asked for by the name that the table of costs uses."""
    guided = {"weighted": "anytime", "score-guided": "anytime", "ceiling": "budget"}
    if mode in guided and design in (None, "weighted", "score-guided"):
        return {"mode": guided[mode], "design": "weighted"}
    return {"mode": mode, "design": design}


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
    from assaymark.certification.sealing import (
        Wish,
        chances_at_other_margins,
        expected_in_words,
        forecast_plan,
        predicted_share,
        seal_plan,
    )

    if abandon is not None:
        _abandon(project, abandon, as_json=as_json)
        return
    if claim is None:
        raise click.UsageError('Name the claim: assaymark plan "f1 >= 0.75" …')
    if is_of_several(project, claim):
        _seal_several(project, claim, options | expected, as_json=as_json)
        return
    options.pop("least_group")
    if options.pop("which"):
        raise click.UsageError(f"'{claim}' is one claim: there is nothing to choose from.")
    asked = read_claim(claim)
    expectation = read_expectation(asked, **expected, share=predicted_share(project))
    wish = Wish(claim=asked, expectation=expectation, **options)
    cost = forecast_plan(project, wish)
    if cost is not None and not as_json:
        given = "" if wish.expectation else ", if the scores are right"
        headline(f"What {cost.claim} will cost{given}")
        show_forecast(cost, wish.power, expected_in_words(project, wish))
    if only_forecast:
        if cost is None:
            raise click.UsageError(
                "A forecast needs --pilot or --expect, or scores between 0 and 1."
            )
        if as_json:
            show_json(forecast_json(cost))
        return
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
    project: "Project", claim: str, options: dict[str, Any], *, as_json: bool
) -> None:
    """A conjunction, or a claim in every group: judged whenever one looks, and in no other mode."""
    names = ("design", "one_by_one", "reserve", "claim_only", "commit", "beacon", "pilot", "expect",
             "precision", "recall", "prevalence")  # fmt: skip
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
    plan_conjunction(project, claim, kept, as_json=as_json)


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
    from_where = f"{sealed.items:,} items ({sealed.domain})"
    if sealed.kind.whole:
        lines = [("labels to buy", f"all {from_where}: the test would need that many")]
    elif not sealed.kind.promise:
        given = "the classifier is as expected" if sealed.expectation else "the scores are right"
        about = (
            "as many as it takes"
            if sealed.expected_labels is None
            else f"about {sealed.expected_labels:,} if {given}"
        )
        how = (
            f"score-guided over {len(sealed.strata)} strata" if sealed.kind.guided else "at random"
        )
        lines = [("labels to buy", f"{about}; drawn {how} from {from_where}")]
    elif sealed.kind.guided:
        about = (
            "" if sealed.expected_labels is None else f", about {sealed.expected_labels:,} of them"
        )
        lines = [
            (
                "labels to buy",
                f"at most {sealed.size:,}{about} if the classifier is as expected; drawn score-guided over "
                f"{len(sealed.strata)} strata from {from_where}",
            )
        ]
    else:
        lines = [("labels to buy", f"{sealed.size:,} draws at random from {from_where}")]
    judged = {
        "fixed": "once, when all of them are labelled",
        "census": "once, when all of them are labelled",
        "budget": f"after every informative item, up to {sealed.informative or 0:,} of them",
        "ceiling": f"whenever you look, up to {sealed.size or 0:,} labels; there it ends",
    }.get(sealed.kind.name, "whenever you look; the promise holds at every look")
    lines.append(("judged", judged))
    if sealed.power is not None:
        lines.append(("chance to pass", f"{sealed.power:.3f}, if the classifier is as expected"))
    lines += [
        (
            "if it is not",
            "; ".join(
                f"{chance:.0%} if it beats the target by {times:g} times what you expect"
                for times, chance in others
            ),
        )
    ] * bool(others)
    if first is not None:
        lines.append(("draw first", counted(first, "item")))
    if shared := account_words(sealed):
        lines.append(("risk", shared))
    rows([*lines, *seed_lines(sealed), ("head", head)])
    if advice := little_left(sealed.stake):
        say(f"  {advice}")


COMMANDS = (init, plan)
