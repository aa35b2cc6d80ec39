"""Accept, review, reject: the nouns of triage. A score decides; between two cut-offs people do."""

from dataclasses import dataclass
from typing import Any, Literal

from assaymark.claims.pictures import InSentence, html_answer
from assaymark.claims.record import Record
from assaymark.claims.results import counted, percent, shown
from assaymark.errors import InputError

Route = Literal["accept", "review", "reject"]
Rule = Literal["certified", "empirical", "sides", "precision"]
RULES = ("certified", "empirical", "sides", "precision")


@dataclass(frozen=True, kw_only=True)
class Cutoffs(Record):
    """Accept a score of at least `high`, reject one of at most `low`, review the rest.

    None means that nothing is accepted, or nothing rejected.
    """

    low: float | None
    high: float | None

    def __post_init__(self) -> None:
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise InputError(
                f"The lower cut-off must be below the upper one, got {self.low!r} and {self.high!r}: "
                "an item cannot be accepted and rejected."
            )

    @property
    def none(self) -> bool:
        """Whether everything goes to people."""
        return self.low is None and self.high is None

    def __str__(self) -> str:
        if self.none:
            return "all to review"
        parts = [f"accept from {self.high:.6g}" if self.high is not None else "accept nothing"]
        parts.append(f"reject up to {self.low:.6g}" if self.low is not None else "reject nothing")
        return ", ".join(parts)


@dataclass(frozen=True, kw_only=True)
class Tally(Record):
    """Labelled items by what triage did with them: decided rightly, wrongly, or sent to people."""

    tp: int
    fp: int
    fn: int
    tn: int
    review_positive: int
    review_negative: int

    @property
    def automated(self) -> int:
        """Items decided without people."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def errors(self) -> int:
        """Automated items decided wrongly."""
        return self.fp + self.fn

    @property
    def items(self) -> int:
        """All items."""
        return self.automated + self.review_positive + self.review_negative

    @property
    def accuracy(self) -> float | None:
        """Share of automated items decided rightly; None where nothing is automated."""
        return _share(self.tp + self.tn, self.automated)

    @property
    def automated_share(self) -> float:
        """The yield: the share of items that people need not see."""
        return self.automated / self.items if self.items else 0.0

    @property
    def precision_accept(self) -> float | None:
        """Share of relevant items among the accepted ones."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def precision_reject(self) -> float | None:
        """Share of irrelevant items among the rejected ones."""
        return _share(self.tn, self.tn + self.fn)

    @property
    def type_1(self) -> float | None:
        """Share of all irrelevant items, reviewed ones included, that were accepted."""
        return _share(self.fp, self.fp + self.tn + self.review_negative)

    @property
    def type_2(self) -> float | None:
        """Share of all relevant items, reviewed ones included, that were rejected."""
        return _share(self.fn, self.fn + self.tp + self.review_positive)

    def utility(self, weights: tuple[float, float, float, float] = (1, -1, -1, 1)) -> float:
        """Linear utility: weights for tp, fp, fn and tn (equation 3 of Kraaij et al.)."""
        cells = (self.tp, self.fp, self.fn, self.tn)
        return float(sum(weight * cell for weight, cell in zip(weights, cells, strict=True)))

    def detection_cost(self, *, miss: float, false_alarm: float) -> float | None:
        """Cost of missed and of falsely accepted items per item (equation 4 of Kraaij et al.)."""
        if self.type_1 is None or self.type_2 is None:
            return None
        prevalence = (self.tp + self.fn + self.review_positive) / self.items
        return miss * self.type_2 * prevalence + false_alarm * self.type_1 * (1 - prevalence)

    def figures(self) -> dict[str, Any]:
        """Counts and everything reported about them, as plain values."""
        return {
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
            "tn": self.tn,
            "review": self.review_positive + self.review_negative,
            "yield": self.automated_share,
            "accuracy": self.accuracy,
            "precision_accept": self.precision_accept,
            "precision_reject": self.precision_reject,
            "type_1": self.type_1,
            "type_2": self.type_2,
        }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, kw_only=True)
class Step(Record):
    """One step of a certified walk: a region fixed before any label, and what the labels said."""

    share: float
    cutoffs: Cutoffs
    automated: int
    errors: int
    p_value: float
    passed: bool


@dataclass(frozen=True, kw_only=True)
class Triage(Record):
    """Cut-offs, the promise that goes with them, and what the labels showed.

    `certified` says whether the promise is proved; without it there are no cut-offs to use,
    except under the rule `empirical`, which proves nothing.
    """

    rule: Rule
    target: float
    delta: float
    cutoffs: Cutoffs
    certified: bool
    tally: Tally
    labels: int
    needed: int | None
    steps: tuple[Step, ...] = ()
    reason: str | None = None
    assumptions: tuple[str, ...] = ()

    @property
    def guaranteed_accuracy(self) -> float | None:
        """The accuracy that is promised; None under rules that promise something else."""
        return self.target if self.certified and self.rule in ("certified", "precision") else None

    @property
    def promise(self) -> str:
        """What is promised, in one sentence, or that nothing is."""
        if self.rule == "empirical":
            return "No guarantee: these cut-offs are the best on the labels they were chosen with."
        if not self.certified:
            return f"Nothing is promised and everything goes to people: {self.reason}"
        sure = f"with {percent(1 - self.delta)} confidence"
        what = {
            "certified": f"at least {percent(self.target)} of the automated decisions are right",
            "precision": f"at least {percent(self.target)} of the decisions on each automated side "
            "are right",
            "sides": f"at most {percent(1 - self.target)} of the irrelevant items are accepted and at "
            f"most {percent(1 - self.target)} of the relevant ones rejected",
        }[self.rule]
        return f"{what[0].upper()}{what[1:]}, {sure}."

    def __str__(self) -> str:
        accuracy = (
            f"{shown(self.tally.accuracy)} right among {counted(self.tally.automated, 'label')}"
        )
        return f"{self.promise} {str(self.cutoffs).capitalize()} ({accuracy})."

    def _repr_html_(self) -> str:
        facts = [("rule", self.rule), ("labels", f"{self.labels:,}")]
        return html_answer(
            str(self), [*facts, *(("assumes", one) for one in self.assumptions)], None
        )


@dataclass(frozen=True, kw_only=True)
class YieldPoint(Record):
    """The most that could be automated at one target, by hindsight."""

    target: float
    automated_share: float
    accuracy: float | None
    cutoffs: Cutoffs


@dataclass(frozen=True, kw_only=True)
class ScoreBin:
    """A bin of the histogram of scores, and where its items go."""

    low: float
    high: float
    items: int
    height: float
    route: Route


@dataclass(frozen=True, kw_only=True)
class SizeForecast(Record):
    """How many automated labels a certificate needs: the first size that passes with the wanted
    power, the size from which every larger one does too, and the fewest that can ever pass.
    """

    target: float
    expected: float
    delta: float
    power: float
    first: int
    stable: int
    fewest: int

    def __str__(self) -> str:
        return (
            f"{self.stable:,} labels of automated items prove an accuracy of {self.target:g} with "
            f"chance {self.power:g} if it is {self.expected:g} ({self.fewest:,} at the very least)"
        )


def calibration_words(calibrator: str) -> str:
    """How scores became probabilities.

    >>> calibration_words("platt"), calibration_words("none")
    ('calibrated (platt)', 'not calibrated')
    """
    return "not calibrated" if calibrator == "none" else f"calibrated ({calibrator})"


@dataclass(frozen=True, kw_only=True)
class Thresholds(InSentence, Record):
    """Cut-offs as a file that later steps read: what is promised, by which score, from which labels."""

    rule: Rule
    target: float
    delta: float
    certified: bool
    cutoffs: Cutoffs
    score: str
    promise: str
    labels: int
    automated_share: float
    placed_by: str
    sources: tuple[str, ...]
    software: str

    def __str__(self) -> str:
        return f"{self.promise} {str(self.cutoffs).capitalize()}."
