"""The command size: what a claim costs before there is a pool."""

from typing import TYPE_CHECKING

import click

from assaymark.certification.cli import (
    ExpectedOptions,
    read_expectation,
    size_of_one,
)
from assaymark.claims.defaults import POWER
from assaymark.claims.record import plain
from assaymark.claims.results import percent
from assaymark.terminal.options import CONFIDENCE, JSON, argument, option, with_options
from assaymark.terminal.output import headline, rows, show_json

if TYPE_CHECKING:
    from assaymark.claims.language.tree import ClaimTree
    from assaymark.composite.planning.sizes import ComparisonSize, SeveralSize
    from assaymark.records.plan import Expectation

GIVE = "Give --pilot TP,FP,FN,TN, or --expect VALUE --prevalence SHARE."


def _method(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if value == "mended":  # deprecated spelling
        return "corrected"
    choices = click.Choice(["exact", "printed", "corrected"])
    return str(choices.convert(value, parameter, context))


@click.command()
@with_options
def size(
    *,
    claim: str = argument(),
    expected: ExpectedOptions,
    groups: int | None = option('Groups of "in every …".', least=1, metavar="N"),
    differ: float | None = option("Share of items on which two classifiers differ."),
    gap: float | None = option("Expected gap between two classifiers."),
    confidence: float = CONFIDENCE,
    power: float = option("Wanted chance to pass.", default=POWER),
    sizes: tuple[int, ...] = option("Also: chance to pass at N.", "--at", metavar="N"),
    method: str = option(
        "printed: by simulation as in Bagdouri et al. (2013), to compare; corrected: with its "
        "equation 5 put right.",
        default="exact",
        metavar="[exact|printed|corrected]",
        callback=_method,
    ),
    anyway: bool = option("Accept a claim that points the unusual way, such as recall <= 0.9."),
    as_json: bool = JSON,
) -> None:
    """How many labels a claim will need, before any is bought.

    \b
    Examples:
      assaymark size "f1 >= 0.7" --pilot 80,20,20,880
      assaymark size "recall >= 0.8" --expect 0.85 --prevalence 0.02 --at 5000 --at 10000
      assaymark size "recall >= 0.8 in every language" --expect 0.9 --prevalence 0.1 --groups 6
      assaymark size "accuracy of b > accuracy of a" --differ 0.06 --gap 0.02
      assaymark size "f1 >= 0.7" --pilot 80,20,20,880 --method printed
    """
    from assaymark.claims.language.grammar import is_simple, parse

    tree = parse(claim)
    if method != "exact":
        _show_printed(claim, method, expected.pilot, confidence, power, as_json=as_json)
        return
    if is_simple(tree):
        if (groups, differ, gap) != (None, None, None):
            raise click.UsageError(
                f"'{tree}' is one claim: leave out --groups, --differ and --gap."
            )
        size_of_one(
            claim,
            expected,
            confidence=confidence,
            power=power,
            sizes=sizes,
            anyway=anyway,
            as_json=as_json,
        )
        return
    if sizes:
        raise click.UsageError("--at is about one claim judged once; leave it out.")
    if _compares(tree):
        _show_comparison(tree, differ, gap, confidence, as_json=as_json)
        return
    _show_parts(tree, expected, groups, confidence, power, as_json=as_json)


def _show_printed(
    claim: str, method: str, pilot: str | None, confidence: float, power: float, *, as_json: bool
) -> None:
    """The size by the paper's algorithms 1 and 2, for readers who compare; no plan is made by it."""
    from assaymark.claims.claim import Counts
    from assaymark.claims.ratio_metrics import parse_claim
    from assaymark.lab.experiments.test_size.printed_plan import printed_size

    asked = parse_claim(claim)
    if asked.metric != "f1" or asked.side != "lower" or pilot is None:
        raise click.UsageError(
            f"--method {method} is the paper's: it needs --pilot TP,FP,FN,TN and a claim like "
            '"f1 >= 0.7". Leave --method out for any other.'
        )
    labels = printed_size(
        Counts.parse(pilot), asked.target, literal=method == "printed", confidence=confidence, power=power
    )  # fmt: skip
    note = "simulated as printed: its interval is too narrow, so a test of this size proves less"
    if method == "corrected":
        note = "simulated as printed, but for the second division by n − 1 in equation 5"
    if as_json:
        show_json({"claim": str(asked), "method": method, "labels": labels, "note": note})
        return
    headline(f"{asked} with {percent(confidence)} confidence")
    shown = "none: the pilot's F1 is below the target, or no size suffices"
    rows([("labels, judged once", shown if labels is None else f"{labels:,}"), ("method", note)])


def _compares(tree: "ClaimTree") -> bool:
    from assaymark.claims.language.tree import Comparison

    return len(tree.parts) == 1 and isinstance(tree.parts[0], Comparison) and not tree.every


def _show_comparison(
    tree: "ClaimTree",
    differ: float | None,
    gap: float | None,
    confidence: float,
    *,
    as_json: bool,
) -> None:
    from assaymark.composite.planning.sizes import size_of_comparison

    answer: ComparisonSize = size_of_comparison(
        tree.parts[0],  # type: ignore[arg-type]
        differ=differ,
        gap=gap,
        confidence=confidence,
    )
    if as_json:
        show_json({"claim": str(tree), "confidence": confidence, **plain(answer)})
        return
    headline(f"{tree} with {percent(confidence)} confidence")
    rows(
        [
            ("labels, better or worse", f"about {answer.both:,}; you may look at any time"),
            ("labels, one direction", f"about {answer.one:,}"),
            ("sign test", f"{answer.sign_test:,} disagreements, judged once (power .8)"),
            ("McNemar's test", f"{answer.mcnemar:,} random labels, judged once (power .8)"),
        ]
    )


def _show_parts(
    tree: "ClaimTree",
    expected: ExpectedOptions,
    groups: int | None,
    confidence: float,
    power: float,
    *,
    as_json: bool,
) -> None:
    from assaymark.claims.ratio_metrics import parse_claim
    from assaymark.composite.planning.sizes import size_of_parts

    def expectation(claim: str) -> "Expectation":
        answer = read_expectation(parse_claim(claim), expected)
        if answer is None:
            raise click.UsageError(GIVE)
        return answer

    answer: SeveralSize = size_of_parts(
        tree, expectation, groups=groups, confidence=confidence, power=power
    )
    if as_json:
        show_json({"claim": str(tree), "confidence": confidence, **plain(answer)})
        return
    headline(f"{tree} with {percent(confidence)} confidence for all of it together")
    lines = [
        (part.part, "looks false" if part.labels is None else f"about {part.labels:,} labels")
        for part in answer.parts
    ]
    if answer.groups > 1:
        lines.append(("groups", f"{answer.groups:,}, each by labels of its own"))
    if answer.labels is not None:
        lines.append(("labels together", f"about {answer.labels:,}"))
    if answer.bonferroni is not None and answer.bonferroni != answer.labels:
        lines.append(("split by Bonferroni", f"about {answer.bonferroni:,}"))
    rows(lines)
