"""The table of promises: every sentence of the product with a probability or a guarantee in it.

    python docs/promises.py            write docs/evidence/promises.json and promises.md
    python docs/promises.py --missing  print the sentences that no entry of promises.toml names

Sentences are read from the source, not from memory: texts in the code and in the page's scripts and
templates, and the prose of README, tutorial and how-to pages, where they speak of a confidence, a
chance or a guarantee. Each must stand in promises.toml, under the promise that it makes (what is
taken to be true, how often it may err, the test that holds it) or under `none`, with the reason why
it promises nothing.
"""

import argparse
import ast
import itertools
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
ROOT = DOCS.parent
SOURCE = ROOT / "src" / "assaymark"
ENTRIES = DOCS / "evidence" / "promises.toml"
RECORDS = DOCS / "evidence" / "promises.json"
PAGE = DOCS / "evidence" / "promises.md"
REPAIRS = DOCS / "evidence" / "repairs.json"
LEFT_OUT = ("lab", "plugins.py")  # the lab prints what it measured, no promise
SPEAKS = re.compile(
    r"guarante|confidence|with chance|chances? (to (have )?pass|of|that|about)|"
    r"% of (cases|runs|samples|certif)|in at most|false alarm|at (every|any) look|of 100 samples|"
    r"covers all|together with|\blikely\b|\bprobabl[ey]\b|% (belief|sure|certain)|\bat risk\b|"
    r"risk stated|(proven|proved) so far|a risk of its own|is proved of|"
    r"(roughly|about) \{…\}[^.]*\blabels\b",
    re.IGNORECASE,
)
PROSE = re.compile(
    r"guarante|\d ?% confidence|with chance|chance (to pass|of)|% of (cases|runs|samples)|"
    r"false alarm|at (every|any) look|of 100 samples|covers all",
    re.IGNORECASE,
)
PAGES = ("README.md", "docs/*.md", "docs/how-to/*.md")
TAG = re.compile(r"<[^>]*>")
SCRIPT_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'|`((?:[^`\\]|\\.)*)`')
FILLED_IN = re.compile(r"\$\{[^}]*\}")
FENCE = re.compile(r"```.*?```", re.DOTALL)
NUMBER = re.compile(r"\d[\d,.]*\d|\d")
FILLED = "{…}"


@dataclass(frozen=True, order=True)
class Sentence:
    """A text of the product and the file that it stands in."""

    where: str
    sentence: str


def sentences() -> list[Sentence]:
    """Every text of the product that speaks of a probability, once per file."""
    found = set()
    for path in sorted(SOURCE.rglob("*")):
        where = path.relative_to(SOURCE)
        read = READERS.get(path.suffix)
        if where.parts[0] in LEFT_OUT or read is None:
            continue
        for text in read(path.read_text(encoding="utf-8")):
            words = " ".join(text.split())
            least = 2 if FILLED in words else 3
            if SPEAKS.search(words) and len(words.split()) >= least:
                found.add(Sentence(where.as_posix(), words))
    return sorted(found | set(prose()))


def prose() -> Iterator[Sentence]:
    """The same of the pages that readers start with; their figures change, so they are left out."""
    for pattern in PAGES:
        for path in sorted(ROOT.glob(pattern)):
            text = FENCE.sub("", path.read_text(encoding="utf-8"))
            for line in text.splitlines():
                for one in re.split(r"(?<=[.!?;])\s+", line.strip()):
                    if PROSE.search(one):
                        where = path.relative_to(ROOT).as_posix()
                        yield Sentence(where, NUMBER.sub(FILLED, " ".join(one.split())))


def code_texts(source: str) -> Iterator[str]:
    """Strings of a module, without docstrings; what is filled in stands as {…}.

    Strings that are added or joined count as one text.
    """
    tree = ast.parse(source)
    quiet: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            quiet.add(id(node.value))
        if id(node) in quiet:
            continue
        text = _text(node)
        if text is not None:
            quiet.update(id(part) for part in ast.walk(node))
            yield text


def _text(node: ast.AST) -> str | None:
    """The text that an expression makes; None where it makes none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else FILLED for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [_text(node.left), _text(node.right)]
        return None if sides == [None, None] else "".join(side or FILLED for side in sides)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _joined(node)
    return None


def _joined(call: ast.Call) -> str | None:
    """The text of " ".join([…]) whose parts are written out."""
    between = _text(call.func.value) if isinstance(call.func, ast.Attribute) else None
    if between is None or call.func.attr != "join" or len(call.args) != 1:  # type: ignore[attr-defined]
        return None
    parts = call.args[0]
    if not isinstance(parts, (ast.List, ast.Tuple)):
        return None
    return between.join(_text(part) or FILLED for part in parts.elts)


def template_texts(source: str) -> Iterator[str]:
    """Lines of a template without tags; one of few words goes with its neighbours."""
    lines = [" ".join(line.split()) for line in TAG.sub(" ", source).splitlines()]
    lines = [line for line in lines if line]
    yield from lines
    for before, after in itertools.pairwise(lines):
        both = f"{before} {after}"
        alone = any(SPEAKS.search(line) and len(line.split()) >= 3 for line in (before, after))
        if SPEAKS.search(both) and not alone:
            yield both


def script_texts(source: str) -> Iterator[str]:
    """The strings of a script; what is filled in stands as {…}."""
    for found in SCRIPT_TEXT.finditer(source):
        yield FILLED_IN.sub(FILLED, next(part for part in found.groups() if part is not None))


READERS = {".py": code_texts, ".html": template_texts, ".js": script_texts}


def entries() -> dict[Sentence, dict[str, str]]:
    """What promises.toml says of each sentence; a sentence may stand there once."""
    told: dict[Sentence, dict[str, str]] = {}
    for name, entry in tomllib.loads(ENTRIES.read_text(encoding="utf-8")).items():
        about = {key: value for key, value in entry.items() if key != "sentences"}
        for where, texts in entry["sentences"].items():
            for text in texts:
                key = Sentence(where, text)
                if key in told:
                    raise ValueError(f"{where}: {text!r} has two entries")
                told[key] = {"promise": name, **about}
    return told


def records() -> list[dict[str, str]]:
    """One record per promising sentence: sentence, where, null, level, test."""
    told = entries()
    return [
        {**asdict(one), **{key: told[one][key] for key in ("promise", "null", "level", "test")}}
        for one in sentences()
        if one in told and "test" in told[one]
    ]


def page(rows: list[dict[str, str]]) -> str:
    """The table for readers: one row per promise, its sentences counted."""
    lines = [
        "# Every promise, and the test that holds it",
        "",
        "<!-- Written by docs/promises.py; change the code or promises.toml instead. -->",
        "",
        f"The product makes {len({one['promise'] for one in rows})} promises in {len(rows)} sentences "
        "that contain a probability or a guarantee. They are read from the code; a test fails when a "
        "new one appears without an entry. `promises.json` has every sentence.",
        "",
        "| promise | taken to be true | may err | held by | sentences |",
        "|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(one["promise"] for one in rows):
        own = [one for one in rows if one["promise"] == name]
        first = own[0]
        lines.append(
            f"| {name.replace('-', ' ')} | {first['null']} | {first['level']} | `{first['test']}` | "
            f"{len(own)} |"
        )
    return "\n".join([*lines, *repairs_table()]) + "\n"


def repairs_table() -> list[str]:
    """What a sentence promised and did not keep: how often it failed before and after its repair."""
    lines = [
        "",
        "## What was wrong",
        "",
        "How often each failed before and after it was repaired, with the exact 95 % interval where it "
        "was counted; the rest is enumerated. The explanation pages say why. `repairs.json` has the runs.",
        "",
        "| what | where | allowed | before | after | shown by |",
        "|---|---|---|---|---|---|",
    ]
    for row in json.loads(REPAIRS.read_text(encoding="utf-8")):
        note = f" ({row['note']})" if row["note"] else ""
        lines.append(
            f"| {row['what']} | {row['world']}{note} | {row['level']:g} | {_rate(row, 'before')} | "
            f"{_rate(row, 'after')} | `{row['test']}` |"
        )
    return lines


def _rate(row: dict[str, Any], when: str) -> str:
    rate, runs = row[f"{when}_rate"], row[f"{when}_runs"]
    if rate is None:
        return "–"
    if runs is None:
        return f"{rate:g}"
    return f"{rate:.3g} of {runs:,} ({row[f'{when}_low']:.3g} to {row[f'{when}_high']:.3g})"


def main() -> int:
    """Write the records, or say what is missing."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--missing", action="store_true")
    if options.parse_args().missing:
        told = entries() if ENTRIES.exists() else {}
        for one in sentences():
            if one not in told:
                print(json.dumps(asdict(one), ensure_ascii=False))
        return 0
    found = records()
    RECORDS.write_text(
        json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n"
    )
    PAGE.write_text(page(found), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
