"""Watch new scores: would the certified bound still clear the bar at today's mix? Needs no label."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assaymark import __version__
from assaymark.certification.modes import judge
from assaymark.certification.planning.strata import scores_are_shares
from assaymark.claims.record import plain
from assaymark.claims.results import rounded
from assaymark.errors import PlanError
from assaymark.hints import command
from assaymark.ledger.events import Attempt, ScoresWatched, State
from assaymark.monitoring.score_strata import (
    MixToday,
    certified_strata,
    labels_by_stratum,
    mix_of,
    stratum_name,
)
from assaymark.monitoring.several_parts import refuse_several
from assaymark.monitoring.stats.score_mix import (
    LabelledStratum,
    moved_bound,
    moved_share,
    read_mix,
    still_clears,
)
from assaymark.pool import Progress, silent
from assaymark.pool.sources import find_source, hash_files
from assaymark.project.folder import Project
from assaymark.records.plan import Stratum
from assaymark.records.pool import PoolFile


@dataclass(frozen=True, kw_only=True)
class StratumDrift:
    """One stratum: its part of the certified pool and of today's items, and the labels in it."""

    name: str
    items: int
    share_before: float
    share_now: float
    score_before: float | None
    score_now: float | None
    labels: int
    relevant: int


@dataclass(frozen=True, kw_only=True)
class ScoreWatch:
    """What new scores say of a certificate. `bound` is the certified one at today's mix."""

    decision: Literal["holds", "drifted"]
    claim: str
    items: int
    outside: int
    moved: float
    certified: float
    bound: float | None
    strata: tuple[StratumDrift, ...]

    def __str__(self) -> str:
        if self.decision == "holds":
            return (
                f"No alarm: at today's mix of scores the bound would be {rounded(self.bound or 0)}, and "
                f"{self.claim} still holds."
            )
        if self.bound is None:
            return f"Stale: {self.claim} is undefined for today's scores."
        return (
            f"Stale: at today's mix of scores the bound would be {rounded(self.bound)} "
            f"(certified: {rounded(self.certified)}), which no longer clears {self.claim}."
        )

    def result(self) -> dict[str, Any]:
        """The answer as plain values."""
        return {**plain(self), "sentence": str(self)}


def watch_scores(project: Project, source: str, progress: Progress = silent) -> ScoreWatch:
    """Compare new scores with the certified strata. What was found is recorded for the gate."""
    with project.writing() as session:
        state = session.state
        attempt = _certified(state)
        pool = attempt.pool
        assert pool is not None, "a plan draws from a pool"  # noqa: S101
        strata = certified_strata(attempt, pool)
        progress("counting scores", 0.3)
        today = mix_of(source, pool, strata)
        labelled = labels_by_stratum(project, state, attempt, strata)
        watch = _judged(state, attempt, strata, labelled, today)
        files = hash_files(find_source(source), progress)
        session.record(_event(attempt, files, today, watch))
    return watch


def _certified(state: State) -> Attempt:
    attempt = next((a for a in reversed(state.attempts) if a.certificate is not None), None)
    if attempt is None:
        refuse_several(state)
        raise PlanError(
            "New scores are compared with a certificate, and this project has none yet. Issue it first: "
            f"{command('certify')}"
        )
    return attempt


def _judged(
    state: State,
    attempt: Attempt,
    strata: Sequence[Stratum],
    labelled: Sequence[LabelledStratum],
    today: MixToday,
) -> ScoreWatch:
    claim = attempt.plan.claim
    interval = judge(state, attempt).estimate.interval
    certified = interval.low if claim.side == "lower" else interval.high
    sizes = [stratum.items for stratum in strata]
    before = read_mix(claim, labelled, sizes, (0, 0))
    now = read_mix(claim, labelled, today.items, today.unknown)
    bound = moved_bound(claim, certified, before, now) if before and now else None
    held = bound is not None and still_clears(claim, bound)
    outside = sum(today.unknown)
    return ScoreWatch(
        decision="holds" if held else "drifted",
        claim=str(claim),
        items=sum(today.items) + outside,
        outside=outside,
        moved=moved_share([*sizes, 0], [*today.items, outside]),
        certified=certified,
        bound=bound,
        strata=_drifts(attempt, strata, labelled, today),
    )


def _drifts(
    attempt: Attempt,
    strata: Sequence[Stratum],
    labelled: Sequence[LabelledStratum],
    today: MixToday,
) -> tuple[StratumDrift, ...]:
    pool = attempt.pool
    assert pool is not None, "a plan draws from a pool"  # noqa: S101
    whole, now = sum(stratum.items for stratum in strata), sum(today.items) + sum(today.unknown)
    shares = pool.columns.score is not None and scores_are_shares(pool.summary)
    return tuple(
        StratumDrift(
            name=stratum_name(pool, stratum),
            items=items,
            share_before=stratum.items / whole,
            share_now=items / now,
            score_before=stratum.mean_score if shares else None,
            score_now=total / items if shares and items else None,
            labels=counts.labels,
            relevant=counts.relevant,
        )
        for stratum, counts, items, total in zip(
            strata, labelled, today.items, today.scores, strict=True
        )
    )


def _event(
    attempt: Attempt, files: tuple[PoolFile, ...], today: MixToday, watch: ScoreWatch
) -> ScoresWatched:
    return ScoresWatched(
        plan=attempt.plan.number,
        files=files,
        strata=today.items,
        outside=watch.outside,
        decision=watch.decision,
        bound=watch.bound,
        software=__version__,
    )
