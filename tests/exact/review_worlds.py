"""A review in a pool of a few items against somebody who knows every label.

`worst` is the exact chance that the best adversary ever sees a false bound: it maximises over
directed labels, draws, the order in which pending draws are labelled, and looks, and averages over
the draws. Wealth is computed here a second time, in exact fractions and for the true row alone.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import permutations

from assaymark.ledger.events import (
    Entry,
    KnownItem,
    KnownLabels,
    LabelRecorded,
    ReviewDrawn,
    ReviewOpened,
    State,
)
from assaymark.reviewing.standing import account_of
from assaymark.reviewing.stats import upper_bound

BETS = (Fraction(0), Fraction(1, 10), Fraction(3, 10))
WEIGHTS = (Fraction(40, 100), Fraction(35, 100), Fraction(25, 100))


@dataclass(frozen=True)
class Batch:
    """Items in draw order, those outside the set drawn from, and the labels known then."""

    order: tuple[int, ...]
    outside: frozenset[int]
    labelled: frozenset[int]


@dataclass(frozen=True)
class World:
    """Truth of every item, what was labelled in which order, and what was drawn."""

    truth: tuple[int, ...]
    labelled: tuple[int, ...] = ()
    batches: tuple[Batch, ...] = ()
    unclear: frozenset[int] = frozenset()

    @property
    def drawn(self) -> frozenset[int]:
        return frozenset(item for batch in self.batches for item in batch.order)

    @property
    def unread(self) -> tuple[int, ...]:
        return tuple(i for i in range(len(self.truth)) if i not in self.labelled)

    @property
    def inside(self) -> tuple[int, ...]:
        drawn = self.drawn
        return tuple(item for item in self.unread if item not in drawn)

    def drawing(self, order: tuple[int, ...]) -> "World":
        known = frozenset(self.labelled)
        batch = Batch(order=order, outside=known | self.drawn, labelled=known)
        return replace(self, batches=(*self.batches, batch))

    def labelling(self, item: int) -> "World":
        return replace(self, labelled=(*self.labelled, item))


def relevant(world: World, items) -> int:
    """How many of these items play as relevant."""
    return sum(world.truth[i] or i in world.unclear for i in items)


@dataclass(frozen=True)
class Build:
    """How the wealth of the true row is computed; each flag is one way to get it wrong."""

    alpha: Fraction
    updated: bool = False
    without_pending: bool = False
    older_open_missing: bool = False
    available: bool = False
    reset_after_hit: bool = False
    certain_without_unclear: bool = False

    def refutes(self, world: World) -> bool:
        """Whether the true number of relevant items is refuted."""
        row = relevant(world, range(len(world.truth)))
        found = relevant(world, world.labelled)
        if row <= found:
            return False
        unread = len(world.unread)
        if self.without_pending:
            unread -= len(world.drawn - set(world.labelled))
        if self.certain_without_unclear:
            found -= sum(i in world.unclear for i in world.labelled)
        if row > found + unread:
            return True
        best = self._best(world, row)
        return best is None or best >= 1 / self.alpha

    def _best(self, world: World, row: int) -> Fraction | None:
        wealth, best = list(WEIGHTS), Fraction(1)
        for left, found, hit in self._draws(world):
            claimed = row - found
            if claimed > left or (claimed == left and not hit):
                return None
            share = Fraction(claimed, left)
            for j, bet in enumerate(BETS):
                wealth[j] *= bet if hit else (1 - bet * share) / (1 - share)
            if hit and self.reset_after_hit:
                wealth = list(WEIGHTS)
            best = max(best, sum(wealth, Fraction(0)))
        return best

    def _draws(self, world: World):
        done = set(world.labelled)
        for batch in world.batches:
            outside = batch.outside
            if self.older_open_missing:
                outside = batch.labelled
            for place, item in enumerate(batch.order):
                if item not in done:
                    if self.available:
                        continue
                    return
                hit = bool(world.truth[item] or item in world.unclear)
                if self.updated:
                    before = set(world.labelled[: world.labelled.index(item)])
                    before |= set(batch.order[:place])
                    yield len(world.truth) - len(before), relevant(world, before), hit
                else:
                    left = len(world.truth) - len(batch.outside) - place
                    yield left, relevant(world, outside) + relevant(world, batch.order[:place]), hit


def product_refutes(alpha: Fraction):
    """The same question, asked of the product through its events and its bound."""

    @cache
    def refutes(world: World) -> bool:
        row = relevant(world, range(len(world.truth)))
        return upper_bound(standing(world), 1 - alpha) < row

    return refutes


@cache
def standing(world: World):
    """Where the review stands after this history, whatever its level."""
    return account_of(*replayed(world)).standing


def replayed(world: World):
    """The state of a project with this history."""
    story = Told(len(world.truth))
    for batch in world.batches:
        for item in sorted(batch.labelled - story.labelled, key=world.labelled.index):
            story.label(item, world)
        story.draw(batch.order)
    for item in world.labelled:
        if item not in story.labelled:
            story.label(item, world)
    return story.state, story.state.reviews[0]


class Told:
    """A project of a few items told event by event."""

    def __init__(self, items: int, *, decisions: str = "blind", known=(), twice: str = "0") -> None:
        self.state, self.seq, self.labelled = State(), 0, frozenset()
        self.add(
            ReviewOpened(
                review=1, items=items, ids="", target="0.8", confidence="0.95", method="review/1",
                commitment="", ranking="texts", software="", decisions=decisions, twice=twice,
            )
        )  # fmt: skip
        if known:
            labels = tuple(KnownItem(item=str(i), value=value) for i, value in known)
            self.add(KnownLabels(review=1, source="import", labels=labels))
            self.labelled = frozenset(i for i, _ in known)

    def add(self, event) -> None:
        self.seq += 1
        entry = Entry(seq=self.seq, time="", kind=event.kind, body="", previous="", hash="")
        self.state.apply(event, entry)

    def hand(self, items, route="directed") -> None:
        work = self.state.reviews[0]
        n = None
        if route == "random":
            work.settle(self.state)
            n = work.opened.items - len(work.outside)
        self.add(
            ReviewDrawn(
                review=1, batch=len(work.batches) + 1, handout=work.handouts + 1, route=route,
                items=tuple(map(str, items)), file="pending", sha256="", n=n,
            )
        )  # fmt: skip

    def draw(self, order) -> None:
        self.hand(order, "random")

    def label(self, item: int, world: World) -> None:
        if str(item) not in self.state.reviews[0].handed:
            self.hand([item])
        if item in world.unclear:
            self.add(LabelRecorded(item=str(item), annotator="a"))
        else:
            self.add(LabelRecorded(item=str(item), annotator="a", value=world.truth[item]))
        self.labelled |= {item}


class Adversary:
    """Somebody who knows every label and chooses what happens next."""

    def __init__(self, refutes, *, sizes, redraws, order_matters, at_once) -> None:
        self.refutes, self.sizes, self.redraws = refutes, sizes, redraws
        self.order_matters, self.at_once = order_matters, at_once
        self.known: dict[World, Fraction] = {}

    def value(self, world: World) -> Fraction:
        now = _plain(world, self.order_matters)
        if now not in self.known:
            self.known[now] = self._value(now)
        return self.known[now]

    def _value(self, now: World) -> Fraction:
        if self.refutes(now):
            return Fraction(1)
        found = Fraction(0)
        for item in _different(now, now.unread):
            found = max(found, self.value(now.labelling(item)))
        for size in self.sizes:
            if size <= len(now.inside) and found < 1:
                found = max(found, self._chance(now, size))
        return found

    def _chance(self, now: World, size: int) -> Fraction:
        values = [self._drawn(now, order) for order in permutations(now.inside, size)]
        mean = sum(values, Fraction(0)) / len(values)
        for _ in range(self.redraws):  # whoever puts an old copy back draws until the draw suits
            mean = sum((max(one, mean) for one in values), Fraction(0)) / len(values)
        return mean

    def _drawn(self, now: World, order: tuple[int, ...]) -> Fraction:
        after = now.drawing(order)
        for item in order if self.at_once else ():
            after = after.labelling(item)
        return self.value(after)


def worst(
    world: World, refutes, *, sizes=(1,), redraws: int = 0, order_matters=False, at_once=False
) -> Fraction:
    """The largest chance of a false bound at any look, over everything an adversary can do.

    `at_once` labels every draw before anything else happens; `redraws` lets an old copy be put back.
    """
    adversary = Adversary(
        refutes, sizes=sizes, redraws=redraws, order_matters=order_matters, at_once=at_once
    )
    return adversary.value(world)


def _different(world: World, items):
    """Items that differ in truth or in their place among the draws; the rest are interchangeable."""
    seen = set()
    drawn = world.drawn
    for item in items:
        kind = (world.truth[item], item in world.unclear, item if item in drawn else None)
        if kind not in seen:
            seen.add(kind)
            yield item


def _plain(world: World, order_matters: bool) -> World:
    """The same world with interchangeable items renamed, so that equal situations meet."""
    order = [item for batch in world.batches for item in batch.order]
    rank = {item: place for place, item in enumerate(order)}
    labels = world.labelled if order_matters else tuple(sorted(world.labelled))
    first = {item: place for place, item in enumerate(labels)} if order_matters else {}

    def kind(item: int):
        batches = tuple((item in b.outside, item in b.labelled) for b in world.batches)
        return (
            world.truth[item], item in world.unclear, item in world.labelled,
            rank.get(item, -1), batches, first.get(item, -1), item,
        )  # fmt: skip

    names = {item: new for new, item in enumerate(sorted(range(len(world.truth)), key=kind))}
    turned = sorted(names, key=names.__getitem__)
    renamed = tuple(names[item] for item in labels)
    return World(
        truth=tuple(world.truth[item] for item in turned),
        labelled=renamed if order_matters else tuple(sorted(renamed)),
        batches=tuple(
            Batch(
                order=tuple(names[i] for i in b.order),
                outside=frozenset(names[i] for i in b.outside),
                labelled=frozenset(names[i] for i in b.labelled),
            )
            for b in world.batches
        ),
        unclear=frozenset(names[i] for i in world.unclear),
    )
