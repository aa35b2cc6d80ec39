"""How a sample was drawn, in words."""

from assaymark.estimation.estimate import (
    EstimateDesign,
)

HOW = {
    "mass": "labels by mass",
    "equal": "equal labels",
    "proportional": "labels by size",
    "chances": "drawn at random with fixed chances",
    "claim": "drawn at random with the claim's chances",
}


def describe(design: EstimateDesign) -> str:
    """How the sample is drawn, in a few words."""
    how = HOW.get(design.allocation) or (_renewed(design) if design.renew else _learning(design))
    count = len(design.strata)
    return f"{count} {'stratum' if count == 1 else 'strata'} ({design.stratifier}), {how}"


def _renewed(design: EstimateDesign) -> str:
    """At which draws the chances are renewed from the labels."""
    return f"drawn at random, chances renewed from the labels {renewal_words(design)}"


def renewal_words(design: EstimateDesign) -> str:
    """When chances are renewed: "after draws 50 and 100"."""
    return "after draws " + " and ".join(f"{end:,}" for end in design.renew or ())


def _learning(design: EstimateDesign) -> str:
    """How an allocation that learns from labels spends them: OPT-A1 or OPT-A2, and its guard."""
    said = "labels where they disagree"
    if design.first is not None:
        rest = "the rest at once" if design.step is None else f"then {design.step} at a time"
        said += f" ({design.first} per stratum first, {rest})"
    return said if design.guard else f"{said}, as printed, without a guard"


def _law(design: EstimateDesign) -> str:
    """How the items were drawn, and what the point makes of their scores."""
    if not design.regression:
        return _drawn(design)
    return (
        f"{_drawn(design)} The point corrects each stratum for the scores that its sample happened to "
        "have (combined regression estimator); the intervals count labels alone."
    )


def _drawn(design: EstimateDesign) -> str:
    if design.allocation == "claim":
        return (
            "Each draw picked a stratum by the chances stored with its batch before its labels came, "
            "then an item of it by the sealed seed; the guaranteed figures hold at every look at once."
        )
    if design.renew:
        return (
            "Each draw picked a stratum by chances fixed in the plan, renewed from the labels before "
            f"it {renewal_words(design)} and stored, then an item of it by the sealed seed; the guaranteed "
            "figures hold at every look at once."
        )
    if design.sampling == "random":
        return (
            "Each draw picked a stratum by chances fixed in the plan, then an item of it by the "
            "sealed seed; the guaranteed figures hold at every look at once."
        )
    return (
        "Within each stratum items were drawn by the sealed seed, as many as the allocation says."
    )
