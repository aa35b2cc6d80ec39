"""What could still be claimed after a claim of several parts was refuted, judging by its labels."""

from dataclasses import replace
from fractions import Fraction

from assaymark.certification.planning.forecast_words import target_with_room
from assaymark.claims.language.tree import ClaimTree, Threshold
from assaymark.composite.planning.forecast import labels_in
from assaymark.composite.planning.forecast_words import about
from assaymark.composite.planning.worlds import claimed_figures
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.view.estimates import labelled_shares
from assaymark.composite.work import ClaimWork
from assaymark.hints import command
from assaymark.ledger.events import State
from assaymark.stats.score_guided.kl_projection import Floats


def lesser_words(state: State, work: ClaimWork) -> str | None:
    """A claim with targets that the labels so far support, and its price; None where there is none."""
    sealed = work.sealed
    if sealed.kind != "conjunction" or not sealed.strata:
        return None
    shares = labelled_shares(state, work)
    lesser = _lesser(sealed, shares)
    if lesser is None:
        return None
    labels = labels_in(lesser, shares)
    price = (
        ""
        if labels is None
        else f" would take {about(labels, sealed.items)}, judging by those so far"
    )
    return f"Claim less: {lesser.claim}{price} ({command('plan', lesser.claim)})."


def _lesser(sealed: SealedClaim, shares: Floats) -> SealedClaim | None:
    """The claim with the target of each of its words below what the worst part seems to be."""
    tree = sealed.statements[0].tree
    figures = claimed_figures(sealed)
    leaves = []
    for leaf in tree.parts:
        if not isinstance(leaf, Threshold):
            return None
        mine = [one for one in figures if one.leaf.figure == leaf.figure]
        values = [(one.sign, one.value(shares)) for one in mine]
        known = [sign * value for sign, value in values if value is not None]
        if not known or len(known) < len(values):
            return None
        target = target_with_room(abs(min(known)), leaf.side)
        if target is None:
            return None
        wanted = Fraction(str(target))
        easier = wanted < leaf.target if leaf.side == "lower" else wanted > leaf.target
        leaves.append(replace(leaf, target=wanted) if easier else leaf)
    if tuple(leaves) == tree.parts:
        return None
    lesser: ClaimTree = replace(tree, parts=tuple(leaves))
    return replace(
        sealed, claim=str(lesser), statements=(replace(sealed.statements[0], tree=lesser),)
    )
