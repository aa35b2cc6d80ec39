"""Sentinels: a few random labels of every new unit say whether a certificate still holds."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from assaymark.claims.canonical import digest
from assaymark.claims.checks import choice, open_share
from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import Part, Threshold
from assaymark.claims.record import plain, stored
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.work import claim_works
from assaymark.errors import InputError, PlanError
from assaymark.hints import command
from assaymark.ledger.events import State, SurveyedItem
from assaymark.monitoring.sentinel_judging import (
    Subject,
    latest_start,
    starts_of,
    units_of,
)
from assaymark.monitoring.sentinel_terms import SentinelTerms, WatchedBar
from assaymark.monitoring.stats.sentinel_bets import (
    METRICS,
    Bar,
    Fall,
    UnitPlan,
    expected_falls,
)
from assaymark.pool.dialect import double_sql
from assaymark.pool.scored import ScoreColumns, ScoreFile
from assaymark.project.folder import Project, registered_pool
from assaymark.records.pool import RegisteredPool
from assaymark.sampling.surveys import SurveyBatch, ended_by_next, fresh_seed, hand_out, open_survey
from assaymark.stats.sequential.unit_alarm import UNIT_ALARMS, UnitAlarm

NAMES = ("predicted positive", "near the threshold", "far below it")
NEAR = 2  # predicted negatives near the threshold, in numbers of predicted positives
SHARES = (15 / 35, 12 / 35, 8 / 35)
ROOM = 1.25
WINDOW = 4
DEADLINE = 4  # units drawn later, until a sentinel without an answer is one that nobody could tell
SIMULATION = 12345  # the forecast says the same each time it is asked


@dataclass(frozen=True, kw_only=True)
class SentinelRequest:
    """What is asked of sentinels: the alarm, labels a unit, and the items of a typical unit."""

    alarm: UnitAlarm = "ever"
    labels: int = 35
    items: int | None = None
    confidence: float = 0.95
    year: int = 52
    deadline: int = DEADLINE
    seed: str | None = None

    def __post_init__(self) -> None:
        choice("alarm", self.alarm, UNIT_ALARMS)
        open_share("confidence", self.confidence)
        if self.labels < len(NAMES):
            raise InputError(f"A unit needs at least {len(NAMES)} labels, got {self.labels}.")


@dataclass(frozen=True, kw_only=True)
class SentinelPlan:
    """What was sealed, and how long falls below the bar are expected to go unnoticed."""

    subject: Subject
    terms: SentinelTerms
    falls: tuple[Fall, ...]

    @property
    def claim(self) -> str:
        """What is watched."""
        return self.terms.claim

    @property
    def null(self) -> str:
        """What is true while the certificate holds."""
        return self.terms.null

    def result(self) -> dict[str, Any]:
        """The plan as plain values."""
        settings = {**self.subject, **self.terms.to_settings()}
        return {
            "claim": self.claim,
            "null": self.null,
            "settings": settings,
            "falls": plain(self.falls),
        }


def start_sentinels(project: Project, request: SentinelRequest) -> SentinelPlan:
    """Seal the alarm and the strata of sentinels for the certificate of this project."""
    with project.writing() as session:
        state = session.state
        bars, subject = _certified(state)
        if starts_of(state, subject):
            raise PlanError(
                "Sentinels of this certificate were started already; their terms are sealed."
            )
        pool = registered_pool(state)
        if pool.columns.score is None or pool.columns.threshold is None:
            raise InputError(
                f"Sentinels need a pool with a score and a threshold: "
                f"{command('init', score='COL', threshold='T')}."
            )
        terms = _sealed(project, pool, bars, request)
        open_survey(
            session,
            "sentinel",
            fresh_seed(state, request.seed),
            cells=zip(NAMES, terms.sizes, strict=True),
            text=pool.columns.text,
            settings={**subject, **terms.to_settings()},
        )
    return SentinelPlan(subject=subject, terms=terms, falls=_falls(terms))


def _falls(terms: SentinelTerms) -> tuple[Fall, ...]:
    """Falls below every bar that is watched, named by their claim where there are several."""
    unit = UnitPlan(positives=terms.sizes[0], others=terms.sizes[1:], draws=terms.draws)
    falls: list[Fall] = []
    for one in terms.by_bar:
        (watched,), rng = one.bars, np.random.default_rng(SIMULATION)
        below = expected_falls(watched.bar, unit, one.rule, largest=watched.least, rng=rng)
        several = len(terms.bars) > 1
        falls += [replace(fall, claim=watched.claim) if several else fall for fall in below]
    return tuple(falls)


def _certified(state: State) -> tuple[tuple[Bar, ...], Subject]:
    """The bars of the certificate, and what it is the certificate of."""
    attempt = state.attempt
    if attempt is None or attempt.certificate is None:
        issued = [work for work in claim_works(state) if work.reports("certificate")]
        if issued:
            return _bars(issued[-1].sealed), {"claim_survey": issued[-1].number}
        raise PlanError(
            "Sentinels watch a certificate, and this project has none yet. Issue it first: "
            f"{command('certify')}"
        )
    claim = attempt.plan.claim
    if claim.side != "lower" or claim.metric not in METRICS:
        raise InputError(
            f"Sentinels watch a lower bar on {', '.join(METRICS)}; this certificate is about {claim}."
        )
    target = float(attempt.bound or claim.target)
    return (Bar(metric=claim.metric, target=target),), {"plan": attempt.plan.number}


def _bars(sealed: SealedClaim) -> tuple[Bar, ...]:
    """The bars of a claim of several parts: each must be one that a unit's few labels can watch."""
    tree = parse(sealed.claim)
    parts = [part for part in tree.parts if _is_bar(part)]
    if sealed.kind != "conjunction" or tree.every or len(parts) < len(tree.parts):
        raise InputError(
            f"Sentinels watch lower bars on {', '.join(METRICS)} over all items, and this certificate is "
            f"about '{tree}'. The few labels of a unit would have to be shared among groups, classes or "
            "classifiers, and no fall would be noticed in time: lock a claim for each one that you want to "
            "watch, on its own items, and start its sentinels."
        )
    return tuple(Bar(metric=part.figure.metric, target=float(part.target)) for part in parts)


def _is_bar(part: Part) -> TypeGuard[Threshold]:
    if not isinstance(part, Threshold) or part.side != "lower":
        return False
    figure = part.figure
    return figure.metric in METRICS and not figure.names and not figure.every_class


def _sealed(
    project: Project, pool: RegisteredPool, bars: tuple[Bar, ...], request: SentinelRequest
) -> SentinelTerms:
    """The terms: where strata are cut, how many draws each gets, and sizes no unit may go beyond."""
    columns, summary = pool.columns, pool.summary
    threshold = columns.threshold or 0.0
    file = ScoreFile(
        project.pool_path(pool), ScoreColumns(score=str(columns.score), id=columns.id), what="pool"
    )
    with file:
        share = min(0.5, NEAR * summary.predicted_positive / max(summary.predicted_negative, 1))
        cut = file.rows(
            f"SELECT quantile_cont({file.score}, {1 - share!r}) FROM {file.reader} "
            f"WHERE {file.score} < {double_sql(threshold)}"
        )[0][0]
        where = _where(file.score, float(threshold), cut)
        held = file.counts(where)
    items = request.items or summary.items
    sizes = [round(held[name] * items / summary.items) for name in NAMES]
    only_precision = all(bar.metric == "precision" for bar in bars)
    shares = (1.0, 0.0, 0.0) if only_precision else SHARES
    draws = [max(round(request.labels * part), int(part > 0)) for part in shares]
    positives, most = math.ceil(ROOM * sizes[0]), math.ceil(ROOM * items)
    watched = tuple(
        WatchedBar(
            claim=f"{bar.metric} >= {bar.target:g}",
            metric=bar.metric,
            target=bar.target,
            least=bar.least(positives, most),
        )
        for bar in bars
    )
    return SentinelTerms(
        claim=" and ".join(one.claim for one in watched),
        bars=watched,
        alarm=request.alarm,
        confidence=request.confidence,
        year=request.year,
        deadline=request.deadline,
        window=WINDOW * items,
        threshold=threshold,
        cut=cut,
        sizes=tuple(sizes),
        draws=tuple(draws),
        positives=positives,
        items=most,
    )


def _where(score: str, threshold: float, cut: float | None) -> dict[str, str]:
    """The strata as conditions of SQL."""
    bar = double_sql(threshold)
    rest = f"{score} < {bar}"
    # without predicted negatives there is nothing to cut
    near = bar if cut is None else double_sql(cut)
    conditions = (
        f"{score} >= {bar}",
        f"{rest} AND {score} >= {near}",
        f"{rest} AND {score} < {near}",
    )
    return dict(zip(NAMES, conditions, strict=True))


def draw_sentinels(
    project: Project, batch: str, *, seed: str | None = None, output: Path | None = None
) -> SurveyBatch:
    """Hand out the sentinels of a new unit: as many of each stratum as were sealed, blind."""
    with project.writing() as session:
        state = session.state
        start = latest_start(state)
        terms, pool = SentinelTerms.from_settings(start.survey.settings), registered_pool(state)
        before = units_of(state, start)
        unit = len(before) + 1
        columns = ScoreColumns(
            score=str(pool.columns.score), id=pool.columns.id, text=pool.columns.text
        )
        with ScoreFile(batch, columns, what="unit") as file:
            file.refuse_bad_ids(file.refuse_bad_scores())
            where = _where(file.score, terms.threshold, terms.cut)
            held = file.counts(where)
            _refuse_large(terms, held)
            files = file.files()
            drawn_before = {work.survey.settings.get("files") for work in state.surveys}
            if digest(stored(files)) in drawn_before:
                raise PlanError(f"{Path(batch).name!r} was drawn from before: a unit counts once.")
            _refuse_repeated(state, file)
            draws = [
                min(sealed, held[name]) for sealed, name in zip(terms.draws, NAMES, strict=True)
            ]
            drawn_by = fresh_seed(state, seed or f"{start.survey.seed}:{unit}")
            items = [
                SurveyedItem(id=item, cell=number)
                for number, name in enumerate(NAMES)
                if draws[number]
                for item, _ in file.lowest_tickets(drawn_by, {name: where[name]}, draws[number])
            ]
            texts = file.texts([one.id for one in items])
            work = open_survey(
                session,
                "sentinel",
                drawn_by,
                cells=[(name, held[name]) for name in NAMES],
                text=columns.text,
                source=batch,
                files=files,
                settings={
                    "of": start.survey.number,
                    "draws": draws,
                    "files": digest(stored(files)),
                    "closes": ended_by_next(before, terms.deadline),
                    **({"seed": "given"} if seed else {}),
                },
            )
        return hand_out(project, session, work, items, texts, output=output)


def _refuse_repeated(state: State, file: ScoreFile) -> None:
    """Refused where any item of the unit, drawn now or not, was drawn or labelled before."""
    earlier = file.first_of({*state.claimed, *state.surveyed, *state.answers})
    if earlier is not None:
        raise InputError(
            f"The item {earlier!r} of this unit was drawn before under the same id. Labels go by id, and an "
            "item counts in one unit only: leave out what was there before, or give new ids, such as the "
            "week and a number."
        )


def _refuse_large(terms: SentinelTerms, held: dict[str, int]) -> None:
    positives, items = held[NAMES[0]], sum(held.values())
    for what, size, most in (
        ("predicted positives", positives, terms.positives),
        ("items", items, terms.items),
    ):
        if size > most:
            raise PlanError(
                f"This unit holds {size:,} {what}, and sentinels were sealed for at most {most:,}. Cut the "
                "file at random into smaller units and draw from each."
            )
