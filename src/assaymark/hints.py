"""Hints: what to do next, as data inside a sentence, spelled by each shell in its own words.

A message never says `--budget N`, because only the command line has options and Python and the
page say the same sentences. `option` and `command` put a mark into the text; the command line
spells it with `for_command_line`, Python with `for_python` (every error does by itself), the page
with words of its own.

>>> text = f"Say what you expect ({option('expect', 0.8)}), then {command('draw', 20)}."
>>> for_command_line(text)
'Say what you expect (--expect 0.8), then assaymark draw 20.'
>>> for_python(text)
'Say what you expect (expect=0.8), then ask(20).'
"""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

_OPEN, _CLOSE, _NEXT = "⟦⟧¦"
_MARK = re.compile(f"{_OPEN}{_NEXT}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_SHORT = {"project": "-p", "output": "-o", "n": "-n"}
_PLAIN = re.compile(r"[\w@%+=:,./…-]+")  # needs no quotation marks in a shell
_DOUBLE = re.compile(r'[^"$`\\!]+')  # means itself between double ones

WITHOUT_PROJECT = frozenset(
    (
        "bound", "convert", "demo", "doctor", "export", "gate", "init", "join", "key", "keywords", "lab",
        "lock", "pair", "restore", "review start", "size", "triage route", "triage size",
    )
)  # fmt: skip
"""Commands that work in no project, or name theirs in a way of their own."""

# how the objects of the Python front door do what a command does, or a command with one option
_PYTHON = {
    "plan": "claim",
    "plan abandon": "abandon",
    "plan part": "new_part",
    "plan reveal": "reveal",
    "plan estimate": "assaymark.estimate",
    "draw": "ask",
    "draw pending": "open_items",
    "label": "tell",
    "look": "verdict",
    "certify": "certify",
    "verify": "verify",
    "report": "report",
    "status": "status",
    "estimate": "estimate",
    "recall": "recall",
    "compare": "assaymark.compare",
    "init": "assaymark.Certification.begin",
    "init ledger": "assaymark.init",
    "train": "ask",
    "train …": "assaymark.train",
    "train stop": "stop",
    "train status": "status",
    "triage": "assaymark.triage",
    "lock": "assaymark.lock",
    "review start": "assaymark.review",
    "review next": "ask",
    "review next pending": "open_items",
    "review status": "verdict",
    "review certify": "certify",
}
_IN_A_SHELL_ONLY = frozenset(("label overdue",))
# what Python calls an option, where it is another name or another form
_PARAMETERS = {"n": "count", "class": "classes"}
_FORMS = {"label": {"FILE": "{id: label}"}, "": {"CLASS=COL": '{"CLASS": "COL"}'}}


@dataclass(frozen=True, kw_only=True)
class Hint:
    """A command with its arguments, or options alone where `command` is empty."""

    command: str = ""
    arguments: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        parts = [
            self.command,
            *(f" {value}" for value in self.arguments),
            *(f"{name}={value}" for name, value in self.options),
        ]
        clean = [re.sub(f"[{_OPEN}{_CLOSE}{_NEXT}]", "?", part) for part in parts]
        return f"{_OPEN}{_NEXT}{_NEXT.join(clean)}{_CLOSE}"


def option(name: str, value: object = "") -> str:
    """The mark of an option in a sentence."""
    return str(Hint(options=((name, str(value)),)))


def switch(name: str) -> str:
    """The mark of an option without a value: it is given or not."""
    return option(name, "True")


def command(name: str, *arguments: object, **options: object) -> str:
    """The mark of a command in a sentence, with its arguments and options."""
    named = tuple((key.replace("_", "-"), str(value)) for key, value in options.items())
    return str(Hint(command=name, arguments=tuple(map(str, arguments)), options=named))


def spelled(text: str, spell: Callable[[Hint], str]) -> str:
    """The text with every hint in it spelled."""
    return _MARK.sub(lambda mark: spell(_parsed(mark.group(1))), text) if _OPEN in text else text


def for_command_line(text: str, *, project: str | None = None) -> str:
    """The text as the command line says it: commands can be pasted, with the project they are for.

    >>> for_command_line(f"Next: {command('look')}", project="my work")
    'Next: assaymark look -p "my work"'
    """
    return spelled(text, lambda hint: _as_command(hint, project))


def for_python(text: str) -> str:
    """The text as Python says it."""
    return spelled(text, _as_python)


def _parsed(text: str) -> Hint:
    name, *parts = text.split(_NEXT)
    options = [part.partition("=") for part in parts if not part.startswith(" ")]
    return Hint(
        command=name,
        arguments=tuple(part[1:] for part in parts if part.startswith(" ")),
        options=tuple((key, value) for key, _, value in options),
    )


def _as_command(hint: Hint, project: str | None) -> str:
    words = [f"assaymark {hint.command}"] if hint.command else []
    words += [for_shell(value) for value in hint.arguments]
    options = hint.options
    if project is not None and hint.command and hint.command not in WITHOUT_PROJECT:
        options = (*(pair for pair in options if pair[0] != "project"), ("project", project))
    for name, value in options:
        words.append(_SHORT.get(name, f"--{name}"))
        words += [for_shell(value)] if value not in ("", "True") else []
    return " ".join(words)


def for_shell(value: object) -> str:
    """A value that can be pasted into a shell, in double quotation marks where these are enough."""
    text = str(value)
    if _PLAIN.fullmatch(text):
        return text
    return f'"{text}"' if _DOUBLE.fullmatch(text) else shlex.quote(text)


def _as_python(hint: Hint) -> str:
    if not hint.command:
        return ", ".join(_parameter(name, value) for name, value in hint.options)
    options = [(name, value) for name, value in hint.options if name != "project"]
    arguments = list(hint.arguments)
    if any(f"{hint.command} {name}" in _IN_A_SHELL_ONLY for name, _ in options):
        return f"{_as_command(hint, None)} on the command line"
    function = _PYTHON.get(hint.command)
    if arguments:
        function = _PYTHON.get(f"{hint.command} …", function)
    for name, value in options:
        special = _PYTHON.get(f"{hint.command} {name}")
        if special:  # what the option says is the first argument
            function, arguments = special, [] if value in ("", "True") else [_word(value)]
            options = [other for other in options if other[0] != name]
            break
    if function is None:
        return f"assaymark {hint.command} on the command line"
    forms = _FORMS.get(hint.command, {})
    parts = [
        *(forms.get(value) or _quoted(value) for value in arguments),
        *(_parameter(name, value) for name, value in options),
    ]
    begins = function.startswith("assaymark.") and not (hint.command == "init" and arguments)
    if begins and parts[:1] != ["…"]:  # the pool comes first
        parts.insert(0, "…")
    return f"{function}({', '.join(parts)})"


def _quoted(value: str) -> str:
    """A value with spaces in quotation marks."""
    if " " not in value or value.startswith("'"):
        return value
    return f"'{value}'" if '"' in value else f'"{value}"'


def _word(value: str) -> str:
    """A word is quoted; what stands for something else, such as REASON, is not."""
    return f'"{value}"' if re.fullmatch(r"[a-z][a-z0-9-]*", value) else value


def _parameter(name: str, value: str) -> str:
    """A keyword argument; a word is quoted, several values make a tuple.

    >>> _parameter("restore-zeros", "True"), _parameter("mode", "fixed"), _parameter("pilot", "A,B")
    ('restore_zeros=True', 'mode="fixed"', 'pilot=(A, B)')
    """
    if "," in value:
        value = f"({', '.join(value.split(','))})"
    value = _FORMS[""].get(value, _word(value))
    return f"{_PARAMETERS.get(name, name).replace('-', '_')}={value}"
