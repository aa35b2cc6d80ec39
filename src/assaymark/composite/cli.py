"""Commands about claims of several rows: compare, cutoff; and what other commands do for them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from assaymark.claims.record import plain
from assaymark.claims.results import counted, percent
from assaymark.terminal.output import (
    advise,
    headline,
    json_option,
    progress_bar,
    project_option,
    quoted,
    rows,
    show_json,
)

if TYPE_CHECKING:
    from assaymark.composite.comparing import ComparisonWish
    from assaymark.composite.sealed import SealedClaim
    from assaymark.project.folder import Project
    from assaymark.records.pool import Columns


def risk_options(command: Any) -> Any:
    """Adds the ways to share the risk with other claims otherwise than by their subject."""
    for option in (
        click.option(
            "--family", is_flag=True, help="One risk for all claims on the pool that say so."
        ),
        click.option(
            "--new-risk", is_flag=True,
            help="Open a second account for what was claimed before; what is stated covers both.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


TONES = {"better": "good", "pass": "good", "within": "good", "worse": "bad", "fail": "bad"}


@click.command()
@click.option("--pool", help="The file with both predictions, where the project is new.")
@click.option("--id", "id_column", metavar="COL", help="Unique id of an item, where it is new.")
@click.option(
    "--a", "a", required=True, metavar="COL", help="Predictions of the classifier in use."
)
@click.option(
    "--b", "b", required=True, multiple=True, metavar="COL",
    help="Predictions of the new one; repeatable: which of several are better.",
)  # fmt: skip
@click.option("--claim", metavar="WORDS", help="Words about a and b, in place of --metric.")
@click.option("--classes", is_flag=True, help="Predictions and labels are names of classes.")
@click.option("--class", "named", multiple=True, metavar="NAME", help="A class of the list.")
@click.option("--group", "groups", multiple=True, metavar="COL", help="A column of groups.")
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="Labels to buy, no more.")
@click.option(
    "--metric", default="accuracy", show_default=True, help="Or recall, precision, f1, f2."
)
@click.option("--margin", metavar="X", help="Also prove: not worse by more than X; within X.")
@click.option("--score-a", metavar="COL", help="Scores of a; with --score-b.")
@click.option("--score-b", metavar="COL", help="Scores of b.")
@click.option("--text", multiple=True, metavar="COL", help="What people read to label; repeatable.")
@click.option("--positive", metavar="NAME", help="The positive verdict, where not spelled 1.")
@click.option("--only", metavar="WHICH", help="better or worse: one direction, with all the risk.")
@click.option("--confidence", default=0.95, show_default=True, type=float)
@click.option("--one-by-one", is_flag=True, help="Renew chances without a lead, for one annotator.")
@risk_options
@click.option("--seed", metavar="TEXT", help="Decides every draw (default: 128 random bits).")
@project_option
@json_option
def compare(
    pool: str | None,
    id_column: str | None,
    text: tuple[str, ...],
    classes: bool,
    named: tuple[str, ...],
    groups: tuple[str, ...],
    budget: int | None,
    confidence: float,
    one_by_one: bool,
    new_risk: bool,
    family: bool,
    seed: str | None,
    folder: Path,
    as_json: bool,
    **wish: Any,
) -> None:
    """Seal whether classifier b is better than a on one pool; labels go where they differ.

    Then draw, label and look; the answer is better, worse, within the margin, or undecided.

    \b
    Example:
      assaymark compare --pool mails.csv --id id --a old --b new --text subject -p work
      assaymark compare --a old --b new --claim "f1 of b >= f1 of a - 0.01" -p work
    """
    from assaymark.composite.comparing import ComparisonWish, seal_comparison
    from assaymark.composite.sealing import Terms
    from assaymark.project.folder import Project
    from assaymark.project.registration import init

    wanted = ComparisonWish(**wish)
    lead: Literal["one", "several"] = "one" if one_by_one else "several"
    terms = Terms(
        confidence=confidence, seed=seed, lead=lead, budget=budget, new_risk=new_risk, family=family
    )
    with progress_bar("compare") as progress:
        if _is_new(folder, pool, id_column):
            columns = _pool_columns(str(pool), str(id_column), text, groups, wanted, named, classes)
            init(folder, pool=str(pool), columns=columns, progress=progress)
        sealed = seal_comparison(Project(folder=folder), wanted, terms)
    _show_sealed(Project(folder=folder), sealed, as_json=as_json)


def _is_new(folder: Path, pool: str | None, id_column: str | None) -> bool:
    """Whether the project has to be made first."""
    from assaymark.project.place import is_project

    if is_project(folder):
        if pool is not None:
            _refuse_other_pool(folder, pool)
        return False
    if pool is None or id_column is None:
        raise click.UsageError("A new project needs its pool: --pool FILE --id COL.")
    return True


def _pool_columns(
    pool: str,
    id_column: str,
    text: tuple[str, ...],
    groups: tuple[str, ...],
    wish: "ComparisonWish",
    named: tuple[str, ...],
    classes: bool,
) -> "Columns":
    from assaymark.project.class_names import with_classes
    from assaymark.records.pool import Columns

    columns = Columns(id=id_column, text=text, groups=groups or None)
    if not classes and not named:
        return columns
    # the list holds what any of them predicts; the champion stands for them in the record
    columns = Columns(id=id_column, text=text, groups=groups or None, prediction=wish.a)
    return with_classes(pool, columns, predicted_by=(wish.a, *wish.b), named=named)


def _refuse_other_pool(folder: Path, pool: str) -> None:
    from assaymark.project.folder import Project, registered_pool

    project = Project(folder=folder)
    here = project.pool_path(registered_pool(project.state()))
    if Path(pool).resolve() != Path(here).resolve():
        raise click.UsageError(
            f"The project's pool is {here!r}, not {pool!r}: two classifiers are compared on one pool. "
            "Put both predictions into one file, and leave --pool out or name a new project."
        )


@click.command()
@click.argument("claim")
@click.option("--at", multiple=True, metavar="X", help="A cut-off to consider; repeatable.")
@click.option("--start", metavar="X", help="Where the ladder starts; easier cut-offs are left out.")
@click.option("--confidence", default=0.95, show_default=True, type=float)
@click.option("--one-by-one", is_flag=True, help="Renew chances without a lead, for one annotator.")
@risk_options
@click.option("--seed", metavar="TEXT", help="Decides every draw (default: 128 random bits).")
@project_option
@json_option
def cutoff(
    claim: str,
    at: tuple[str, ...],
    start: str | None,
    confidence: float,
    one_by_one: bool,
    new_risk: bool,
    family: bool,
    seed: str | None,
    folder: Path,
    as_json: bool,
) -> None:
    """Seal a ladder of cut-offs on the score; the best one that labels prove may be chosen.

    Recall is walked from the lowest cut-off up, precision from the highest down.

    \b
    Example:
      assaymark cutoff "recall >= 0.95" -p work
    """
    from assaymark.composite.cutting import seal_cutoff
    from assaymark.composite.sealing import Terms
    from assaymark.project.folder import Project

    project = Project(folder=folder)
    lead: Literal["one", "several"] = "one" if one_by_one else "several"
    terms = Terms(confidence=confidence, seed=seed, lead=lead, new_risk=new_risk, family=family)
    sealed = seal_cutoff(project, claim, terms, at=at, start=start)
    _show_sealed(project, sealed, as_json=as_json)


def plan_conjunction(
    project: "Project", claim: str, options: dict[str, Any], *, as_json: bool
) -> None:
    """Seal a claim of several parts, for the command plan."""
    from assaymark.composite.sealing import Terms, seal_conjunction

    least, which = options.pop("least_group"), options.pop("which")
    sealed = seal_conjunction(
        project,
        claim,
        Terms(**options),
        least_group=least,
        family="named" if which else "every",
    )
    _show_sealed(project, sealed, as_json=as_json)


def is_of_several(project: "Project", claim: str) -> bool:
    """Whether a claim has several rows or classes, so that it is sealed here and not as a plan."""
    from assaymark.claims.grammar import is_simple, parse
    from assaymark.project.place import is_project

    if not is_simple(parse(claim)):
        return True
    return is_project(project.folder) and bool(project.state().classes)


def abandon_several(project: "Project", reason: str, *, as_json: bool) -> bool:
    """Close the open claim of several rows; whether there was one."""
    if not claiming_now(project):
        return False
    from assaymark.composite.looks import abandon_claim

    closed = abandon_claim(project, reason)
    if closed is None:
        return False
    if as_json:
        show_json({"claim": closed, "outcome": "abandoned", "reason": reason})
    else:
        headline(f"The claim '{closed}' is closed: abandoned.")
    return True


def _show_sealed(project: "Project", sealed: "SealedClaim", *, as_json: bool) -> None:
    from assaymark.composite.forecast import expected_labels
    from assaymark.composite.wording import account_words

    told = expected_labels(sealed)
    last = project.state().head
    facts: dict[str, Any] = {
        "kind": sealed.kind,
        "claim": sealed.claim,
        "confidence": sealed.stated,
        "items": sealed.items,
        "strata": len(sealed.strata),
        "rows": sum(len(c.rows) for c in sealed.compiled),
        "left_out": [list(group) for group in sealed.left_out],
        "risk": sealed.risk.to_json(),
        "head": last.hash if last else "",
    }
    if sealed.kind == "comparison":
        first = None if told is None else next(iter(told.values()))
        facts |= {"disagree": sealed.disagree, "expected_labels": first, "forecast": told}
    if sealed.kind == "cut-off":
        facts |= {"rungs": [float(x) for x in sealed.compiled[0].constants["order"]]}
    if as_json:
        show_json(facts)
        return
    headline(f"Sealed: {sealed.claim} with {percent(sealed.stated)} confidence")
    lines = [("items", f"{sealed.items:,} in {len(sealed.strata)} strata")]
    if sealed.kind == "comparison":
        share = percent(sealed.disagree / sealed.items)
        lines.append(("predictions differ", f"{sealed.disagree:,} items ({share})"))
    if told is not None:
        lines += [("labels to expect", f"about {n:,} if {when}") for when, n in told.items()]
    if sealed.kind == "cut-off":
        lines.append(("cut-offs", ", ".join(f"{x:g}" for x in facts["rungs"])))
    if sealed.left_out:
        lines.append(("left out", ", ".join(" ".join(g) for g in sealed.left_out)))
    if shared := account_words(sealed):
        lines.append(("risk", shared))
    rows([*lines, ("head", facts["head"])])
    advise(f"assaymark draw -p {quoted(project.folder)}")


def claiming_now(project: "Project") -> bool:
    """Whether the project's work is on a claim of several rows."""
    from assaymark.project.place import is_project

    if not is_project(project.folder):
        return False
    state = project.state()
    if not any(work.survey.purpose == "claim" for work in state.surveys):
        return False
    from assaymark.composite.work import current_claim

    return current_claim(state) is not None


def draw_now(project: "Project", count: int | None, output: Path | None, *, as_json: bool) -> None:
    """Hand out the next items of the claim, for the command draw."""
    from assaymark.composite.drawing import draw_for_claim

    batch = draw_for_claim(project, count=count, output=output)
    path, place = None if batch.path is None else str(batch.path), quoted(project.folder)
    if as_json:
        show_json({**plain(batch), "items": list(batch.items), "path": path})
        return
    headline(f"Batch {batch.number}: {counted(len(batch.items), 'item')} to label")
    lines = [("file", path or "none: every item has a label already")]
    if batch.known:
        lines.append(("labelled before", f"{batch.known:,} items, not handed out again"))
    if count is not None and len(batch.items) + batch.known < count:
        lines.append(("fewer than asked", "the next ones depend on the labels of these"))
    rows(lines)
    if path is None:
        advise(f"assaymark look -p {place}")
    else:
        advise(f"fill in the column 'label', then: assaymark label {quoted(path)} -p {place}")


def look_now(context: click.Context, project: "Project", *, as_json: bool) -> None:
    """Look at the claim, for the command look."""
    from assaymark.composite.looks import look_at_claim
    from assaymark.composite.wording import is_established, statement
    from assaymark.composite.work import required_claim

    found = look_at_claim(project)
    sealed = required_claim(project.state()).sealed
    result = found.result
    if as_json:
        show_json({**result, "statement": statement(sealed, result)})
    else:
        headline(statement(sealed, result), TONES.get(found.decision, "wait"))
        rows(_facts(result))
        done = is_established(result)
        step = "certify" if done else "status" if found.decision == "fail" else "draw"
        advise(f"assaymark {step} -p {quoted(project.folder)}")
    context.exit(1 if found.decision in ("fail", "worse") else 0)


def _facts(result: dict[str, Any]) -> list[tuple[str, str]]:
    from assaymark.composite.wording import part_name

    lines = [("labels", f"{result['labels']:,} ({result['draws']:,} draws)")]
    if result["skipped"]:
        lines.append(("could not tell", f"{result['skipped']:,} (counted against every statement)"))
    if result["kind"] == "comparison":
        lines.append(("gap", f"{result['gap_low']:g} to {result['gap_high']:g} (b less a)"))
        lines.append(("predictions differ", counted(result["disagree"], "item")))
    for part in result.get("parts", ()):
        name = part_name(part)
        bound = "" if part["bound"] is None else f"; at least {part['bound']:g} on its own"
        if "<=" in part["part"]:
            bound = bound.replace("at least", "at most")
        proof = "holds" if result["family"] == "named" else "proof reached"
        words = {"reached": proof, "open": "open", "failed": "failed"}[part["state"]]
        lines.append((name, f"{words}{bound} ({part['labels']:,} of {part['items']:,} labelled)"))
    for rung in result.get("rungs", ()):
        told = f"{rung['state']}; {counted(rung['items'], 'item')} above"
        lines.append((f"{rung['cutoff']:g}", told))
    return lines


def certify_now(project: "Project", output: Path | None, *, as_json: bool) -> None:
    """Certify the claim, for the command certify."""
    from assaymark.composite.issuing import certify_claim

    issued = certify_claim(project, output=output)
    if as_json:
        show_json(
            {
                "path": str(issued.path),
                "hash": issued.hash,
                "statement": issued.facts["statement"],
                "claim": issued.facts["claim"],
                "signed": False,
                "head": issued.head,
            }
        )
        return
    headline(f"Certified: {issued.facts['statement']}", "good")
    rows([("certificate", str(issued.path)), ("hash", issued.hash), ("head", issued.head)])
    advise(f"assaymark verify {quoted(issued.path)} -p {quoted(project.folder)}")


COMMANDS = (compare, cutoff)
