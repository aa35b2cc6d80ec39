"""What the command plan prints about the seed: who drew it, what to send, what to reveal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assaymark.claims.record import plain
from assaymark.composite.cli.steps import reveal_several
from assaymark.records.plan import Plan
from assaymark.terminal.output import advise, headline, quoted, rows, say, show_json
from assaymark.terminal.seeds import advise_reveal, seed_lines

if TYPE_CHECKING:
    from assaymark.project.folder import Project


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
