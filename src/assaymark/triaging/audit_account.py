"""The account of an audit: which alarm watches a promise, sealed when its first batch is drawn."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assaymark.claims.record import rebuild
from assaymark.errors import InputError, PlanError
from assaymark.hints import command, option
from assaymark.ledger.events import SurveyWork
from assaymark.triaging.audit_result import Account, Alarm, Seal
from assaymark.triaging.triage import Thresholds

CELLS = ("accept", "reject")
ROOM = 1.25  # for growth: the largest batch expected, in sizes of the first
WINDOW = 4  # typical batches
DEADLINE = 4  # batches opened later
Parts = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Opening:
    """What the user asks of the audit; None where nothing was asked."""

    alarm: Alarm | None = None
    confidence: float | None = None
    window: int | None = None
    year: int | None = None
    largest: int | None = None
    deadline: int | None = None


def parts_of(thresholds: Thresholds) -> Parts:
    """Which kinds of decision are judged together: all, or each that is made, by itself."""
    if thresholds.rule != "precision":
        return ((0, 1),)
    made = (thresholds.cutoffs.high is not None, thresholds.cutoffs.low is not None)
    return tuple((cell,) for cell in range(len(CELLS)) if made[cell])


def sizes_of(held: Mapping[str, int], parts: Parts) -> tuple[int, ...]:
    """The automated items of each part."""
    return tuple(sum(held[CELLS[cell]] for cell in part) for part in parts)


def open_account(opening: Opening, sizes: Sequence[int], draws: Sequence[int]) -> Account:
    """The account as the first batch seals it."""
    total = sum(sizes)
    largest = opening.largest or math.ceil(ROOM * total)
    if largest < total:
        raise InputError(
            f"This batch holds {total:,} automated items, more than "
            f"{option('largest', format(largest, ','))}. Give the "
            "size of the largest batch that you expect."
        )
    seals = []
    for size, count in zip(sizes, draws, strict=True):
        most = math.ceil(largest * size / total) if size else largest
        window = opening.window or WINDOW * (size or total)
        seals.append(Seal(largest=most, window=window, spread=most / max(count, 1)))
    return Account(
        alarm=opening.alarm or "ever",
        confidence=opening.confidence or 0.95,
        year=opening.year or 52,
        seals=tuple(seals),
        deadline=opening.deadline or DEADLINE,
    )


def account_of(audits: Sequence[SurveyWork]) -> Account:
    """The account that the first of these audits sealed."""
    settings = audits[0].survey.settings
    if "account" not in settings:
        raise PlanError(
            "This audit was begun before alarms were sealed at the opening. Begin one in a new project: "
            + command(
                "triage audit", thresholds="FILE", batch="FILE", id="COL", draw="N", project="DIR"
            )
        )
    account = rebuild(Account, settings["account"])
    if not isinstance(account, Account):
        raise AssertionError("an account is stored as one")
    return account


def refuse_other_terms(account: Account, opening: Opening) -> None:
    """Refuse to change what was sealed: an alarm chosen after seeing labels has no risk to state."""
    asked = {
        "alarm": (opening.alarm, account.alarm),
        "confidence": (opening.confidence, account.confidence),
        "year": (opening.year, account.year),
        "deadline": (opening.deadline, account.deadline),
    }
    for name, (wanted, sealed) in asked.items():
        if wanted is not None and wanted != sealed:
            raise PlanError(
                f"This audit was opened with {option(name, sealed)}, and that is sealed; got {wanted}. Leave "
                f"{option(name)} out, or begin another audit in a new project."
            )
    if opening.window is not None or opening.largest is not None:
        raise PlanError(
            "The sizes of windows and batches were sealed when this audit was opened. Leave "
            f"{option('window')} "
            f"and {option('largest')} out."
        )


def wanted_draws(
    count: int, sizes: Sequence[int], account: Account | None = None
) -> tuple[int, ...]:
    """How many draws each part gets of `count`: by size, at least what its seal asks for."""
    total = sum(sizes)
    counts = []
    for number, size in enumerate(sizes):
        least = 1 if account is None else math.ceil(size / account.seals[number].spread - 1e-9)
        share = count if len(sizes) == 1 else max(round(count * size / total), least)
        counts.append(min(share, size))
    return tuple(counts)


def refuse_beyond_seal(
    account: Account, sizes: Sequence[int], draws: Sequence[int], name: str
) -> None:
    """Refuse a batch that is larger than was sealed, or that has too few draws for its size."""
    for seal, size, count in zip(account.seals, sizes, draws, strict=True):
        if size > seal.largest:
            parts = math.ceil(size / seal.largest)
            raise PlanError(
                f"{name!r} holds {size:,} automated items, and the largest batch that this audit was "
                f"sealed for holds {seal.largest:,}. Cut the file at random into {parts} files and audit "
                "each as a batch of its own."
            )
        least = math.ceil(size / seal.spread - 1e-9)
        if count < least:
            raise PlanError(
                f"{count:,} draws are too few for the {size:,} automated items of {name!r}: this audit "
                f"was sealed with at least one draw in {seal.spread:.6g} items. Draw at least {least:,}."
            )
