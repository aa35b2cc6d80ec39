"""Score-guided certification: exact in a finite pool, for every claim that is a ratio of counts.

One idea: fix strata by predicted class and score, look where the claim is hardest to believe, and
bet on what the labels will be. Scores, beliefs and stakes decide how many labels it takes; only
the law of the draws decides whether the certificate is right.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from assaymark.claims.checks import open_share
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import gain, metric, pool_form
from assaymark.errors import InputError
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.walk import SKIPPED, Walk
from assaymark.stats.score_guided.wealth import Flags, HelpForms, Ints, Recipe

# A certificate on fewer labels would look absurd, however lucky; the running maximum still counts.
FEWEST_LABELS = 30
# Counts are exact; this covers the rounding of three products, relative to their sum.
ROUNDING = 1e-14

KnownCells = tuple[int, int, int, int]
NOTHING_KNOWN: KnownCells = (0, 0, 0, 0)
"""Items whose label was known before the first draw, by cell: tp, fp, fn, tn."""


@dataclass(frozen=True, kw_only=True)
class Stratum:
    """Items of one predicted class with neighbouring scores; mean_score None where none exist."""

    predicted: bool
    size: int
    mean_score: float | None = None


@dataclass(frozen=True, kw_only=True)
class WeightedTest:
    """A claim on fixed strata, at a confidence. Strata that cannot matter are left out.

    `refutation` is the confidence at which the claim is refuted, where it is another one; at 1 it
    never is. A `capped` test states nothing beyond its claim. `known` items belong to the pool and
    to no stratum: what they contribute is certain.
    """

    claim: Claim
    confidence: float
    strata: tuple[Stratum, ...]
    recipe: Recipe = field(default_factory=Recipe)
    refutation: float | None = None
    capped: bool = False
    known: KnownCells = NOTHING_KNOWN

    def __post_init__(self) -> None:
        open_share("confidence", self.confidence)
        if not self.strata or any(s.size <= 0 for s in self.strata):
            raise InputError(
                f"A weighted test of {self.claim} needs strata with at least one item each, got "
                f"{[s.size for s in self.strata]}. Leave out empty strata."
            )
        scored = [s.mean_score is not None for s in self.strata]
        if any(scored) and not all(scored):
            raise InputError("Either every stratum has a mean score or none has.")
        if any(not 0 <= s.mean_score <= 1 for s in self.strata if s.mean_score is not None):
            raise InputError("Mean scores must be between 0 and 1. Map other scores by rank first.")
        if np.any(tests_at(self, [self.claim.target]).value == 0):
            raise InputError(
                f"Some strata say nothing about {self.claim}. Build the test with 'weighted_test'."
            )

    @property
    def log_needed(self) -> float:
        """The log wealth that certifies: ln(1/α)."""
        return -math.log1p(-self.confidence)

    @property
    def log_doubt_needed(self) -> float:
        """The log wealth of the mirrored test that refutes the claim."""
        if self.refutation is None:
            return self.log_needed
        return math.inf if self.refutation >= 1 else -math.log1p(-self.refutation)

    @property
    def sizes(self) -> Ints:
        """Items per stratum."""
        return np.array([s.size for s in self.strata], dtype=np.int64)

    @property
    def scores(self) -> Floats | None:
        """Mean score per stratum, or None."""
        if self.strata[0].mean_score is None:
            return None
        return np.array([s.mean_score for s in self.strata], dtype=np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Draws:
    """The labelled prefix in draw order: stratum, label (0, 1, or -1 for skipped), stored chances.

    `sampling[t]` are the chances per stratum stored with the batch of draw t, before strata that
    have since been emptied are left out.
    """

    strata: Ints
    labels: Ints
    sampling: Floats

    def __len__(self) -> int:
        return len(self.strata)

    def copy(self) -> "Draws":
        """The same draws, which nobody else can write to."""
        return Draws(
            strata=self.strata.copy(), labels=self.labels.copy(), sampling=self.sampling.copy()
        )


def first_draws(draws: Draws, end: int) -> Draws:
    """The draws up to an end."""
    return Draws(
        strata=draws.strata[:end], labels=draws.labels[:end], sampling=draws.sampling[:end]
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class WeightedPath:
    """What the labels say so far: the claim's wealth, its opponent's, and what is certain.

    `log_wealth` and `log_doubt` are those of the test of the claim and of the mirrored test, which
    refutes it at its own level. `passed_at` and `failed_at` count draws.
    """

    test: WeightedTest
    log_wealth: Floats
    log_doubt: Floats
    passed_at: int | None
    failed_at: int | None
    certain: Literal["pass", "fail"] | None
    undefined: bool

    @property
    def labels(self) -> int:
        """How many draws were labelled or skipped."""
        return len(self.log_wealth)

    @property
    def evidence(self) -> float:
        """The largest log wealth so far; it certifies at `test.log_needed`."""
        return max(0.0, float(self.log_wealth.max(initial=0.0)))

    @property
    def decision(self) -> Literal["pass", "fail", "continue"]:
        """Certainty first; otherwise whichever test reached its level first."""
        if self.certain:
            return self.certain
        if self.passed_at is None and self.failed_at is None:
            return "continue"
        return "pass" if (self.passed_at or math.inf) <= (self.failed_at or math.inf) else "fail"

    def __str__(self) -> str:
        how = "with certainty" if self.certain else f"at {self.test.confidence:.0%} confidence"
        word = {"pass": "holds", "fail": "is refuted", "continue": "is not decided"}[self.decision]
        return f"{self.test.claim} {word} {how} ({self.labels} labels, score-guided)"


def weighted_test(
    claim: Claim,
    strata: Sequence[Stratum],
    *,
    confidence: float = 0.95,
    recipe: Recipe | None = None,
    known: KnownCells = NOTHING_KNOWN,
) -> WeightedTest:
    """The test of this claim on these strata, without those that say nothing about it.

    >>> cut = [Stratum(predicted=True, size=50), Stratum(predicted=False, size=950)]
    >>> len(weighted_test(Claim(metric="precision", side="lower", target=0.8), cut).strata)
    1
    """
    form = pool_form(claim, predicted_positive=1, predicted_negative=1)
    kept = tuple(s for s in strata if s.size > 0 and form.weight(predicted=s.predicted) != 0)
    return WeightedTest(
        claim=claim, confidence=confidence, strata=kept, recipe=recipe or Recipe(), known=known
    )


def _predicted(test: WeightedTest) -> Flags:
    return np.array([s.predicted for s in test.strata])


def tests_at(test: WeightedTest, targets: Sequence[float]) -> HelpForms:
    """The claim at each of these targets, one per row, in terms of labels that help it.

    Where a positive label hurts, a negative one helps: Σ w·y >= constant becomes
    Σ |w|·help >= constant + Σ |w|·size over those strata.
    """
    sizes, predicted = test.sizes, _predicted(test)
    value, helpful, required = [], [], []
    for target in targets:
        form = pool_form(
            replace(test.claim, target=target),
            predicted_positive=int(sizes[predicted].sum()),
            predicted_negative=int(sizes[~predicted].sum()),
        )
        weight = np.where(predicted, form.weight_positive, form.weight_negative)
        value.append(np.abs(weight))
        helpful.append(weight > 0)
        certain = float(np.dot(test.known, gain(replace(test.claim, target=target))))
        required.append(form.constant - float((weight * sizes)[weight < 0].sum()) - certain)
    return HelpForms(
        value=np.array(value),
        helpful=np.array(helpful, dtype=np.int64),
        required=np.array(required),
    )


def refutation(forms: HelpForms, sizes: Ints) -> HelpForms:
    """What refutes each row: the labels exchanged, and all the help that the row cannot spare."""
    return HelpForms(
        value=forms.value,
        helpful=1 - forms.helpful,
        required=(forms.value * sizes).sum(axis=1) - forms.required,
    )


def both(test: WeightedTest) -> HelpForms:
    """The claim and what refutes it."""
    claim = tests_at(test, [test.claim.target])
    return claim.joined(refutation(claim, test.sizes))


def walk(test: WeightedTest, tests: HelpForms | None = None) -> Walk:
    """A walk at its start, playing these tests (default: the claim and its mirror)."""
    tp, fp, fn, tn = metric(test.claim.metric).denominator
    predicted, sizes = _predicted(test), test.sizes
    return Walk(
        tests=both(test) if tests is None else tests,
        sizes=sizes,
        scores=test.scores,
        base=fp * float(sizes[predicted].sum())
        + tn * float(sizes[~predicted].sum())
        + float(np.dot(test.known, (tp, fp, fn, tn))),
        slopes=np.where(predicted, tp - fp, fn - tn).astype(np.float64),
        recipe=test.recipe,
    )


def check_draws(test: WeightedTest, draws: Draws) -> None:
    """Refuse draws that cannot have come from these strata: their proof would be void."""
    count, sizes = len(draws), test.sizes
    if draws.labels.shape != (count,) or draws.sampling.shape != (count, len(sizes)):
        raise InputError(
            f"{count} draws need {count} labels and {count} rows of {len(sizes)} chances, got "
            f"{draws.labels.shape} and {draws.sampling.shape}."
        )
    if count and not (draws.strata.min() >= 0 and draws.strata.max() < len(sizes)):
        raise InputError(f"Strata are numbered 0 to {len(sizes) - 1}, got {draws.strata.max()}.")
    if np.any((draws.labels != 0) & (draws.labels != 1) & (draws.labels != SKIPPED)):
        raise InputError("Labels are 0, 1 or -1 (skipped).")
    over = np.bincount(draws.strata, minlength=len(sizes)) > sizes
    if over.any():
        raise InputError(f"Stratum {int(np.argmax(over))} was drawn more often than it has items.")
    if not np.all(np.isfinite(draws.sampling)) or np.any(draws.sampling <= 0):
        _refuse_zero_chances(draws, sizes)


def _refuse_zero_chances(draws: Draws, sizes: Ints) -> None:
    taken = np.zeros(draws.sampling.shape, dtype=np.int64)
    taken[np.arange(len(draws)), draws.strata] = 1
    before = sizes - np.cumsum(taken, axis=0) + taken
    bad = ~(np.isfinite(draws.sampling) & (draws.sampling >= 0)) | (
        (before > 0) & (draws.sampling <= 0)
    )
    if bad.any():
        raise InputError(
            f"Draw {int(np.argmax(bad.any(axis=1))) + 1} has a stratum with items left and no "
            "chance to be drawn; every such chance must be above 0."
        )


def sampling(test: WeightedTest, draws: Draws) -> Floats:
    """The chances per stratum for a batch drawn when this prefix is labelled.

    Store them with the batch. They may be used for any number of draws ahead.
    """
    check_draws(test, draws)
    steps = walk(test)
    steps.feed(draws.strata, draws.labels, draws.sampling, play=False)
    return steps.sampling()


def replay(test: WeightedTest, draws: Draws) -> WeightedPath:
    """Everything the labelled prefix proves, recomputed from its first draw.

    *Assumes* each item was drawn uniformly from its stratum's unlabelled items, the stratum by the
    stored chances, and the chances fixed before the labels of the draws they were used for.
    *Source* Ville's inequality; see the page on score-guided certification.
    """
    check_draws(test, draws)
    log = walk(test).feed(draws.strata, draws.labels, draws.sampling)
    return judge(test, draws, log_wealth=log[0], log_doubt=log[1])


def judge(
    test: WeightedTest,
    draws: Draws,
    *,
    log_wealth: Floats,
    log_doubt: Floats,
    known: "Certainty | None" = None,
    easier: Floats | None = None,
) -> WeightedPath:
    """The path with its decisions: levels crossed, and what the labels settle by themselves.

    `easier` is the log wealth of easier targets, one per row: the claim waits for them, so that one
    risk covers the claim and every bound that is stated beside it.
    """
    known = certainty(test, draws) if known is None else known
    enough = np.arange(1, len(draws) + 1) >= test.recipe.fewest_labels
    risen = np.maximum.accumulate(log_wealth) >= test.log_needed
    if easier is not None and easier.size:
        risen &= (np.maximum.accumulate(easier, axis=1) >= test.log_needed).all(axis=0)
    doubted = np.maximum.accumulate(log_doubt) >= test.log_doubt_needed
    passed = (risen & enough & known.defined) | known.holds
    failed = (doubted & enough) | known.fails
    certain: Literal["pass", "fail"] | None = None
    if len(draws) and (known.holds[-1] or known.fails[-1]):
        certain = "pass" if known.holds[-1] else "fail"
    return WeightedPath(
        test=test,
        log_wealth=log_wealth,
        log_doubt=log_doubt,
        passed_at=_first(passed),
        failed_at=_first(failed),
        certain=certain,
        undefined=bool(len(draws)) and bool(known.undefined[-1]),
    )


def _first(flags: Flags) -> int | None:
    return int(np.argmax(flags)) + 1 if flags.any() else None


@dataclass(frozen=True, kw_only=True, eq=False)
class Certainty:
    """After each draw: does the claim hold, or fail, whatever the rest is? Is it defined at all?"""

    holds: Flags
    fails: Flags
    defined: Flags
    undefined: Flags

    def until(self, end: int) -> "Certainty":
        """The same after the first draws only."""
        return Certainty(**{name: flags[:end] for name, flags in vars(self).items()})


def certainty(test: WeightedTest, draws: Draws) -> Certainty:
    """What the labels settle without any statistics. A skipped item counts against the claim.

    A metric with a denominator of zero is undefined: never a pass.
    """
    claim, sizes, start = tests_at(test, [test.claim.target]), test.sizes, walk(test)
    value, required = claim.value[0], float(claim.required[0])
    helps = draws.labels == claim.helpful[0, draws.strata]
    total = float((value * sizes).sum())
    slack = ROUNDING * (total + abs(required))
    helped = _running(test, draws, value, helps)
    unhelped = _running(test, draws, value, ~helps)
    size = np.abs(start.slopes)
    counts = draws.labels == (start.slopes > 0)[draws.strata]
    least = start.base + float(np.minimum(start.slopes * sizes, 0.0).sum())
    most = start.base + float(np.maximum(start.slopes * sizes, 0.0).sum())
    defined = least + _running(test, draws, size, counts) > ROUNDING * most
    undefined = most - _running(test, draws, size, ~counts) <= ROUNDING * most
    return Certainty(
        holds=(helped >= required - slack) & defined,
        fails=(total - unhelped < required - slack) | undefined,
        defined=defined,
        undefined=undefined,
    )


def _running(test: WeightedTest, draws: Draws, amount: Floats, counted: Flags) -> Floats:
    """The sum of amount·counted after each draw: whole counts per class first, so no drift."""
    predicted = _predicted(test)
    total = np.zeros(len(draws))
    for side in (predicted, ~predicted):
        if side.any():
            total += amount[side][0] * np.cumsum(counted & side[draws.strata])
    return total
