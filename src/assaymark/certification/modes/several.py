"""Claims of several parts that speak of the same figure as a plan: their risks add up."""

from assaymark.claims.claim import Claim
from assaymark.ledger.events import State, SurveyWork

ONE_SCALE = {"jaccard": "f1", "npv": "elusion"}


def several_risks(state: State, claim: Claim) -> dict[str, float]:
    """The largest risk of every account of claims of several parts that speak of the claim's metric.

    Only parts about the project's classifier on the whole pool do. Such claims keep accounts of
    their own, so what is stated covers both.
    """
    largest: dict[str, float] = {}
    freezes = [frozen.seq for work in state.surveys for frozen in work.freezes]
    for work in state.surveys:
        if work.survey.purpose != "claim" or work.opened_at < max(freezes, default=0):
            continue
        if _scale(claim.metric) in _metrics(work):
            settings = work.survey.settings
            name = f"several {settings['risk']['account']}"
            risk = round(1 - float(settings["confidence"]), 12)
            largest[name] = max(largest.get(name, 0.0), risk)
    return largest


def _scale(metric: str) -> str:
    return ONE_SCALE.get(metric, metric)


def _metrics(work: SurveyWork) -> set[str]:
    """The metrics of the project's own classifier, on the whole pool, that the claim speaks of."""
    settings = work.survey.settings
    if settings["kind"] != "conjunction" or settings["names"] != ["classifier"]:
        return set()
    tree = settings["statements"][0]["tree"]
    if tree.get("every") or settings["columns"]["classes"]:
        return set()
    parts = [part for part in tree["parts"] if part["kind"] == "threshold"]
    return {_scale(part["figure"]["metric"]) for part in parts if not part["figure"].get("names")}
