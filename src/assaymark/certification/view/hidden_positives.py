"""Where the labels went, and what may still hide there: a row for each stratum.

A row's items are labelled in the random order of their tickets, and how far depends on what was
found; so its bound is one that holds whenever one looks.
"""

from dataclasses import dataclass

from assaymark.certification.modes.prefix import Prefix
from assaymark.certification.view.dossier import StratumRow
from assaymark.claims.results import counted
from assaymark.ledger.events import Attempt, DrawnItem
from assaymark.records.plan import Plan
from assaymark.stats.sequential.prior_posterior_ratio import positive_range

ScoreEnds = tuple[float | None, float | None]


@dataclass(frozen=True, kw_only=True)
class Group:
    """A stratum, or one predicted class of a simple sample, and what was labelled in it."""

    prediction: bool | None
    items: int
    ends: ScoreEnds
    answers: list[int | None]


def stratum_rows(
    attempt: Attempt,
    prefix: Prefix,
    *,
    ends: list[ScoreEnds],
    classes: dict[bool | None, int],
    visible: bool,
) -> tuple[StratumRow, ...]:
    """A row for each stratum of the plan; a simple sample by predicted class.

    `ends` are the scores at each stratum's ends, `classes` the sizes of the predicted classes.
    Where a look would be too early (not `visible`), only numbers of labels are given.
    """
    plan = attempt.plan
    fresh = [
        (draw, answer)
        for draw, answer in zip(prefix.drawn, prefix.answers, strict=True)
        if not draw.repeat
    ]
    groups = _by_stratum(plan, fresh, ends) if plan.kind.guided else _by_class(plan, fresh, classes)
    return tuple(_row(plan, group, visible=visible) for group in groups)


def _by_stratum(
    plan: Plan, fresh: list[tuple[DrawnItem, int | None]], ends: list[ScoreEnds]
) -> list[Group]:
    answers: dict[int, list[int | None]] = {number: [] for number in range(len(plan.strata))}
    for draw, answer in fresh:
        answers.setdefault(draw.stratum, []).append(answer)
    return [
        Group(
            prediction=stratum.prediction,
            items=stratum.items,
            ends=ends[number],
            answers=answers[number],
        )
        for number, stratum in enumerate(plan.strata)
    ]


def _by_class(
    plan: Plan, fresh: list[tuple[DrawnItem, int | None]], classes: dict[bool | None, int]
) -> list[Group]:
    wanted = {"predicted positive": (True,), "predicted negative": (False,)}
    names = wanted.get(plan.domain, tuple(classes))
    return [
        Group(
            prediction=name,
            items=classes[name],
            ends=(None, None),
            answers=[answer for draw, answer in fresh if draw.prediction is name],
        )
        for name in names
        if classes.get(name)
    ]


def _row(plan: Plan, group: Group, *, visible: bool) -> StratumRow:
    labels, skipped = len(group.answers), sum(answer is None for answer in group.answers)
    positives = sum(answer == 1 for answer in group.answers)
    against = 0 if group.prediction else 1  # the label that says the prediction is wrong
    wrong = sum(answer == against for answer in group.answers)
    # an item that nobody could tell may be wrong, so it counts as one here
    most = positive_range(
        items=group.items, labels=labels, positives=wrong + skipped, confidence=plan.confidence
    ).high
    hidden = most - wrong
    return StratumRow(
        name=row_name(group.prediction),
        prediction=group.prediction,
        score_low=group.ends[0],
        score_high=group.ends[1],
        items=group.items,
        labels=labels,
        positives=positives if visible else None,
        skipped=skipped,
        wrong=wrong if visible else None,
        hidden=hidden if visible else None,
        confidence=plan.confidence,
        sentence=_sentence(group.prediction, wrong, labels, hidden)
        if visible
        else f"{counted(labels, 'label')}; what they say is not shown yet",
    )


def row_name(prediction: bool | None) -> str:  # noqa: FBT001 - a predicted class, or none
    """The row's items in words."""
    return {True: "predicted relevant", False: "predicted not relevant", None: "all items"}[
        prediction
    ]


def _sentence(prediction: bool | None, wrong: int, labels: int, hidden: int) -> str:  # noqa: FBT001
    what = {True: "wrongly predicted", False: "missed", None: "relevant"}[prediction]
    counts = f"{wrong:,} {what} in {counted(labels, 'label')}"
    if hidden == 0:
        return f"{counts}; no {'more ' if wrong else ''}errors possible"
    return f"{counts}; up to {counted(hidden, 'more error' if wrong else 'error')} possible"
