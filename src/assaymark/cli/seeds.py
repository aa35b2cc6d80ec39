"""What the command plan prints about the seed: who drew it, what to send, what to reveal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assaymark.claims.record import plain
from assaymark.records.plan import Plan
from assaymark.records.seeds import BEACONS, source_in_words
from assaymark.terminal.output import advise, headline, quoted, rows, say, show_json

if TYPE_CHECKING:
    from assaymark.project.folder import Project


def seed_lines(plan: Plan) -> list[tuple[str, str]]:
    """The seed, or what was committed to, and who drew it."""
    source, lines = plan.source, []
    if plan.seed:
        lines.append(("seed", plan.seed))
    lines.append(("seed source", source_in_words(source)))
    if source.commitments:
        lines.append(("your commitment", source.commitments[0]))
        lines += [("their commitment", text) for text in source.commitments[1:]]
    return lines


def advise_after_seal(plan: Plan, folder: str) -> None:
    """What to do next, by the law of the seed."""
    source = plan.source
    if source.law == "open":
        advise(f"assaymark draw -p {folder}")
    elif source.law == "committed":
        advise(f"assaymark plan --reveal own -p {folder}")
    elif source.law == "joint":
        say("  Send the head to the other side; they answer with their part, and only then:")
        advise(f"assaymark plan --reveal PART -p {folder}")
    else:
        from assaymark.certification.seeding import time_of

        beacon = BEACONS[source.beacon or ""]
        say(f"  Lodge the head somewhere before {time_of(beacon, source.round or 1)}.")
        say(
            f'  Then the value ("randomness") is at api.drand.sh/{beacon.address}/public/{source.round}'
        )
        advise(f"assaymark plan --reveal VALUE -p {folder}")


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

    plan = reveal_seed(project, [part for part in parts if part != OWN])
    last = project.state().head
    head = last.hash if last else ""
    if as_json:
        show_json({**plain(plan), "head": head})
        return
    headline(f"Plan {plan.number}: the seed is known", "good")
    numbered = [(f"part {n}", part) for n, part in enumerate(plan.source.parts, start=1)]
    rows([*seed_lines(plan), *numbered, ("head", head)])
    advise(f"assaymark draw -p {quoted(project.folder)}")
