"""Seeds that no side could choose alone: commit, seal everything else, reveal."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assaymark.errors import InputError, PlanError, VerificationError
from assaymark.files.places import write_safely
from assaymark.hints import command, option
from assaymark.ledger.events import Entry, PlanSealed, SeedRevealed, State
from assaymark.project.folder import Project, open_attempt, registered_pool
from assaymark.project.place import SEED_PART
from assaymark.records.plan import Plan
from assaymark.records.seeds import (
    BEACONS,
    HEX,
    LEAST_PART,
    Beacon,
    SeedSource,
    beacon_of,
    commitment_of,
    in_order,
)
from assaymark.sampling.reserve import build_reserve

OWN = "own"
AHEAD = timedelta(minutes=5)
"""How far ahead a beacon's round is taken where none is named: time to lodge the head of the seal."""


@dataclass(frozen=True, kw_only=True)
class SeedPart:
    """One side's part of a seed, to be kept secret until the plan is sealed, and its hash to send."""

    part: str
    commitment: str


def new_part() -> SeedPart:
    """A part of 128 random bits, and the hash that commits to it."""
    part = secrets.token_hex(16)
    return SeedPart(part=part, commitment=commitment_of(part))


def committed_source(commit: Sequence[str]) -> tuple[SeedSource, SeedPart]:
    """The source of a seed to which this side adds a part, and that part.

    `commit` are the hashes that other sides sent; "own" alone means that there are none.
    """
    own_part = new_part()
    others = [text.strip().lower() for text in commit if text != OWN]
    for text in others:
        if not HEX.fullmatch(text):
            raise InputError(
                f"{text!r} is not a commitment. Expected: a SHA-256 of 64 hexadecimal digits, "
                "which the other side sends in place of its part of the seed. They make both "
                f"with {command('plan', part=True)}."
            )
    law = "joint" if others else "committed"
    return SeedSource(law=law, commitments=(own_part.commitment, *others)), own_part  # type: ignore[arg-type]


def beacon_source(text: str, now: str) -> SeedSource:
    """The source named as "beacon" or "beacon:round"; the round must not be known yet."""
    name, _, number = text.partition(":")
    known = BEACONS.get(name)
    moment = datetime.fromisoformat(now)
    if known is None:
        names = ", ".join(BEACONS)
        raise InputError(
            f"There is no beacon {name!r} here: choose {names}, as {names.split(', ')[0]}."
        )
    if not number:
        later = (moment + AHEAD).timestamp()
        return SeedSource(law="beacon", beacon=name, round=known.round_after(later))
    if not number.isascii() or not number.isdigit() or not 1 <= int(number) < 10**12:
        raise InputError(f"A beacon's round is a whole number, got {number!r}.")
    if known.known_from(int(number)) <= moment.timestamp():
        raise InputError(
            f"Round {number} of {name} came at {time_of(known, int(number))}, before "
            "this plan: its value could have been looked at first. Leave the round out, or name a later one."
        )
    return SeedSource(law="beacon", beacon=name, round=int(number))


def time_of(beacon: Beacon, number: int) -> str:
    """When a round becomes known, in words."""
    return f"{datetime.fromtimestamp(beacon.known_from(number), UTC):%Y-%m-%d %H:%M:%S} UTC"


def _refuse_early(source: SeedSource, now: str) -> None:
    """Nobody knows a beacon's value before its round."""
    if source.law != "beacon":
        return
    beacon, number = beacon_of(source), source.round or 1
    if datetime.fromisoformat(now).timestamp() < beacon.known_from(number):
        raise InputError(
            f"Round {number} of {beacon.name} comes at {time_of(beacon, number)}: its value is not "
            "known yet. Enter it afterwards, and check this machine's clock if that time is over."
        )


def refuse_impossible_times(plan: Plan, entries: Sequence[Entry]) -> None:
    """Refuse a plan's seed whose times, as the ledger has them, do not fit its beacon."""
    for entry in entries:
        event = entry.event
        if isinstance(event, PlanSealed) and event.plan.number == plan.number:
            refuse_round_before_seal(plan.source, entry.time)
        if isinstance(event, SeedRevealed) and event.plan == plan.number:
            refuse_value_before_round(plan.source, entry.time)


def refuse_round_before_seal(source: SeedSource, sealed: str) -> None:
    """Refuse a beacon's seed if its round had come when everything else was sealed."""
    if source.law == "beacon" and _second(sealed) >= _known_from(source):
        raise VerificationError(
            f"The plan was sealed at {sealed}, when round {source.round} of {source.beacon} was known "
            "already."
        )


def refuse_value_before_round(source: SeedSource, revealed: str) -> None:
    """Refuse a beacon's value that was entered before its round."""
    if source.law == "beacon" and _second(revealed) < _known_from(source):
        raise VerificationError(
            f"The value of round {source.round} of {source.beacon} was entered at {revealed}, "
            "before that round came, so it cannot be genuine."
        )


def _second(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


def _known_from(source: SeedSource) -> int:
    return beacon_of(source).known_from(source.round or 1)


def refuse_steerable(plan: Plan) -> None:
    """A seed that both sides draw protects nobody where batches steer the chances."""
    if plan.source.is_shared and plan.method == "betting/1":
        raise PlanError(
            "With this design chances are recomputed at every batch, so somebody who knows labels "
            "and seed could choose where batches end, and a jointly drawn seed would promise more than "
            f"it keeps. Take {option('design', 'simple')}."
        )


def source_of(
    commit: Sequence[str], beacon: str | None, now: str
) -> tuple[SeedSource, SeedPart | None]:
    """Where a seed comes from, and this side's part of it."""
    if commit:
        return committed_source(commit)
    return (SeedSource() if beacon is None else beacon_source(beacon, now)), None


def refuse_committed_before(state: State, commitments: Sequence[str]) -> None:
    """Refuse a part of a seed that an earlier plan or claim of several parts committed to."""
    spent = {text for old in state.attempts for text in old.plan.source.commitments}
    for work in state.surveys:
        spent |= set(work.survey.settings.get("seed_source", {}).get("commitments", ()))
    if spent & {text.strip().lower() for text in commitments}:
        raise PlanError(
            "A part of this seed was committed to before, for another plan, and may be known by now: "
            "every plan needs new parts."
        )


def keep_part(project: Project, part: SeedPart | None) -> None:
    """Keep this side's part where only the owner reads it, until it is revealed."""
    if part is not None:
        write_safely(_place(project), part.part + "\n")


def _place(project: Project) -> Path:
    return project.folder / SEED_PART


def reveal_seed(project: Project, parts: Sequence[str]) -> Plan:
    """Reveal the parts of the open plan's seed; this side's own is added where it is kept here.

    The seed and the reserve of tickets become durable together.
    """
    state = project.state()
    attempt = open_attempt(state)
    if attempt.plan.seed:
        raise PlanError(f"The seed of plan {attempt.plan.number} is known already: draw from it.")
    plan = attempt.plan.revealed(parts_to_reveal(project, attempt.plan.source, parts))
    stored = build_reserve(project, registered_pool(state), plan)
    with project.writing() as session:
        now = open_attempt(session.state)
        if now.plan.number != plan.number or now.plan.seed:
            raise PlanError("The seed was revealed at the same moment by somebody else.")
        session.record(SeedRevealed(plan=plan.number, parts=plan.source.parts), stored)
    forget_part(project)
    return plan


def parts_to_reveal(project: Project, source: SeedSource, parts: Sequence[str]) -> tuple[str, ...]:
    """All parts of a seed in their order: those that other sides sent, and this side's own."""
    revealed = [part.strip() for part in parts]
    place = _place(project)
    if place.is_file():
        secret = place.read_text(encoding="utf-8").strip()
        if commitment_of(secret) in source.commitments and secret not in revealed:
            revealed.append(secret)
    short = next((p for p in revealed if len(p) < LEAST_PART), None)
    if short is not None:
        raise InputError(
            f"A part of {len(short)} characters could be found from its hash by trying: a part "
            f"needs at least {LEAST_PART} characters."
        )
    ordered = in_order(source, tuple(revealed))
    _refuse_early(source, project.now())
    return ordered


def forget_part(project: Project) -> None:
    """Remove this side's part, which is in the ledger now."""
    _place(project).unlink(missing_ok=True)
