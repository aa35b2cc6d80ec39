"""The gate: whether every claim of a folder is certified today. Reads, and never writes.

Nothing is run and nothing is asked of a network: the answer follows from the claim files, their
locks, ledgers and certificates, the bytes of the pool where it is at hand, and the date.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from assaymark.certification.certificate import superseded_by
from assaymark.certification.certificate.words import statement_of
from assaymark.certification.modes import judge, labelled_prefix
from assaymark.certification.modes.labels_ahead import range_around
from assaymark.certification.modes.words import closed_because
from assaymark.claims.pictures import frame, html_answer, html_table
from assaymark.claims.record import Record, plain
from assaymark.claims.results import Verdict, counted, rounded
from assaymark.errors import InputError, PlanError, VerificationError
from assaymark.hints import command
from assaymark.ledger.events import Attempt, ClaimLocked, State
from assaymark.monitoring.claim_files import (
    LOCKED,
    ClaimFile,
    find_claim_files,
    read_claim_file,
)
from assaymark.monitoring.evidence import Evidence, PlanEvidence, SeveralEvidence, read_evidence
from assaymark.monitoring.outcomes import DECIDED, EXIT_CODES, Outcome, gravest
from assaymark.pool import silent
from assaymark.pool.sources import file_difference, find_source, hash_files, is_elsewhere
from assaymark.project.folder import collection_of
from assaymark.records.plan import Plan
from assaymark.records.pool import PoolFile

Files = Mapping[str, tuple[PoolFile, ...] | None]
"""The files of each pool that claims name, with their digests; None where it is not at hand."""
MANY = 10  # claims from which further processes are worth their start


@dataclass(frozen=True, kw_only=True)
class GatedClaim(Record):
    """How one claim stands. `labels_expected` is how many an undecided claim needs in all, if known."""

    name: str
    outcome: Outcome
    claim: str
    labels: int
    labels_expected: int | None
    expires: str | None
    reason: str
    file: str


@dataclass(frozen=True, kw_only=True)
class Gate(Record):
    """How all claims stand on a day; of several outcomes the gravest counts."""

    outcome: Outcome
    today: str
    claims: tuple[GatedClaim, ...]

    @property
    def exit_code(self) -> int:
        """The exit code of the outcome."""
        return EXIT_CODES[self.outcome]

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "A gate is neither true nor false: a claim may be undecided or stale. Compare .outcome with "
            "'certified', or write assaymark.assert_certified(claims)."
        )

    def __str__(self) -> str:
        lines = [
            f"{claim.name}: {claim.outcome} ({claim.claim}). {claim.reason}"
            for claim in self.claims
        ]
        return "\n".join([f"Gate on {self.today}: {self.outcome}", *lines])

    def to_frame(self) -> Any:
        """One row per claim: a pandas or polars data frame, or a list of dicts without either."""
        return frame([plain(claim) for claim in self.claims])

    def _repr_html_(self) -> str:
        names = ("name", "outcome", "claim", "labels", "expires", "reason")
        rows = [{name: getattr(claim, name) for name in names} for claim in self.claims]
        return html_answer(f"Gate on {self.today}: {self.outcome}", [], None) + html_table(rows)


def gate(place: Path, *, today: date, processes: int = 1) -> Gate:
    """How the claims of a folder, or of one claim file, stand on this day.

    Many claims are judged by several `processes`, where the system can fork them.
    """
    orphans = _orphans(place)
    files = [read_claim_file(path) for path in find_claim_files(place, may_be_none=bool(orphans))]
    repeated = [name for name, times in Counter(file.name for file in files).items() if times > 1]
    if repeated:
        raise InputError(
            f"Two claim files in {str(place)!r} are named {repeated[0]!r}. Give each its own name."
        )
    judged = partial(_gated, today=today, digests=_digests(files))
    claims = _each(judged, files, processes if len(files) >= MANY else 1)
    claims += [_orphan(path) for path in orphans]
    return Gate(
        outcome=gravest(claim.outcome for claim in claims),
        today=today.isoformat(),
        claims=tuple(claims),
    )


def _digests(files: Sequence[ClaimFile]) -> Files:
    """Every pool is read once: many claims may share it."""
    known: dict[str, tuple[PoolFile, ...] | None] = {}
    for source in {file.pool for file in files if not is_elsewhere(file.pool)}:
        try:
            known[source] = hash_files(find_source(source), silent)
        except (InputError, OSError):
            known[source] = None
    return known


def _each(
    judged: Callable[[ClaimFile], GatedClaim], files: Sequence[ClaimFile], processes: int
) -> list[GatedClaim]:
    if processes < 2:
        return [judged(file) for file in files]
    from assaymark.monitoring.worker_processes import map_forked  # one claim needs none

    first = judged(files[0])  # before the fork: what it loads is loaded once
    return [first, *map_forked(judged, files[1:], processes=processes)]


def _orphans(place: Path) -> list[Path]:
    """Locks whose claim file is gone: a claim that was taken away must not open the gate."""
    if not place.is_dir():
        return []
    return [path for path in sorted(place.glob(f"*{LOCKED}")) if not _claim_of(path).exists()]


def _claim_of(path: Path) -> Path:
    return path.with_suffix(".toml")


def _orphan(path: Path) -> GatedClaim:
    return GatedClaim(
        name=path.stem,
        outcome="tampered",
        claim="",
        labels=0,
        labels_expected=None,
        expires=None,
        reason=f"{path.name!r} locks a claim file that is gone: put {_claim_of(path).name!r} back.",
        file=str(_claim_of(path)),
    )


def _gated(claim: ClaimFile, today: date, digests: Files) -> GatedClaim:
    gated = _outcome_of(claim, today, digests)
    return replace(gated, reason=f"{gated.reason[:1].upper()}{gated.reason[1:]}")


def _outcome_of(claim: ClaimFile, today: date, digests: Files) -> GatedClaim:
    blank = GatedClaim(
        name=claim.name,
        outcome="undecided",
        claim=claim.terms.claim,
        labels=0,
        labels_expected=None,
        expires=claim.terms.expires,
        reason="It is not locked yet, so no plan is sealed.",
        file=str(claim.path),
    )
    try:
        evidence = read_evidence(claim)
    except VerificationError as error:
        return replace(blank, outcome="tampered", reason=f"{error.message.rstrip('.')}.")
    if evidence is None:
        return blank
    gated = _judged(blank, evidence)
    if gated.outcome == "refuted":
        return gated
    changes, note = _changes(claim, evidence, today, digests)
    if changes:
        return replace(
            gated, outcome="stale", labels_expected=None, reason=f"{'; '.join(changes)}."
        )
    return replace(gated, reason=f"{gated.reason}{note}")


def _judged(blank: GatedClaim, evidence: Evidence) -> GatedClaim:
    """What the labels say, whatever else may have changed."""
    if isinstance(evidence, SeveralEvidence):
        from assaymark.monitoring.several_parts import (
            judge_several,  # claims of one figure need none
        )

        standing = judge_several(evidence.state, evidence.work, evidence.certificate)
        gated = replace(blank, **vars(standing))
        if gated.outcome == "certified" and (refuted := _sentinels(evidence)) is not None:
            return replace(gated, outcome="refuted", reason=refuted)
        return gated
    attempt, state = evidence.attempt, evidence.state
    if evidence.certificate is not None:
        issued = evidence.certificate
        if (refuted := _sentinels(evidence)) is not None:
            return replace(blank, outcome="refuted", labels=issued.labels, reason=refuted)
        return replace(
            blank, outcome="certified", labels=issued.labels, reason=statement_of(issued)
        )
    labels = labelled_prefix(state, attempt).labels
    if attempt.closed is not None and attempt.closed.shows_false:
        return replace(
            blank,
            outcome="refuted",
            labels=labels,
            reason=f"{closed_because(attempt).rstrip('.')}.",
        )
    if attempt.closed is not None:
        return replace(blank, labels=labels, reason=_ended(attempt))
    return _open(replace(blank, labels=labels), attempt, state)


def _ended(attempt: Attempt) -> str:
    """How a plan ended that neither proved nor refuted its claim, and what can be done."""
    why = closed_because(attempt).rstrip(".")
    if attempt.outcome == "abandoned":
        return f"Its plan was given up ({why}): lock it again."
    return (
        f"Its plan ended without proof ({why}), and nothing shows the claim to be false. What can still "
        f"be proven without another plan is said by {command('status')}."
    )


def _sentinels(evidence: Evidence) -> str | None:
    """What the sentinels of the certificate refute, in words; None if nothing."""
    if not evidence.state.surveys:
        return None
    from assaymark.monitoring.sentinel_judging import judge_sentinels, starts_of

    if isinstance(evidence, SeveralEvidence):
        subject = {"claim_survey": evidence.work.number}
    else:
        subject = {"plan": evidence.attempt.plan.number}
    starts = starts_of(evidence.state, subject)
    if not starts:
        return None
    answer = judge_sentinels(evidence.state, starts[-1])
    return str(answer) if answer.decision == "refuted" else None


def _drift(attempt: Attempt) -> str | None:
    """Why the latest scores that were watched made the certificate stale; None if they did not."""
    if not attempt.watches or attempt.watches[-1].event.decision == "holds":
        return None
    time, event = attempt.watches[-1].time, attempt.watches[-1].event
    where = f"the scores of {event.files[0].name!r}, watched on {time[:10]}, drifted"
    if event.bound is None:
        return f"{where}: the metric is undefined for them"
    return f"{where}: at their mix the bound would be {rounded(event.bound)}"


def _open(blank: GatedClaim, attempt: Attempt, state: State) -> GatedClaim:
    from assaymark.certification.planning import expected_labels  # certified claims start faster

    expected = expected_labels(attempt.plan, attempt.pool.summary) if attempt.pool else None
    try:
        verdict = judge(state, attempt)
    except PlanError as error:  # a fixed plan is judged once, when all labels are there
        return replace(blank, labels_expected=expected, reason=error.message)
    if verdict.decision == "fail":
        return replace(blank, outcome=DECIDED[verdict.ending], reason=verdict.reason)
    if verdict.decision == "pass":
        reason = f"{verdict.reason} No certificate is issued yet."
        return replace(blank, labels_expected=blank.labels, reason=reason)
    if not verdict.labels:  # nothing but the forecast is known
        reason = _begun(verdict, expected, attempt.plan)
        return replace(blank, labels_expected=expected, reason=reason)
    ahead = f" {verdict.outlook[0].upper()}{verdict.outlook[1:]}." if verdict.outlook else ""
    reason = f"{verdict.reason}{ahead}"
    return replace(blank, labels_expected=verdict.labels_expected, reason=reason)


def _begun(verdict: Verdict, expected: int | None, plan: Plan) -> str:
    if expected is None:
        return f"{verdict.reason} How many labels it takes will show after the first ones."
    if plan.kind.promise:
        return f"{verdict.reason} {counted(expected, 'label')} if the forecast is right."
    low, high = range_around(expected, plan.items)
    return f"{verdict.reason} Roughly {low:,}–{high:,} labels if the forecast is right."


def _changes(
    claim: ClaimFile, evidence: Evidence, today: date, digests: Files
) -> tuple[list[str], str]:
    """Why the certificate is out of date, and what could not be compared."""
    changes = []
    expires = claim.terms.expires
    if expires is not None and today > date.fromisoformat(expires):
        changes.append(f"It expired on {expires}")
    changes += _other_classifier(claim, evidence.locked)
    fault, note = _other_pool(claim, evidence, digests)
    if fault is not None:
        changes.append(f"the pool changed: {fault}")
    if isinstance(evidence, PlanEvidence) and (drift := _drift(evidence.attempt)) is not None:
        changes.append(drift)
    if (seq := _superseded(evidence)) is not None:
        changes.append(f"event {seq} changed a label that the certificate uses")
    return changes, note


def _other_classifier(claim: ClaimFile, locked: ClaimLocked) -> list[str]:
    before, now = locked.classifier, claim.classifier
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    if not names:
        return []
    return [f"the classifier changed: {', '.join(sorted(names))}"]


def _other_pool(claim: ClaimFile, evidence: Evidence, digests: Files) -> tuple[str | None, str]:
    if is_elsewhere(claim.pool):
        return None, " The pool is no file, so its content was not compared."
    files = digests[claim.pool]
    if files is None:
        return None, " The pool is not at hand, so its content was not compared."
    locked = evidence.locked.made_from or collection_of(evidence.state).files
    return file_difference(files, locked), ""


def _superseded(evidence: Evidence) -> int | None:
    if isinstance(evidence, SeveralEvidence):
        several = evidence.certificate
        if several is None:
            return None
        from assaymark.composite.issuing import changed_after

        return changed_after(
            evidence.entries,
            several.ledger.events,
            survey=several.survey,
            draws=several.look.draws,
        )
    certificate = evidence.certificate
    if certificate is None:
        return None
    if evidence.state.labels_at <= certificate.ledger.events:  # nearly always: nothing to replay
        return None
    return superseded_by(
        certificate,
        evidence.ledger.after(certificate.ledger.events),
        evidence.entries[certificate.ledger.events :],
    )
