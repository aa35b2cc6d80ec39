"""A claim of several rows for a report: what was sealed, how its items were drawn, and every look."""

from assaymark.certification.view.method_words import HANDED_OUT, SEALED, place_words
from assaymark.claims.results import counted, percent
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.wording import sealed_words
from assaymark.composite.work import ClaimWork
from assaymark.records.certificate import LookSeen
from assaymark.records.seeds import source_in_words


def sealed_terms(work: ClaimWork) -> tuple[tuple[str, str], ...]:
    """The terms that nothing changed after the seal, by their names."""
    sealed = work.sealed
    return (
        ("claim", sealed_words(sealed)),
        ("confidence", percent(sealed.stated)),
        (
            "judged",
            "once, when all draws are labelled" if sealed.judged == "once" else "at any time",
        ),
        ("drawn from", counted(sealed.items, "item")),
        *((("draws sealed", f"{sealed.most:,}"),) if sealed.ceiling is not None else ()),
        ("seed", work.seed or "not revealed yet"),
        ("who drew the seed", source_in_words(sealed.source)),
    )


def claim_method(sealed: SealedClaim) -> tuple[str, ...]:
    """How the items were drawn and judged, in sentences."""
    return (SEALED, place_words(sealed.source), *_drawn(sealed), HANDED_OUT)


def _drawn(sealed: SealedClaim) -> tuple[str, ...]:
    if sealed.judged == "once":
        return (
            "Items were drawn at random and judged once, when all of them were labelled; an earlier "
            "look was refused.",
        )
    return (
        f"The items were sorted into {counted(len(sealed.strata), 'group')} by what is predicted of "
        "them, and drawn more often where a label tells more. The chances follow from what was sealed "
        "and from labels given before; they enter the calculation, so they cannot tilt the result.",
        "Checking early is allowed; the stated confidence already accounts for it.",
    )


def claim_looks(work: ClaimWork) -> tuple[LookSeen, ...]:
    """Every recorded look; a claim of several rows has no bound of its own."""
    return tuple(
        LookSeen(
            event=look.seq,
            time=look.time,
            decision=look.facts["decision"],
            low=0.0,
            high=1.0,
            labels=look.facts["labels"],
        )
        for look in work.reports("look")
    )
