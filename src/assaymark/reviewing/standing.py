"""Where a review stands: the labels of today, replayed over the draws as they were made."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from assaymark.claims.results import counted
from assaymark.errors import InputError, PlanError
from assaymark.hints import command
from assaymark.ledger.events import ReviewWork, State, review_of
from assaymark.reviewing.stats import Batch, Reading, Standing, draws_of

TARGETS = (Fraction("0.8"), Fraction("0.9"), Fraction("0.95"))
RELEVANT, IRRELEVANT, UNCLEAR = "relevant", "irrelevant", "unclear"
NEW_DRAWS = "New random draws will not count either until then."


@dataclass(frozen=True, kw_only=True, eq=False)
class Account:
    """What every item with a final label counts as, and what follows for the bound.

    `plays` holds relevant, irrelevant or unclear (plays as relevant and is not found). `half_read`
    items wait for their second reader: they have no final label, so they are unread.
    """

    plays: dict[str, str]
    standing: Standing
    directed: int
    random: int
    found_known: int
    found_random: int
    pending: int
    open: int
    half_read: int


def the_review(state: State) -> ReviewWork:
    """The review of the project; refused where there is none."""
    work = review_of(state)
    if work is None:
        raise PlanError(
            f"This project has no review. Begin one in a new folder: {command('review start')}."
        )
    return work


def exact_share(name: str, text: str) -> Fraction:
    """A share between 0 and 1 exactly as it was written.

    >>> exact_share("recall", "0.8")
    Fraction(4, 5)
    """
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if not 0 < value < 1:
        hint = f" Did you mean {float(value) / 100:g}?" if 1 < value < 100 else ""
        raise InputError(f"'{name}' must be between 0 and 1, got {text}.{hint}")
    return value


def target_of(work: ReviewWork) -> Fraction:
    """The recall that is wanted, exactly."""
    return Fraction(work.opened.target)


def confidence_of(work: ReviewWork) -> Fraction:
    """The confidence that is wanted, exactly."""
    return Fraction(work.opened.confidence)


def play(state: State, work: ReviewWork, item: str) -> str | None:
    """What one item counts as; None where it has no final label."""
    if item in work.known:
        return _word(work.known[item])
    if not state.labelled(item):
        # a label that was taken back after its item left the unread ones does not bring it back
        left = item in work.outside and item not in work.drawn
        return UNCLEAR if left else None
    word = _word(state.label(item))
    if word == IRRELEVANT and (item in work.late or _disputed(work, item)):
        return UNCLEAR
    return word


def _disputed(work: ReviewWork, item: str) -> bool:
    return work.opened.decisions == "open" and item in work.disputed


def _word(value: int | None) -> str:
    return UNCLEAR if value is None else (RELEVANT if value else IRRELEVANT)


def account_of(state: State, work: ReviewWork) -> Account:
    """The review by the labels of this moment, recomputed from the first draw on."""
    plays = dict(_plays(state, work))
    counts = Counter(plays.values())
    batches = _batches(work, plays)
    directed = sum(item not in work.drawn and item not in work.known for item in plays)
    return Account(
        plays=plays,
        standing=Standing(
            found=counts[RELEVANT],
            unclear=counts[UNCLEAR],
            unread=work.opened.items - len(plays),
            draws=draws_of(batches),
        ),
        directed=directed,
        random=sum(item in plays for item in work.drawn),
        found_known=sum(plays[item] == RELEVANT for item in work.known),
        found_random=sum(plays.get(item) == RELEVANT for item in work.drawn),
        pending=sum(item not in plays for item in work.drawn),
        open=sum(item not in plays for item in work.handed),
        half_read=sum(item in state.answers and not state.labelled(item) for item in state.twice)
        - sum(state.disputed(item) for item in state.twice),
    )


@dataclass(frozen=True, kw_only=True)
class HeldUp:
    """Labels of random draws that do not count while `pending` draws before them have no final one."""

    labels: int
    pending: int

    @property
    def sentence(self) -> str:
        """What does not count, and why. No record is named: that would tell which came at random."""
        verb = "does" if self.labels == 1 else "do"
        have = "has" if self.pending == 1 else "have"
        return (
            f"{counted(self.labels, 'label')} {verb} not count yet because "
            f"{counted(self.pending, 'drawn record')} before {have} no final label."
        )


def held_up(account: Account) -> HeldUp | None:
    """What missing labels hold up; None where every label counts."""
    labels = account.random - account.standing.draws.count
    return HeldUp(labels=labels, pending=account.pending) if labels and account.pending else None


def _plays(state: State, work: ReviewWork) -> Iterator[tuple[str, str]]:
    for item in (*work.known, *work.handed):
        word = play(state, work, item)
        if word is not None:
            yield item, word


def _batches(work: ReviewWork, plays: dict[str, str]) -> list[Batch]:
    """The random batches: `found` counts what plays as relevant outside the set drawn from.

    Items of older batches lie outside too. Where one of them has no label yet, the evidence ends
    before this batch, so that its count here is never used.
    """
    random = work.random
    gains = [0] * (len(random) + 1)
    for item, number in work.outside.items():
        if number <= len(random) and plays.get(item, IRRELEVANT) != IRRELEVANT:
            gains[number] += 1
    relevant, batches = 0, []
    for number, batch in enumerate(random):
        relevant += gains[number]
        hits = tuple(None if (p := plays.get(i)) is None else p != IRRELEVANT for i in batch.items)
        batches.append(Batch(items=batch.n or 0, found=relevant, hits=hits))
    return batches


def readings(work: ReviewWork, plays: dict[str, str]) -> list[Reading]:
    """The labels of each handout, for the rule that chooses between directed and random reading."""
    by_batch: dict[int, tuple[list[bool], list[bool]]] = {}
    for batch in work.batches:
        random, directed = by_batch.setdefault(batch.handout, ([], []))
        route = random if batch.route == "random" else directed
        for item in batch.items:
            once = batch.route == "random" or item not in work.drawn
            if item in plays and once:
                route.append(plays[item] == RELEVANT)
    return [Reading(random=tuple(r), directed=tuple(d)) for r, d in by_batch.values()]
