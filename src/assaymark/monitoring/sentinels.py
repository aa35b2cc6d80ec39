"""Sentinels: a few random labels of every new unit say whether a certificate still holds."""

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from assaymark.claims.canonical import digest
from assaymark.claims.checks import choice, open_share
from assaymark.claims.record import plain, stored
from assaymark.claims.results import counted, percent
from assaymark.errors import InputError, PlanError
from assaymark.ledger.events import State, SurveyedItem, SurveyReported, SurveyWork
from assaymark.monitoring.stats.sentinel_bets import (
    METRICS,
    STAKES,
    Bar,
    Fall,
    StratumSeen,
    UnitPlan,
    expected_falls,
    unit_excess,
)
from assaymark.pool.scored import ScoreColumns, ScoreFile
from assaymark.pool.tables import file_digest
from assaymark.project.folder import Project, registered_pool
from assaymark.records.pool import PoolFile, RegisteredPool
from assaymark.records.survey import Cell, Survey
from assaymark.sampling.surveys import SurveyBatch, hand_out, open_survey
from assaymark.stats.sequential.unit_alarm import (
    UNIT_ALARMS,
    AlarmRule,
    UnitAlarm,
    rings,
    wealth_path,
)

PURPOSE = "sentinel"
NAMES = ("predicted positive", "near the threshold", "far below it")
NEAR = 2  # predicted negatives near the threshold, in numbers of predicted positives
SHARES = (15 / 35, 12 / 35, 8 / 35)
ROOM = 1.25
WINDOW = 4
SIMULATION = 12345  # the forecast says the same each time it is asked


@dataclass(frozen=True, kw_only=True)
class SentinelWish:
    """What is asked of sentinels: the alarm, labels a unit, and the items of a typical unit."""

    alarm: UnitAlarm = "ever"
    labels: int = 35
    items: int | None = None
    confidence: float = 0.95
    year: int = 52

    def __post_init__(self) -> None:
        choice("alarm", self.alarm, UNIT_ALARMS)
        open_share("confidence", self.confidence)
        if self.labels < len(NAMES):
            raise InputError(f"A unit needs at least {len(NAMES)} labels, got {self.labels}.")


@dataclass(frozen=True, kw_only=True)
class SentinelPlan:
    """What was sealed, and how long falls below the bar are expected to go unnoticed."""

    claim: str
    null: str
    settings: dict[str, Any]
    falls: tuple[Fall, ...]


def start_sentinels(project: Project, wish: SentinelWish) -> SentinelPlan:
    """Seal the alarm and the strata of sentinels for the certificate of this project."""
    with project.writing() as session:
        state = session.state
        bar = _certified(state)
        if _starts(state):
            raise PlanError(
                "Sentinels were started in this project already; their terms are sealed."
            )
        pool = registered_pool(state)
        if pool.columns.score is None or pool.columns.threshold is None:
            raise InputError(
                "Sentinels need a pool with a score and a threshold: assaymark init --score COL "
                "--threshold T."
            )
        settings = _sealed(project, pool, bar, wish)
        survey = Survey(
            number=len(state.surveys) + 1,
            purpose="sentinel",
            seed=secrets.token_hex(16),
            cells=tuple(
                Cell(name=n, items=s) for n, s in zip(NAMES, settings["sizes"], strict=True)
            ),
            text=pool.columns.text,
            settings=settings,
        )
        open_survey(session, survey)
    unit = UnitPlan(
        positives=settings["sizes"][0],
        others=tuple(settings["sizes"][1:]),
        draws=tuple(settings["draws"]),
    )
    rng = np.random.default_rng(SIMULATION)
    falls = expected_falls(bar, unit, _rule(settings), largest=settings["least"], rng=rng)
    return SentinelPlan(claim=_claim(bar), null=_null(settings), settings=settings, falls=falls)


def _certified(state: State) -> Bar:
    attempt = state.attempt
    if attempt is None or attempt.certificate is None:
        raise PlanError(
            "Sentinels watch a certificate, and this project has none yet. Issue it first: assaymark certify"
        )
    claim = attempt.plan.claim
    if claim.side != "lower" or claim.metric not in METRICS:
        raise InputError(
            f"Sentinels watch a lower bar on {', '.join(METRICS)}; this certificate is about {claim}."
        )
    return Bar(metric=claim.metric, target=float(attempt.bound or claim.target))


def _sealed(project: Project, pool: RegisteredPool, bar: Bar, wish: SentinelWish) -> dict[str, Any]:
    """The terms: where strata are cut, how many draws each gets, and sizes no unit may go beyond."""
    columns, summary = pool.columns, pool.summary
    file = ScoreFile(
        project.pool_path(pool), ScoreColumns(score=str(columns.score), id=columns.id), what="pool"
    )
    with file:
        share = min(0.5, NEAR * summary.predicted_positive / max(summary.predicted_negative, 1))
        cut = file.rows(
            f"SELECT quantile_cont({file.score}, {1 - share!r}) FROM {file.reader} "
            f"WHERE {file.score} < {columns.threshold!r}"
        )[0][0]
        where = _where(file.score, float(columns.threshold or 0), cut)
        held = file.counts(where)
    items = wish.items or summary.items
    sizes = [round(held[name] * items / summary.items) for name in NAMES]
    shares = (1.0, 0.0, 0.0) if bar.metric == "precision" else SHARES
    draws = [max(round(wish.labels * part), int(part > 0)) for part in shares]
    return {
        "start": True,
        "claim": _claim(bar),
        "metric": bar.metric,
        "target": bar.target,
        "alarm": wish.alarm,
        "confidence": wish.confidence,
        "year": wish.year,
        "window": WINDOW * items,
        "threshold": columns.threshold,
        "cut": cut,
        "sizes": sizes,
        "draws": draws,
        "positives": math.ceil(ROOM * sizes[0]),
        "items": math.ceil(ROOM * items),
        "least": bar.least(math.ceil(ROOM * sizes[0]), math.ceil(ROOM * items)),
    }


def _claim(bar: Bar) -> str:
    return f"{bar.metric} >= {bar.target:g}"


def _where(score: str, threshold: float, cut: float | None) -> dict[str, str]:
    """The strata as conditions of SQL."""
    rest = f"{score} < {threshold!r}"
    near = threshold if cut is None else cut  # without predicted negatives there is nothing to cut
    conditions = (
        f"{score} >= {threshold!r}",
        f"{rest} AND {score} >= {near!r}",
        f"{rest} AND {score} < {near!r}",
    )
    return dict(zip(NAMES, conditions, strict=True))


def _starts(state: State) -> list[SurveyWork]:
    own = [work for work in state.surveys if work.survey.purpose == PURPOSE]
    return [work for work in own if work.survey.settings.get("start")]


def _start(state: State) -> SurveyWork:
    found = _starts(state)
    if not found:
        raise PlanError(
            "No sentinels were started here. Start them: assaymark sentinel start -p DIR"
        )
    return found[-1]


def draw_sentinels(
    project: Project, batch: str, *, seed: str | None = None, output: Path | None = None
) -> SurveyBatch:
    """Hand out the sentinels of a new unit: as many of each stratum as were sealed, blind."""
    with project.writing() as session:
        state = session.state
        start = _start(state)
        settings, pool = start.survey.settings, registered_pool(state)
        columns = ScoreColumns(
            score=str(pool.columns.score), id=pool.columns.id, text=pool.columns.text
        )
        with ScoreFile(batch, columns, what="unit") as file:
            file.refuse_bad_ids(file.refuse_bad_scores())
            where = _where(file.score, settings["threshold"], settings.get("cut"))
            held = file.counts(where)
            _refuse_large(settings, held)
            files = tuple(
                PoolFile(name=path.name, size=path.stat().st_size, sha256=file_digest(path))
                for path in file.source.files
            )
            drawn_before = {work.survey.settings.get("files") for work in state.surveys}
            if digest(stored(files)) in drawn_before:
                raise PlanError(f"{Path(batch).name!r} was drawn from before: a unit counts once.")
            draws = [
                min(own, held[name]) for own, name in zip(settings["draws"], NAMES, strict=True)
            ]
            survey = Survey(
                number=len(state.surveys) + 1,
                purpose="sentinel",
                seed=seed or secrets.token_hex(16),
                cells=tuple(Cell(name=name, items=held[name]) for name in NAMES),
                text=columns.text,
                source=batch,
                files=files,
                settings={
                    "of": start.survey.number,
                    "draws": draws,
                    "files": digest(stored(files)),
                },
            )
            items = [
                SurveyedItem(id=item, cell=number)
                for number, name in enumerate(NAMES)
                if draws[number]
                for item, _ in file.lowest_tickets(survey.seed, {name: where[name]}, draws[number])
            ]
            seen = next(
                (one.id for one in items if state.drawn(one.id) or one.id in state.answers), None
            )
            if seen is not None:
                raise InputError(
                    f"The item {seen!r} was drawn before under the same id. Labels go by id: give every "
                    "unit ids of its own, such as the week and a number."
                )
            texts = file.texts([one.id for one in items])
        return hand_out(project, session, open_survey(session, survey), items, texts, output=output)


def _refuse_large(settings: dict[str, Any], held: dict[str, int]) -> None:
    positives, items = held[NAMES[0]], sum(held.values())
    for what, size, most in (
        ("predicted positives", positives, settings["positives"]),
        ("items", items, settings["items"]),
    ):
        if size > most:
            raise PlanError(
                f"This unit holds {size:,} {what}, and sentinels were sealed for at most {most:,}. Cut the "
                "file at random into smaller units and draw from each."
            )


SentinelDecision = Literal["standing", "refuted"]


@dataclass(frozen=True, kw_only=True)
class SentinelAnswer:
    """What the sentinels say: no sign of a fall, or refuted, with the null that was refuted."""

    decision: SentinelDecision
    claim: str
    alarm: str
    null: str
    units: int
    labels: int
    missing: int
    evidence: float
    needed: float
    unit: int | None
    since: int | None
    proved: bool
    doubtful: bool

    def __str__(self) -> str:
        seen = f"{counted(self.labels, 'label')} of {counted(self.units, 'unit')}"
        if self.decision == "standing":
            return f"No sign that {self.claim} no longer holds: {seen}."
        known = "proved for the time since" if self.proved else "probably since"
        return (
            f"Refuted: {self.claim} no longer holds, {known} unit {self.since:,} (the alarm "
            f"'{self.alarm}' rang at unit {self.unit:,}; {seen})."
        )

    def result(self) -> dict[str, Any]:
        """The answer as plain values."""
        return {**plain(self), "sentence": str(self)}


def look_at_sentinels(project: Project) -> SentinelAnswer:
    """What all units say whose sentinels have an answer; the look is on record."""
    with project.writing() as session:
        state = session.state
        start = _start(state)
        number = start.survey.number
        units = [work for work in state.surveys if work.survey.settings.get("of") == number]
        answer = _judged(state, start.survey.settings, units)
        session.record(SurveyReported(survey=number, labels=answer.labels, result=answer.result()))
    return answer


def _judged(state: State, settings: dict[str, Any], works: Sequence[SurveyWork]) -> SentinelAnswer:
    whole = []
    for work in works:  # a unit counts when all its sentinels have an answer; later ones wait
        if not all(state.labelled(item) for item in work.order):
            break
        whole.append(work)
    bar, rule = Bar(metric=settings["metric"], target=settings["target"]), _rule(settings)
    units = [_seen(state, work) for work in whole]
    items = [sum(cell.items for cell in work.survey.cells) for work in whole]
    largest = float(settings["least"])
    bets = [unit_excess(unit, bar, largest=largest) for unit in units]
    worse = [unit_excess(unit, bar, largest=largest, doubt=True) for unit in units]
    rang = rings(bets, items, rule) if units else None
    every = [item for work in works for item in work.order]
    return SentinelAnswer(
        decision="refuted" if rang else "standing",
        claim=str(settings["claim"]),
        alarm=rule.alarm,
        null=_null(settings),
        units=len(units),
        labels=sum(len(work.order) for work in whole),
        missing=sum(not state.labelled(item) for item in every),
        evidence=float(wealth_path(bets, items, rule).max()) if units else 0.0,
        needed=rule.needed,
        unit=rang.unit if rang else None,
        since=rang.since if rang else None,
        proved=bool(rang and rang.proved),
        doubtful=bool(units and not rang and rings(worse, items, rule)),
    )


def _seen(state: State, work: SurveyWork) -> list[StratumSeen]:
    found = []
    for number, cell in enumerate(work.survey.cells):
        labels = [state.label(item) for item in work.order if work.cells[item] == number]
        found.append(
            StratumSeen(
                predicted=number == 0,
                items=cell.items,
                relevant=labels.count(1),
                irrelevant=labels.count(0),
                unclear=labels.count(None),
            )
        )
    return found


def _rule(settings: dict[str, Any]) -> AlarmRule:
    return AlarmRule(
        alarm=settings["alarm"],
        risk=round(1 - settings["confidence"], 12),
        window=settings["window"],
        year=settings["year"],
        stakes=STAKES,
    )


def _null(settings: dict[str, Any]) -> str:
    """What is true while the certificate holds, as this alarm understands it, and how often it errs."""
    risk = percent(round(1 - settings["confidence"], 6))
    kept = f"{settings['claim']} over all items"
    window = f"of every window of at least {settings['window']:,} items"
    nulls = {
        "ever": f"{kept} since sentinels started and {window}, taken together. Then it ever rings with "
        f"chance at most {risk}",
        "yearly": f"{kept} {window}, taken together. Then it rings with chance at most {risk} in a year of "
        f"{settings['year']} units",
        "average": f"{kept} since sentinels started, taken together. Then it ever rings with chance at "
        f"most {risk}",
    }
    return f"{nulls[settings['alarm']]}."
