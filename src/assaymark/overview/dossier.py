"""Everything that the dashboard and the report show, computed from the ledger. Records nothing."""

import shlex
from dataclasses import replace
from pathlib import Path as FilePath

from assaymark import __version__
from assaymark.certification.certificate import account_words, as_earlier, looks_of, population_of
from assaymark.certification.metric_ranges import without_point
from assaymark.certification.modes import Prefix, mode_of
from assaymark.certification.view.answer import (
    NO_PLAN,
    SURVEYED,
    SURVEYING,
    answer_of,
    claim_sentence,
    upper_first,
)
from assaymark.certification.view.bound_path import path_of, shown_bound
from assaymark.certification.view.card import card_note
from assaymark.certification.view.dossier import (
    Answer,
    CardNumber,
    Collection,
    Dossier,
    Note,
    PathMark,
    Progress,
    Proof,
    SurveySeen,
    labels_in_all,
)
from assaymark.certification.view.hidden_positives import stratum_rows
from assaymark.certification.view.method_words import limits_of, limits_without_plan, method_of
from assaymark.certification.view.people import Said, Story, notes, people, read_story
from assaymark.certification.view.scores import score_ends, score_picture
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Verdict, percent
from assaymark.composite.view.estimates import looks_false_words
from assaymark.composite.wording import account_words as claim_account_words
from assaymark.composite.wording import sealed_words, statement, verdict_of
from assaymark.composite.work import ClaimWork, current_claim
from assaymark.hints import command, for_command_line
from assaymark.labelling.blocking import blocking_items
from assaymark.ledger.events import Attempt, State, population_words
from assaymark.overview.basis import Basis, basis_of
from assaymark.overview.sealed_claims import claim_looks, claim_method, sealed_terms
from assaymark.overview.survey_sections import surveys_of
from assaymark.project.folder import Project, registered_pool
from assaymark.records.agreement import Agreement, Sensitivity
from assaymark.records.pool import RegisteredPool
from assaymark.stats.agreement import agreement
from assaymark.training.summary import project_summary


def dossier(project: Project) -> Dossier:
    """The project as a reader sees it. Looking through it records no look."""
    return dossier_of(project, read_story(project.ledger.entries()))


def pool_of(state: State) -> RegisteredPool:
    """The pool that the latest plan draws from, or else the registered one."""
    registered = state.attempt.pool if state.attempt else None
    return registered or registered_pool(state)


def dossier_of(
    project: Project,
    story: Story,
    *,
    basis: Basis | None = None,
    sensitivity: bool = True,
    card: bool = True,
) -> Dossier:
    """The dossier of a story that was read already, without what shall come later."""
    state = story.state
    attempt = state.attempt
    pool = pool_of(state)
    if attempt is None:
        return _without_plan(project, story, pool, sensitivity=sensitivity)
    basis = basis_of(state, attempt) if basis is None else basis
    attempt, prefix, verdict = basis.attempt, basis.prefix, basis.verdict
    items = _items(state, attempt, verdict)
    changed = notes(story.said, items=items)
    superseded = _superseded(attempt, changed)
    no_point = None if verdict is None else without_point(attempt.plan, prefix, verdict)
    answer = answer_of(attempt, verdict, superseded=superseded, no_point=no_point)
    reason = None if verdict is not None else answer.sentence
    plan, interval = attempt.plan, None if verdict is None else verdict.estimate.interval
    edge = (
        None if interval is None else interval.low if plan.claim.side == "lower" else interval.high
    )
    title = metric(plan.claim.metric).title
    population = population_of(state, attempt)
    dossier = Dossier(
        title=project.folder.resolve().name,
        as_of=_as_of(story),
        answer=answer,
        collection=_collection(pool),
        claim=plan.claim,
        claim_title=upper_first(title),
        claim_text=f"{claim_sentence(plan.claim)} with {percent(plan.confidence)} confidence",
        plan=plan,
        outcome=attempt.outcome,
        sealed=story.times.get(attempt.sealed_at),
        progress=_progress(state, attempt, prefix, verdict),
        point=None if verdict is None or no_point else verdict.estimate.point,
        bound=shown_bound(plan, edge),
        confidence=plan.confidence,
        counts=None if verdict is None else verdict.estimate.counts,
        path=path_of(attempt, prefix, verdict, _marks(story, attempt, changed), reason=reason),
        evidence=None
        if verdict is None or verdict.census
        else mode_of(plan).evidence(attempt, prefix, verdict),
        card=(),
        strata=stratum_rows(
            attempt,
            prefix,
            ends=[score_ends(pool, stratum) for stratum in plan.strata],
            classes=_classes(pool),
            visible=verdict is not None,
        ),
        scores=score_picture(project, pool, state),
        people=people(story.said, items=items, visible=verdict is not None),
        agreement=_agreement(state, items),
        sensitivity=basis.sensitivity() if sensitivity else None,
        looks=looks_of(attempt),
        notes=changed,
        skipped=_skipped(state, items),
        disputed=_disputed(state, attempt),
        earlier=tuple(as_earlier(old) for old in state.attempts[:-1]),
        surveys=surveys_of(state),
        account=account_words(plan),
        bound_certified=attempt.bound,
        population=None if population is None else population_words(population, plan.claim),
        method=method_of(plan, trained=population is not None),
        assumptions=() if verdict is None else verdict.estimate.assumptions,
        limits=limits_of(plan, pool, trained=population is not None),
        proof=_proof(project, story, pool, attempt),
    )
    return with_card(dossier, basis, basis.card(state, answer)) if card else dossier


def with_card(dossier: Dossier, basis: Basis, card: tuple[CardNumber, ...]) -> Dossier:
    """The dossier with its four numbers, and at which level they hold."""
    verdict = basis.verdict
    note = card_note(basis.attempt.plan, card, census=verdict is not None and verdict.census)
    return replace(dossier, card=card, card_note=note)


def _survey_answer(surveys: tuple[SurveySeen, ...]) -> Answer:
    if not surveys:
        return NO_PLAN
    return SURVEYED if any(survey.result for survey in surveys) else SURVEYING


def _without_plan(
    project: Project, story: Story, pool: RegisteredPool, *, sensitivity: bool
) -> Dossier:
    state = story.state
    work = current_claim(state)
    items = set(state.surveyed)
    missing = len(state.unsettled(items))
    skipped = _skipped(state, items)
    surveys = surveys_of(state)
    ladder = work is not None and work.sealed.kind == "cut-off"  # its cut-offs are not the pool's
    return Dossier(
        title=project.folder.resolve().name,
        as_of=_as_of(story),
        answer=_training_answer(state) or _composite_answer(state) or _survey_answer(surveys),
        collection=replace(_collection(pool), predicts=pool.columns.predicts and not ladder),
        claim=None,
        claim_title=None,
        claim_text=None,
        plan=None,
        outcome="no plan",
        sealed=None if work is None else story.times.get(work.survey.opened_at),
        progress=Progress(
            drawn=len(items),
            labelled=len(items) - missing,
            missing=missing,
            disputed=sum(state.disputed(item) for item in items),
            skipped=len(skipped),
            waiting=0,
            labels=len(items) - missing - len(skipped),
            expected_left=None,
            blocking=blocking_items(state),
        ),
        point=None,
        bound=None,
        confidence=None,
        counts=None,
        path=None,
        evidence=None,
        card=(),
        strata=(),
        scores=None if ladder else score_picture(project, pool, state),
        people=people(story.said, items=items, visible=not state.classes),
        agreement=_agreement(state, items),
        sensitivity=_claim_sensitivity(state, work) if sensitivity and work else None,
        looks=() if work is None else claim_looks(work),
        notes=notes(story.said, items=items),
        skipped=skipped,
        disputed=tuple(sorted(item for item in items if state.disputed(item))),
        earlier=(),
        surveys=surveys,
        method=() if work is None else claim_method(work.sealed),
        assumptions=(),
        limits=_limits(state, pool) if any(survey.result for survey in surveys) else (),
        proof=_proof(project, story, pool, None),
        account=None if work is None else claim_account_words(work.sealed),
        sealed_terms=() if work is None else sealed_terms(work),
    )


def _items(state: State, attempt: Attempt, verdict: Verdict | None) -> set[str]:
    """The items that were handed out for this plan, or that a full count depends on."""
    if verdict is not None and verdict.census:
        return {item for item in state.predictions if state.labelled(item)}
    return set(attempt.order)


def _superseded(attempt: Attempt, changed: tuple[Note, ...]) -> bool:
    return attempt.certificate is not None and any(
        note.event > attempt.certificate.seq for note in changed
    )


def _as_of(story: Story) -> str:
    return story.state.head.time if story.state.head else ""


def _collection(pool: RegisteredPool) -> Collection:
    return Collection(
        source=pool.source,
        items=pool.summary.items,
        predicted_positive=pool.summary.predicted_positive,
        predicted_negative=pool.summary.predicted_negative,
        predicts=pool.columns.predicts,
        id_column=pool.columns.id,
        fingerprint=pool.fingerprint,
        files=len(pool.files),
    )


def _classes(pool: RegisteredPool) -> dict[bool | None, int]:
    if not pool.columns.predicts:
        return {None: pool.summary.items}
    return {True: pool.summary.predicted_positive, False: pool.summary.predicted_negative}


def _progress(state: State, attempt: Attempt, prefix: Prefix, verdict: Verdict | None) -> Progress:
    missing = len(attempt.order) - len(set(attempt.order).intersection(state.settled_items()))
    total = labels_in_all(attempt, verdict)
    labels = prefix.labels if verdict is None else verdict.estimate.labels
    return Progress(
        drawn=len(attempt.order),
        labelled=len(attempt.order) - missing,
        missing=missing,
        disputed=len(_disputed(state, attempt)),
        skipped=prefix.skipped,
        waiting=prefix.waiting,
        labels=labels,
        expected_left=None if total is None or not attempt.open else max(total - labels, 0),
        outlook=None if verdict is None or not attempt.open else verdict.outlook,
        ahead=None if verdict is None or not attempt.open else verdict.labels_ahead,
        blocking=blocking_items(state),
    )


def _agreement(state: State, items: set[str]) -> Agreement | None:
    """How far annotators agreed; for two verdicts only."""
    if state.classes:
        return None
    several = {i: a for i, a in state.answers.items() if len(a) > 1 and i in items}
    return agreement(several) if several else None


def _skipped(state: State, items: set[str]) -> tuple[str, ...]:
    """The items that count although nobody could tell."""
    open_ones = [i for i, a in state.answers.items() if None in a.values() and i in items]
    return tuple(sorted(i for i in open_ones if state.labelled(i) and state.label(i) is None))


def _disputed(state: State, attempt: Attempt) -> tuple[str, ...]:
    """The plan's items on which reviewers differ, in draw order."""
    several = {i for i, answers in state.answers.items() if len(answers) > 1 and state.disputed(i)}
    return tuple(item for item in attempt.order if item in several) if several else ()


def _marks(story: Story, attempt: Attempt, changed: tuple[Note, ...]) -> tuple[PathMark, ...]:
    side = attempt.plan.claim.side
    looks = [
        PathMark(
            kind="look",
            event=look.seq,
            time=look.time,
            labels=look.event.labels,
            bound=shown_bound(attempt.plan, look.event.low if side == "lower" else look.event.high),
        )
        for look in attempt.looks
    ]
    counts = _labels_at(story.said, set(attempt.order), [note.event for note in changed])
    corrections = [
        PathMark(kind=note.kind, event=note.event, time=note.time, labels=labels, item=note.item)
        for note, labels in zip(changed, counts, strict=True)
    ]
    return tuple(sorted([*looks, *corrections], key=lambda mark: mark.event))


def _labels_at(said: list[Said], items: set[str], events: list[int]) -> list[int]:
    """How many items of the plan had an answer just before each of these events."""
    answered: set[str] = set()
    counts, queue = [], iter(said)
    answer = next(queue, None)
    for event in events:
        while answer is not None and answer.seq < event:
            if answer.event.item in items:
                answered.add(answer.event.item)
            answer = next(queue, None)
        counts.append(len(answered))
    return counts


def _composite_answer(state: State) -> Answer | None:
    """The verdict on the latest claim of several parts; without a look, that it is sealed."""
    work = current_claim(state)
    if work is None:
        return None
    last = work.last_look
    if last is None:
        sentence = f"The claim is sealed: {sealed_words(work.sealed)}. Nothing is proven yet."
        return Answer(tone="too early", word="Sealed", sentence=sentence, for_lead=sentence)
    (tone, word), sentence = verdict_of(last.facts), statement(last.facts)
    doubt = looks_false_words(state, work, last.facts) if work.open else None
    return Answer(
        tone=tone,
        word=word,
        sentence=sentence,
        for_lead=sentence if doubt is None else f"{sentence} {doubt}",
    )


def _claim_sensitivity(state: State, work: ClaimWork) -> Sensitivity | None:
    if work.last_look is None:
        return None
    from assaymark.composite.view.sensitivity import claim_sensitivity  # reports alone ask for it

    return claim_sensitivity(state, work)


def _limits(state: State, pool: RegisteredPool) -> tuple[str, ...]:
    claim = current_claim(state)
    return limits_without_plan(pool, None if claim is None else claim.sealed.stated)


def _training_answer(state: State) -> Answer | None:
    """Where a training stands, in a project that claims nothing yet."""
    summary = project_summary(state)
    if summary is None:
        return None
    return Answer(
        tone="no plan", word="Training", sentence=summary.sentence, for_lead=summary.sentence
    )


def _proof(project: Project, story: Story, pool: RegisteredPool, attempt: Attempt | None) -> Proof:
    head = story.state.head
    certificate, issued = _issued(story.state, attempt)
    name = FilePath(project.folder.resolve().name)
    folder, file = (shlex.quote(str(path)) for path in (name, name / "certificate.json"))
    check = command("verify", file, project=folder) if issued else command("status", project=folder)
    return Proof(
        head=head.hash if head else "",
        events=head.seq if head else 0,
        fingerprint=pool.fingerprint,
        certificate=certificate,
        issued=issued,
        software=__version__,
        commands=(for_command_line(check),),
    )


def _issued(state: State, attempt: Attempt | None) -> tuple[str | None, str | None]:
    """The hash of the certificate, and when it was issued; of the latest claim if it has several parts."""
    if attempt is not None:
        stamped = attempt.certificate
        return (stamped.event.certificate, stamped.time) if stamped else (None, None)
    work = current_claim(state)
    reports = [] if work is None else work.reports("certificate")
    return (reports[-1].facts["hash"], reports[-1].time) if reports else (None, None)
