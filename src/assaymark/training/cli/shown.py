"""What `assaymark train` shows: advice first, then what it rests on, then what to do next."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assaymark.claims.record import plain
from assaymark.claims.results import counted, percent, shown
from assaymark.terminal.output import advise, headline, quoted, rows, say

if TYPE_CHECKING:
    from assaymark.sampling.surveys import SurveyBatch
    from assaymark.training.freeze import Stopped
    from assaymark.training.rounds import Trained

LOOKS_SHOWN = 12
ABOUT = {
    "rest": "items not used for training",
    "whole": "whole collection",
    "future": "part set aside for later items",
}


def batch_json(batch: "SurveyBatch | None") -> dict[str, Any] | None:
    """What was handed out for training, for scripts."""
    if batch is None:
        return None
    path = None if batch.path is None else str(batch.path)
    return {**plain(batch), "items": list(batch.items), "path": path}


def show_round(done: "Trained", folder: Path) -> None:
    """What a round of training did and what comes next."""
    told = done.told
    place = quoted(folder)
    if done.begun:
        headline(
            f"Training for {told['claim']} with {percent(told['confidence'])} confidence has begun"
        )
        _show_settings(told)
    else:
        _show_now(told, done.advice)
    if done.changed:
        say(f"  Changed from here on: {', '.join(done.changed)}.")
    if done.reason:
        say(f"  {done.reason}")
    if not told["looks"] and not done.begun:
        say(
            "  If you know relevant items, have them labelled first: "
            f"assaymark train --seeds IDS.csv -p {place}"
        )
    batch = done.batch
    if batch is not None and batch.path is not None:
        rows([("batch", f"{counted(len(batch.items), 'item')} to label in {batch.path}")])
        advise(
            f"fill in the column 'label', then: assaymark label {quoted(batch.path)} -p {place}; "
            f"assaymark train -p {place}"
        )
    elif batch is not None:
        advise(f"every item of the batch has a label already: assaymark train -p {place}")
    elif told["waiting"] and told["waiting"] == told["disputed"]:
        advise(f"decide them in a file: assaymark label FILE --adjudicate -p {place}")
    elif told["waiting"]:
        advise(f"label them; to write them again: assaymark draw --pending -p {place}")
    elif done.advice is not None and done.advice.action == "certify" and not told["auto_certify"]:
        advise(
            f"assaymark train --stop -p {place}; to go on all the same: assaymark train --batch 50 -p {place}"
        )


def _show_settings(told: dict[str, Any]) -> None:
    budget = "none named" if told["budget"] is None else f"{told['budget']:,} labels in all"
    about = {
        "rest": "items not used for training",
        "whole": "all items, training items with the labels people gave them",
        "future": f"later items: a part of {percent(told['keep'] or 0)} was set aside by lot",
    }[told["population"]]
    lines = [
        ("budget", budget),
        ("policy", told["policy"]),
        ("sampling", told["sampling"]),
        ("claim is about", about),
        ("certified by", told["mode"]),
    ]
    if told["learner"] != "linear":
        lines.append(("learner", told["learner"]))
    if told["auto_certify"]:
        lines.append(("when advised", "freeze the classifier, seal its plan and draw, by itself"))
    rows(lines)


def _show_now(told: dict[str, Any], advice: Any) -> None:
    """The verdict on the training, then its looks."""
    if advice is None:
        headline(told["sentence"], "wait")
    else:
        tone = "bad" if advice.out_of_reach else "good" if advice.action == "certify" else "wait"
        headline(str(advice), tone)
    lines = [
        ("claim", claim_line(told)),
        ("training labels", labels_line(told)),
    ]
    if advice is not None:
        lines += _believed(told, advice)
    rows(lines)
    show_looks(told["looks"], told["metric"])


def claim_line(told: dict[str, Any]) -> str:
    """The claim and what it is about."""
    return f"{told['claim']}, about the {ABOUT[told['population']]}"


def labels_line(told: dict[str, Any]) -> str:
    """The training labels in one line: how many, of which kind."""
    parts = [f"{told['positives']:,} positive", f"{told['random']:,} random"]
    for name, noun in (("active", "active"), ("skipped", "cannot tell"), ("waiting", "waiting")):
        if told[name]:
            parts.append(f"{told[name]:,} {noun}")
    return f"{told['labels']:,} ({', '.join(parts)})"


def _believed(told: dict[str, Any], advice: Any) -> list[tuple[str, str]]:
    lines = [
        (
            told["metric"],
            f"about {shown(advice.estimate)}, likely range {shown(advice.low)} to "
            f"{shown(advice.high)}; {told['target']:g} is wanted",
        )
    ]
    if advice.flagged is not None:
        lines.append(
            ("flagged for reading", f"{advice.flagged:.0%} of the items: that much is left to read")
        )
    lines.append(("labels in all", _total(told, advice)))
    if advice.best_total is not None and advice.best_at != advice.labels:
        lines.append(
            ("at the best", f"about {advice.best_total:,} with {advice.best_at:,} training labels")
        )
    return lines


def _total(answer: dict[str, Any], advice: Any) -> str:
    """The forecast of the whole cost, whether or not the budget has room for it."""
    if advice.total is None:
        return "no forecast: the estimate does not meet the claim yet"
    low, budget = advice.total_low or advice.total, answer["budget"]
    span = f"{advice.total:,}" if low == advice.total else f"{low:,}–{advice.total:,}"
    text = f"about {span} if training stops now"
    if budget is None:
        return text
    if low > budget:
        return (
            f"{text}, more than the budget of {budget:,}: raise it, lower the target, or train more"
        )
    enough = "is" if advice.total <= budget else "may not be"
    return f"{text}; the budget of {budget:,} {enough} enough"


def show_looks(looks: list[dict[str, Any]], metric: str) -> None:
    """The learning curve as a small table, latest looks last."""
    if not looks:
        return
    if len(looks) > LOOKS_SHOWN:
        say(f"  … {len(looks) - LOOKS_SHOWN} earlier looks")
    head = ("labels", "positive", "raw estimate", metric, "likely range", "in all", "advice")
    lines = [
        (
            f"{look['labels']:,}",
            f"{look['positives']:,}",
            _short(look["cross_validated"]),
            _short(look["estimate"]),
            f"{_short(look['low'])} to {_short(look['high'])}",
            "–" if look["total"] is None else f"{look['total']:,}",
            look["action"],
        )
        for look in looks[-LOOKS_SHOWN:]
    ]
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, *lines]:
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        say("  " + "  ".join(cells))


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def stopped_json(done: "Stopped") -> dict[str, Any]:
    """The frozen classifier and its plan, for scripts."""
    frozen = done.frozen
    return {
        "model": frozen.model,
        "threshold": frozen.threshold,
        "population": frozen.population,
        "sentence": done.sentence,
        "items": frozen.pool.summary.items,
        "predicted_positive": frozen.pool.summary.predicted_positive,
        "excluded": frozen.excluded,
        "scores": frozen.pool.source,
        "left": done.left,
        "unsettled": done.unsettled,
        "plan": plain(done.plan),
        "batch": None
        if done.batch is None
        else {
            "items": list(done.batch.items),
            "path": None if done.batch.path is None else str(done.batch.path),
        },
    }


def flagged_line(flagged: int, items: int) -> str:
    """How much the classifier leaves to read."""
    return f"{flagged:,} of {counted(items, 'item')} ({flagged / max(items, 1):.0%}) for reading"


def show_stopped(done: "Stopped", folder: Path) -> None:
    """The frozen classifier and its plan, and what comes next."""
    frozen, plan = done.frozen, done.plan
    summary = frozen.pool.summary
    headline(f"Model {frozen.model} is frozen; plan {plan.number} is sealed: {plan.claim}", "good")
    expected = (
        "as many as it takes" if plan.expected_labels is None else f"{plan.expected_labels:,}"
    )
    lines = [
        ("flags", flagged_line(summary.predicted_positive, summary.items)),
        ("scores", frozen.pool.source),
        ("labels to buy", f"{'' if plan.expected_labels is None else 'about '}{expected}"),
    ]
    if done.left is not None:
        lines.append(("budget left", counted(done.left, "label")))
    rows(lines)
    if done.left is not None and (plan.expected_labels or 0) > done.left:
        say(
            f"  The plan is expected to need more labels than the budget has left. It may still pass "
            f"within {done.left:,}; nothing stops you from buying more."
        )
    if done.unsettled:
        say(
            f"  {counted(done.unsettled, 'item')} handed out for training without a settled label "
            "trained nothing."
        )
    say(f"  {done.sentence}")
    place = quoted(folder)
    if done.batch is not None and done.batch.path is not None:
        rows([("batch", f"{counted(len(done.batch.items), 'item')} to label in {done.batch.path}")])
        advise(f"assaymark label {quoted(done.batch.path)} -p {place}, when it is filled in")
    else:
        advise(f"assaymark draw -p {place}")
