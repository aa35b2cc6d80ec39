"""The table of promises: every sentence of the product with a probability or a guarantee in it.

    python docs/promises.py            write docs/evidence/promises.json and promises.md
    python docs/promises.py --missing  print the sentences that no entry of promises.toml names

Sentences are read from the source, not from memory: texts in the code and lines of the page's
templates that speak of a confidence, a chance or a guarantee. Each must stand in promises.toml,
under the promise that it makes (what is taken to be true, how often it may err, the test that holds
it) or under `none`, with the reason why it promises nothing.
"""

import argparse
import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

DOCS = Path(__file__).parent
SOURCE = DOCS.parent / "src" / "assaymark"
ENTRIES = DOCS / "evidence" / "promises.toml"
RECORDS = DOCS / "evidence" / "promises.json"
PAGE = DOCS / "evidence" / "promises.md"
LEFT_OUT = ("lab", "plugins.py")  # the lab prints what it measured, no promise
SPEAKS = re.compile(
    r"guarante|confidence|with chance|chance (to pass|of)|% of (cases|runs|samples)|in at most|"
    r"false alarm|at (every|any) look|of 100 samples",
    re.IGNORECASE,
)
TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, order=True)
class Sentence:
    """A text of the product and the file that it stands in."""

    where: str
    sentence: str


def sentences() -> list[Sentence]:
    """Every text of the source that speaks of a probability, once per file."""
    found = set()
    for path in sorted(SOURCE.rglob("*")):
        where = path.relative_to(SOURCE)
        if where.parts[0] in LEFT_OUT or not path.is_file():
            continue
        if path.suffix == ".py":
            texts = code_texts(path)
        elif path.suffix == ".html":
            texts = iter(TAG.sub(" ", path.read_text(encoding="utf-8")).splitlines())
        else:
            continue
        for text in texts:
            words = " ".join(text.split())
            if SPEAKS.search(words) and len(words.split()) >= 3:
                found.add(Sentence(where.as_posix(), words))
    return sorted(found)


def code_texts(path: Path) -> Iterator[str]:
    """Strings of a module, without docstrings; what is filled in stands as {…}."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    quiet: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            quiet.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            quiet.update(id(part) for part in ast.walk(node) if part is not node)
    for node in ast.walk(tree):
        if id(node) in quiet:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{…}" for part in node.values
            )


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
    return "\n".join(lines) + "\n"


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
