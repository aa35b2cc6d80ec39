"""Seeds of claims of several rows that no side could choose alone: committed to, sealed, revealed."""

from collections.abc import Sequence

from assaymark.certification.seeding import (
    forget_part,
    parts_to_reveal,
    refuse_committed_before,
    refuse_round_before_seal,
    refuse_value_before_round,
)
from assaymark.composite.work import ClaimWork, required_claim
from assaymark.errors import AssaymarkError, PlanError, VerificationError
from assaymark.hints import command
from assaymark.ledger.events import Entry, SurveyDrawn, SurveyReported, replay
from assaymark.project.folder import Project
from assaymark.records.certificate import Check
from assaymark.records.seeds import source_in_words


def refuse_unrevealed(work: ClaimWork) -> None:
    """Nothing is drawn before the seed is known."""
    if not work.seed:
        beacon = work.sealed.source.law == "beacon"
        what = "the beacon's value" if beacon else "the parts of its seed"
        raise PlanError(
            f"The claim '{work.sealed.claim}' is sealed and waits for {what}: "
            f"{command('plan', reveal='TEXT')}."
        )


def reveal_claim_seed(project: Project, parts: Sequence[str]) -> ClaimWork:
    """Reveal the parts of the open claim's seed; this side's own is added where it is kept here."""
    with project.writing() as session:
        work = required_claim(session.state)
        if work.seed:
            raise PlanError(
                f"The seed of the claim '{work.sealed.claim}' is known already: draw from it."
            )
        if not work.open:
            raise PlanError(
                f"The claim '{work.sealed.claim}' is closed: no seed is revealed for it."
            )
        ordered = parts_to_reveal(project, work.sealed.source, parts)
        result = {"event": "seed", "parts": list(ordered)}
        session.record(SurveyReported(survey=work.number, labels=0, result=result))
    forget_part(project)
    return required_claim(project.state())


def check_seed(entries: Sequence[Entry], work: ClaimWork) -> Check:
    """The seed: that it was revealed once, after the seal and before any draw, and who chose it."""
    source = work.sealed.source
    words = source_in_words(source)
    if source.law != "open":
        _refuse_early_draws(entries, work)
        before = replay(list(entries[: work.survey.opened_at - 1]))
        try:
            refuse_committed_before(before, source.commitments)
        except AssaymarkError as error:
            raise VerificationError(error.message) from error
    outcome = "ok" if source.law == "joint" else "not checked"
    return Check(name="seed", outcome=outcome, detail=words)  # type: ignore[arg-type]


def _refuse_early_draws(entries: Sequence[Entry], work: ClaimWork) -> None:
    if work.survey.survey.seed:
        raise VerificationError("The seed was known when the claim was sealed.")
    refuse_round_before_seal(work.sealed.source, entries[work.survey.opened_at - 1].time)
    reveals = work.reports("seed")
    if len(reveals) != 1:
        raise VerificationError("The seed of the claim was not revealed, or more than once.")
    refuse_value_before_round(work.sealed.source, reveals[0].time)
    for entry in entries[: reveals[0].seq]:
        if isinstance(entry.event, SurveyDrawn) and entry.event.survey == work.number:
            raise VerificationError("Items were drawn before the seed was revealed.")
