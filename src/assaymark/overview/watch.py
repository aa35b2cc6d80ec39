"""Watch a project: the dossier of now, and every look that it shows goes on record."""

import contextlib
import threading
from collections.abc import Callable
from dataclasses import replace

from assaymark.certification.looks import look_events
from assaymark.certification.modes import judge
from assaymark.certification.view.dossier import Dossier
from assaymark.certification.view.people import Story, read_story
from assaymark.claims.results import Verdict
from assaymark.composite.looks import look_at_claim
from assaymark.composite.work import current_claim
from assaymark.errors import PlanError
from assaymark.ledger.events import Attempt, Entry, State
from assaymark.overview.dossier import Basis, basis_of, dossier_of
from assaymark.project.folder import Project
from assaymark.records.agreement import Sensitivity


def look_is_due(state: State) -> bool:
    """Whether labels changed since the open plan was last looked at."""
    attempt = state.attempt
    if attempt is None or not attempt.open or not attempt.draws:
        return False
    seen = attempt.looks[-1][0] if attempt.looks else attempt.sealed_at
    return state.labels_at > seen


Begin = Callable[[], tuple[list[Entry], State]]
Question = tuple[int, str | None, tuple[int | None, ...]]


def _question(basis: Basis) -> Question:
    """All that the sensitivity of a verdict depends on."""
    decision = basis.verdict.decision if basis.verdict is not None else None
    return basis.attempt.plan.number, decision, basis.prefix.answers


class Watch:
    """The dossier, computed anew only when the ledger changed. Safe to ask from several threads.

    What wrong labels would do takes the work of many verdicts. It is left out of a fresh dossier,
    worked out by `sensitivity`, and from then on part of it until a label changes. `begin` gives events
    and the state after them where somebody holds these already; later events are read on from there.
    """

    def __init__(self, project: Project, begin: Begin | None = None) -> None:
        self._project = project
        self._begin = begin
        self._ledger = project.ledger
        self._lock = threading.Lock()
        self._doubting = threading.Lock()
        self._story: Story | None = None
        self._seen: tuple[str, Dossier] | None = None
        self._basis: Basis | None = None
        self._doubt: tuple[Question, Sensitivity | None] | None = None

    def prepare(self) -> None:
        """Work everything out before anybody asks. Nothing is shown, so this is no look."""
        with self._lock:
            self._dossier(self._caught_up(), None)

    def look(self) -> Dossier:
        """What there is to see. It goes on record when labels changed since the last look."""
        with self._lock:
            story = self._caught_up()
            claim = current_claim(story.state)
            if claim is not None and claim.look_is_due(story.state):
                look_at_claim(self._project)
                story = self._caught_up()
            verdict = self._record(story) if look_is_due(story.state) else None
            return self._dossier(story, verdict)

    def glance(self) -> Dossier | None:
        """What was seen last, whatever happened since; None before the first look."""
        with self._lock:
            return self._seen[1] if self._seen else None

    def sensitivity(self) -> Sensitivity | None:
        """What wrong labels would do to the verdict that was seen last."""
        with self._doubting:
            with self._lock:
                basis, known = self._basis, self._doubt
            if basis is None:
                return None
            if known is None or known[0] != _question(basis):
                known = (_question(basis), basis.sensitivity())
                with self._lock:
                    self._doubt = known
                    if self._seen and self._basis is basis:
                        head, seen = self._seen
                        self._seen = (head, replace(seen, sensitivity=known[1]))
            return known[1]

    def _caught_up(self) -> Story:
        if self._story is None or self._story.state.head is None:
            entries, state = self._begin() if self._begin else (self._ledger.entries(), None)
            self._story = read_story(entries, state)
        if self._story.state.head is not None:
            self._story.add(self._ledger.entries(after=self._story.state.head))
        return self._story

    def _record(self, story: Story) -> Verdict | None:
        # the verdict is worked out before the ledger is locked, so that nobody's label waits for it
        verdict = _verdict(story.state)
        with self._ledger.writing(after=story.state.head) as writer:
            if writer.entries:
                story.add(writer.entries)
                verdict = _verdict(story.state)
            if verdict is None:
                return None
            known = len(writer.entries)
            writer.append(look_events(story.state, verdict), time=self._project.now())
            added = writer.entries[known:]
        story.add(added)
        return verdict

    def _dossier(self, story: Story, verdict: Verdict | None) -> Dossier:
        head = story.state.head.hash if story.state.head else ""
        if self._seen is None or self._seen[0] != head:
            attempt = story.state.attempt
            if attempt is not None:
                self._basis = basis_of(story.state, attempt, verdict)
            found = dossier_of(self._project, story, basis=self._basis, sensitivity=False)
            if self._doubt and self._basis and self._doubt[0] == _question(self._basis):
                found = replace(found, sensitivity=self._doubt[1])
            self._seen = (head, found)
        return self._seen[1]


def _verdict(state: State) -> Verdict | None:
    """The verdict, where looking is allowed: a fixed plan shows nothing before its size."""
    attempt: Attempt | None = state.attempt
    if attempt is None or not attempt.open:
        return None
    with contextlib.suppress(PlanError):
        return judge(state, attempt)
    return None
