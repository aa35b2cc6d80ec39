"""A sample of a certificate's labels for the other side to read again, and how far they agree.

Nothing is recorded: whoever verifies keeps the file, and the ledger stays as it is.
"""

import secrets
from dataclasses import dataclass
from pathlib import Path

from assaymark.certification.certificate import read, read_recorded
from assaymark.certification.certificate.issue import items_used
from assaymark.certification.drawing import read_texts
from assaymark.certification.verification import certificate_text
from assaymark.claims.claim import Counts
from assaymark.claims.record import Record
from assaymark.claims.results import counted, percent, rounded
from assaymark.errors import InputError
from assaymark.files.batch import BatchRow, refuse_existing, write_batch
from assaymark.files.labels import read_labels
from assaymark.ledger.events import State
from assaymark.project.folder import Project, registered_pool
from assaymark.stats.binomial_bounds import bound


@dataclass(frozen=True, kw_only=True)
class RereadSample(Record):
    """A file of labelled items without their labels."""

    path: str
    items: int
    labels: int


@dataclass(frozen=True, kw_only=True)
class Agreement(Record):
    """How many of the items read again got the label that the certificate uses.

    `low` and `high` bound the share that would agree among all its labels, if the items are the
    random sample that was written; items that nobody could tell now may agree or not.
    """

    read: int
    agreed: int
    unclear: int
    labels: int
    low: float
    high: float
    confidence: float
    differing: tuple[str, ...]

    def __str__(self) -> str:
        share = percent(round(self.agreed / self.read, 3))
        low, high = percent(float(rounded(self.low))), percent(float(rounded(self.high, up=True)))
        text = (
            f"{self.agreed:,} of {counted(self.read, 'label')} agree ({share}); of all "
            f"{self.labels:,} labels between {low} and {high} would, with {percent(self.confidence)} "
            "confidence"
        )
        return f"{text}; {self.unclear:,} could not be decided" if self.unclear else text


def write_reread(project: Project, certificate: Path, count: int, *, output: Path) -> RereadSample:
    """Write a random sample of the labelled items with their texts and no labels."""
    state, labels = _labels(project, certificate)
    if count < 1:
        raise InputError(f"A sample holds at least 1 item, got {count}.")
    items = sorted(labels)
    chosen = secrets.SystemRandom().sample(items, min(count, len(items)))
    refuse_existing(output)
    files = [part.file for attempt in state.attempts for part in attempt.reserves]
    there = [file for file in dict.fromkeys(files) if (project.folder / file).exists()]
    rows: list[BatchRow] = [
        {"id": item, "label": "", **text}
        for item, text in read_texts(project, state, there, chosen)
    ]
    write_batch(output, rows, registered_pool(state).columns.text)
    return RereadSample(path=str(output), items=len(chosen), labels=len(items))


def read_reread(
    project: Project, certificate: Path, file: Path, *, confidence: float = 0.95
) -> Agreement:
    """Compare the labels of the file with those that the certificate uses."""
    _state, labels = _labels(project, certificate)
    rows = read_labels(file, annotator="the other side").rows
    strange = [row.item for row in rows if row.item not in labels]
    if strange:
        raise InputError(
            f"{file.name!r} holds {counted(len(strange), 'item')} whose labels the certificate "
            f"does not use (the first is {strange[0]!r}). Label the file that was written for it."
        )
    decided = [row for row in rows if row.label is not None]
    if not decided:
        raise InputError(f"{file.name!r} holds no label yet. Fill in the column 'label'.")
    differing = tuple(row.item for row in decided if row.label != labels[row.item])
    agreed, unclear = len(decided) - len(differing), len(rows) - len(decided)
    low, high = agreement_range(agreed, len(differing), unclear, confidence=confidence)
    return Agreement(
        read=len(decided),
        agreed=agreed,
        unclear=unclear,
        labels=len(labels),
        low=low,
        high=high,
        confidence=confidence,
        differing=differing,
    )


def agreement_range(
    agreed: int, differing: int, unclear: int, *, confidence: float
) -> tuple[float, float]:
    """Where the share of all labels that would agree lies (Clopper–Pearson, both ends).

    Which items nobody can tell is not left to chance, so they differ for one end and agree for the
    other; leaving them out would let whoever reads choose.
    """
    ends = [
        bound("precision", counts, design="simple", confidence=confidence, side="both").interval
        for counts in (
            Counts(tp=agreed, fp=differing + unclear, fn=0, tn=0),
            Counts(tp=agreed + unclear, fp=differing, fn=0, tn=0),
        )
    ]
    return ends[0].low, ends[1].high


def _labels(project: Project, path: Path) -> tuple[State, dict[str, int]]:
    """The labels that the certificate uses, as they were when it was issued."""
    certificate = read(certificate_text(path))[0]
    recorded = read_recorded(certificate, project.ledger.entries())
    state = recorded.past
    if len(state.attempts) < certificate.plan.number:
        raise InputError("This project's ledger is not the one that the certificate names.")
    attempt = state.attempts[certificate.plan.number - 1]
    used = items_used(state, attempt, census=certificate.census)
    labels = {item: state.label(item) for item in used}
    return state, {item: label for item, label in labels.items() if label is not None}
