"""How claims of several rows are printed: what was sealed, what it may cost, what labels say."""

from typing import TYPE_CHECKING

from assaymark.claims.record import plain
from assaymark.claims.results import counted, percent
from assaymark.terminal.output import advise, headline, quoted, rows, show_json
from assaymark.terminal.seeds import advise_reveal, seed_lines

if TYPE_CHECKING:
    from assaymark.composite.planning.forecast import PartForecast, RungForecast
    from assaymark.composite.planning.rehearsing import Labels
    from assaymark.composite.sealed import SealedClaim
    from assaymark.project.folder import Project

MOST_PARTS = 40
Lines = list[tuple[str, str]]


def show_sealed(
    project: "Project", sealed: "SealedClaim", *, as_json: bool, expect: float | None = None
) -> None:
    """What was sealed, and what it may cost."""
    from assaymark.composite.wording import account_words, sealed_words

    last = project.state().head
    head = last.hash if last else ""
    cost, lines = cost_of(sealed, expect=expect)
    if as_json:
        show_json(_facts(sealed) | cost | {"source": plain(sealed.source), "head": head})
        return
    headline(f"Sealed: {sealed_words(sealed)} with {percent(sealed.stated)} confidence")
    lines = _lines(sealed) + lines
    if shared := account_words(sealed):
        lines.append(("risk", shared))
    if sealed.source.law == "open":
        rows([*lines, ("head", head)])
        advise(f"assaymark draw -p {quoted(project.folder)}")
        return
    rows([*lines, *seed_lines("", sealed.source), ("head", head)])
    advise_reveal(sealed.source, quoted(project.folder))


def show_cost(sealed: "SealedClaim", *, as_json: bool, expect: float | None = None) -> None:
    """What the claim would cost, without sealing it."""
    from assaymark.composite.wording import sealed_words

    cost, lines = cost_of(sealed, expect=expect)
    if as_json:
        show_json(_facts(sealed) | cost)
        return
    headline(f"{sealed_words(sealed)} with {percent(sealed.confidence)} confidence: not sealed")
    rows(_lines(sealed) + lines)


def _facts(sealed: "SealedClaim") -> dict[str, object]:
    return {
        "kind": sealed.kind,
        "claim": sealed.claim,
        "confidence": sealed.stated,
        "items": sealed.items,
        "strata": len(sealed.strata),
        "rows": sum(len(c.rows) for c in sealed.compiled),
        "budget": sealed.most if sealed.ceiling is not None else None,
        "judged": sealed.judged,
        "left_out": [list(group) for group in sealed.left_out],
        "risk": sealed.risk.to_json(),
    }


def _lines(sealed: "SealedClaim") -> Lines:
    strata = counted(len(sealed.strata), "stratum", "strata")
    lines = [("items", f"{sealed.items:,} in {strata}")]
    if sealed.judged == "once":
        lines.append(("judged", f"once, when {counted(sealed.most, 'random item')} have labels"))
    elif sealed.ceiling is not None:
        lines.append(("budget", counted(sealed.most, "label")))
    if sealed.left_out:
        lines.append(("left out", ", ".join(" ".join(g) for g in sealed.left_out)))
    return lines


def cost_of(sealed: "SealedClaim", *, expect: float | None) -> tuple[dict[str, object], Lines]:
    """What the claim may cost: facts for scripts, lines for people."""
    if sealed.kind == "comparison":
        return _comparison(sealed)
    if sealed.kind == "cut-off":
        return _ladder(sealed)
    return _parts(sealed, expect)


def _comparison(sealed: "SealedClaim") -> tuple[dict[str, object], Lines]:
    from assaymark.composite.planning.forecast import expected_labels
    from assaymark.composite.planning.forecast_words import about

    forecast = expected_labels(sealed)
    typical = {when: labels.typical for when, labels in (forecast or {}).items()}
    share = f"{100 * sealed.disagree / sealed.items:.3g} %"
    lines = [("predictions differ", f"{counted(sealed.disagree, 'item')} ({share})")]
    better = f"{sealed.columns.predictions[1]} is"
    lines += [
        ("labels to expect", f"{about(labels, sealed.disagree)} if {when.replace('b is', better)}")
        for when, labels in (forecast or {}).items()
    ]
    facts: dict[str, object] = {
        "disagree": sealed.disagree,
        "expected_labels": next(iter(typical.values()), None),
        "forecast": typical or None,
        "ranges": {when: _range(labels) for when, labels in (forecast or {}).items()},
    }
    return facts, lines


def _range(labels: "Labels | None") -> list[int] | None:
    """Low end and bad luck."""
    return None if labels is None else [labels.low, labels.bad_luck]


def _parts(sealed: "SealedClaim", expect: float | None) -> tuple[dict[str, object], Lines]:
    from assaymark.composite.planning.forecast import forecast_claim
    from assaymark.composite.planning.forecast_words import cost_lines, part_line

    forecast = forecast_claim(sealed, expect=expect)
    parts = forecast.parts
    lines = [part_line(part, forecast) for part in parts[:MOST_PARTS]] if len(parts) > 1 else []
    if len(parts) > MOST_PARTS:
        lines.append(("and", f"{len(parts) - MOST_PARTS} more parts"))
    lines += cost_lines(sealed, forecast) + _small_groups(list(parts), sealed)
    facts: dict[str, object] = {
        "expected_labels": forecast.expected,
        "range_by_scores": _range(forecast.labels),
        "range_if_ahead": _range(forecast.needed),
        "looks_false": forecast.looks_false,
        "parts": [
            {
                "part": part.part,
                "group": list(part.group),
                "items": part.items,
                "believed_positives": part.positives,
                "value_by_scores": part.value,
                "labels_by_scores": part.labels,
                "labels_if_ahead": part.needed,
                "labels_by_wins": None if part.wins is None else dict(part.wins),
            }
            for part in parts
        ],
    }
    return facts, lines


def _small_groups(parts: "list[PartForecast]", sealed: "SealedClaim") -> Lines:
    """Groups that are all items labelled, and what becomes of the claim where one has no positive."""
    from assaymark.composite.planning.forecast import LEAST

    small = dict.fromkeys(" ".join(p.group) for p in parts if p.group and p.items <= LEAST)
    if not small:
        return []
    names = ", ".join(small)
    undefined = any(row.guard for row in sealed.compiled[0].rows)
    fails = (
        (" A figure that cannot be computed there, because no item is positive, counts as failed.")
        if undefined
        else ""
    )
    return [
        (
            "all items labelled",
            f"{names}: {LEAST} items or fewer each, too few for a sample.{fails}",
        ),
        ("", f"To leave them out by name: --least-group {LEAST + 1}"),
    ]


def _ladder(sealed: "SealedClaim") -> tuple[dict[str, object], Lines]:
    from assaymark.composite.planning.forecast import forecast_rungs

    rungs = forecast_rungs(sealed)
    lines = [(f"{rung.cutoff:g}", _rung_line(rung, sealed)) for rung in rungs]
    facts: dict[str, object] = {
        "rungs": [rung.cutoff for rung in rungs],
        "forecast": [
            {
                "cutoff": rung.cutoff,
                "items": rung.items,
                "labels_fixed": rung.fixed,
                "labels_ladder": None if rung.ladder is None else rung.ladder.typical,
                "range_ladder": _range(rung.ladder),
            }
            for rung in rungs
        ],
    }
    order = "tested in this order; a cut-off is proven only if all before it are"
    if sealed.judged == "any time":
        order += ". The labels needed are judged by the raw scores alone, and often too high"
    return facts, [("cut-offs", order), *lines]


def _rung_line(rung: "RungForecast", sealed: "SealedClaim") -> str:
    from assaymark.composite.planning.forecast_words import about

    text = f"{counted(rung.items, 'item')} above"
    if sealed.judged == "once":
        return text
    if rung.ladder is None:
        return f"{text}; judging by the raw scores it fails"
    return f"{text}; {about(rung.ladder, sealed.items)}"
