"""Functions, classes and methods with their lines, and those of the tree before the move to rooms.

python bench/definitions.py                               today's lines, by whether their names existed
python bench/definitions.py --of 3e21ce22 -o bench/definitions_before.json    a commit's source, kept

A definition is a function or a class at the top of a module, or a method of such a class; lines of
methods are not counted again with their class. What is left of a module is its head: imports,
docstring, constants and the blank lines between definitions.
"""

import argparse
import ast
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
KEPT = Path(__file__).parent / "definitions_before.json"
HEAD = ""  # stands for what is left of a module

Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def definitions(text: str) -> Counter[str]:
    """Lines by the name of each definition, "Class.method" for methods, and those of the head.

    >>> dict(definitions("import os\\n\\n\\ndef run():\\n    os.sync()\\n"))
    {'run': 2, '': 3}
    """
    lines = Counter[str]()
    for node in ast.parse(text).body:
        if isinstance(node, Function):
            lines[node.name] += _length(node)
        elif isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if isinstance(part, Function)]
            for method in methods:
                lines[f"{node.name}.{method.name}"] += _length(method)
            lines[node.name] += _length(node) - sum(map(_length, methods))
    lines[HEAD] = len(text.splitlines()) - sum(lines.values())
    return lines


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
    return (node.end_lineno or first) - first + 1


def before() -> dict[str, Any]:
    """The old tree's figures: commit, modules, lines, head, and lines by name of a definition."""
    figures: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return figures


def existed_then(lines: Counter[str]) -> dict[str, dict[str, int]]:
    """Of these lines, now and then: in definitions whose name existed then, in others, and in heads.

    A name that came back for something else counts as what existed, and a definition that was renamed
    or split off as another: neither the code nor its history tells them apart.
    """
    old = before()
    then = Counter[str](old["definitions"])
    known = lines.keys() & then.keys()
    kept, kept_then = (sum(sizes[name] for name in known) for sizes in (lines, then))
    others = lines.total() - kept - lines[HEAD]
    return {
        "in definitions whose name existed then": {"now": kept, "then": kept_then},
        "in definitions by other names": {"now": others, "then": then.total() - kept_then},
        "at the top of modules: imports, docstrings, constants": {
            "now": lines[HEAD],
            "then": old["head"],
        },
    }


def count_commit(commit: str) -> dict[str, Any]:
    """The same figures of a commit's source, read from git."""
    paths = [path for path in _git("ls-tree", "-r", "--name-only", commit, "--", "src").splitlines()
             if path.endswith(".py")]  # fmt: skip
    total = Counter[str]()
    for path in paths:
        total.update(definitions(_git("show", f"{commit}:{path}")))
    head = total.pop(HEAD)
    return {
        "commit": commit,
        "modules": len(paths),
        "lines": total.total() + head,
        "head": head,
        "definitions": dict(sorted(total.items())),
    }


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--of", metavar="COMMIT")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE")
    asked = parser.parse_args()
    if asked.of:
        figures = count_commit(asked.of)
    else:
        total = Counter[str]()
        for path in (ROOT / "src").rglob("*.py"):
            total.update(definitions(path.read_text("utf-8")))
        figures = existed_then(total)
    text = json.dumps(figures, indent=0 if asked.of else 2) + "\n"
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
