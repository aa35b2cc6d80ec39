"""Watch a project: the dossier of now, and every look that it shows goes on record."""

import contextlib
import threading

from assay.errors import PlanError
from assay.events import Attempt, State
from assay.evidence import judge
from assay.steps.dossier import dossier_of
from assay.steps.look import look_events
from assay.steps.people import Story, read_story
from assay.steps.project import Project
from assay.types.dossier import Dossier
from assay.types.results import Verdict


def look_is_due(state: State) -> bool:
    """Whether labels changed since the open plan was last looked at."""
    attempt = state.attempt
    if attempt is None or not attempt.open or not attempt.draws:
        return False
    seen = attempt.looks[-1][0] if attempt.looks else attempt.sealed_at
    return state.labels_at > seen


class Watch:
    """The dossier, computed anew only when the ledger changed. Safe to ask from several threads."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._ledger = project.ledger
        self._lock = threading.Lock()
        self._story: Story | None = None
        self._seen: tuple[str, Dossier] | None = None

    def look(self) -> Dossier:
        """What there is to see. It goes on record when labels changed since the last look."""
        with self._lock:
            story = self._caught_up()
            if look_is_due(story.state):
                self._record(story)
            return self._dossier(story)

    def glance(self) -> Dossier | None:
        """What was seen last, whatever happened since; None before the first look."""
        with self._lock:
            return self._seen[1] if self._seen else None

    def _caught_up(self) -> Story:
        if self._story is None or self._story.state.head is None:
            self._story = read_story(self._ledger.entries())
        else:
            self._story.add(self._ledger.entries(after=self._story.state.head))
        return self._story

    def _record(self, story: Story) -> None:
        # the verdict is worked out before the ledger is locked, so that nobody's label waits for it
        verdict = _verdict(story.state)
        with self._ledger.writing(after=story.state.head) as writer:
            if writer.entries:
                story.add(writer.entries)
                verdict = _verdict(story.state)
            if verdict is None:
                return
            known = len(writer.entries)
            writer.append(look_events(story.state, verdict), time=self._project.now())
            added = writer.entries[known:]
        story.add(added)

    def _dossier(self, story: Story) -> Dossier:
        head = story.state.head.hash if story.state.head else ""
        if self._seen is None or self._seen[0] != head:
            self._seen = (head, dossier_of(self._project, story))
        return self._seen[1]


def _verdict(state: State) -> Verdict | None:
    """The verdict, where looking is allowed: a fixed plan shows nothing before its size."""
    attempt: Attempt | None = state.attempt
    if attempt is None or not attempt.open:
        return None
    with contextlib.suppress(PlanError):
        return judge(state, attempt)
    return None
