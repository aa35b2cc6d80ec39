"""Each annotator has their own queue; items are neither lost nor handed to two people unasked."""

import time
from dataclasses import replace

import pytest

from assaymark.certification.modes import judge
from assaymark.errors import ConflictError, VerificationError
from assaymark.labelling.desk import Desk, Submission
from assaymark.ledger.events import Remark, read_twice
from assaymark.overview import basis
from assaymark.overview.dossier import dossier
from assaymark.overview.watch import Watch
from assaymark.project.folder import Project
from worlds_on_disk import write_labels


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def drawn(assaymark, project):
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project)
    assert assaymark("draw", 20, "-p", project).code == 0
    return Project(folder=project)


def given(item: str, annotator: str, label: int | None = 1, **more: object) -> Submission:
    return Submission(item=item, annotator=annotator, label=label, **more)


def label_all(desk: Desk, name: str, label: int = 1) -> list[str]:
    found = []
    while items := desk.hand(name):
        desk.record([given(items[0], name, label)])
        found.append(items[0])
    return found


def test_no_item_goes_to_two_people_and_all_are_handed_out(drawn, clock) -> None:
    desk = Desk(drawn, clock=clock)
    hands = [desk.hand(name) for name in ("kim", "lee", "mo")]
    assert len({item for hand in hands for item in hand}) == 6
    assert desk.hand("kim") == hands[0]
    everything = label_all(desk, "kim")
    clock.now += 3600
    everything += label_all(desk, "kim")
    assert sorted(everything) == sorted(desk.state.attempt.order)


def test_an_item_left_open_returns_after_its_time(drawn, clock) -> None:
    desk = Desk(drawn, clock=clock, minutes=15)
    left = desk.hand("kim")
    assert not set(desk.hand("lee")) & set(left)
    clock.now += 15 * 60 + 1
    assert set(label_all(desk, "lee")) >= set(left)
    answer = desk.record([given(left[0], "kim", 0)])[0]
    assert isinstance(answer, ConflictError)
    assert "Somebody else labelled this item" in str(answer)


def test_the_dashboard_begins_with_the_events_of_the_desk(drawn, clock) -> None:
    """It reads nothing again, shows what a dashboard of its own shows, and leaves the desk alone."""
    desk = Desk(drawn, clock=clock)
    label_all(desk, "kim")
    events, answers = len(desk.entries), dict(desk.state.answers)
    shared = Watch(drawn, desk.snapshot)
    shared._ledger = OnlyNews(drawn.ledger)
    assert shared.look() == Watch(drawn).look()
    assert (
        len(desk.entries) == events
    )  # the look that went on record is not in the desk's state yet
    assert desk.state.answers == answers
    desk.catch_up()
    assert len(desk.entries) == events + 1


class OnlyNews:
    """A ledger that refuses to be read from the beginning."""

    def __init__(self, ledger) -> None:
        self._ledger = ledger

    def entries(self, after=None):
        assert after is not None
        return self._ledger.entries(after=after)

    def writing(self, after=None):
        assert after is not None
        return self._ledger.writing(after=after)


def test_the_share_read_twice_is_decided_by_seed_and_id(drawn, clock) -> None:
    desk = Desk(drawn, clock=clock, share=0.5)
    twice = {item for item in desk.state.attempt.order if read_twice("s", item, 0.5)}
    assert 0 < len(twice) < 20
    assert len(label_all(desk, "kim")) == 20
    assert set(label_all(desk, "lee", 0)) == twice
    assert set(desk.queue.disputed) == twice
    assert label_all(desk, "mo") == []
    shares = [read_twice("seed", str(number), 0.3) for number in range(4000)]
    assert abs(sum(shares) / 4000 - 0.3) < 0.04  # fails by chance once in 10⁷ seeds


def test_answers_are_recorded_once_and_changed_only_on_purpose(drawn, clock) -> None:
    desk = Desk(drawn, clock=clock)
    item = desk.hand("kim")[0]
    assert desk.record([given(item, "kim", seconds=3.2, note="odd")]) == ["recorded"]
    assert desk.record([given(item, "kim")]) == ["unchanged"]
    events = len(desk.entries)
    other_tab = desk.record([given(item, "kim", 0)])[0]
    assert "another answer before" in str(other_tab)
    assert len(desk.entries) == events
    assert desk.record([given(item, "kim", 0, correcting=True)]) == ["corrected"]
    assert desk.record([given(item, "kim", 0, correcting=True)]) == ["unchanged"]
    assert desk.state.notes == {item: [Remark(annotator="kim", text="odd")]}
    assert desk.state.seconds == {"kim": [3.2]}


def test_undo_goes_back_any_number_of_steps(drawn, clock) -> None:
    desk = Desk(drawn, clock=clock)
    order = label_all(desk, "kim")
    assert desk.back("kim", None).item == order[-1]
    assert desk.back("kim", order[-1]).item == order[-2]
    assert desk.back("kim", order[0]) is None
    assert desk.back("lee", None) is None
    changed = desk.back("kim", order[2])
    desk.record([given(changed.item, "kim", 1 - changed.label, correcting=True)])
    assert desk.back("kim", None).item == changed.item  # the answer given last comes first
    again = Desk(drawn, clock=clock)  # after a restart
    assert again.back("kim", order[5]).item == order[4]


def test_what_another_process_labels_is_taken_in(drawn, clock, assaymark, tmp_path) -> None:
    desk = Desk(drawn, clock=clock)
    first, second = desk.hand("kim")
    path = write_labels(tmp_path / "l.csv", {first: 1, second: 0})
    assert assaymark("label", path, "--annotator", "lee", "-p", drawn.folder).code == 0
    answer = desk.record([given(first, "kim", 0)])[0]
    assert isinstance(answer, ConflictError)
    assert first not in desk.hand("kim")
    assert desk.state.answers[second] == {"lee": 0}


def test_decisions_settle_what_people_differ_about(drawn, clock) -> None:
    desk = Desk(drawn, clock=clock, share=1.0)
    item = desk.hand("kim")[0]
    early = desk.record([given(item, "lead", deciding=True)])[0]
    assert "Nobody differs" in str(early)
    desk.record([given(item, "kim", 1), given(item, "lee", 0)])
    assert list(desk.queue.disputed) == [item]
    assert desk.record([given(item, "lead", 0, deciding=True)]) == ["decided"]
    assert not desk.queue.disputed
    assert desk.state.label(item) == 0


def test_a_failed_write_leaves_nothing_in_memory(drawn, clock, monkeypatch) -> None:
    desk = Desk(drawn, clock=clock)
    item = desk.hand("kim")[0]

    def broken(*_: object, **__: object) -> str:
        raise OSError("disk full")

    monkeypatch.setattr("assaymark.ledger.rows.seal", broken)
    with pytest.raises(OSError, match="disk full"):
        desk.record([given(item, "kim")])
    monkeypatch.undo()
    assert item not in desk.state.answers
    assert desk.record([given(item, "kim")]) == ["recorded"]


def test_a_ledger_rewritten_behind_the_server_is_refused(drawn, clock) -> None:
    import sqlite3

    desk = Desk(drawn, clock=clock)
    connection = sqlite3.connect(drawn.folder / "ledger.sqlite")
    connection.execute("UPDATE event SET hash = 'x' WHERE seq = (SELECT max(seq) FROM event)")
    connection.commit()
    connection.close()
    with pytest.raises(VerificationError, match="no longer the one that was read before"):
        desk.catch_up()


def test_looks_go_on_record_only_when_labels_changed(drawn, clock) -> None:
    desk, watch = Desk(drawn, clock=clock), Watch(drawn)
    assert len(watch.look().looks) == 0
    label_all(desk, "kim", 0)
    assert len(watch.look().looks) == 1
    assert len(watch.look().looks) == 1
    item = desk.state.attempt.order[0]
    desk.record([given(item, "kim", 1, correcting=True)])
    assert len(watch.look().looks) == 2


def test_a_dashboard_judges_once_for_everything_it_shows(drawn, clock, monkeypatch) -> None:
    """What was prepared is taken up, and the verdict that goes on record is the one on the screen."""
    desk, watch, judged = Desk(drawn, clock=clock), Watch(drawn), []
    monkeypatch.setattr(basis, "judge", lambda *known: judged.append(1) or judge(*known))
    label_all(desk, "kim", 0)
    watch.prepare()
    assert len(judged) == 1
    shown = watch.look()
    assert len(judged) == 1
    assert shown == replace(dossier(drawn), card=(), card_note=None, sensitivity=shown.sensitivity)
    judged.clear()
    desk.record([given(desk.state.attempt.order[0], "kim", 1, correcting=True)])
    watch.look()
    assert len(judged) == 1


def test_the_first_dashboard_does_not_wait_for_its_four_numbers(drawn, clock) -> None:
    """They are those of the whole dossier, and from then on every dashboard has them."""
    desk, watch = Desk(drawn, clock=clock), Watch(drawn)
    assert watch.numbers() is None
    label_all(desk, "kim", 0)
    first = watch.look()
    assert (first.card, first.card_note) == ((), None)
    found = watch.numbers()
    whole = dossier(drawn)
    assert (found.card, found.card_note) == (whole.card, whole.card_note)
    assert watch.look().card == whole.card
    desk.record([given(desk.state.attempt.order[0], "kim", 1, correcting=True)])
    assert watch.look().card == dossier(drawn).card


def test_a_fixed_plan_shows_counts_only_before_its_size(assaymark, project) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 60, "--seed", "s", "-p", project)
    assaymark("draw", "-p", project)
    desk = Desk(Project(folder=project), clock=time.time)
    for item in desk.hand("kim"):
        desk.record([given(item, "kim")])
    seen = Watch(Project(folder=project)).look()
    assert seen.bound is None
    assert seen.looks == ()
    assert seen.progress.labelled == 2
