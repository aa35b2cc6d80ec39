"""What a training will cost and save, in the same words on the command line, the page and in reports."""

from assaymark.records.training import Advice


def total_words(advice: Advice, budget: int | None) -> str:
    """The forecast of the whole cost, whether or not the budget has room for it."""
    if advice.total is None:
        return "no forecast: the estimate does not meet the claim yet"
    text = f"{_span(advice)} if training stops now"
    if advice.total_high is None:
        text += ", and possibly many more"
    if budget is None:
        return text
    if advice.total > budget:
        return f"{text}; more than the budget of {budget:,}"
    sure = advice.total_high is not None and advice.total_high <= budget
    return f"{text}; the budget of {budget:,} is {'' if sure else 'more likely than not '}enough"


def _span(advice: Advice) -> str:
    """The forecast of training and certification together as a range."""
    if advice.total_high is None or advice.total_low == advice.total_high:
        return f"about {advice.total:,}"
    return f"about {advice.total_low:,}–{advice.total_high:,}, most likely near {advice.total:,},"


def cost_rows(advice: Advice, budget: int | None) -> list[tuple[str, str]]:
    """What is left to read, and what training and certification cost together."""
    rows = [("labels in all", total_words(advice, budget))]
    if advice.flagged is not None:
        left = f"{advice.flagged:.0%} of the items: that much is left to read"
        rows.insert(0, ("flagged for reading", left))
    return rows
