"""Writes what follows from code and results: docs/reference, docs/evidence, pictures, CONTRIBUTING's table.

    python docs/generate.py            write the reference and the pictures
    python docs/generate.py --check    write nothing; exit code 1 if the reference is stale

Hand-written text lives in docs/reference/templates; `{{name}}` in it is filled in from the code.
"""

import argparse
import dataclasses
import importlib
import inspect
import os
import pkgutil
import re
import sys
import typing
from pathlib import Path

import click

import assaymark
import assaymark.cli
from assaymark.claims.ratio_metrics import ALIASES, DENOMINATORS, NUMERATORS, TITLES
from assaymark.errors import AssaymarkError
from assaymark.files.spelling import CANNOT_TELL, NOT_RELEVANT, RELEVANT
from assaymark.files.tools import READERS, WRITERS
from assaymark.learners.documents import LEARNERS
from assaymark.ledger import LEDGERS
from assaymark.ledger.events import KINDS
from assaymark.ledger.sqlite import SCHEMA
from assaymark.monitoring.outcomes import EXIT_CODES, MEANINGS
from assaymark.pool import ENGINES
from assaymark.pool.grid import BINS, STEPS
from assaymark.pool.sources import KINDS as POOLS
from assaymark.records.certificate import Certificate
from assaymark.records.plan_shape import PlanShape
from assaymark.records.pool_shape import PoolShape
from assaymark.stats.binomial_bounds import METHODS
from assaymark.training.stats.stopping_policy import POLICIES

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))
import changes  # noqa: E402
import evidence_pages  # noqa: E402

TEMPLATES = DOCS / "reference" / "templates"
NOTE = (
    "<!-- Written by docs/generate.py; change the code or docs/reference/templates instead. -->\n"
)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in lines
    )


def _doc(thing: object) -> str:
    return " ".join((inspect.getdoc(thing) or "").split())


def all_commands() -> list[tuple[str, click.Command]]:
    """Every command by the words that call it; a group is followed by its own commands."""
    found: list[tuple[str, click.Command]] = []
    for name, command in sorted(assaymark.cli.cli.commands.items()):
        found.append((name, command))
        if isinstance(command, click.Group):
            found += [(f"{name} {own}", part) for own, part in sorted(command.commands.items())]
    return found


def command_help() -> str:
    """The help of every command, as the terminal shows it at 100 columns."""
    parts = []
    for name, command in all_commands():
        context = click.Context(
            command,
            info_name=f"assaymark {name}",
            terminal_width=100,
            help_option_names=["-h", "--help"],
        )
        parts.append(f"## assaymark {name}\n\n```text\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


def command_list() -> str:
    """One line per command, linked to its help."""
    rows = [
        [
            f"[`{name}`](#assaymark-{name.replace(' ', '-')})",
            (command.help or "").strip().split("\n")[0],
        ]
        for name, command in all_commands()
    ]
    return _table(["command", "what it does"], rows)


def gate_codes() -> str:
    """The exit codes that only the gate has, as rows of the table of exit codes."""
    rows = [(code, name) for name, code in EXIT_CODES.items() if code > 3]
    return "\n".join(f"| {code} | {name}: {MEANINGS[name]} |" for code, name in sorted(rows))


def bound_methods() -> str:
    """The registry of bounds."""
    rows = [
        [
            f"`{method.name}`",
            method.title,
            "yes" if method.guaranteed else "no",
            "no" if method.binomial_only else "yes",
        ]
        for method in METHODS.values()
    ]
    return _table(["method", "what it is", "guaranteed", "accepts F-beta"], rows)


def metric_names() -> str:
    """The metrics that can be bounded."""
    other = {name: [alias for alias, real in ALIASES.items() if real == name] for name in TITLES}
    rows = [["`f1`, `f2`, `f0.5`, …", "F1, or any F-beta", "(1+β²)·tp", "(1+β²)·tp + fp + β²·fn"]]
    for name, title in TITLES.items():
        names = ", ".join(f"`{n}`" for n in (name, *other[name]))
        rows.append([names, title, _cells(NUMERATORS[name]), _cells(DENOMINATORS[name])])
    return _table(["name", "metric", "above the line", "below the line"], rows)


def _cells(weights: tuple[float, ...]) -> str:
    names = zip(("tp", "fp", "fn", "tn"), weights, strict=True)
    return " + ".join(name for name, weight in names if weight)


def event_kinds() -> str:
    """Each event with its fields."""
    parts = []
    for name, kind in sorted((name, kind.event) for name, kind in KINDS.items()):
        parts.append(f"## {name}\n\n{_doc(kind)}\n\n{_fields(kind)}\n")
    return "\n".join(parts)


def _fields(kind: type) -> str:
    hints = typing.get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    return _table(["field", "type"], [[f"`{name}`", f"`{_type(hints[name])}`"] for name in names])


def _type(hint: object) -> str:
    text = hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint)
    return re.sub(r"\b(?:assaymark|typing)\.(?:\w+\.)*", "", text).replace("NoneType", "None")


def load_all() -> None:
    """Import every module, so that every subclass is known; experiments bring no errors of their own."""
    for module in pkgutil.walk_packages(assaymark.__path__, "assaymark."):
        if not module.name.startswith(("assaymark.__main__", "assaymark.lab")):
            importlib.import_module(module.name)


def error_classes() -> str:
    """Every error with its exit code."""
    load_all()
    rows = [
        [f"`{kind.__name__}`", str(kind.exit_code), _doc(kind)] for kind in _family(AssaymarkError)
    ]
    return _table(["error", "exit code", "when"], rows)


def _family(kind: type[AssaymarkError]) -> list[type[AssaymarkError]]:
    children = sorted(kind.__subclasses__(), key=lambda child: child.__name__)
    return [kind, *(member for child in children for member in _family(child))]


def formats() -> str:
    """The registries of readers and writers."""
    rows = [
        [
            f"`{name}`",
            " ".join(f"`{e}`" for e in WRITERS[name].endings),
            WRITERS[name].title,
            r.title,
        ]
        for name, r in READERS.items()
    ]
    return _table(["format", "written as", "out", "in"], rows)


def registries() -> str:
    """What other packages can add, from the registries themselves."""
    loads = {
        READERS.group: "a `LabelFormat` of `assaymark.files.formats`: a reader, a writer or both",
        LEARNERS.group: "a function without arguments that makes an unfitted text pipeline",
        POLICIES.group: "a function from an `Outlook` to a `Decision`",
        ENGINES.group: "a function of source, columns, connection and flags that opens a `Pool`",
        LEDGERS.group: "a function of address and name that opens a `Ledger`; named by the scheme",
    }
    rows = []
    for registry in (READERS, LEARNERS, POLICIES, ENGINES, LEDGERS):
        names = ", ".join(f"`{name}`" for name in registry.built_in) or "–"
        rows.append([f"`{registry.group}`", loads[registry.group], names])
    return _table(["entry points", "each loads", "built in"], rows)


def python_names() -> str:
    """Every name of the front door: its signature and its docstring."""
    parts = []
    for name in sorted(assaymark.__all__, key=str.lower):
        thing = getattr(assaymark, name)
        if name in ("__version__", "Audit"):
            continue
        parts.append(f"## {name}\n\n{_described(thing, name)}")
        if inspect.isclass(thing):
            parts += [
                f"### {name}.{own}\n\n{_described(getattr(thing, own), own)}"
                for own in _own_methods(thing)
            ]
    return "\n".join(parts)


def _own_methods(kind: type) -> list[str]:
    """The methods that users call: public, documented, and written for this package."""
    return [
        name
        for name, value in inspect.getmembers(kind, callable)
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("assaymark.")
        and name not in ("from_dict", "to_dict")
    ]  # fmt: skip


def _described(thing: object, name: str) -> str:
    text = inspect.cleandoc(thing.__doc__ or "") if callable(thing) else ""
    prose, *examples = re.split(r"(?m)^(?=>>> )", text)
    block = f"\n\n```pycon\n{''.join(examples).rstrip()}\n```" if examples else ""
    return f"```python\n{name}{_signature(thing)}\n```\n\n{prose.strip()}{block}\n"


def _steady(part: object) -> str:
    """Without the addresses of functions in memory, which differ in every process."""
    return re.sub(r"<function <?([\w.]+)>? at 0x\w+>", r"\1", str(part))


def _signature(thing: object) -> str:
    try:
        found = inspect.signature(thing)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in found.parameters.values()]
    text = _steady(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    if len(text) < 90:
        return text
    names = [_steady(one) for one in plain]
    keyword = [one.kind is inspect.Parameter.KEYWORD_ONLY for one in plain]
    if any(keyword):
        names.insert(keyword.index(True), "*")
    return "(\n    " + ",\n    ".join(names) + ",\n)"


def _words(words: set[str]) -> str:
    return ", ".join(f"`{word}`" for word in sorted(words))


def reference() -> dict[str, str]:
    """The text of each reference page, by its name."""
    known = {
        "command_list": command_list(),
        "command_help": command_help(),
        "gate_codes": gate_codes(),
        "bound_methods": bound_methods(),
        "metric_names": metric_names(),
        "event_kinds": event_kinds(),
        "error_classes": error_classes(),
        "pool_kinds": ", ".join(f"`{ending}`" for ending in POOLS),
        "ledger_schema": SCHEMA.strip(),
        "certificate_fields": _fields(Certificate),
        "plan_fields": _fields(PlanShape),
        "pool_fields": _fields(PoolShape),
        "formats": formats(),
        "registries": registries(),
        "relevant": _words(RELEVANT),
        "not_relevant": _words(NOT_RELEVANT),
        "cannot_tell": _words(CANNOT_TELL),
        "grid_steps": f"{STEPS:,}",
        "grid_bins": str(BINS),
        "python_names": python_names(),
    }
    pages = {}
    for template in sorted(TEMPLATES.glob("*.md")):
        text = template.read_text(encoding="utf-8")
        filled = re.sub(r"\{\{(\w+)\}\}", lambda found: known[found.group(1)], text)
        pages[template.name] = NOTE + "\n" + filled.rstrip() + "\n"
    return pages


def stale(pages: dict[str, str]) -> list[str]:
    """The pages on disk that are not what the code says."""
    folder = DOCS / "reference"
    old = [
        name
        for name, text in pages.items()
        if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text
    ]
    old += evidence_pages.stale()
    text = changes.CONTRIBUTING.read_text(encoding="utf-8")
    return old if changes.filled(text) == text else [*old, changes.CONTRIBUTING.name]


def main() -> None:
    """Write, or check."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if stale")
    check = parser.parse_args().check
    os.environ.pop("COLUMNS", None)  # the width of somebody's terminal is no part of the reference
    pages = reference()
    old = stale(pages)
    if check:
        if old:
            print(f"Stale: {', '.join(old)}. Run: make docs.", file=sys.stderr)
        sys.exit(1 if old else 0)
    for name, text in pages.items():
        (DOCS / "reference" / name).write_text(text, encoding="utf-8")
    text = changes.CONTRIBUTING.read_text(encoding="utf-8")
    changes.CONTRIBUTING.write_text(changes.filled(text), encoding="utf-8")
    evidence_pages.write()
    sys.path.insert(0, str(DOCS / "pictures"))
    draw = importlib.import_module("draw")
    draw.draw_all()


if __name__ == "__main__":
    main()
