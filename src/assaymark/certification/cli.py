"""Commands that need no project: bound and size."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from assaymark.claims.claim import Counts
from assaymark.claims.direction import refuse_wrong_way
from assaymark.claims.record import plain
from assaymark.claims.results import chance, counted, percent, shown
from assaymark.records.plan import Expectation
from assaymark.terminal.options import CONFIDENCE, JSON, option, with_options
from assaymark.terminal.output import (
    headline,
    rows,
    say,
    show_json,
)

if TYPE_CHECKING:
    from assaymark.claims.claim import Claim, Side
    from assaymark.claims.results import Forecast


class Share(click.ParamType[float]):
    """A number, or a number of per cent with its sign.

    >>> Share().convert("80 %", None, None)
    0.8
    """

    name = "float"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The share; refused where it is no number."""
        text = str(value).strip()
        number = text.removesuffix("%").rstrip()
        try:
            return float(number) / 100 if number != text else float(text)
        except ValueError:
            self.fail(f"{text!r} is not a number. Write 0.8 or 80%.", param, ctx)


SHARE = Share()


@dataclass(frozen=True, kw_only=True)
class ExpectedOptions:
    """The ways to say how good the classifier probably is."""

    pilot: str | None = option("Counts of a labelled random sample.", metavar="TP,FP,FN,TN")
    expect: float | None = option("The value of the metric that you expect.", type=SHARE)
    precision: float | None = option("Expected precision.", type=SHARE)
    recall: float | None = option("Expected recall.", type=SHARE)
    prevalence: float | None = option(
        "Expected share of relevant items; in a project it follows from the pool.", type=SHARE
    )


def read_expectation(
    claim: "Claim", options: ExpectedOptions, *, share: float | None = None
) -> Expectation | None:
    """The expectation behind these options; None where none was given.

    `share` is that of the predicted positives, where the pool is known.
    """
    precision, recall, prevalence = options.precision, options.recall, options.prevalence
    values = (options.expect, precision, recall, prevalence)
    if options.pilot is not None:
        if any(value is not None for value in values):
            raise click.UsageError("Give either --pilot or expected values, not both.")
        return Expectation(pilot=Counts.parse(options.pilot))
    if all(value is None for value in values):
        return None
    if options.expect is None:
        if precision is None or recall is None:
            raise click.UsageError("Give --expect, or both --precision and --recall.")
        return Expectation(precision=precision, recall=recall, prevalence=prevalence)
    from assaymark.certification.forecasts import calculators

    return calculators.expected(
        claim,
        options.expect,
        share=share,
        prevalence=prevalence,
        precision=precision,
        recall=recall,
    )


@click.command()
@with_options
def bound(
    metric: str = option("f1, recall, precision, accuracy, elusion, …"),
    counts: str = option("What the sample showed.", metavar="TP,FP,FN,TN"),
    confidence: float = CONFIDENCE,
    side: "Side | None" = option("lower, upper or both (default: upper for elusion, else lower)"),
    method: str = option("How to bound; exact is guaranteed.", default="exact"),
    design: str = option("How the sample was drawn.", default="simple"),
    as_json: bool = JSON,
) -> None:
    """What a labelled random sample says about a metric.

    \b
    Example:
      assaymark bound --metric f1 --counts 80,20,20,880
    """
    from assaymark.certification.forecasts import calculators

    side = side or ("upper" if metric.strip().lower() == "elusion" else "lower")
    answer = calculators.bound(
        metric, Counts.parse(counts), design=design, confidence=confidence, side=side, method=method
    )
    interval = answer.interval
    if as_json:
        show_json(
            {
                "metric": answer.metric,
                "method": interval.method,
                "confidence": interval.confidence,
                "side": interval.side,
                "point": answer.point,
                "low": interval.low,
                "high": interval.high,
                "labels": answer.labels,
                "guaranteed": interval.guaranteed,
                "reason": answer.reason,
                "assumptions": list(answer.assumptions),
            }
        )
        return
    headline(str(answer))
    point = shown(answer.point) if answer.reason is None else f"undefined: {answer.reason}"
    rows([("in the sample", point), *(("assumes", text) for text in answer.assumptions)])


def size_of_one(
    claim: str,
    expected: ExpectedOptions,
    *,
    confidence: float,
    power: float,
    sizes: tuple[int, ...],
    anyway: bool,
    as_json: bool,
) -> None:
    """How many labels a claim about one figure needs, for the command size."""
    from assaymark.certification.forecasts import calculators
    from assaymark.claims.ratio_metrics import parse_claim

    values = [expected.expect, expected.precision, expected.recall]
    whole = expected.pilot is None and expected.prevalence is None
    if whole and values != [None] * len(values):
        raise click.UsageError("--expect needs --prevalence: the share of items that are relevant.")
    asked = parse_claim(claim)
    refuse_wrong_way(asked, anyway=anyway)
    expectation = read_expectation(asked, expected)
    if expectation is None:
        raise click.UsageError("Give --pilot TP,FP,FN,TN, or --expect VALUE --prevalence SHARE.")
    answer = calculators.size(claim, expectation, confidence=confidence, power=power)
    curve = calculators.curve(claim, expectation, sizes, confidence=confidence)
    if as_json:
        show_json(
            {
                **forecast_json(answer),
                "confidence": confidence,
                "power": power,
                "curve": [
                    {"labels": n, "power": p} for n, p in zip(curve.sizes, curve.power, strict=True)
                ],
            }
        )
        return
    headline(f"{answer.claim} with {percent(confidence)} confidence")
    show_forecast(answer, calculators.expected_words(asked, expectation))
    for number, share in zip(curve.sizes, curve.power, strict=True):
        bar = "█" * round(40 * share)
        say(f"  {number:>9,} labels, judged once: {chance(share)} chance to pass  {bar}")


def forecast_json(answer: "Forecast") -> dict[str, object]:
    """A forecast as scripts read it."""
    return {
        "claim": str(answer.claim),
        "value": answer.value,
        "basis": answer.basis,
        "reachable_power": answer.reachable_power,
        "elusion_floor": answer.elusion_floor,
        "modes": {name: plain(mode) for name, mode in answer.modes.items()},
        "recommended": answer.recommended,
        "why": answer.why,
        "looks_false": answer.looks_false,
        "read_all": answer.read_all,
        "if_needed": None if answer.if_needed is None else forecast_json(answer.if_needed),
    }


def show_forecast(
    answer: "Forecast", expected: str, *, sealed: str | None = None, budget: int | None = None
) -> None:
    """A forecast as people read it: what it expects, then one line per mode.

    `sealed` is the mode of the plan that is about to be sealed: its row is marked, with the
    `budget` where the plan is not of the size that the row shows.
    """
    from assaymark.certification.planning import forecast_words as words
    from assaymark.claims.ratio_metrics import metric as metric_named

    rows(words.basis_words(answer, expected))
    if answer.looks_false:
        say(f"  {answer.looks_false}")
        if (needed := answer.if_needed) is not None:
            title = metric_named(needed.claim.metric).title
            say(f"  What it would cost if {title} is {shown(needed.value)}:")
            _show_modes(needed, sealed=sealed, budget=budget)
        return
    for sentence in (words.floor_words(answer), words.read_all_words(answer)):
        if sentence:
            say(f"  {sentence}")
    _show_modes(answer, sealed=sealed, budget=budget)


def _show_modes(answer: "Forecast", *, sealed: str | None, budget: int | None) -> None:
    """One line per mode."""
    from assaymark.certification.planning import forecast_words as words

    if not answer.modes:
        say("  no simple random sample proves this metric; in a project score-guided sampling does")
        return
    say(f"  labels{_who(answer.claim)}")
    say(f"  {'':<13}" + "".join(f"{name:>11}" for name in words.COLUMNS))
    for name, mode in answer.modes.items():
        if mode.reason:
            say(f"  {name:<13} not possible: {mode.reason}")
            continue
        cells = "".join(_cell(v) for v in (mode.labels, mode.expected, mode.median, mode.quantile))
        mark = _plan_mark(mode.labels, budget) if name == sealed else ""
        notes = [note for note in (words.mode_words(mode), mark) if note]
        say(f"  {name:<13}{cells}   {', '.join(notes)}".rstrip())
    if text := words.draws_words(answer):
        say(f"  {text}")
    if text := words.recommended_words(answer):
        say(f"  {text}")


def _plan_mark(labels: int | None, budget: int | None) -> str:
    """Marks the row of the plan; one that buys fewer labels has not the chance that the row names."""
    if budget in (None, labels):
        return "this plan"
    bought = counted(budget or 0, "label")
    if labels is not None and (budget or 0) < labels:
        return f"but this plan buys only {bought}, and passes less often"
    return f"this plan, with {bought}"


def _cell(value: float | None) -> str:
    return f"{'–' if value is None else format(round(value), ','):>11}"


def _who(claim: "Claim") -> str:
    from assaymark.claims.ratio_metrics import domain

    where = domain(claim)
    return {
        "predicted positive": " (of items that the classifier flagged)",
        "predicted negative": " (of items that the classifier rejected)",
    }.get(where, "")
