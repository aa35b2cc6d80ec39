"""What the command plan prints: the plan that was sealed, of one part or several, and its seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from assaymark.certification.cli import ExpectedOptions
from assaymark.claims.defaults import POWER
from assaymark.claims.record import plain
from assaymark.claims.results import chance, counted, percent
from assaymark.composite.cli.steps import plan_conjunction, reveal_several
from assaymark.records.modes import mode_on_the_way
from assaymark.records.plan import Plan
from assaymark.terminal.options import CONFIDENCE, option
from assaymark.terminal.output import advise, headline, quoted, rows, say, show_json
from assaymark.terminal.seeds import advise_reveal, seed_lines

if TYPE_CHECKING:
    from assaymark.project.folder import Project


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """What a plan takes about a claim, besides what is expected of it."""

    mode: str | None = option(
        "score-guided, anytime, budget or fixed, as in the table of costs (default: the recommended "
        "one)."
    )
    design: str | None = option(
        "With mode anytime: score-guided or simple. With mode budget: score-guided ends at a sealed "
        "number."
    )
    one_by_one: bool = option(
        "For a score-guided plan: draw nothing ahead of the labels; for a single reviewer."
    )
    budget: int | None = option("Labels to buy.", least=1, metavar="N")
    confidence: float = CONFIDENCE
    power: float = option("Wanted chance to pass.", default=POWER)
    reserve: float = option(
        "Part of the claim's risk to keep for a later plan on it, such as 0.1.",
        default=0.0,
        metavar="PART",
        show_default=False,
    )
    claim_only: bool = option("For a fixed plan: state the claim alone, no better bound.")
    new_risk: bool = option(
        "Start a second risk account for a claim planned before; what is stated covers both."
    )
    family: bool = option("Share one risk among all claims on the pool that say so.")
    seed: str | None = option(
        "Decides every draw (default: 128 random bits).",
        metavar="TEXT",
        callback=lambda _context, _option, seed: seed and seed.encode().decode(),
    )
    commit: tuple[str, ...] = option(
        "Draw the seed jointly: the hash of the other side's part, or own for this side alone.",
        metavar="HASH",
    )
    beacon: str | None = option(
        "Take the seed from a public beacon's next value.", metavar="NAME[:ROUND]"
    )
    anyway: bool = option("Seal a claim that looks false, or one that points the wrong way.")


def seal_several(
    project: "Project",
    claim: str,
    options: PlanOptions,
    expected: ExpectedOptions,
    *,
    least_group: int,
    which: bool,
    only_forecast: bool,
    as_json: bool,
) -> None:
    """A conjunction, or a claim in every group: judged whenever one looks, and in no other mode."""
    names = ("design", "one_by_one", "reserve", "claim_only", "pilot", "precision",
             "recall", "prevalence")  # fmt: skip
    refused = [name for name in names if {**vars(options), **vars(expected)}.get(name)]
    if options.mode not in (None, mode_on_the_way(options.budget or None)) or refused:
        name = refused[0] if refused else "mode"
        raise click.UsageError(
            f"A claim of several parts is judged whenever you look: leave out --{name.replace('_', '-')}."
        )
    from assaymark.composite.planning.sealing import Parts, Terms

    terms = Terms(
        confidence=options.confidence,
        seed=options.seed,
        budget=options.budget,
        new_risk=options.new_risk,
        family=options.family,
        commit=options.commit,
        beacon=options.beacon,
    )
    parts = Parts(least_group=least_group, family="named" if which else "every")
    plan_conjunction(
        project, claim, terms, parts, only_forecast=only_forecast, expect=expected.expect,
        anyway=options.anyway, as_json=as_json,
    )  # fmt: skip


def ledger_head(project: "Project") -> str:
    """The last hash of the ledger, which somebody else should keep."""
    last = project.state().head
    return last.hash if last else ""


def _judged(sealed: Plan) -> str:
    """When the claim is judged."""
    if sealed.kind.judged_once:
        return "once, when all of them are labelled"
    if sealed.kind.has_ceiling:
        return f"whenever you look, up to {sealed.size or 0:,} labels; there it ends"
    if sealed.kind.promise:
        return f"after every informative item, up to {sealed.informative or 0:,} of them"
    return f"whenever you look; the {percent(sealed.confidence)} still holds"


def show_plan(
    sealed: Plan, head: str, *, first: int | None, others: tuple[tuple[float, float], ...]
) -> None:
    """Print the plan, what it promises and how to go on."""
    from assaymark.certification.certificate.words import account_words, known_words
    from assaymark.certification.planning import little_left

    sure = percent(sealed.confidence)
    headline(f"Plan {sealed.number} sealed: {sealed.claim} with {sure} confidence")
    lines = [("labels to buy", _labels_to_buy(sealed)), ("sampled", _sampled(sealed))]
    lines.append(("judged", _judged(sealed)))
    if sealed.power is not None:
        lines.append(
            ("chance to pass", f"{chance(sealed.power)}, if the classifier is as expected")
        )
    lines += [
        ("", f"{chance(power)} if it beats the target by {times:g} times what you expect")
        for times, power in others
    ]
    if known := known_words(sealed):
        lines.append(("known", known))
    if first is not None:
        lines.append(("draw first", counted(first, "item")))
    if shared := account_words(sealed):
        lines.append(("risk", shared))
    rows([*lines, *seed_lines(sealed.seed, sealed.source), ("head", head)])
    if advice := little_left(sealed.stake):
        say(f"  {advice}")


def _labels_to_buy(sealed: Plan) -> str:
    expected, size = sealed.expected_labels, sealed.size or 0
    if sealed.known and not sealed.kind.guided and sealed.kind.promise:
        return f"about {expected:,}; known labels answer the other draws of {size:,}"
    if sealed.kind.whole:
        return f"all {sealed.items:,}: the test would need that many"
    if sealed.kind.promise and not sealed.kind.judged_once:
        about = "" if expected is None else f"; about {expected:,} if the classifier is as expected"
        return f"at most {min(size, sealed.items):,}{about}"
    if sealed.kind.promise:
        again = f"about {expected:,}: {size:,} draws, and an item drawn again has its label already"
        return f"{size:,}" if expected in (None, size) else again
    condition = "the classifier is as expected" if sealed.expectation else "the scores are right"
    if expected is not None:
        return f"about {expected:,} if {condition}"
    unknown = not (sealed.is_scored or sealed.expectation)
    why = "; there is no forecast without scores or an expected value (--expect)" if unknown else ""
    return f"as many as it takes{why}"


def _sampled(sealed: Plan) -> str:
    items = {
        "predicted positive": f"the {sealed.items:,} items that the classifier flagged",
        "predicted negative": f"the {sealed.items:,} items that the classifier rejected",
    }.get(sealed.domain, f"all {sealed.items:,} items")
    if sealed.kind.guided:
        uncertain = "the scores are uncertain" if sealed.is_scored else "a label tells more"
        return f"from {items}, more often where {uncertain}"
    return f"{items}, every one" if sealed.kind.whole else f"at random from {items}"


def advise_after_seal(plan: Plan, folder: str) -> None:
    """What to do next, by the law of the seed."""
    if plan.source.law != "open":
        advise_reveal(plan.source, folder)
        return
    pending = ""
    if plan.known is not None and not plan.kind.guided:
        say("  Its first items are drawn already, so that known labels cannot choose among plans.")
        pending = " --pending"
    advise(f"assaymark draw{pending} -p {folder}")


def show_new_part(*, as_json: bool) -> None:
    """Make a part of a joint seed, for a side that has no project."""
    from assaymark.certification.seeding import new_part

    made = new_part()
    if as_json:
        show_json(plain(made))
        return
    headline("A part of a joint seed")
    rows([("part, keep it secret", made.part), ("hash, send it now", made.commitment)])
    say("  Reveal the part only after you have the head of the sealed plan.")


def show_revealed(project: "Project", parts: Sequence[str], *, as_json: bool) -> None:
    """Reveal the seed of the open plan."""
    from assaymark.certification.seeding import OWN, reveal_seed

    others = [part for part in parts if part != OWN]
    if reveal_several(project, others, as_json=as_json):
        return
    plan = reveal_seed(project, others)
    last = project.state().head
    head = last.hash if last else ""
    if as_json:
        show_json({**plain(plan), "head": head})
        return
    headline(f"Plan {plan.number}: the seed is known", "good")
    numbered = [(f"part {n}", part) for n, part in enumerate(plan.source.parts, start=1)]
    rows([*seed_lines(plan.seed, plan.source), *numbered, ("head", head)])
    advise(f"assaymark draw -p {quoted(project.folder)}")
