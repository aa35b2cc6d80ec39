"""Recompute the certificate of a claim of several rows as a stranger would."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assaymark.certification.certificate.checks import first_difference
from assaymark.certification.signatures.signing import check_signature
from assaymark.certification.signatures.witness import check_witnesses
from assaymark.certification.verification import (
    BREAKAGE,
    Brought,
    certificate_text,
    concluded,
    envelope_beside,
    whole_ledger,
)
from assaymark.claims.canonical import canonical, digest, read_json
from assaymark.claims.results import counted
from assaymark.composite.course import Course, Renewal, course_of, labelled_prefix, renewals
from assaymark.composite.issuing import FORMAT, KIND, certificate_facts, changed_after
from assaymark.composite.look_facts import read_look, written
from assaymark.composite.looks import judge_with_progress
from assaymark.composite.planning.comparing import stated_claim
from assaymark.composite.planning.strata import ClaimPool
from assaymark.composite.rows import with_digests
from assaymark.composite.seeding import check_seed
from assaymark.composite.shared_risk.risk import FAMILY, Carried, ClaimRisk
from assaymark.composite.shared_risk.stakes import AskedRisk, with_risk
from assaymark.composite.wording import account_words, statement
from assaymark.composite.work import ClaimWork, claim_works
from assaymark.errors import AssaymarkError, InputError, VerificationError, message_of
from assaymark.ledger.events import (
    Entry,
    State,
    SurveyReported,
    check_chain,
    check_story,
    replay,
)
from assaymark.project.folder import Project, registered_pool
from assaymark.records.certificate import Check, Verification, refuse_other_number
from assaymark.sampling.reserve import refuse_changed

ROUNDING = 1e-6  # of numbers that are computed again on another processor
CLOSE = 2e-6  # of mean scores, which are stored with six digits


def is_claim_certificate(path: Path) -> bool:
    """Whether the file is the certificate of a claim of several rows."""
    try:
        return f'"kind":"{KIND}"' in path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def verify_claim(
    path: Path, *, project: Project | None = None, brought: Brought | None = None
) -> Verification:
    """Everything that can be recomputed with what is at hand: certificate, ledger, pool, witnesses."""
    brought = brought or Brought()
    brought.refuse_without_ledger(project)
    text = certificate_text(path)
    checks: list[Check] = []
    said: dict[str, Any] = {}
    account = None
    try:
        said = read_facts(text, checks)
        envelope = brought.envelope or envelope_beside(path)
        checks.append(check_signature(text, envelope, expected=brought.public_key))
        if project is not None:
            account = _run(project, said, brought, checks)
    except VerificationError as error:
        checks.append(Check.failed("verification", str(error)))
    except InputError:
        raise
    except (AssaymarkError, *BREAKAGE) as error:
        sentence = f"it cannot be recomputed: {error}"
        checks.append(Check.failed("verification", sentence))
    status, missing = concluded(checks, project, brought)
    return Verification(
        status=status,
        statement=_statement(said),
        checks=tuple(checks),
        account=account,
        missing=missing,
    )


def _statement(answer: dict[str, Any]) -> str:
    """What the certificate says, from its facts; empty where they cannot be read."""
    try:
        return statement(read_look(answer["result"]))
    except (InputError, *BREAKAGE):
        return ""


def read_facts(text: str, checks: list[Check]) -> dict[str, Any]:
    """The facts in a certificate's text; refused where its hash does not fit them."""
    data: dict[str, Any] = read_json(text)
    refuse_other_number(data, "format", FORMAT)
    facts = {key: value for key, value in data.items() if key != "hash"}
    if data.get("hash") != digest(facts) or text != written(facts):
        raise VerificationError("The certificate was changed: its hash does not fit its contents.")
    checks.append(Check.ok("certificate", "well-formed, and its hash fits its contents"))
    return facts


def _run(
    project: Project, answer: dict[str, Any], brought: Brought, checks: list[Check]
) -> str | None:
    """Add to `checks` what was found; gives back which claim on its subjects it is."""
    entries = whole_ledger(project)
    check_chain(entries)
    check_story(entries)
    work = check_ledger(entries, answer, checks)
    checks.append(check_on_record(entries, answer))
    events = answer["ledger"]["events"]
    checks += _pool(project, replay(entries[:events]), work)
    opened = work.survey.opened_at
    checks.append(
        check_witnesses(brought.heads, entries, sealed=opened, trusted=brought.authorities)
    )
    draws = answer["result"]["draws"]
    changed = changed_after(entries, events, survey=answer["survey"], draws=draws)
    if changed is not None:
        sentence = f"superseded: a label it depends on was changed by event {changed}"
        checks.append(Check.failed("labels", sentence))
    else:
        checks.append(Check.ok("labels", "no label it depends on was changed later"))
    return account_words(work.sealed)


def check_ledger(entries: list[Entry], answer: dict[str, Any], checks: list[Check]) -> ClaimWork:
    """Everything that the certificate says, computed again from the events alone."""
    events = answer["ledger"]["events"]
    if len(entries) < events or entries[events - 1].hash != answer["ledger"]["head"]:
        raise VerificationError("This is not the ledger that the certificate names.")
    checks.append(Check.ok("ledger", f"whole, {counted(len(entries), 'event')}"))
    past = entries[:events]
    state = replay(past)
    work = ClaimWork(survey=state.surveys[answer["survey"] - 1])
    if work.number != answer["survey"]:
        raise VerificationError(
            "The claim in the ledger and the certificate have different numbers."
        )
    checks.append(_seal(work))
    checks.append(_risk(past, work))
    checks.append(check_seed(past, work))
    checks.append(_chances(past, work))
    checks.append(_draws(work))
    again = certificate_facts(past, answer["survey"], issued=answer["issued"])
    where = [k for k in again if k != "software" and again[k] != answer.get(k)]
    if where or again.keys() != answer.keys():
        raise VerificationError(
            f"The field '{(where or ['?'])[0]}' does not follow from the ledger."
        )
    checks.append(Check.ok("numbers", "the verdict follows from the labels"))
    if looks := work.reports("look"):
        seq = looks[-1].seq
        same = all(is_look(entry) for entry in past[seq:])
        check_look(past, seq, due=again["result"] if same else None)
        checks.append(Check.ok("looks", "the last one follows from the labels known then"))
    return work


def is_look(entry: Entry) -> bool:
    """Whether the event changes nothing but that somebody looked."""
    event = entry.event
    return isinstance(event, SurveyReported) and event.result.get("event") == "look"


def check_last_looks(entries: Sequence[Entry]) -> int:
    """At how many claims somebody looked; raises where a last look does not follow from its labels."""
    last = [looks[-1].seq for w in claim_works(replay(entries)) if (looks := w.reports("look"))]
    for seq in last:
        check_look(entries, seq)
    return len(last)


def check_look(entries: Sequence[Entry], seq: int, *, due: dict[str, Any] | None = None) -> None:
    """Refuse this look at a claim, unless it says what the labels known then gave.

    `due` is what they gave, where somebody judged by the same labels. Looks of earlier versions have fewer
    facts.
    """
    event = entries[seq - 1].event
    if not isinstance(event, SurveyReported):
        raise VerificationError(f"Event {seq} records no look.")
    due = due or _due(entries, event.survey, seq)
    said = {name: value for name, value in event.result.items() if name != "event"}
    where = first_difference(said, {name: due[name] for name in said if name in due})
    where = where or first_difference({"labels": event.labels}, {"labels": due["labels"]})
    if where:
        raise VerificationError(
            f"The field '{where}' of event {seq} (a look) does not follow from the labels known then."
        )


def _due(entries: Sequence[Entry], survey: int, seq: int) -> dict[str, Any]:
    """What a look at the claim gave before this event, as it is recorded."""
    try:
        state = replay(entries[: seq - 1])
        work = ClaimWork(survey=state.surveys[survey - 1])
        judged = judge_with_progress(state, work, course_of(work))
    except (AssaymarkError, *BREAKAGE) as error:
        raise VerificationError(
            f"Event {seq} records a look that could not be taken then: {message_of(error)}"
        ) from error
    due: dict[str, Any] = read_json(canonical(judged.result))
    return due


def _seal(work: ClaimWork) -> Check:
    """The rows follow from the words and the strata."""
    if with_digests(work.sealed) != work.sealed:
        raise VerificationError("The sealed rows do not follow from the claim and its strata.")
    if stated_claim(work.sealed) != work.sealed.claim:
        raise VerificationError("The claim's text does not say what was sealed in its rows.")
    again = work.sealed.to_settings()
    other = [
        name for name, value in work.survey.survey.settings.items() if again.get(name) != value
    ]
    if other:
        raise VerificationError(
            f"The sealed text '{other[0]}' is not how this version writes its meaning."
        )
    cells = work.survey.survey.cells
    if [c.items for c in cells] != [s.items for s in work.sealed.strata]:
        raise VerificationError("The sizes of the strata are not those of the survey.")
    return Check.ok("seal", "the rows follow from the claim's words and strata")


def _risk(entries: list[Entry], work: ClaimWork) -> Check:
    """What earlier claims left, computed again from the events before the claim was sealed."""
    sealed, before = work.sealed, replay(entries[: work.survey.opened_at - 1])
    names = {w.sealed.risk.account for w in claim_works(before)}
    new = "/" in sealed.risk.account and sealed.risk.account not in names
    asked = AskedRisk(
        new_risk=new, family=sealed.risk.account == FAMILY, joint=sealed.source.is_shared
    )
    due = with_risk(before, replace(sealed, risk=ClaimRisk()), asked)
    if due.level != sealed.level:
        raise VerificationError(
            f"The claim was sealed at the level {sealed.level:g}, and its confidence gives {due.level:g}."
        )
    again = due.risk
    same = replace(again, carried=()) == replace(sealed.risk, carried=())
    if not same or not _agree(again.carried, sealed.risk.carried):
        raise VerificationError(
            "The field 'risk' does not follow from the claims that were sealed before this one."
        )
    words = account_words(sealed) or (
        "The first claim on its subject, with the whole risk of error"
    )
    detail = f"{words[0].lower()}{words[1:]}; other projects on the collection are not seen"
    return Check.ok("risk", detail)


def _agree(again: Sequence[Carried], sealed: Sequence[Carried]) -> bool:
    if len(again) != len(sealed):
        return False
    return all(
        math.isclose(float(getattr(x, name)), float(getattr(y, name)), rel_tol=ROUNDING)
        for x, y in zip(again, sealed, strict=True)
        for name in ("proof", "refutation", "share")
    )


def _chances(entries: list[Entry], work: ClaimWork) -> Check:
    """The recorded labels for every renewal are those of that moment."""
    state = State()
    for entry in entries:
        event = entry.event
        if (
            isinstance(event, SurveyReported)
            and event.survey == work.number
            and event.result.get("event") == "chances"
        ):
            then = labelled_prefix(state, ClaimWork(survey=state.surveys[work.number - 1]))
            renewal = Renewal.from_result(event.result, len(work.sealed.cells.labels))
            if then[: len(renewal.outcomes)] != renewal.outcomes:
                raise VerificationError(
                    f"The chances from draw {renewal.first} on were not computed from the labels "
                    "known then."
                )
        state.apply(event, entry)
    return Check.ok("chances", f"{counted(len(renewals(work)), 'renewal')} at sealed draws")


def _draws(work: ClaimWork) -> Check:
    """Every draw is the one that seal, seed and labels give."""
    strata = work.strata
    course, made = Course(work.sealed), list[int]()
    for renewal in renewals(work):
        segment = course.next_segment()
        if segment is None or (segment.first, segment.known) != (
            renewal.first,
            len(renewal.outcomes),
        ):
            raise VerificationError(f"A renewal at draw {renewal.first} was not sealed.")
        course.enter(segment, strata, renewal.outcomes)
        while len(made) < min(segment.last, len(strata)):
            new = min(segment.last, len(strata)) - len(made)
            more = course.portion(work.seed, made, new)
            if not more:
                break
            made += more
    if made != strata:
        place = next((i for i, (x, y) in enumerate(zip(made, strata, strict=False)) if x != y), -1)
        raise VerificationError(
            f"Draw {place + 1} is not the one that the sealed claim and the seed give."
        )
    follow = "follows" if len(strata) == 1 else "follow"
    return Check.ok(
        "draws",
        f"{counted(len(strata), 'draw')} {follow} from the sealed claim, the seed and the labels",
    )


def check_on_record(entries: list[Entry], said: dict[str, Any]) -> Check:
    """Its hash was recorded when it was issued."""
    state = replay(entries)
    work = ClaimWork(survey=state.surveys[said["survey"] - 1])
    if digest(said) not in {one.facts["hash"] for one in work.reports("certificate")}:
        raise VerificationError(
            "The ledger does not know this certificate: its hash is not in the ledger."
        )
    return Check.ok("issued", "its hash is in the ledger")


def _pool(project: Project, state: State, work: ClaimWork) -> list[Check]:
    registered = registered_pool(state)
    if not project.has_pool(registered):
        return [Check.unchecked("pool", "it is not at hand")]
    with ClaimPool(project, registered, work.sealed.columns) as source:
        refuse_changed(source.pool, registered, lambda _message, _share: None)
        measured = source.measured(work.sealed.strata)
        same = len(measured) == len(work.sealed.strata) and all(
            now.items == then.items and abs((now.mean_score or 0) - (then.mean_score or 0)) <= CLOSE
            for now, then in zip(measured, work.sealed.strata, strict=True)
        )
        if not same:
            raise VerificationError("The strata of the pool are not those that were sealed.")
        tickets = source.items(work.seed, work.sealed.strata, taken={}, new=Counter(work.strata))
        if source.predictions(work.survey.order) != work.survey.predictions:
            raise VerificationError("The predictions of the items drawn are not those of the pool.")
    order: dict[int, list[str]] = {}
    for item in work.survey.order:
        order.setdefault(work.survey.cells[item], []).append(item)
    if order != tickets:
        raise VerificationError(
            "The items drawn are not those with the lowest tickets of their strata: some were "
            "skipped."
        )
    return [Check.ok("pool", "strata, sizes and tickets are those of the pool")]
