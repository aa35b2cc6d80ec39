"""What the parts of an open claim seem to be, judging by its labels: a warning before the verdict.

One idea: bounds need evidence, and a part that is going to fail never gets one worth showing. The
estimate is there from the first labels on: shares per stratum, with the scores worth one label.
"""

import numpy as np

from assaymark.claims.results import counted, shown
from assaymark.composite.course import labelled_prefix
from assaymark.composite.look_facts import ConjunctionFacts, LookFacts
from assaymark.composite.planning.worlds import by_scores, claimed_figures
from assaymark.composite.wording import NAMED, part_name
from assaymark.composite.work import ClaimWork
from assaymark.ledger.events import State
from assaymark.stats.score_guided.kl_projection import Floats


def labelled_shares(state: State, work: ClaimWork) -> Floats:
    """The share of every outcome per stratum: that of the labels, with the scores worth one label."""
    sealed = work.sealed
    outcomes = labelled_prefix(state, work)
    kinds = len(sealed.cells.labels)
    prior = (
        by_scores(sealed) if sealed.is_scored else np.full((len(sealed.strata), kinds), 1 / kinds)
    )
    counts = np.zeros((len(sealed.strata), kinds))
    for stratum, outcome in zip(work.strata, outcomes, strict=False):
        if outcome >= 0:
            counts[stratum, outcome] += 1
    shares: Floats = (counts + prior) / (counts.sum(axis=1, keepdims=True) + 1.0)
    return shares


def looks_false_words(state: State, work: ClaimWork, look: LookFacts) -> str | None:
    """That open parts look false by the labels so far; None where all seem to hold."""
    if look.kind != "conjunction" or look.decision != "continue" or not look.labels:
        return None
    if not work.sealed.strata:
        return None
    return _words(look, _worst(work, labelled_shares(state, work)))


def _worst(work: ClaimWork, shares: Floats) -> dict[int, tuple[float, float]]:
    """By part, the value that is furthest behind its target, and how far it is ahead of it."""
    worst: dict[int, tuple[float, float]] = {}
    for figure in claimed_figures(work.sealed):
        value, ahead = figure.value(shares), figure.margin(shares)
        if value is None or ahead is None:
            continue
        if figure.part not in worst or ahead < worst[figure.part][1]:
            worst[figure.part] = (value, ahead)
    return worst


def _words(look: ConjunctionFacts, worst: dict[int, tuple[float, float]]) -> str | None:
    behind = [
        (
            worst[number][1],
            f"{part_name(part)} would be {shown(worst[number][0])} ({counted(part.labels, 'label')})",
        )
        for number, part in enumerate(look.parts)
        if part.state == "open" and number in worst and worst[number][1] < 0
    ]
    if not behind:
        return None
    named = [text for _, text in sorted(behind)[:NAMED]]
    more = f"; and {len(behind) - NAMED} more" if len(behind) > NAMED else ""
    what = "it" if len(look.parts) == 1 else "the claim" if look.family != "named" else "some of it"
    return f"Judging by the labels so far {what} looks false: {'; '.join(named)}{more}."
