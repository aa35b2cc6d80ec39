"""What `assaymark train` shows: advice first, then what it depends on, then what to do next."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assaymark.claims.record import plain
from assaymark.claims.results import counted, percent, shown
from assaymark.terminal.batches import advise_labels
from assaymark.terminal.output import advise, headline, quoted, rows, say
from assaymark.training.total_words import cost_rows

if TYPE_CHECKING:
    from assaymark.records.training import Advice
    from assaymark.training.freeze import Stopped
    from assaymark.training.rounds import Trained
    from assaymark.training.summary import TrainingLook, TrainingSummary

LOOKS_SHOWN = 12
ABOUT = {
    "rest": "items not used for training",
    "whole": "whole collection",
    "future": "part set aside for later items",
}


def show_round(done: "Trained", folder: Path) -> None:
    """What a round of training did and what comes next."""
    summary = done.summary
    place = quoted(folder)
    if done.begun:
        headline(
            f"Training for {summary.claim} with {percent(summary.confidence)} confidence has begun"
        )
        _show_settings(summary)
    else:
        _show_now(summary, done.advice)
    if done.changed:
        say(f"  Changed from here on: {', '.join(done.changed)}.")
    if done.reason:
        say(f"  {done.reason}")
    if not summary.looks and not done.begun:
        say(
            "  If you know relevant items, have them labelled first: "
            f"assaymark train --seeds IDS.csv -p {place}"
        )
    _show_next(done, folder)


def _show_next(done: "Trained", folder: Path) -> None:
    summary, place = done.summary, quoted(folder)
    batch = done.batch
    if batch is not None and batch.path is not None:
        rows([("batch", f"{counted(len(batch.items), 'item')} to label in {batch.path}")])
        advise_labels(batch.path, folder, then="train")
    elif batch is not None:
        advise(f"every item of the batch has a label already: assaymark train -p {place}")
    elif summary.waiting and summary.waiting == summary.disputed:
        advise(f"decide them in a file: assaymark draw --pending -p {place}")
    elif summary.waiting and done.advice is not None and done.advice.action == "certify":
        advise(f"assaymark train --stop -p {place}")
        say(f"  To label what was handed out first: assaymark draw --pending -p {place}")
    elif summary.waiting:
        advise(f"label them; to write them again: assaymark draw --pending -p {place}")
    elif done.advice is not None and done.advice.action == "reconsider":
        first, *others = _reconsidered(summary, done.advice, place)
        advise(first)
        for way in others:
            say(f"  Or: {way}")
    elif done.advice is not None and done.advice.action == "certify" and not summary.auto_certify:
        advise(f"assaymark train --stop -p {place}")
        say(f"  To go on anyway: assaymark train --batch 50 -p {place}")


def _reconsidered(summary: "TrainingSummary", advice: "Advice", place: str) -> list[str]:
    """What to do about a claim that is not worth its certification."""
    ways = []
    if advice.target is not None:
        claim = f"{summary.claim.split()[0]} >= {advice.target:g}"
        ways.append(f'assaymark train "{claim}" -p {place}')
    if summary.budget is not None:
        most = max(advice.total_high or advice.total or 0, summary.budget)
        more = 2 * most if advice.total is None else most
        ways.append(f"assaymark train --budget {more} -p {place}")
    return ways or [f"assaymark train --batch 50 -p {place}"]


def _show_settings(summary: "TrainingSummary") -> None:
    budget = "none named" if summary.budget is None else f"{summary.budget:,} labels in all"
    about = {
        "rest": "items not used for training",
        "whole": "all items, training items with the labels people gave them",
        "future": f"later items: a part of {percent(summary.keep or 0)} was set aside at random",
    }[summary.population]
    lines = [
        ("budget", budget),
        ("policy", summary.policy),
        ("sampling", summary.sampling),
        ("claim is about", about),
        ("certified by", summary.mode),
    ]
    if summary.learner != "linear":
        lines.append(("learner", summary.learner))
    if summary.auto_certify:
        lines.append(("when advised", "freeze the classifier, seal its plan and draw, by itself"))
    rows(lines)


def _show_now(summary: "TrainingSummary", advice: "Advice | None") -> None:
    """The verdict on the training, then its looks."""
    if advice is None:
        headline(summary.sentence, "wait")
    else:
        tone = "bad" if advice.out_of_reach else "good" if advice.action == "certify" else "wait"
        headline(str(advice), tone)
    lines = [
        ("claim", claim_line(summary)),
        ("training labels", labels_line(summary)),
    ]
    if advice is not None:
        lines += belief_lines(summary, advice)
    rows(lines)
    show_looks(summary.looks, summary.metric)


def claim_line(summary: "TrainingSummary") -> str:
    """The claim and what it is about."""
    return f"{summary.claim}, about the {ABOUT[summary.population]}"


def labels_line(summary: "TrainingSummary") -> str:
    """The training labels in one line: how many, of which kind."""
    parts = [f"{summary.positives:,} positive", f"{summary.random:,} random"]
    for name, noun in (("active", "active"), ("skipped", "cannot tell"), ("waiting", "waiting")):
        if number := getattr(summary, name):
            parts.append(f"{number:,} {noun}")
    return f"{summary.labels:,} ({', '.join(parts)})"


def belief_lines(summary: "TrainingSummary", advice: "Advice") -> list[tuple[str, str]]:
    """What is believed of the classifier, and what it costs now and at the best moment to stop."""
    lines = [
        (
            summary.metric,
            f"about {shown(advice.estimate)}, likely range {shown(advice.low)} to "
            f"{shown(advice.high)}; {summary.target:g} is wanted",
        )
    ]
    lines += cost_rows(advice, summary.budget)
    if advice.best_total is not None and (advice.total is None or advice.best_total < advice.total):
        lines.append(
            ("at the best", f"about {advice.best_total:,} with {advice.best_at:,} training labels")
        )
    return lines


def show_looks(looks: "Sequence[TrainingLook]", metric: str) -> None:
    """The learning curve as a small table, latest looks last."""
    if not looks:
        return
    if len(looks) > LOOKS_SHOWN:
        say(f"  … {len(looks) - LOOKS_SHOWN} earlier looks")
    head = ("labels", "positive", "raw estimate", metric, "likely range", "in all", "advice")
    lines = [
        (
            f"{look.labels:,}",
            f"{look.positives:,}",
            _short(look.cross_validated),
            _short(look.estimate),
            f"{_short(look.low)} to {_short(look.high)}",
            "–" if look.total is None else f"{look.total:,}",
            look.action,
        )
        for look in looks[-LOOKS_SHOWN:]
    ]
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, *lines]:
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        say("  " + "  ".join(cells))


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def stopped_json(done: "Stopped") -> dict[str, object]:
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
        "batch": done.batch and {"items": done.batch.items, "path": done.batch.path},
    }


def flagged_line(flagged: int, items: int) -> str:
    """How much the classifier leaves to read."""
    return f"{flagged:,} of {counted(items, 'item')} ({flagged / max(items, 1):.0%}) for reading"


def show_stopped(done: "Stopped", folder: Path) -> None:
    """The frozen classifier and its plan, and what comes next."""
    frozen, plan = done.frozen, done.plan
    summary = frozen.pool.summary
    headline(f"Model {frozen.model} is frozen; plan {plan.number} is sealed: {plan.claim}", "good")
    lines = [
        ("flags", flagged_line(summary.predicted_positive, summary.items)),
        ("scores", frozen.pool.source),
        ("labels to buy", done.cost.labels),
    ]
    if done.left is not None:
        lines.append(("budget left", counted(done.left, "label")))
    rows(lines)
    if done.left is not None and (done.cost.expected or 0) > done.left:
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
        advise_labels(done.batch.path, folder)
    else:
        advise(f"assaymark draw -p {place}")
