"""What a report says besides the proof: the matter, the protocol, who did what, and their notes."""

import re
from dataclasses import dataclass, field

from assaymark.certification.view.people import Story
from assaymark.claims.results import counted
from assaymark.composite.work import current_claim
from assaymark.labelling.settings import Settings, read_settings
from assaymark.ledger.events import ClaimLocked, State
from assaymark.project.folder import Project
from assaymark.reports.section import Section, Table

MOST_ROWS = 400


@dataclass(frozen=True, kw_only=True)
class Matter:
    """What the lead wrote, what reviewers noted, conflicts decided by one of those who differed, and the
    claim file that was locked."""

    settings: Settings = field(default_factory=Settings)
    lock: ClaimLocked | None = None
    notes: tuple[tuple[str, str, str], ...] = ()
    own_decisions: frozenset[str] = frozenset()


def matter_of(project: Project, story: Story) -> Matter:
    """What is known of the project beside its proof."""
    state = story.state
    notes = tuple(
        (item, remark.annotator, remark.text)
        for item, remarks in state.notes.items()
        for remark in remarks
    )
    decided = {one.event.item: one.event.annotator for one in state.adjudications}
    decisions = (item for item, who in decided.items() if who in state.answers.of(item))
    return Matter(
        settings=read_settings(project.folder),
        notes=notes,
        own_decisions=frozenset(decisions),
        lock=_lock(state),
    )


def _lock(state: State) -> ClaimLocked | None:
    """The claim file of the plan or claim that the report is about."""
    claim = current_claim(state)
    sealed = state.attempt if claim is None else claim.survey
    return None if sealed is None or sealed.lock is None else sealed.lock.event


def matter_facts(matter: Matter) -> tuple[tuple[str, str], ...]:
    """Lines of page one: the matter, and the classifier with its version."""
    lock = matter.lock
    named = "" if lock is None else ", ".join(f"{k} {v}" for k, v in lock.classifier.items())
    facts = (
        ("Matter", matter.settings.matter),
        ("Claimed by", "" if lock is None else lock.owner or ""),
        ("Classifier", matter.settings.classifier or named),
    )
    return tuple((name, text) for name, text in facts if text)


def protocol_text_section(matter: Matter) -> Section | None:
    """The rule by which reviewers decided, as it stands now."""
    text = matter.settings.criteria.strip()
    if not text:
        return Section(
            title="Review protocol",
            sentence="No protocol was written down, so the rule by which reviewers decided is not known.",
        )
    return Section(
        title="Review protocol",
        sentence="Reviewers decided by this rule; earlier versions are in the project's history file.",
        paragraphs=tuple(_plain(part) for part in text.split("\n") if part.strip()),
    )


def _plain(line: str) -> str:
    """A line of Markdown as plain text: headings, lists and stress lose their marks."""
    line = re.sub(r"^\s*#{1,6}\s+", "", line)
    line = re.sub(r"^(\s*)[-*+]\s+", r"\1• ", line)
    line = re.sub(r"\*\*(.+?)\*\*|__(.+?)__", lambda match: match[1] or match[2], line)
    return re.sub(r"(?<![\w*])\*(?!\s)([^*]+?)(?<!\s)\*(?![\w*])", r"\1", line)


def roles_section(matter: Matter) -> Section | None:
    """Who had which part, as the lead wrote it."""
    if not matter.settings.roles.strip():
        return None
    return Section(
        title="Reviewers and roles",
        sentence="As stated by the lead:",
        paragraphs=tuple(line for line in matter.settings.roles.split("\n") if line.strip()),
    )


def notes_section(matter: Matter) -> Section | None:
    """What reviewers noted on items."""
    if not matter.notes:
        return None
    rows = matter.notes[:MOST_ROWS]
    more = len(matter.notes) - len(rows)
    return Section(
        title="Notes on items",
        sentence=f"Reviewers left {counted(len(matter.notes), 'note')}"
        + (f"; the first {len(rows):,} are shown." if more else "."),
        tables=(Table(caption="Notes in order", header=("item", "by", "reason"), rows=rows),),
    )
