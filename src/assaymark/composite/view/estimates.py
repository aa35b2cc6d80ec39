"""What the parts of an open claim seem to be, judging by its labels: a warning before the verdict.

One idea: bounds need evidence, and a part that is going to fail never gets one worth showing. The
estimate is there from the first labels on: shares per stratum, with the scores worth one label. It is
said to look false when it is behind its target for nearly all shares that the labels leave likely.
"""

from collections import Counter
from collections.abc import Collection

import numpy as np

from assaymark.claims.results import counted, shown
from assaymark.composite.course import labelled_prefix
from assaymark.composite.look_facts import ConjunctionFacts, LookFacts
from assaymark.composite.planning.worlds import by_scores, claimed_figures
from assaymark.composite.wording import NAMED, part_name
from assaymark.composite.work import ClaimWork
from assaymark.ledger.events import State
from assaymark.stats.score_guided.kl_projection import Floats

WORLDS, SURE = 200, 0.95  # shares drawn from what the labels leave likely; how many must be behind


def labelled_shares(state: State, work: ClaimWork) -> Floats:
    """The share of every outcome per stratum: that of the labels, with the scores worth one label."""
    weights = _weights(state, work)
    shares: Floats = weights / weights.sum(axis=1, keepdims=True)
    return shares


def _weights(state: State, work: ClaimWork) -> Floats:
    """Labels per stratum and outcome, with the scores worth one label: parameters of a Dirichlet law."""
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
    weights: Floats = counts + prior
    return weights


def looks_false_words(state: State, work: ClaimWork, look: LookFacts) -> str | None:
    """That open parts look false by the labels so far; None where all seem to hold."""
    if look.kind != "conjunction" or look.decision != "continue" or not look.labels:
        return None
    if not work.sealed.strata:
        return None
    weights = _weights(state, work)
    worst = _worst(work, weights / weights.sum(axis=1, keepdims=True))
    is_open = [number for number, part in enumerate(look.parts) if part.state == "open"]
    behind = sorted((worst[n][1], n) for n in is_open if n in worst and worst[n][1] < 0)
    surely = _surely_behind(work, weights, {number for _, number in behind[:NAMED]})
    return _words(look, [(number, worst[number][0]) for _, number in behind if number in surely])


def _surely_behind(work: ClaimWork, weights: Floats, parts: set[int]) -> set[int]:
    """Those of the parts that miss their target in nearly all worlds that the labels leave likely."""
    if not parts:
        return parts
    rng = np.random.default_rng(0)
    drawn = rng.standard_gamma(weights, size=(WORLDS, *weights.shape))
    drawn = np.maximum(drawn, 1e-300)
    missed: Counter[int] = Counter()
    for shares in drawn / drawn.sum(axis=2, keepdims=True):
        worst = _worst(work, shares, parts)
        missed.update(part for part, (_, ahead) in worst.items() if ahead < 0)
    return {part for part in parts if missed[part] >= SURE * WORLDS}


def _worst(
    work: ClaimWork, shares: Floats, parts: Collection[int] | None = None
) -> dict[int, tuple[float, float]]:
    """By part, the value that is furthest behind its target, and how far it is ahead of it."""
    worst: dict[int, tuple[float, float]] = {}
    for figure in claimed_figures(work.sealed):
        if parts is not None and figure.part not in parts:
            continue
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
    return f"Judging by the labels so far {what} looks false: {'; '.join(named)}."
