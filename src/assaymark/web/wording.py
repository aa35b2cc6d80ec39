"""Hints in the page's words: the names of its fields and buttons."""

from assaymark.hints import Hint, for_command_line, spelled

# a command, or a command with one option, and what does the same on the page
STEPS = {
    "plan": "seal a plan under “Plan”",
    "plan estimate": "“Estimate” in a new project",
    "plan abandon": "abandon the plan under “Plan”",
    "draw": "“Draw the next items” under “Progress”",
    "draw pending": "go on under “Label”",
    "label": "go on under “Label”",
    "look": "see “Progress”",
    "certify": "“Issue the certificate” under “Progress”",
    "certify bound": "“Certify what is proven” under “Progress”",
    "report": "see “Result”",
    "status": "see “Progress”",
    "train": "“Refit” under “Progress”",
    "train stop": "“Stop training and certify” under “Progress”",
    "train status": "see “Progress”",
    "review next": "“Hand out the next records”",
    "review status": "see “Progress”",
}

# an option that has another name on the page
FIELDS = {"expect": "under “What you expect of …”"}


def for_page(text: str) -> str:
    """The text as the page says it.

    >>> from assaymark.hints import command, option
    >>> for_page(f"Give {option('budget', 'N')}, then {command('draw', pending=True)}.")
    'Give “budget”, then go on under “Label”.'
    """
    return spelled(text, _as_step)


def _as_step(hint: Hint) -> str:
    if not hint.command:
        return ", ".join(
            FIELDS.get(name, f"“{name.replace('-', ' ')}”") for name, _ in hint.options
        )
    if hint.command == "plan" and hint.arguments:
        return f"“{hint.arguments[0]}” under “Plan”"
    names = [hint.command, *(f"{hint.command} {name}" for name, _ in hint.options)]
    steps = [STEPS[name] for name in reversed(names) if name in STEPS]
    return steps[0] if any(steps[:1]) else f"{for_command_line(str(hint))} (command line)"
