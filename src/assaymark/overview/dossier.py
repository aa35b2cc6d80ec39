"""Everything that the dashboard and the report show, computed from the ledger. Records nothing."""

import shlex
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from assaymark import __version__
from assaymark.certification.certificate import account_words, as_earlier, looks_of, population_of
from assaymark.certification.modes import Prefix, at_present, judge, labelled_prefix
from assaymark.certification.view.answer import NO_PLAN, SURVEYED, answer_of, upper_first, wanted
from assaymark.certification.view.bound_path import path_of, shown_bound
from assaymark.certification.view.card import card_note, card_of
from assaymark.certification.view.dossier import (
    Answer,
    Collection,
    Dossier,
    Note,
    PathMark,
    Progress,
    Proof,
    SurveySeen,
)
from assaymark.certification.view.hidden_positives import stratum_rows
from assaymark.certification.view.method_words import limits_of, method_of
from assaymark.certification.view.people import Said, Story, notes, people, read_story
from assaymark.certification.view.scores import score_ends, score_picture
from assaymark.certification.view.sensitivity import sensitivity_of
from assaymark.certification.view.standing import evidence_now
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Verdict, percent
from assaymark.composite.wording import TONES, VERDICTS, statement
from assaymark.composite.work import current_claim
from assaymark.errors import PlanError
from assaymark.hints import command, for_command_line
from assaymark.labelling.blocking import blocking_items
from assaymark.ledger.events import Attempt, State, SurveyWork, population_words
from assaymark.project.folder import Project, registered_pool
from assaymark.records.agreement import Agreement, Sensitivity
from assaymark.records.pool import RegisteredPool
from assaymark.stats.agreement import agreement
from assaymark.training.summary import told_of, training_told


def dossier(project: Project) -> Dossier:
    """The project as a reader sees it. Looking through it puts no look on record."""
    return dossier_of(project, read_story(project.ledger.entries()))


class DossierCache:
    """The dossier of a project, computed anew only when the ledger's last event is another one."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._head: str | None = None
        self._dossier: Dossier | None = None

    def get(self) -> Dossier:
        """The dossier of the ledger as it is now."""
        entries = self.project.ledger.entries()
        head = entries[-1].hash if entries else ""
        if self._dossier is None or head != self._head:
            self._dossier = dossier_of(self.project, read_story(entries))
            self._head = head
        return self._dossier


@dataclass(frozen=True, kw_only=True)
class Basis:
    """The latest plan, its labelled prefix, and the verdict where there is one to be had."""

    attempt: Attempt
    prefix: Prefix
    verdict: Verdict | None

    def sensitivity(self) -> Sensitivity | None:
        """What wrong labels would do to the verdict: many verdicts' work, so it may come later."""
        return sensitivity_of(self.attempt, self.prefix, self.verdict)


def basis_of(state: State, attempt: Attempt, verdict: Verdict | None = None) -> Basis:
    """What the latest plan's verdict rests on; the verdict itself may be known already."""
    with suppress(PlanError):  # superseded: shown as it was sealed
        attempt = at_present(state, attempt)
    return Basis(
        attempt=attempt,
        prefix=labelled_prefix(state, attempt),
        verdict=_verdict(state, attempt) if verdict is None else verdict,
    )


def dossier_of(
    project: Project, story: Story, *, basis: Basis | None = None, sensitivity: bool = True
) -> Dossier:
    """The dossier of a story that was read already."""
    state = story.state
    attempt = state.attempt
    pool = (attempt.pool if attempt else None) or registered_pool(state)
    if attempt is None:
        return _without_plan(project, story, pool)
    basis = basis_of(state, attempt) if basis is None else basis
    attempt, prefix, verdict = basis.attempt, basis.prefix, basis.verdict
    items = _items(state, attempt, verdict)
    changed = notes(story.said, items=items)
    superseded = _superseded(attempt, changed)
    answer = answer_of(attempt, verdict, superseded=superseded)
    reason = None if verdict is not None else answer.sentence
    plan, interval = attempt.plan, None if verdict is None else verdict.estimate.interval
    edge = (
        None if interval is None else interval.low if plan.claim.side == "lower" else interval.high
    )
    title = metric(plan.claim.metric).title
    card = card_of(state, attempt, prefix, verdict, reason=reason)
    population = population_of(state, attempt)
    return Dossier(
        title=project.folder.resolve().name,
        as_of=_as_of(story),
        answer=answer,
        collection=_collection(story, pool),
        claim=plan.claim,
        claim_title=upper_first(title),
        claim_text=f"{upper_first(title)} is {wanted(plan.claim)} with {percent(plan.confidence)} "
        "confidence",
        plan=plan,
        outcome=attempt.outcome,
        sealed=story.times.get(attempt.sealed_at),
        progress=_progress(state, attempt, prefix, verdict),
        point=None if verdict is None else verdict.estimate.point,
        bound=shown_bound(plan, edge),
        confidence=plan.confidence,
        counts=None if verdict is None else verdict.estimate.counts,
        path=path_of(attempt, prefix, verdict, _marks(story, attempt, changed), reason=reason),
        evidence=None if verdict is None else evidence_now(attempt, prefix, verdict),
        card=card,
        card_note=card_note(plan, card, census=verdict is not None and verdict.census),
        strata=stratum_rows(
            attempt,
            prefix,
            ends=[score_ends(pool, stratum) for stratum in plan.strata],
            classes=_classes(pool),
            visible=verdict is not None,
        ),
        scores=score_picture(project, pool, state),
        people=people(story.said, items=items, visible=verdict is not None),
        agreement=agreement({i: state.answers[i] for i in items if i in state.answers}),
        sensitivity=basis.sensitivity() if sensitivity else None,
        looks=looks_of(attempt),
        notes=changed,
        skipped=tuple(sorted(i for i in items if state.labelled(i) and state.label(i) is None)),
        disputed=_disputed(state, attempt),
        earlier=tuple(as_earlier(old) for old in state.attempts[:-1]),
        surveys=_surveys(state),
        account=account_words(plan),
        bound_certified=attempt.bound,
        population=None if population is None else population_words(population, plan.claim),
        method=method_of(plan, trained=population is not None),
        assumptions=() if verdict is None else verdict.estimate.assumptions,
        limits=limits_of(plan, pool, trained=population is not None),
        proof=_proof(project, story, pool, attempt),
    )


def _without_plan(project: Project, story: Story, pool: RegisteredPool) -> Dossier:
    state = story.state
    items = set(state.surveyed)
    missing = sum(not state.labelled(item) for item in items)
    surveys = _surveys(state)
    return Dossier(
        title=project.folder.resolve().name,
        as_of=_as_of(story),
        answer=_training_answer(state)
        or _composite_answer(state)
        or (SURVEYED if any(seen.result for seen in surveys) else NO_PLAN),
        collection=_collection(story, pool),
        claim=None,
        claim_title=None,
        claim_text=None,
        plan=None,
        outcome="no plan",
        sealed=None,
        progress=Progress(
            drawn=len(items),
            labelled=len(items) - missing,
            missing=missing,
            disputed=sum(state.disputed(item) for item in items),
            skipped=0,
            waiting=0,
            labels=len(items) - missing,
            expected_total=None,
            expected_left=None,
        ),
        point=None,
        bound=None,
        confidence=None,
        counts=None,
        path=None,
        evidence=None,
        card=(),
        strata=(),
        scores=score_picture(project, pool, state),
        people=people(story.said, items=items, visible=True),
        agreement=_agreement(state, items),
        sensitivity=None,
        looks=(),
        notes=notes(story.said, items=items),
        skipped=(),
        disputed=tuple(sorted(item for item in items if state.disputed(item))),
        earlier=(),
        surveys=surveys,
        method=(),
        assumptions=(),
        limits=(),
        proof=_proof(project, story, pool, None),
    )


def _verdict(state: State, attempt: Attempt) -> Verdict | None:
    """The verdict, or None where there is none to be had: too early, or given up."""
    if attempt.outcome == "abandoned":
        return None
    try:
        return judge(state, attempt)
    except PlanError:
        return None


def _items(state: State, attempt: Attempt, verdict: Verdict | None) -> set[str]:
    """The items that were handed out for this plan, or that a full count rests on."""
    if verdict is not None and verdict.census:
        return {item for item in state.predictions if state.labelled(item)}
    return set(attempt.order)


def _superseded(attempt: Attempt, changed: tuple[Note, ...]) -> bool:
    return attempt.certificate is not None and any(
        note.event > attempt.certificate[0] for note in changed
    )


def _as_of(story: Story) -> str:
    return story.state.head.time if story.state.head else ""


def _collection(story: Story, pool: RegisteredPool) -> Collection:
    return Collection(
        source=pool.source,
        items=pool.summary.items,
        predicted_positive=pool.summary.predicted_positive,
        predicted_negative=pool.summary.predicted_negative,
        predicts=pool.columns.predicts,
        id_column=pool.columns.id,
        text_columns=pool.columns.text,
        fingerprint=pool.fingerprint,
        files=len(pool.files),
        registered=next(iter(story.times.values()), ""),
    )


def _classes(pool: RegisteredPool) -> dict[bool | None, int]:
    if not pool.columns.predicts:
        return {None: pool.summary.items}
    return {True: pool.summary.predicted_positive, False: pool.summary.predicted_negative}


def _progress(state: State, attempt: Attempt, prefix: Prefix, verdict: Verdict | None) -> Progress:
    drawn = set(attempt.order)
    # asked of the answers, because far more is drawn than labelled
    missing = len(drawn) - sum(state.labelled(item) for item in drawn & state.answers.keys())
    total = attempt.plan.size if verdict is None else verdict.labels_expected
    labels = prefix.labels if verdict is None else verdict.estimate.labels
    return Progress(
        drawn=len(attempt.order),
        labelled=len(attempt.order) - missing,
        missing=missing,
        disputed=len(_disputed(state, attempt)),
        skipped=prefix.skipped,
        waiting=prefix.waiting,
        labels=labels,
        expected_total=total,
        expected_left=None if total is None or not attempt.open else max(total - labels, 0),
        outlook=None if verdict is None or not attempt.open else verdict.outlook,
        blocking=blocking_items(state),
    )


def _agreement(state: State, items: Iterable[str]) -> Agreement | None:
    """How far annotators agreed; told of two verdicts only."""
    if state.classes:
        return None
    return agreement({i: state.answers[i] for i in items if i in state.answers})


def _disputed(state: State, attempt: Attempt) -> tuple[str, ...]:
    """The plan's items on which annotators differ, in draw order."""
    several = {i for i, given in state.answers.items() if len(given) > 1 and state.disputed(i)}
    return tuple(item for item in attempt.order if item in several) if several else ()


def _marks(story: Story, attempt: Attempt, changed: tuple[Note, ...]) -> tuple[PathMark, ...]:
    side = attempt.plan.claim.side
    looks = [
        PathMark(
            kind="look",
            event=seq,
            time=time,
            labels=look.labels,
            bound=shown_bound(attempt.plan, look.low if side == "lower" else look.high),
        )
        for seq, time, look in attempt.looks
    ]
    counts = _labels_at(story.said, set(attempt.order), [note.event for note in changed])
    corrections = [
        PathMark(kind=note.kind, event=note.event, time=note.time, labels=labels, item=note.item)
        for note, labels in zip(changed, counts, strict=True)
    ]
    return tuple(sorted([*looks, *corrections], key=lambda mark: mark.event))


def _labels_at(said: list[Said], items: set[str], events: list[int]) -> list[int]:
    """How many items of the plan had an answer just before each of these events."""
    seen: set[str] = set()
    found, queue = [], iter(said)
    answer = next(queue, None)
    for event in events:
        while answer is not None and answer.seq < event:
            if answer.event.item in items:
                seen.add(answer.event.item)
            answer = next(queue, None)
        found.append(len(seen))
    return found


def _surveys(state: State) -> tuple[SurveySeen, ...]:
    return tuple(
        SurveySeen(
            number=work.survey.number,
            purpose=work.survey.purpose,
            drawn=len(work.order),
            labelled=sum(state.labelled(item) for item in work.order),
            time=work.reports[-1][1] if work.reports else None,
            result=_result(state, work),
        )
        for work in state.surveys
    )


def _result(state: State, work: SurveyWork) -> dict[str, Any] | None:
    """What a survey found when it was last asked; a training is told from its models."""
    if work.survey.purpose == "training":
        return told_of(state, work)
    if work.survey.purpose == "claim":  # renewals of chances and certificates are no results
        looks = [r.result for _, _, r in work.reports if r.result.get("event") == "look"]
        return looks[-1] if looks else None
    return work.reports[-1][2].result if work.reports else None


def _composite_answer(state: State) -> Answer | None:
    """The verdict on the latest claim of several parts; without a look, that it is sealed."""
    work = current_claim(state)
    if work is None:
        return None
    looks = work.reports("look")
    if not looks:
        told = f"The claim is sealed: {work.sealed.claim}. Nobody has looked at labels yet."
        return Answer(tone="too early", word="Sealed", sentence=told, told=told)
    decision, told = looks[-1][2]["decision"], statement(looks[-1][2])
    return Answer(
        tone=TONES.get(decision, "not yet"), word=VERDICTS[decision], sentence=told, told=told
    )


def _training_answer(state: State) -> Answer | None:
    """Where a training stands, in a project that claims nothing yet."""
    told = training_told(state)
    if told is None:
        return None
    return Answer(tone="no plan", word="Training", sentence=told["sentence"], told=told["sentence"])


def _proof(project: Project, story: Story, pool: RegisteredPool, attempt: Attempt | None) -> Proof:
    head = story.state.head
    issued = attempt.certificate if attempt else None
    name = FilePath(project.folder.resolve().name)
    folder, certificate = (shlex.quote(str(path)) for path in (name, name / "certificate.json"))
    commands = [for_command_line(command("status", project=folder))]
    if issued:
        commands = [for_command_line(command("verify", certificate, project=folder))]
    return Proof(
        head=head.hash if head else "",
        events=head.seq if head else 0,
        fingerprint=pool.fingerprint,
        certificate=issued[2] if issued else None,
        issued=issued[1] if issued else None,
        software=__version__,
        commands=tuple(commands),
    )
