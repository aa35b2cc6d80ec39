"""What the commands plan, draw, look and certify do where the claim has several rows."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.claims.record import plain
from assaymark.claims.results import counted, percent
from assaymark.composite.cli.shown import show_cost, show_sealed
from assaymark.terminal.batches import show_batch
from assaymark.terminal.output import (
    advise,
    asks,
    confirmed,
    headline,
    quoted,
    rows,
    say,
    show_blocking,
    show_json,
)
from assaymark.terminal.seeds import seed_lines

if TYPE_CHECKING:
    from assaymark.composite.planning.sealing import Parts, Terms
    from assaymark.composite.sealed import SealedClaim
    from assaymark.project.folder import Project

TONES = {"better": "good", "pass": "good", "within": "good", "worse": "bad", "fail": "bad"}


def plan_conjunction(
    project: "Project",
    claim: str,
    terms: "Terms",
    parts: "Parts",
    *,
    only_forecast: bool,
    expect: float | None,
    anyway: bool,
    as_json: bool,
) -> None:
    """Seal a claim of several parts, or tell what it would cost, for the command plan."""
    from assaymark.claims.direction import refuse_wrong_way, wrong_way_parts
    from assaymark.claims.language.grammar import parse
    from assaymark.composite.planning.sealing import draft_conjunction, seal_conjunction

    question = wrong_way_parts(parse(claim))
    if question and not anyway and not as_json and asks():
        say(f"  {question}")
        anyway = _confirmed("Seal it as it is written?")
    refuse_wrong_way(parse(claim), anyway=anyway)
    if only_forecast:
        show_cost(draft_conjunction(project, claim, terms, parts), expect=expect, as_json=as_json)
        return
    if not anyway and not as_json and asks():
        anyway = _is_meant(draft_conjunction(project, claim, terms, parts), expect)
    sealed = seal_conjunction(project, claim, terms, parts, expect=expect, anyway=anyway)
    show_sealed(project, sealed, expect=expect, as_json=as_json)


def _is_meant(draft: "SealedClaim", expect: float | None) -> bool:
    """Whether a claim that looks false is sealed all the same; a no ends the command."""
    from assaymark.composite.planning.forecast import forecast_claim
    from assaymark.composite.planning.forecast_words import doubt

    forecast = forecast_claim(draft, expect=expect)
    if not forecast.looks_false or draft.ceiling is not None:
        return False
    headline(f"{draft.claim} with {percent(draft.confidence)} confidence: not sealed yet")
    say(f"  {doubt(draft, forecast)}")
    return _confirmed("Seal it anyway?")


def _confirmed(question: str) -> bool:
    """That the answer is yes; a no ends the command."""
    if not confirmed(question):
        say("  Nothing was sealed.")
        raise click.exceptions.Exit(0)
    return True


def is_of_several(project: "Project", claim: str) -> bool:
    """Whether a claim has several rows or classes, so that it is sealed here and not as a plan."""
    from assaymark.claims.language.grammar import is_simple, parse
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


def reveal_several(project: "Project", parts: Sequence[str], *, as_json: bool) -> bool:
    """Reveal the seed of the open claim of several rows; whether there was one."""
    if not claiming_now(project):
        return False
    from assaymark.composite.seeding import reveal_claim_seed

    work = reveal_claim_seed(project, parts)
    last = project.state().head
    head, source = last.hash if last else "", work.sealed.source
    known = work.reports("seed")[-1].facts["parts"]
    if as_json:
        origin = {**plain(source), "parts": known}
        show_json({"claim": work.sealed.claim, "seed": work.seed, "source": origin, "head": head})
        return True
    headline(f"The seed of the claim '{work.sealed.claim}' is known", "good")
    numbered = [(f"part {n}", part) for n, part in enumerate(known, start=1)]
    rows([*seed_lines(work.seed, source), *numbered, ("head", head)])
    advise(f"assaymark draw -p {quoted(project.folder)}")
    return True


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
    if as_json:
        show_json(plain(batch))
        return
    fewer = count is not None and len(batch.items) + batch.known < count
    show_batch(
        batch,
        f"Batch {batch.number}: {counted(len(batch.items), 'item')}",
        project.folder,
        lines=[("fewer than asked", "the next ones depend on the labels of these")] * fewer,
        done="look",
    )


def look_now(
    context: click.Context, project: "Project", *, exit_codes: Mapping[str, int], as_json: bool
) -> None:
    """Look at the claim, for the command look; `exit_codes` of what is established and refuted."""
    from assaymark.composite.looks import look_at_claim
    from assaymark.composite.view.estimates import looks_false_words
    from assaymark.composite.view.lesser_claim import lesser_words
    from assaymark.composite.wording import (
        ending_of,
        is_established,
        look_lines,
        statement,
        verdict_sentence,
    )
    from assaymark.composite.work import required_claim
    from assaymark.labelling.blocking import blocking_items

    judgement = look_at_claim(project)
    result = judgement.look
    if as_json:
        show_json({**judgement.result, "statement": statement(result)})
    else:
        headline(verdict_sentence(result), TONES.get(judgement.decision, "wait"))
        rows(look_lines(result))
        step, state = "draw", project.state()
        if (work := required_claim(state)).is_over(state):
            step = "report"
            if judgement.decision == "fail" and (lesser := lesser_words(state, work)):
                say(f"  {lesser}")
        elif is_established(result):
            step = "certify"
        elif doubt := looks_false_words(state, work, result):
            say(f"  {doubt}", tone="wait")
        blocking = blocking_items(state) if step == "draw" else None
        if blocking is not None:
            show_blocking(blocking)
        else:
            advise(f"assaymark {step} -p {quoted(project.folder)}")
    context.exit(exit_codes[ending_of(result)])


def certify_now(
    project: "Project", output: Path | None, key: Path | None, *, as_json: bool
) -> None:
    """Certify the claim, for the command certify."""
    from assaymark.certification.signatures.signing import load_signer
    from assaymark.composite.issuing import certify_claim

    signer = load_signer(key) if key else None
    issued = certify_claim(project, output=output, signer=signer)
    if as_json:
        show_json(
            {
                "path": str(issued.path),
                "hash": issued.hash,
                "statement": issued.statement,
                "claim": issued.facts["claim"],
                "signed": signer is not None,
                "head": issued.head,
            }
        )
        return
    headline(f"Certified: {issued.statement}", "good")
    rows([("certificate", str(issued.path)), ("hash", issued.hash), ("head", issued.head)])
    advise(f"assaymark verify {quoted(issued.path)} -p {quoted(project.folder)}")
