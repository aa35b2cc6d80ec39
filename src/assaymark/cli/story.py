"""Commands that answer: look, certify, status; and key, witness and demo."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.claims.record import plain
from assaymark.claims.results import counted, percent, shown, unclear_words
from assaymark.composite.cli.steps import certify_now, claiming_now, look_now
from assaymark.monitoring.outcomes import DECIDED, EXIT_CODES
from assaymark.terminal.options import FOLDER, JSON, argument, option, with_options
from assaymark.terminal.output import (
    DIRECTORY,
    advise,
    headline,
    quoted,
    rows,
    say,
    show_blocking,
    show_json,
)

if TYPE_CHECKING:
    from assaymark.certification.looks import Look
    from assaymark.claims.results import Verdict
    from assaymark.overview.status import Status
    from assaymark.project.folder import Project

TONES = {"pass": "good", "fail": "bad", "continue": "wait"}

EARLY = "few labels yet"


@click.command()
@with_options
@click.pass_context
def look(
    context: click.Context,
    exit_code: bool = option("End as gate does: 0 established, 1 refuted, 4 undecided."),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """What is established so far. Exit code 1 if the claim failed.

    A fixed plan refuses a look before all its labels are there: an early look would void its confidence.

    \b
    Example:
      assaymark look -p work
    """
    from assaymark.certification.certificate.words import account_words
    from assaymark.certification.looks import look as run
    from assaymark.project.folder import Project

    project = Project(folder=folder, resumes=True)
    if claiming_now(project):
        look_now(context, project, exit_codes=_exit_codes(exit_code), as_json=as_json)
    result = run(project)
    verdict, estimate = result.verdict, result.verdict.estimate
    if as_json:
        show_json(
            {
                "decision": verdict.decision,
                "claim": str(verdict.claim),
                "metric": estimate.metric,
                "point": None if result.no_point else estimate.point,
                "low": estimate.interval.low,
                "high": estimate.interval.high,
                "confidence": estimate.interval.confidence,
                "labels": estimate.labels,
                "draws": estimate.draws,
                "labels_expected": verdict.labels_expected,
                "labels_ahead": verdict.labels_ahead,
                "doubt": verdict.doubt,
                "looks": result.looks,
                "blocking": None if result.blocking is None else plain(result.blocking),
                "waiting": verdict.waiting,
                "skipped": verdict.skipped,
                "census": verdict.census,
                "e_value": verdict.e_value,
                "mode": result.plan.mode,
                "design": result.plan.design,
                "reason": verdict.reason,
                "advice": verdict.advice,
                "assumptions": list(estimate.assumptions),
                "account": account_words(result.plan),
                "budget": None if result.budget is None else plain(result.budget),
            }
        )
    else:
        headline(str(verdict), TONES[verdict.decision])
        lines = [
            ("estimate", _point(result)),
            ("labels", f"{estimate.labels:,} ({counted(estimate.draws, 'draw')})"),
            ("could not tell", unclear_words(verdict.skipped, "the claim")),
            ("looks", f"{result.looks:,}"),
        ]
        if result.budget is not None:
            lines.append(("budget", str(result.budget)))
        if account := account_words(result.plan):
            lines.append(("risk", account))
        rows(lines)
        if verdict.decision == "pass" and result.open:
            advise(f"assaymark certify -p {quoted(folder)}")
        elif verdict.decision != "continue":
            _advise_end(project)
        elif verdict.decision == "continue":
            _advise_more(result, project)
    context.exit(_exit_codes(exit_code)[verdict.ending])


def _advise_end(project: "Project") -> None:
    """After a plan has ended: what could still be claimed, and the step that follows from it."""
    from assaymark.overview.status import status as run

    now = run(project)
    if now.possible:
        say(f"  {now.possible}")
    advise(now.advice)


def _point(look: "Look") -> str:
    """The estimate; while the labels prove nothing, with what it is made of or why there is none."""
    from assaymark.claims.results import useful

    verdict = look.verdict
    if look.no_point:
        return f"none: {look.no_point}"
    guided = look.plan.kind.guided and verdict.decision == "continue" and verdict.labels
    early = guided and not useful(verdict.claim, verdict.estimate.interval)
    scores = "" if look.by_scores is None else f"; the scores alone say {shown(look.by_scores)}"
    return shown(verdict.estimate.point) + (f" ({EARLY}{scores})" if early else "")


def _exit_codes(as_the_gate: bool) -> dict[str, int]:
    """How a look ends, by its decision."""
    if not as_the_gate:
        return {"pass": 0, "fail": 1, "unproven": 1, "continue": 0}
    return {ending: EXIT_CODES[outcome] for ending, outcome in DECIDED.items()}


def _advise_more(look: "Look", project: "Project") -> None:
    verdict, folder = look.verdict, project.folder
    if look.blocking is not None:
        show_blocking(look.blocking)
        return
    if verdict.advice:
        say(f"  {verdict.advice}")
    if verdict.doubt:
        say(f"  {verdict.doubt}")
    if verdict.outlook:
        say(f"  {verdict.outlook}")
    if look.waiting:
        waiting = counted(look.waiting, "drawn item")
        advise(
            f"label the {waiting} without a label; to write them again: "
            f"assaymark draw --pending -p {quoted(folder)}"
        )
        return
    advise(f"assaymark draw{_last_labels(verdict, project)} -p {quoted(folder)}")


def _last_labels(verdict: "Verdict", project: "Project") -> str:
    """How many items to draw, where fewer than a batch will probably decide the claim."""
    from assaymark.certification.drawing import useful_draw
    from assaymark.certification.modes.labels_ahead import less_than_a_batch

    ahead = verdict.labels_ahead
    enough = None if ahead is None else less_than_a_batch(ahead, useful_draw(project))
    return "" if enough is None else f" {enough}"


@click.command()
@with_options
def certify(
    output: Path | None = option("Where to write it.", "-o", type=click.Path(path_type=Path)),
    key: Path | None = option("Sign with this key."),
    bound: bool = option("Certify what is proven as it stands, if less than claimed."),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Issue the certificate of an established claim. Exit code 1 and no file if it is not.

    If you claimed 0.75 and only 0.70 is proven, certify 0.70 with --bound: that costs no risk and
    needs no new plan, even after the plan failed.

    \b
    Examples:
      assaymark certify -o certificate.json --key my.key -p work
      assaymark certify --bound -p work
    """
    from assaymark.certification.issuing import certify as run
    from assaymark.certification.signatures.signing import load_signer
    from assaymark.project.folder import Project

    project = Project(folder=folder)
    if claiming_now(project):
        if bound:
            raise click.UsageError(
                "A claim of several parts has a bound for each of them and no single one: leave out "
                "--bound."
            )
        certify_now(project, output, key, as_json=as_json)
        return
    signer = load_signer(key) if key else None
    issued = run(project, output=output, signer=signer, bound=bound)
    if as_json:
        show_json(
            {
                "path": str(issued.path),
                "hash": issued.hash,
                "statement": issued.statement,
                "claim": str(issued.certificate.claim),
                "account": issued.account,
                "population": issued.population,
                "signed": signer is not None,
                "head": issued.head,
            }
        )
        return
    headline(f"Certified: {issued.statement}", "good")
    if issued.account:
        say(f"  {issued.account}.")
    if issued.population:
        say(f"  {issued.population}")
    rows([("certificate", str(issued.path)), ("hash", issued.hash), ("head", issued.head)])
    advise(f"assaymark verify {quoted(issued.path)} -p {quoted(folder)}")


@click.command()
@with_options
def status(
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Where the project stands and what to do next. Does not look at the verdict.

    \b
    Example:
      assaymark status -p work
    """
    from assaymark.overview.status import status as run
    from assaymark.project.folder import Project

    now = run(Project(folder=folder))
    if as_json:
        show_json(plain(now))
        return
    headline(now.summary)
    rows(
        [
            ("items in the pool", f"{now.items:,}"),
            _about(now),
            *([("confidence", percent(now.confidence))] if now.confidence else []),
            ("draws made", f"{now.draws:,}" + ("" if now.size is None else f" of {now.size:,}")),
            ("items labelled", f"{now.labelled:,}"),
            *_unclear(now),
            ("without label", f"{now.missing:,}"),
            ("reviewers differ", f"{now.disputed:,}"),
            ("events", f"{now.events:,}"),
        ]
    )
    if now.blocking is not None and (last_resort := now.blocking.last_resort):
        say(f"  {last_resort}")
    for sentence in (now.doubt, now.possible):
        if sentence:
            say(f"  {sentence}")
    advise(now.advice)


def _unclear(now: "Status") -> list[tuple[str, str]]:
    """How many of the labelled items nobody could tell, where there are any."""
    against = "the claim" if now.claim else None
    return [("could not tell", unclear_words(now.unclear, against))] if now.unclear else []


def _about(now: "Status") -> tuple[str, str]:
    """What the counts of a status are about."""
    if now.estimate:
        return "estimate of", now.estimate
    if now.survey == "training":
        return "training for", now.claim or "none yet"
    return ("survey", now.survey) if now.survey else ("claim", now.claim or "none yet")


@click.command()
@with_options
def key(
    file: Path = argument(),
    as_json: bool = JSON,
) -> None:
    """Make an Ed25519 key in FILE to sign certificates with.

    \b
    Example:
      assaymark key my.key
    """
    from assaymark.certification.signatures.signing import new_key

    public = new_key(file)
    if as_json:
        show_json({"path": str(file), "public_key": public})
        return
    headline(f"Private key written to {file}. Keep it secret.")
    rows([("public key", public)])


@click.command()
@with_options
def demo(
    out: Path = option(
        "Where to put the demo.",
        default=Path("assaymark-demo"),
        type=DIRECTORY,
    ),
    items: int = option("Items of the pool.", default=200_000, least=5000),
    seed: str = option("Another seed, another story.", default="assay"),
    as_json: bool = JSON,
) -> None:
    """The whole story on a generated pool of support tickets, with labels from its known truth.

    \b
    Example:
      assaymark demo --out demo
    """
    from assaymark.lab.demo import demo as run

    result = run(out, items=items, seed=seed, say=(lambda _text: None) if as_json else say)
    if as_json:
        show_json(plain(result))


@click.command()
@with_options
def witness(
    text: str = argument(metavar="HASH|FILE"),
    by: str = option("Who keeps it, and since when.", metavar="WHO"),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Record who keeps a head of the ledger: a hash, or a file that names one.

    The file is a text with the head in it, a time stamp (RFC 3161), or a commit as git cat-file
    commit prints it. Later certificates list it; a verifier still asks the witness.

    \b
    Examples:
      assaymark witness 3f0c… --by "opposing counsel, mail of 3 May" -p work
      assaymark witness head.tsr --by "time-stamp service of the court" -p work
    """
    from assaymark.certification.signatures.witness import record_witness
    from assaymark.project.folder import Project

    done = record_witness(Project(folder=folder), text, by=by)
    if as_json:
        show_json(plain(done))
        return
    headline(f"Recorded: {by.strip()} keeps the head of event {done.event:,}")
    rows([("head", done.head), ("form", done.description)])
