"""What the parts of an open claim seem to be, judging by its labels: a warning before the verdict.

One idea: bounds need evidence, and a part that is going to fail never gets one worth showing. The
estimate is there from the first labels on: shares per stratum, with the scores worth one label. Whether
the claim is said to look false is not left to the estimate, which is behind its target at some look of
nearly every claim that is just true: the bets that would refute it must have won `doubt.GOAL` to 1. So
of claims that hold, at most one in that many is ever said to look false, at all looks together.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from assaymark.certification.modes.words import looks_false
from assaymark.claims.results import counted, shown
from assaymark.composite.course import course_of, labelled_prefix
from assaymark.composite.look_facts import ConjunctionFacts, LookFacts
from assaymark.composite.planning.worlds import ClaimedFigure, by_scores, claimed_figures
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.shared_risk.account import at_present
from assaymark.composite.wording import NAMED, part_name
from assaymark.composite.work import ClaimWork
from assaymark.ledger.events import State
from assaymark.stats.betting.path import RowPath, replay
from assaymark.stats.betting.rulings import doubted_rows
from assaymark.stats.score_guided.kl_projection import Floats


def labelled_shares(state: State, work: ClaimWork) -> Floats:
    """The share of every outcome per stratum: that of the labels, with the scores worth one label."""
    weights = weights_of(work.sealed, work.strata, labelled_prefix(state, work))
    shares: Floats = weights / weights.sum(axis=1, keepdims=True)
    return shares


def weights_of(sealed: SealedClaim, strata: Sequence[int], outcomes: Sequence[int]) -> Floats:
    """Labels per stratum and outcome, with the scores worth one label."""
    kinds = len(sealed.cells.labels)
    prior = (
        by_scores(sealed) if sealed.is_scored else np.full((len(sealed.strata), kinds), 1 / kinds)
    )
    counts = np.zeros((len(sealed.strata), kinds))
    for stratum, outcome in zip(strata, outcomes, strict=False):
        if outcome >= 0:
            counts[stratum, outcome] += 1
    weights: Floats = counts + prior
    return weights


def looks_false_words(state: State, work: ClaimWork, look: LookFacts) -> str | None:
    """That open parts look false by the labels so far; None where all seem to hold."""
    if look.kind != "conjunction" or look.decision != "continue" or not look.labels:
        return None
    if not work.sealed.strata:
        return None
    values = margins(claimed_figures(work.sealed), labelled_shares(state, work))
    behind = sorted(
        (values[n][1], n)
        for n, part in enumerate(look.parts)
        if part.state == "open" and n in values and values[n][1] < 0
    )
    if not behind:  # the rest takes longer
        return None
    doubted = doubted_parts(work.sealed, _path(state, work))
    return _words(look, [(n, values[n][0]) for _, n in behind if n in doubted][:NAMED])


def _path(state: State, work: ClaimWork) -> RowPath:
    """Everything the labels prove about the rows, by what earlier claims leave them now."""
    course, sealed = course_of(work), at_present(state, work)
    test = course.test if sealed == course.sealed else row_test(sealed)
    return replay(test, course.draws(work.strata, labelled_prefix(state, work)), course.foreseen)


def doubted_parts(sealed: SealedClaim, path: RowPath) -> set[int]:
    """The parts that the bets speak against, where they speak against the claim."""
    rows, start, doubted = doubted_rows(path), 0, set[int]()
    for number, part in enumerate(sealed.compiled[0].parts):
        mine, start = set(range(start, start + len(part.rows))), start + len(part.rows)
        if mine <= rows:
            doubted.add(number)
    return doubted


def margins(figures: Iterable[ClaimedFigure], shares: Floats) -> dict[int, tuple[float, float]]:
    """By part, the value that is furthest behind its target, and how far it is ahead of it."""
    worst: dict[int, tuple[float, float]] = {}
    for figure in figures:
        value, ahead = figure.value(shares), figure.margin(shares)
        if value is None or ahead is None:
            continue
        if figure.part not in worst or ahead < worst[figure.part][1]:
            worst[figure.part] = (value, ahead)
    return worst


def _words(look: ConjunctionFacts, behind: list[tuple[int, float]]) -> str | None:
    if not behind:
        return None
    parts = look.parts
    named = [
        f"{part_name(parts[n])} would be {shown(value)} ({counted(parts[n].labels, 'label')})"
        for n, value in behind
    ]
    what = "it" if len(parts) == 1 else "the claim" if look.family != "named" else "some of it"
    return looks_false(what, "; ".join(named))
