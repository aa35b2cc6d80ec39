"""Watch a project: the dossier of now, and every look that it shows is recorded."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from assaymark.certification.looks import look_events
from assaymark.certification.view.dossier import Dossier
from assaymark.certification.view.people import Story, read_story
from assaymark.certification.view.scores import score_picture
from assaymark.composite.work import current_claim
from assaymark.ledger.events import Entry, State
from assaymark.overview.basis import Basis, basis_of, present
from assaymark.overview.dossier import dossier_of, pool_of, with_card
from assaymark.project.folder import Project, latest_attempt
from assaymark.records.agreement import Sensitivity

MOMENT = 0.05  # seconds


def look_is_due(state: State) -> bool:
    """Whether labels changed since the open plan was last looked at."""
    attempt = state.attempt
    if attempt is None or not attempt.open or not attempt.draws:
        return False
    last = attempt.looks[-1].seq if attempt.looks else attempt.sealed_at
    return state.labels_at > last


Begin = Callable[[], tuple[list[Entry], State]]
Question = tuple[int, str | None, tuple[int | None, ...]]


def _question(basis: Basis) -> Question:
    """All that the sensitivity of a verdict depends on."""
    decision = basis.verdict.decision if basis.verdict is not None else None
    return basis.attempt.plan.number, decision, basis.prefix.answers


class Watch:
    """The dossier, recomputed only when the ledger changed. Safe to ask from several threads.

    What wrong labels would do takes the work of many verdicts. It is left out of a fresh dossier,
    worked out by `sensitivity`, and from then on part of it until a label changes. The four numbers are
    left out of the first dossier, whose verdict should not wait for them; `numbers` works them out, and
    later dossiers, which go on from there, have them. `begin` gives events and the state after them
    where somebody holds these already; later events are read on from there.
    """

    def __init__(self, project: Project, begin: Begin | None = None) -> None:
        self._project = project
        self._begin = begin
        self._ledger = project.ledger
        self._lock = threading.Lock()
        self._doubting = threading.Lock()
        self._counting = threading.Lock()
        self._has_numbers = False
        self._story: Story | None = None
        self._seen: tuple[str, Dossier] | None = None
        self._basis: Basis | None = None
        self._judged_at: Entry | None = None
        self._doubt: tuple[Question, Sensitivity | None] | None = None

    def prepare(self) -> None:
        """Work out what takes long before anybody asks. Nothing is shown, so this is no look."""
        with self._lock:
            story = self._caught_up()
            if look_is_due(
                story.state
            ):  # the look that will be recorded makes a dossier of its own
                self._judge(story)
                score_picture(self._project, pool_of(story.state), story.state)
            else:
                self._dossier(story)

    def at_leisure(self) -> None:
        """Wait until nobody waits for a dossier: work for later would make theirs slower."""
        time.sleep(MOMENT)  # whoever waits for the lock comes first
        with self._lock:
            pass

    def look(self) -> Dossier:
        """What there is to see. It is recorded when labels changed since the last look."""
        with self._lock:
            story = self._caught_up()
            claim = current_claim(story.state)
            if claim is not None and claim.look_is_due(story.state):
                from assaymark.composite.looks import look_at_claim  # most projects need none of it

                look_at_claim(self._project)
                story = self._caught_up()
            if look_is_due(story.state):
                self._record(story)
            return self._dossier(story)

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

    def numbers(self) -> Dossier | None:
        """What was seen last, with its four numbers; None before the first look."""
        with self._counting:
            while True:
                with self._lock:
                    basis, story, seen = self._basis, self._story, self._seen
                if seen is None or basis is None or story is None or seen[1].card:
                    return None if seen is None else seen[1]
                card = basis.card(story.state, seen[1].answer)
                with self._lock:
                    self._has_numbers = True  # from now on a label more costs a block
                    if self._seen is not None and self._seen[0] == seen[0]:
                        self._seen = (seen[0], with_card(self._seen[1], basis, card))

    @property
    def _is_census(self) -> bool:
        """Whether everything was counted: then the numbers take no walk."""
        verdict = None if self._basis is None else self._basis.verdict
        return verdict is None or verdict.census

    def _caught_up(self) -> Story:
        if self._story is None or self._story.state.head is None:
            entries, state = self._begin() if self._begin else (self._ledger.entries(), None)
            self._story = read_story(entries, state)
        if self._story.state.head is not None:
            self._story.add(self._ledger.entries(after=self._story.state.head))
        return self._story

    def _record(self, story: Story) -> None:
        # the verdict is worked out before the ledger is locked, so that nobody's label waits for it
        self._judge(story)
        with self._ledger.writing(after=story.state.head) as writer:
            if writer.entries:
                story.add(writer.entries)
                self._judge(story)
            basis = self._basis
            if basis is None or basis.verdict is None or not look_is_due(story.state):
                return
            known = len(writer.entries)
            events = look_events(story.state, basis.verdict, basis.prefix)
            writer.append(events, time=self._project.now())
            added = writer.entries[known:]
        story.add(added)
        # a look changes no label, but it may have closed the plan
        self._basis = replace(basis, attempt=present(story.state, latest_attempt(story.state)))
        self._judged_at = story.state.head

    def _judge(self, story: Story) -> None:
        """Work out the verdict and what it depends on, unless that was done after the same event."""
        state = story.state
        if state.attempt is not None and (self._basis is None or self._judged_at != state.head):
            self._basis, self._judged_at = basis_of(state, state.attempt), state.head

    def _dossier(self, story: Story) -> Dossier:
        head = story.state.head.hash if story.state.head else ""
        if self._seen is None or self._seen[0] != head:
            self._judge(story)
            dossier = dossier_of(
                self._project,
                story,
                basis=self._basis,
                sensitivity=False,
                card=self._has_numbers or self._is_census,
            )
            if self._doubt and self._basis and self._doubt[0] == _question(self._basis):
                dossier = replace(dossier, sensitivity=self._doubt[1])
            self._seen = (head, dossier)
        return self._seen[1]
