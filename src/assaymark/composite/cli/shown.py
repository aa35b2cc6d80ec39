"""How claims of several rows are printed: what was sealed, what it may cost, what labels say."""

from typing import TYPE_CHECKING, Any

from assaymark.claims.results import counted, percent
from assaymark.terminal.output import advise, headline, quoted, rows, show_json

if TYPE_CHECKING:
    from assaymark.composite.planning.forecast import PartForecast, RungForecast
    from assaymark.composite.sealed import SealedClaim
    from assaymark.project.folder import Project

AHEAD = 0.05
MOST_PARTS = 40
Lines = list[tuple[str, str]]


def show_sealed(
    project: "Project", sealed: "SealedClaim", *, as_json: bool, expect: float | None = None
) -> None:
    """What was sealed, and what it may cost."""
    from assaymark.composite.wording import account_words

    last = project.state().head
    head = last.hash if last else ""
    cost, lines = cost_of(sealed, expect=expect)
    if as_json:
        show_json(_facts(sealed) | cost | {"head": head})
        return
    headline(f"Sealed: {sealed.claim} with {percent(sealed.stated)} confidence")
    lines = _lines(sealed) + lines
    if shared := account_words(sealed):
        lines.append(("risk", shared))
    rows([*lines, ("head", head)])
    advise(f"assaymark draw -p {quoted(project.folder)}")


def show_cost(sealed: "SealedClaim", *, as_json: bool, expect: float | None = None) -> None:
    """What the claim would cost, without sealing it."""
    cost, lines = cost_of(sealed, expect=expect)
    if as_json:
        show_json(_facts(sealed) | cost)
        return
    headline(f"{sealed.claim} with {percent(sealed.confidence)} confidence: not sealed")
    rows(_lines(sealed) + lines)


def _facts(sealed: "SealedClaim") -> dict[str, Any]:
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
    lines = [("items", f"{sealed.items:,} in {counted(len(sealed.strata), 'stratum')}")]
    lines = [(name, text.replace("stratums", "strata")) for name, text in lines]
    if sealed.judged == "once":
        lines.append(("judged", f"once, when {sealed.most:,} random labels are there"))
    elif sealed.ceiling is not None:
        lines.append(("budget", f"{sealed.most:,} labels"))
    if sealed.left_out:
        lines.append(("left out", ", ".join(" ".join(g) for g in sealed.left_out)))
    return lines


def cost_of(sealed: "SealedClaim", *, expect: float | None) -> tuple[dict[str, Any], Lines]:
    """What the claim may cost: facts for scripts, lines for people."""
    if sealed.kind == "comparison":
        return _comparison(sealed)
    if sealed.kind == "cut-off":
        return _ladder(sealed)
    return _parts(sealed, expect)


def _comparison(sealed: "SealedClaim") -> tuple[dict[str, Any], Lines]:
    from assaymark.composite.planning.forecast import expected_labels

    told = expected_labels(sealed)
    first = None if told is None else next(iter(told.values()))
    share = f"{100 * sealed.disagree / sealed.items:.3g} %"
    lines = [("predictions differ", f"{sealed.disagree:,} items ({share})")]
    lines += [("labels to expect", f"about {n:,} if {when}") for when, n in (told or {}).items()]
    return {"disagree": sealed.disagree, "expected_labels": first, "forecast": told}, lines


def _parts(sealed: "SealedClaim", expect: float | None) -> tuple[dict[str, Any], Lines]:
    from assaymark.composite.planning.forecast import expected_margins, forecast_parts, total_labels

    margin = AHEAD if expect is None else expected_margins(sealed, expect)
    by_scores, ahead = forecast_parts(sealed), forecast_parts(sealed, margin=margin)
    expected = total_labels(sealed, ahead)
    pairs = list(zip(by_scores, ahead, strict=True))
    lines = [_part_line(*pair) for pair in pairs[:MOST_PARTS]] if len(pairs) > 1 else []
    if len(ahead) > MOST_PARTS:
        lines.append(("and", f"{len(ahead) - MOST_PARTS} more parts"))
    what = "every part" if len(ahead) > 1 else "it"
    held = f"{what} is {AHEAD:g} better than claimed" if expect is None else f"it is {expect:g}"
    scored = total_labels(sealed, by_scores)
    if scored is not None and expect is None:
        lines.append(("labels to expect", f"about {scored:,} if the scores are right"))
    elif expect is None and sealed.is_scored and any(p.labels is None for p in by_scores):
        lines.append(("judging by the raw scores", "the claim looks false; they may be wrong"))
    if expected is not None:
        lines.append(("labels to expect", f"about {expected:,} if {held}"))
    facts = {
        "expected_labels": expected if expect is not None or scored is None else scored,
        "parts": [
            {
                "part": now.part,
                "group": list(now.group),
                "items": now.items,
                "believed_positives": now.positives,
                "labels_by_scores": now.labels,
                "labels_if_ahead": then.labels,
            }
            for now, then in zip(by_scores, ahead, strict=True)
        ],
    }
    return facts, lines


def _part_line(now: "PartForecast", then: "PartForecast") -> tuple[str, str]:
    name = " ".join([now.part, *(f"[{value}]" for value in now.group)])
    told = counted(now.items, "item")
    if now.positives is not None:
        told += f", about {now.positives:,} positive by the scores"
    if then.labels is not None:
        told += "; read whole" if then.whole else f"; about {then.labels:,} labels"
    return name, told


def _ladder(sealed: "SealedClaim") -> tuple[dict[str, Any], Lines]:
    from assaymark.composite.planning.forecast import forecast_rungs

    rungs = forecast_rungs(sealed)
    lines = [(f"{rung.cutoff:g}", _rung_line(rung, sealed)) for rung in rungs]
    facts = {
        "rungs": [rung.cutoff for rung in rungs],
        "forecast": [
            {
                "cutoff": rung.cutoff,
                "items": rung.items,
                "labels_fixed": rung.fixed,
                "labels_ladder": rung.ladder,
            }
            for rung in rungs
        ],
    }
    return facts, [("cut-offs", "in this order; one counts only with all before it"), *lines]


def _rung_line(rung: "RungForecast", sealed: "SealedClaim") -> str:
    told = f"{counted(rung.items, 'item')} above"
    if sealed.judged == "once":
        return told
    if rung.ladder is None:
        return f"{told}; the scores alone say that it fails"
    price = f"about {rung.ladder:,} labels"
    if rung.fixed is not None and rung.fixed < rung.ladder:
        price += f" ({rung.fixed:,} for it alone)"
    return f"{told}; {price}"


def facts_of(result: dict[str, Any]) -> Lines:
    """What a look prints below its statement."""
    from assaymark.composite.wording import gap_words, part_name

    lines = [("labels", f"{result['labels']:,} ({result['draws']:,} draws)")]
    if result["skipped"]:
        lines.append(("could not tell", f"{result['skipped']:,} (counted against every statement)"))
    if result["kind"] == "comparison":
        lines.append(("gap", gap_words(result)))
        lines.append(("predictions differ", counted(result["disagree"], "item")))
    for part in result.get("parts", ()):
        name = part_name(part)
        bound = "" if part["bound"] is None else f"; at least {part['bound']:g} on its own"
        if "<=" in part["part"]:
            bound = bound.replace("at least", "at most")
        proof = "holds" if result["family"] == "named" else "proof reached"
        words = {"reached": proof, "open": "open", "failed": "failed"}[part["state"]]
        lines.append((name, f"{words}{bound} ({part['labels']:,} of {part['items']:,} labelled)"))
    for rung in result.get("rungs", ()):
        told = f"{rung['state']}; {counted(rung['items'], 'item')} above"
        lines.append((f"{rung['cutoff']:g}", told))
    return lines
