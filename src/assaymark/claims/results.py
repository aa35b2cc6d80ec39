"""Answers. Each remembers its question, and `str()` is the sentence a person would say."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NoReturn

from assaymark.claims.claim import Claim, Counts, Side
from assaymark.claims.pictures import Bar, Picture, frame, html_answer, html_table, interval_picture
from assaymark.claims.record import Record
from assaymark.errors import InputError

Decision = Literal["pass", "fail", "continue"]
Ending = Literal["pass", "fail", "unproven", "continue"]


def percent(share: float) -> str:
    """A share as people say it: 0.95 is "95%"."""
    return f"{100 * share:.6g}%"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: "1 item", "2 items", "2 strata"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def unclear_words(number: int, against: str | None) -> str:
    """How many of the labelled items nobody could tell, and what they are counted against.

    >>> unclear_words(0, "the claim"), unclear_words(2, "the claim")
    ('0 (counted against the claim)', '2 of them (counted against the claim)')
    """
    what = f" (counted against {against})" if against else ""
    return f"{number:,}{' of them' if number else ''}{what}"


def chance(share: float) -> str:
    """A chance in whole per cent, never rounded to certainty.

    >>> chance(0.934), chance(0.9999), chance(0.0001)
    ('93%', 'more than 99%', 'less than 1%')
    """
    if share > 0.995:
        return "more than 99%"
    return "less than 1%" if share < 0.005 else f"{100 * share:.0f}%"


def shown(value: float | None) -> str:
    """An estimate to four decimals, rounded to the nearest."""
    return "undefined" if value is None else f"{value:.4f}".rstrip("0").rstrip(".")


def digits(value: float) -> str:
    """A number to three digits, without an exponent.

    >>> digits(0.92614), digits(0.0000489), digits(12345)
    ('0.926', '0.0000489', '12,300')
    """
    return f"{Decimal(f'{value:.3g}'):,f}"


def rounded(value: float, *, up: bool = False) -> str:
    """A bound to four decimals, rounded so that it never looks better than it is.

    >>> rounded(0.69), rounded(0.07, up=True), rounded(0.68997), rounded(0.07001, up=True)
    ('0.69', '0.07', '0.6899', '0.0701')
    """
    scaled = round(value * 1e4, 6)  # 0.69 · 10,000 is 6,899.999…
    whole = -(-scaled // 1) if up else scaled // 1
    return f"{whole / 1e4:.4f}".rstrip("0").rstrip(".") if value not in (0, 1) else f"{value:g}"


@dataclass(frozen=True, kw_only=True)
class Interval(Record):
    """Where the metric lies, with the stated confidence. A one-sided interval ends at 0 or 1."""

    low: float
    high: float
    confidence: float
    side: Side
    method: str
    guaranteed: bool

    @property
    def bound(self) -> float:
        """The end that a one-sided interval promises."""
        if self.side == "both":
            raise InputError("A two-sided interval has two ends: use .low and .high.")
        return self.low if self.side == "lower" else self.high

    def __str__(self) -> str:
        sure = f"with {percent(self.confidence)} confidence"
        if self.side == "lower":
            return f"≥ {rounded(self.low)} {sure}"
        if self.side == "upper":
            return f"≤ {rounded(self.high, up=True)} {sure}"
        return f"between {rounded(self.low)} and {rounded(self.high, up=True)} {sure}"


@dataclass(frozen=True, kw_only=True)
class Estimate(Record):
    """What a sample says about a metric. `point` is None, with a reason, where it is undefined."""

    metric: str
    title: str
    point: float | None
    interval: Interval
    labels: int
    draws: int
    design: str
    counts: Counts | None = None
    reason: str | None = None
    assumptions: tuple[str, ...] = ()

    def __str__(self) -> str:
        how = f"{counted(self.labels, 'label')}, {self.interval.method}, {self.design}"
        return f"{self.title} {self.interval} ({how})"

    @property
    def bound(self) -> float:
        """The proven bound: the lower or the upper end of a one-sided interval."""
        return self.interval.bound

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.interval.low

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.interval.high

    def is_behind(self, claim: Claim) -> bool:
        """Whether the estimate does not meet this claim; false where there is none."""
        if self.point is None:
            return False
        return self.point < claim.target if claim.side == "lower" else self.point > claim.target

    def row(self) -> dict[str, Any]:
        """The figures of the estimate as one row of a table."""
        return {
            "metric": self.metric,
            "point": self.point,
            "low": self.low,
            "high": self.high,
            "confidence": self.interval.confidence,
            "method": self.interval.method,
            "labels": self.labels,
        }

    def to_frame(self) -> Any:
        """One row as a pandas or polars data frame; a list of one dict where neither is installed."""
        return frame([self.row()])

    def plot(self) -> Picture:
        """The interval and the point on a scale from 0 to 1."""
        return interval_picture([self._bar()], caption=str(self))

    def _bar(self, target: float | None = None) -> Bar:
        return Bar(title=self.title, low=self.low, high=self.high, point=self.point, target=target)

    def _repr_html_(self) -> str:
        rows = [("in the sample", shown(self.point)), ("labels", f"{self.labels:,}")]
        return html_answer(str(self), rows, self.plot())


def useful(claim: Claim, interval: Interval) -> bool:
    """Whether a bound says anything that helps: it lies within a tenth of the way to the target."""
    if claim.side == "lower":
        return interval.low >= 0.1 * claim.target
    return interval.high <= min(10 * claim.target, 1 - 0.1 * (1 - claim.target))


@dataclass(frozen=True, kw_only=True)
class Verdict(Record):
    """What is established about a claim so far.

    `doubt` says, in a sentence, that an open claim looks false by its labels. `labels_left` are those
    that an open plan can still buy, where that is known.
    """

    decision: Decision
    claim: Claim
    estimate: Estimate
    labels_expected: int | None
    waiting: int
    skipped: int
    census: bool
    reason: str
    e_value: float | None = None
    log_wealth: float | None = None
    advice: str | None = None
    refuted: bool = False
    labels_ahead: tuple[int, int] | None = None
    doubt: str | None = None
    labels_left: int | None = None

    def __str__(self) -> str:
        word = {"pass": "Established", "fail": "Not established", "continue": "Not yet"}
        return f"{word[self.decision]}: {self.reason}"

    @property
    def ending(self) -> Ending:
        """The decision; "unproven" where a plan ended and its labels do not show that the claim is false."""
        shown = self.refuted or self.census
        return "unproven" if self.decision == "fail" and not shown else self.decision

    @property
    def outlook(self) -> str | None:
        """How many more labels it will probably take, or why that is not said; None without labels."""
        if self.labels_ahead is None:
            return self._no_outlook
        low, high = self.labels_ahead
        if low >= high:
            everything = ": everything that is left" if high == self.labels_left else ""
            return f"roughly {counted(high, 'more label')}{everything}"
        return f"roughly {low:,}–{high:,} more labels"

    @property
    def _no_outlook(self) -> str | None:
        if self.decision != "continue" or self.labels_expected is not None or not self.labels_left:
            return None
        if not self.is_behind:
            return "no forecast of labels yet: too little evidence so far" if self.labels else None
        beyond = "below" if self.claim.side == "lower" else "above"
        return f"no forecast of labels while the estimate is {beyond} the claim"

    @property
    def is_behind(self) -> bool:
        """Whether the estimate does not meet the claim; false where there is none."""
        return self.estimate.is_behind(self.claim)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "A verdict is neither true nor false: it may be 'not yet'. Write verdict.established, or "
            "compare verdict.decision with 'pass', 'fail' or 'continue'."
        )

    @property
    def established(self) -> bool:
        """Whether the claim is proven."""
        return self.decision == "pass"

    @property
    def bound(self) -> float:
        """What is proven about the metric so far."""
        return self.estimate.bound

    @property
    def labels(self) -> int:
        """How many labels the verdict uses."""
        return self.estimate.labels

    def row(self) -> dict[str, Any]:
        """The verdict as one row of a table."""
        first = {"claim": str(self.claim), "decision": self.decision}
        return first | self.estimate.row()

    def to_frame(self) -> Any:
        """One row as a pandas or polars data frame; a list of one dict where neither is installed."""
        return frame([self.row()])

    def plot(self) -> Picture:
        """The interval, the point and the target on a scale from 0 to 1."""
        bar = self.estimate._bar(self.claim.target)
        return interval_picture([bar], caption=f"{self.claim}: {self}")

    def _repr_html_(self) -> str:
        interval = self.estimate.interval
        proven = str(interval) if useful(self.claim, interval) else "nothing useful so far"
        rows = [
            ("claim", str(self.claim)),
            ("proven", proven),
            ("estimate", shown(self.estimate.point)),
            ("labels", f"{self.labels:,}"),
        ]
        return html_answer(str(self), rows, self.plot())


@dataclass(frozen=True, kw_only=True)
class Size(Record):
    """How many labels a fixed test of the claim needs; None, with a reason, where none is enough."""

    labels: int | None
    informative: float | None
    power: float | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class ModeForecast(Record):
    """What a claim costs in one mode, if the classifier is as expected.

    `labels` is what the plan would seal; `expected`, `median` and `quantile` (the share of cases
    asked for as power) are what it really uses. All None, with a reason, where it cannot work.
    `if_margin` are chances to pass if the true margin is this many times the expected one.
    """

    labels: int | None = None
    informative: float | None = None
    power: float | None = None
    expected: float | None = None
    median: int | None = None
    quantile: int | None = None
    ideal: float | None = None
    if_margin: tuple[tuple[float, float], ...] = ()
    reason: str | None = None


Basis = Literal["expectation", "pilot", "scores", "labels"]
"""What a forecast depends on: what somebody expects, a pilot, raw scores, or labels bought before."""


@dataclass(frozen=True, kw_only=True)
class Forecast(Record):
    """What a claim will cost in every mode, before anything is bought.

    `value` is the claimed metric's value under what is expected; `looks_false` says, in a sentence,
    that the claim is expected not to hold (then no mode has numbers), and `if_needed` is what it would
    cost if the classifier were good enough. `read_all` is the number of items that the claim is about,
    where reading all of them is no dearer than a proof, and `unlabelled` those of them without a label.
    """

    claim: Claim
    reachable_power: float
    elusion_floor: float | None
    modes: dict[str, ModeForecast]
    recommended: str | None = None
    why: str | None = None
    value: float | None = None
    basis: Basis = "expectation"
    looks_false: str | None = None
    read_all: int | None = None
    if_needed: "Forecast | None" = None
    unlabelled: int | None = None

    @property
    def refused(self) -> bool:
        """Whether a plan is refused: the claim looks false by more than raw scores."""
        return self.looks_false is not None and self.basis != "scores"

    @property
    def labels(self) -> int | None:
        """Labels to expect on average in the recommended mode; None where the claim looks false."""
        if self.recommended is None:
            return None
        expected = self.modes[self.recommended].expected
        return None if expected is None else round(expected)

    def rows(self) -> list[dict[str, Any]]:
        """One row per mode: its size if it has one, and the labels that it is expected to need."""
        return [
            {
                "mode": f"{name} (recommended)" if name == self.recommended else name,
                "plan size": mode.labels,
                "average": None if mode.expected is None else round(mode.expected),
                "typical": mode.median,
                "bad luck": mode.quantile,
                "chance to pass": None if mode.power is None else f"{mode.power:.0%}",
            }
            for name, mode in self.modes.items()
        ]

    def to_frame(self) -> Any:
        """One row per mode: a pandas or polars data frame, or a list of dicts without either."""
        return frame(self.rows())

    def _repr_html_(self) -> str:
        priced, heading = self, ""
        if self.if_needed is not None:
            priced = self.if_needed
            heading = f"<p>What it would cost if it is {shown(priced.value)}:</p>"
        return html_answer(str(self), [], None) + heading + html_table(priced.rows())

    def __str__(self) -> str:
        if self.looks_false or self.recommended is None:
            return self.looks_false or f"{self.claim}: no forecast"
        cost = self.modes[self.recommended]
        return (
            f"{self.claim}: about {cost.expected or 0:,.0f} labels on average "
            f"({cost.median or 0:,} typical, {cost.quantile or 0:,} with bad luck), {self.recommended}"
        )


@dataclass(frozen=True, kw_only=True)
class PowerCurve(Record):
    """The chance to pass at each size, in the same order."""

    sizes: tuple[int, ...]
    power: tuple[float, ...]
