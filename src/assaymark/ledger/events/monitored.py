"""Events of a claim that is watched over: its file locked, its scores compared."""

from dataclasses import dataclass
from typing import Literal

from assaymark.ledger.events.chain import Entry
from assaymark.ledger.events.event import Event, register, stamped
from assaymark.ledger.events.state import Attempt, State, SurveyWork, current
from assaymark.records.claim_terms import ClaimTerms
from assaymark.records.pool import PoolFile


@dataclass(frozen=True, kw_only=True)
class ClaimLocked(Event):
    """A claim file was locked to the plan that was sealed for it, before anything was drawn.

    A claim of several parts is sealed as a `survey`, in place of a `plan`. `file` is the SHA-256 of
    the file's bytes. `classifier` holds the names and digests that its owner gave the classifier.
    `replaces` is the `file` of the lock that this one takes the place of. `made_from` are the files
    that the project's pool was copied from, where several columns make its ids.
    """

    plan: int | None = None
    survey: int | None = None
    name: str
    file: str
    terms: ClaimTerms
    classifier: dict[str, str]
    software: str
    owner: str | None = None
    replaces: str | None = None
    made_from: tuple[PoolFile, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class ScoresWatched(Event):
    """Scores of new items were compared with the strata of a certified plan; no label was used.

    `strata` are today's items in each stratum and `outside` those beyond the certified scores.
    `bound` is the certified one, re-weighted to them; absent where the metric is undefined for them.
    """

    plan: int
    files: tuple[PoolFile, ...]
    strata: tuple[int, ...]
    outside: int
    decision: Literal["holds", "drifted"]
    bound: float | None = None
    software: str


def _claim_locked(state: State, event: ClaimLocked, entry: Entry) -> None:
    _sealed_for(state, event).lock = stamped(event, entry)


def _sealed_for(state: State, event: ClaimLocked) -> Attempt | SurveyWork:
    if event.plan is not None:
        return state.attempts[event.plan - 1]
    assert event.survey is not None, "checked by its fault"  # noqa: S101
    return state.surveys[event.survey - 1]


def _lock(state: State, event: ClaimLocked) -> str | None:
    if event.plan is None:
        return _survey_lock(state, event)
    attempt = current(state, event.plan)
    if attempt is None:
        return "its plan is not the open one"
    if attempt.draws:
        return "items of its plan were drawn before it"
    return "its plan is locked already" if attempt.lock else None


def _survey_lock(state: State, event: ClaimLocked) -> str | None:
    if event.survey is None or event.survey != len(state.surveys):
        return "its claim is not the latest one"
    work = state.surveys[-1]
    if work.survey.purpose != "claim":
        return "its survey is no claim"
    if work.order:
        return "items of its claim were drawn before it"
    return "its claim is locked already" if work.lock else None


def _scores_watched(state: State, event: ScoresWatched, entry: Entry) -> None:
    state.attempts[event.plan - 1].watches.append(stamped(event, entry))


def _watch(state: State, event: ScoresWatched) -> str | None:
    if not 1 <= event.plan <= len(state.attempts):
        return "its plan was never sealed"
    certified = state.attempts[event.plan - 1].certificate is not None
    return None if certified else "its plan has no certificate"


register(ClaimLocked, follows=_claim_locked, fault=_lock)
register(ScoresWatched, follows=_scores_watched, fault=_watch)
