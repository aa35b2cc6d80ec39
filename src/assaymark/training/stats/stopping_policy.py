"""When to stop training and certify: what the looks so far advise.

Each policy maps the looks to "train" or "certify". Whatever it decides, certification draws fresh
items and keeps its promise: a policy can waste labels, it cannot certify wrongly.
*Source* Bagdouri, Webber, Lewis and Oard (2013), sections 3 and 6, for the framework and the
policies first-in-budget and wait; the split and the adaptive policy are this project's.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from assaymark.claims.ratio_metrics import binomial_test
from assaymark.plugins import Registry, takes
from assaymark.records.modes import OFFERED
from assaymark.records.training import Action, Advice, TrainingGoal, TrainingLook
from assaymark.stats.beta_posterior import from_pilot
from assaymark.stats.sample_size import Planner, roughly_needed
from assaymark.training.stats.certification_cost import CertificationCost, cost_of
from assaymark.training.stats.learning_curve import SPACING, Belief, LearningCurve, learning_curve

SPLIT, TIGHT = 0.3, 0.45  # of the budget for training; the larger part where the budget is tight
TIGHT_CHANCE = 0.1
EARLIEST, LATEST = 0.15, 0.45
DOUBT = 0.02  # the adaptive policy goes on while the claim is false with more than this chance
FEW_POSITIVES = 20  # training without a budget does not end before this many
HOPELESS = 0.05
UNLIMITED = 20_000
AHEAD = 20  # steps of a tenth that are looked ahead
# Quantiles of the belief, and the luck of a certification, that held about 7 of 10 actual costs.
UNLUCKY_LUCKY = (0.2, 0.8)
LUCK = (0.7, 1.3)


@dataclass(frozen=True, kw_only=True)
class LabelsAhead:
    """A forecast of labels as a range; None where the claim would not hold."""

    low: int | None
    middle: int | None
    high: int | None


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What the looks say about now and later; computed when it is asked for."""

    goal: TrainingGoal
    looks: tuple[TrainingLook, ...]

    @property
    def last(self) -> TrainingLook:
        """The latest look."""
        return self.looks[-1]

    @property
    def labels(self) -> int:
        """Training labels so far."""
        return self.last.labels

    @property
    def left(self) -> int | None:
        """Labels of the budget that training has not used."""
        budget = self.goal.budget
        return None if budget is None else max(0, budget - self.labels)

    @cached_property
    def curve(self) -> LearningCurve:
        """The learning curve as it is believed to be."""
        return learning_curve(self.looks, self.goal.claim)

    @cached_property
    def cost(self) -> CertificationCost:
        """The price list of the certification."""
        return cost_of(self.goal.claim, self.goal.confidence, self.last.bands)

    @property
    def chance_true(self) -> float:
        """The belief that the claim holds for the classifier as it is."""
        return self.curve.now.chance_above(self.goal.claim.target)

    @cached_property
    def ahead(self) -> LabelsAhead:
        """The labels that certification will take if training stops now, by its mode.

        A simple random sample is priced by the exact fixed test, the most that it takes as a rule.
        """
        if not OFFERED[self.goal.mode].guided:
            size = self.fixed_size(self.last)
            return LabelsAhead(low=size, middle=size, high=size)
        now = self.curve.now
        prices = [self.cost.forecast(now.quantile(chance)) for chance in (*UNLUCKY_LUCKY, 0.5)]
        high, low, middle = prices
        return LabelsAhead(
            low=None if low is None else math.ceil(LUCK[0] * low),
            middle=None if middle is None else math.ceil(middle),
            high=None if high is None else min(math.ceil(LUCK[1] * high), self.items),
        )

    @property
    def items(self) -> int:
        """Items of the collection that certification may draw."""
        return sum(band.items for band in self.last.bands)

    def in_all(self, certification: int | None) -> int | None:
        """Training and certification together."""
        return None if certification is None else self.labels + certification

    def certification(self, labels: int) -> float:
        """Labels that certification is expected to use after so much training, passed or not."""
        left = None if self.goal.budget is None else self.goal.budget - labels
        shrink = self.labels / labels
        return self.cost.expected(self.curve.at(labels), shrink=shrink, most=left)

    @cached_property
    def totals(self) -> dict[int, float]:
        """The expected total by training size: now, and in steps of a tenth from here on."""
        most = math.inf if self.goal.budget is None else LATEST * self.goal.budget
        sizes = [self.labels]
        while len(sizes) <= AHEAD and sizes[-1] * SPACING <= most:
            sizes.append(math.ceil(sizes[-1] * SPACING))
        return {size: size + self.certification(size) for size in sizes}

    @cached_property
    def best_at(self) -> int:
        """The training size with the least expected total."""
        return min(self.totals, key=lambda size: self.totals[size])

    def fixed_size(self, look: TrainingLook) -> int | None:
        """The exact fixed test's size if cross-validation is right; None beyond the budget."""
        if binomial_test(self.goal.claim) is None:
            return None
        most = UNLIMITED if self.goal.budget is None else self.goal.budget - look.labels
        belief = from_pilot(look.counts)
        planner = Planner(claim=self.goal.claim, belief=belief, confidence=self.goal.confidence)
        return roughly_needed(planner, power=self.goal.power, most=most)


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a policy decides and why; `until` is the least training it asks for, `target` one that
    would fit where the claim's does not.
    """

    action: Action
    reason: str
    until: int | None = None
    target: float | None = None


def _budget(outlook: Outlook) -> int:
    if outlook.goal.budget is None:
        raise AssertionError("the goal refuses this policy without a budget")
    return outlook.goal.budget


def split(outlook: Outlook) -> Decision:
    """Train on 30 % of the budget, or up to 45 % while the claim looks doubtful; then certify."""
    budget = _budget(outlook)
    if outlook.labels < SPLIT * budget:
        until = math.ceil(SPLIT * budget)
        return Decision(
            action="train",
            until=until,
            reason=f"30% of the budget, {until:,} labels, go to training",
        )
    if outlook.labels >= TIGHT * budget:
        return Decision(
            action="certify", reason="45% of the budget is used, and certification needs the rest"
        )
    if 1 - outlook.chance_true > TIGHT_CHANCE:
        return Decision(
            action="train",
            until=math.ceil(TIGHT * budget),
            reason="30% of the budget is used, but the claim is still doubtful: up to 45% may go to "
            "training",
        )
    return Decision(action="certify", reason="30% of the budget is used and the claim looks true")


def adaptive(outlook: Outlook) -> Decision:
    """Stop when the expected total no longer falls and the claim is very likely true."""
    budget = outlook.goal.budget
    if budget is None and outlook.last.positives < FEW_POSITIVES:
        return Decision(
            action="train", reason=f"fewer than {FEW_POSITIVES} positives were seen so far"
        )
    if budget is not None and outlook.labels < EARLIEST * budget:
        until = math.ceil(EARLIEST * budget)
        return Decision(
            action="train", until=until, reason=f"15% of the budget, {until:,} labels, come first"
        )
    if budget is not None and outlook.labels >= LATEST * budget:
        return Decision(
            action="certify", reason="45% of the budget is used, and certification needs the rest"
        )
    if outlook.best_at > outlook.labels:
        return Decision(action="train", reason="more training is expected to lower the total")
    if 1 - outlook.chance_true > DOUBT:
        return Decision(action="train", reason="the claim is not likely enough to be true yet")
    return Decision(
        action="certify", reason="the claim is very likely true and more training no longer pays"
    )


def first_in_budget(outlook: Outlook) -> Decision:
    """Stop at the first look from which a fixed test fits into the budget."""
    return _within_budget(outlook, wait=0)


def wait(outlook: Outlook) -> Decision:
    """Stop when this many further looks fitted into the budget."""
    return _within_budget(outlook, wait=outlook.goal.wait)


def _within_budget(outlook: Outlook, *, wait: int) -> Decision:
    budget = _budget(outlook)
    if outlook.fixed_size(outlook.last) is not None and _fitted(outlook, wait):
        return Decision(
            action="certify", reason="training and a fixed test together fit into the budget"
        )
    if outlook.labels >= LATEST * budget:
        return Decision(
            action="certify",
            reason="no fixed test fitted into the budget so far; this is the best shot left",
        )
    return Decision(action="train", reason="training and a fixed test do not fit into the budget")


def _fitted(outlook: Outlook, wait: int) -> bool:
    """Whether a fixed test fitted into the budget at more than `wait` looks; the latest first."""
    fits = (look for look in reversed(outlook.looks) if outlook.fixed_size(look) is not None)
    return next(islice(fits, wait, None), None) is not None


POLICIES: Registry[Callable[[Outlook], Decision]] = Registry(
    "assaymark.policies",
    {"split": split, "adaptive": adaptive, "first-in-budget": first_in_budget, "wait": wait},
    takes("outlook"),
)
"""Functions from an `Outlook` to a `Decision`; other packages add to them by entry points."""


def advise(goal: TrainingGoal, looks: Sequence[TrainingLook]) -> Advice:
    """What the goal's policy advises after these looks."""
    outlook = Outlook(goal=goal, looks=tuple(looks))
    now, ahead = outlook.curve.now, outlook.ahead
    decision = _worth_it(outlook, POLICIES.find("policy", goal.policy)(outlook))
    best = outlook.cost.forecast(outlook.curve.at(outlook.best_at).quantile(0.5))
    most = _most_trained(outlook)
    # the claim is not even likely to hold at the most training that is possible
    hopeless = most.chance_above(goal.claim.target) < HOPELESS
    reason = decision.reason
    if hopeless:
        reason = (
            f"{reason}; but the claim looks out of reach: {goal.claim.metric} is projected to end "
            f"near {most.quantile(0.5):.2f}"
        )
        reason += "" if goal.budget is None else " with all the training that the budget allows"
    return Advice(
        action=decision.action,
        reason=reason,
        labels=outlook.labels,
        out_of_reach=hopeless,
        estimate=now.quantile(0.5),
        low=now.quantile(0.05),
        high=now.quantile(0.95),
        chance_true=outlook.chance_true,
        certification=ahead.middle,
        total=outlook.in_all(ahead.middle),
        total_low=outlook.in_all(ahead.low),
        total_high=outlook.in_all(ahead.high),
        target=decision.target,
        best_at=outlook.best_at,
        best_total=None if best is None else outlook.best_at + math.ceil(best),
        flagged=_flagged(outlook.last),
        fixed_size=outlook.fixed_size(outlook.last),
        until=decision.until,
        next_look=math.ceil(outlook.labels * SPACING),
    )


LIKELY = 0.5  # below this chance to be true, a claim is never advised for certification
CAUTIOUS = 0.3  # the quantile of the belief by which a lower target is proposed


def _worth_it(outlook: Outlook, decision: Decision) -> Decision:
    """The decision; certification is not advised, whatever the policy says, where the claim is
    believed false or its forecast is above the budget.
    """
    if decision.action != "certify":
        return decision
    budget, total = outlook.goal.budget, outlook.in_all(outlook.ahead.middle)
    false = outlook.chance_true < LIKELY or total is None
    if not false and (budget is None or (total or 0) <= budget):
        return decision
    if budget is not None and outlook.labels < LATEST * budget:
        return Decision(
            action="train",
            until=math.ceil(LATEST * budget),
            reason=f"{_why(outlook, total, false=false)}: up to 45% of the budget may go to training",
        )
    target = affordable_target(outlook)
    ways = [] if target is None else [f"lower the target (about {target:.2f} fits)"]
    if not false:
        ways.append(f"raise the budget (to about {outlook.in_all(outlook.ahead.high) or total:,})")
    elif budget is not None:
        later = outlook.curve.at(max(2 * LATEST * budget, outlook.labels))
        if later.chance_above(outlook.goal.claim.target) >= LIKELY:
            ways.append("raise the budget, for with twice as much training it is likely to hold")
    ways.append("or leave it: it is not worth the labels")
    return Decision(
        action="reconsider",
        reason=f"{_why(outlook, total, false=false)}. {', '.join(ways).capitalize()}",
        target=target,
    )


def _why(outlook: Outlook, total: int | None, *, false: bool) -> str:
    if false:
        return "the claim is more likely false than true, and certifying it would probably waste labels"
    return (
        f"training and certification would take about {total:,} labels in all, more than the budget "
        f"of {outlook.goal.budget:,}"
    )


def affordable_target(outlook: Outlook) -> float | None:
    """The highest target, in hundredths below the claim's, that is likely to hold and whose
    certification is forecast to fit into the budget; None where there is none.
    """
    goal, value = outlook.goal, outlook.curve.now.quantile(CAUTIOUS)
    most = math.inf if outlook.left is None else float(outlook.left)
    low, high = 0, min(math.ceil(100 * goal.claim.target), math.ceil(100 * value)) - 1
    while low < high:
        middle = (low + high + 1) // 2
        claim = replace(goal.claim, target=middle / 100)
        price = cost_of(claim, goal.confidence, outlook.last.bands).price_at(value)
        low, high = (middle, high) if price is not None and price <= most else (low, middle - 1)
    return low / 100 if low else None


def _flagged(look: TrainingLook) -> float | None:
    """The share of the items that the classifier would flag for reading."""
    items = sum(band.items for band in look.bands)
    return sum(band.items for band in look.bands if band.predicted) / items if items else None


def _most_trained(outlook: Outlook) -> Belief:
    """What is believed of the metric at the most training that is possible."""
    budget = outlook.goal.budget
    if budget is None:
        return outlook.curve.end
    return outlook.curve.at(max(LATEST * budget, outlook.labels))
