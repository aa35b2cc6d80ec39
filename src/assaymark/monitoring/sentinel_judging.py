"""What sentinels say of a certificate: replayed from their labels, so that the gate can ask too."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from assaymark.claims.record import plain
from assaymark.claims.results import counted
from assaymark.errors import PlanError
from assaymark.hints import command
from assaymark.ledger.events import State, SurveyReported, SurveyWork
from assaymark.monitoring.sentinel_terms import SentinelTerms
from assaymark.monitoring.stats.sentinel_bets import StratumSeen, unit_excess
from assaymark.project.folder import Project
from assaymark.stats.sequential.unit_alarm import rings, wealth_path

PURPOSE = "sentinel"
Subject = dict[str, int]
"""What a certificate is of: the number of its plan, or of the survey of a claim of several parts."""


def starts_of(state: State, subject: Subject | None = None) -> list[SurveyWork]:
    """The sealed terms of sentinels, of one certificate or of all, in their order."""
    works = [work for work in state.surveys if work.survey.purpose == PURPOSE]
    begun = [work for work in works if work.survey.settings.get("start")]
    wanted = (subject or {}).items()
    return [work for work in begun if all(work.survey.settings.get(k) == v for k, v in wanted)]


def latest_start(state: State) -> SurveyWork:
    """The terms in force; refused where there are none."""
    starts = starts_of(state)
    if not starts:
        raise PlanError(
            f"No sentinels were started here. Start them: {command('sentinel start', project='DIR')}"
        )
    return starts[-1]


def units_of(state: State, start: SurveyWork) -> list[SurveyWork]:
    """The units that were drawn under these terms, in their order."""
    number = start.survey.number
    return [work for work in state.surveys if work.survey.settings.get("of") == number]


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
        size = f"{counted(self.labels, 'label')} of {counted(self.units, 'unit')}"
        if self.decision == "standing":
            return (
                f"No alarm: {self.claim} is not shown to have failed ({size}; evidence "
                f"{self.evidence:.3g} of {self.needed:,.0f})."
            )
        known = "proved for the time since" if self.proved else "probably since"
        return (
            f"Refuted: {self.claim} no longer holds, {known} unit {self.since:,} (the alarm "
            f"'{self.alarm}' went off at unit {self.unit:,}; {size})."
        )

    def result(self) -> dict[str, Any]:
        """The answer as plain values."""
        return {**plain(self), "sentence": str(self)}


def look_at_sentinels(project: Project) -> SentinelAnswer:
    """What all units say whose sentinels have an answer; the look is recorded."""
    with project.writing() as session:
        start = latest_start(session.state)
        answer = judge_sentinels(session.state, start)
        session.record(
            SurveyReported(survey=start.survey.number, labels=answer.labels, result=answer.result())
        )
    return answer


def judge_sentinels(state: State, start: SurveyWork) -> SentinelAnswer:
    """What the labels of all units say, whether or not anybody looked."""
    terms, works = SentinelTerms.from_settings(start.survey.settings), units_of(state, start)
    answers = [_judged(state, one, works) for one in terms.by_bar]
    rang = [answer for answer in answers if answer.unit is not None]
    if rang:
        return min(rang, key=lambda answer: answer.unit or 0)
    nearest = max(answers, key=lambda answer: answer.evidence / answer.needed)
    return replace(
        nearest,
        claim=terms.claim,
        null=terms.null,
        doubtful=any(answer.doubtful for answer in answers),
    )


def _judged(state: State, terms: SentinelTerms, works: Sequence[SurveyWork]) -> SentinelAnswer:
    whole = []
    for work in works:
        # a unit counts when all its sentinels have an answer, or its deadline passed
        if not work.closed and not all(state.labelled(item) for item in work.order):
            break
        whole.append(work)
    (watched,), rule = terms.bars, terms.rule
    units = [_strata_of(state, work) for work in whole]
    items = [sum(cell.items for cell in work.survey.cells) for work in whole]
    bar, largest = watched.bar, watched.least
    bets = [unit_excess(unit, bar, largest=largest) for unit in units]
    worse = [unit_excess(unit, bar, largest=largest, doubt=True) for unit in units]
    rang = rings(bets, items, rule) if units else None
    every = [item for work in works if not work.closed for item in work.order]
    return SentinelAnswer(
        decision="refuted" if rang else "standing",
        claim=terms.claim,
        alarm=rule.alarm,
        null=terms.null,
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


def _strata_of(state: State, work: SurveyWork) -> list[StratumSeen]:
    strata = []
    for number, cell in enumerate(work.survey.cells):
        answers = work.final if work.closed else {i: state.label(i) for i in work.order}
        labels = [answers[item] for item in work.order if work.cells[item] == number]
        strata.append(
            StratumSeen(
                predicted=number == 0,
                items=cell.items,
                relevant=labels.count(1),
                irrelevant=labels.count(0),
                unclear=labels.count(None),
            )
        )
    return strata
