"""The shape of the code in figures: size, folders, import chains, switches, reads of the ledger.

python bench/house.py                        print the figures
python bench/house.py --json figures.json    keep them, to be compared with later
python bench/house.py --against before.json  print them beside earlier ones
python bench/house.py --verify 10000         CPU time of `verify` with that many labels too
"""

import argparse
import ast
import contextlib
import csv
import io
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import click
import numpy as np

from capabilities import THEN, by_capability
from definitions import definitions, existed_then

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "assaymark"
MODES = {"fixed", "budget", "anytime", "simple", "weighted", "census"}
SWITCHED = {"mode", "design"}
DECODER = "read_event"  # called once for every stored event that is decoded …
FIRST = "PoolRegistered"  # … and a ledger has one event of this kind, its first


def modules() -> dict[str, Path]:
    """Every module by its dotted name."""
    paths = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


def _imports(tree: ast.AST, known: dict[str, Path], *, loaded_at_once: bool) -> set[str]:
    """Modules of ours that are imported; without those loaded later, inside functions, if asked."""
    found = set()
    for node in _nodes(tree, into_functions=not loaded_at_once):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in known}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found |= {inner} if inner in known else {node.module} & known.keys()
    return found


def _nodes(tree: ast.AST, *, into_functions: bool) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        later = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or (
            isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        )
        yield node
        if into_functions or not later:
            yield from _nodes(node, into_functions=into_functions)


def longest_chain(graph: dict[str, set[str]]) -> list[str]:
    """The longest way down: each module imports the next when it is loaded."""
    known: dict[str, list[str]] = {}

    def below(name: str, above: frozenset[str]) -> list[str]:
        if name not in known:
            ways = [
                below(part, above | {name}) for part in sorted(graph[name] - above) if part != name
            ]
            known[name] = [name, *max(ways, key=len, default=[])]
        return known[name]

    return max((below(name, frozenset()) for name in sorted(graph)), key=len)


def switches(tree: ast.AST) -> int:
    """Comparisons of a mode or design with its name, and tables that are keyed by such names."""
    return sum(_is_switch(node) for node in ast.walk(tree))


def _is_switch(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return any(_named(side) in SWITCHED for side in sides) and any(map(_modes, sides))
    if isinstance(node, ast.Dict):
        return bool(node.keys) and all(key is not None and _modes(key) for key in node.keys)
    return False


def _named(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _modes(node: ast.AST) -> bool:
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return bool(node.elts) and all(map(_modes, node.elts))
    return isinstance(node, ast.Constant) and node.value in MODES


def shape() -> dict[str, Any]:
    """What can be read from the source alone."""
    known = modules()
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in known.items()}
    everything = {n: _imports(t, known, loaded_at_once=False) for n, t in trees.items()}
    at_once = {n: _imports(t, known, loaded_at_once=True) for n, t in trees.items()}
    importers = Counter(part for name, parts in everything.items() for part in parts - {name})
    folders = Counter(str(path.parent.relative_to(SOURCE.parent)) for path in known.values())
    chain = longest_chain(at_once)
    folder, files = max(folders.items(), key=lambda pair: pair[1])
    return {
        "modules": len(known),
        "lines": sum(lines.total() for lines in sizes().values()),
        "largest folder": {"folder": folder, "files": files},
        "folders above 20 files": sorted(name for name, size in folders.items() if size > 20),
        "longest import chain": {"length": len(chain), "modules": chain},
        "modules with a single importer": sum(count == 1 for count in importers.values()),
        "switches on mode": sum(map(switches, trees.values())),
        "files with a switch on mode": sum(bool(switches(tree)) for tree in trees.values()),
    }


def options(group: click.Group, before: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """How the options of every command are spelt: what can be asked for."""
    listed = {}
    for name, command in group.commands.items():
        words = (*before, name)
        spelt = [text for part in command.params if isinstance(part, click.Option)
                 for text in (*part.opts, *part.secondary_opts)]  # fmt: skip
        listed[" ".join(words)] = sorted(set(spelt))
        if isinstance(command, click.Group):
            listed |= options(command, words)
    return listed


def lost(now: dict[str, list[str]], before: dict[str, list[str]]) -> list[str]:
    """What could be asked for before, and cannot any more."""
    return [
        f"{name} {text}".strip()
        for name, spelt in before.items()
        for text in (spelt if name in now else [""])
        if text not in now.get(name, ())
    ]


def sizes() -> dict[str, Counter[str]]:
    """Lines of every module by its definitions, by its path below the package."""
    return {
        path.relative_to(SOURCE).as_posix(): definitions(path.read_text("utf-8"))
        for path in modules().values()
    }


def rooms() -> dict[str, int]:
    """Lines of every room, the largest first."""
    lines = Counter[str]()
    for name, size in sizes().items():
        lines[name.split("/")[0]] += size.total()
    return {name: size for name, size in lines.most_common() if not name.endswith(".py")}


class Counting:
    """Counts how often the first event is decoded, while it is the profiler of this thread."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_name == DECODER:
            self.calls += frame.f_locals.get("kind") == FIRST


def _assaymark(*arguments: object) -> int:
    """A command in this process; how often it decoded the ledger from its first event on."""
    from assaymark.cli import cli

    counting = Counting()
    with contextlib.redirect_stdout(io.StringIO()):
        sys.setprofile(counting)
        try:
            cli.main([str(part) for part in arguments], standalone_mode=False)
        finally:
            sys.setprofile(None)
    return counting.calls


def _write_pool(path: Path, items: int) -> dict[str, int]:
    rng = np.random.default_rng(42)
    truth = (rng.random(items) < 0.2).astype(int)
    scores = np.round(1 / (1 + np.exp(-rng.normal(4.0 * truth - 2.0, 1.0))), 4)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "score", "body"])
        writer.writerows((f"doc-{n}", score, f"text {n}") for n, score in enumerate(scores))
    return {f"doc-{n}": int(label) for n, label in enumerate(truth)}


def story(folder: Path, *, items: int, labels: int) -> Iterator[tuple[str, int, float]]:
    """A certification from init to verify: command, how often it decoded the ledger, CPU seconds.

    A plan hands out what its labels so far allow, so items are drawn and labelled in turn.
    """
    project, pool = folder / "work", folder / "pool.csv"
    truth = _write_pool(pool, items)
    init: list[Any] = [
        "init",
        project,
        "--pool",
        pool,
        "--id",
        "id",
        "--score",
        "score",
        "--threshold",
        0.5,
    ]
    yield _timed(*init, "--text", "body")
    yield _timed("plan", "f1 >= 0.6", "-p", project)
    labelled = 0
    while labelled < labels:
        batch = folder / f"batch-{labelled}.csv"
        yield _timed("draw", labels - labelled, "-o", batch, "-p", project)
        labelled += _fill_in(batch, truth)
        yield _timed("label", batch, "-p", project)
    for command in ("status", "look", "certify"):
        yield _timed(command, "-p", project)
    yield _timed("verify", project / "certificate.json", "-p", project)
    yield _timed("report", "-p", project)


def _timed(command: str, *arguments: object) -> tuple[str, int, float]:
    start = time.process_time()
    decoded = _assaymark(command, *arguments)
    return command, decoded, time.process_time() - start


def _fill_in(batch: Path, truth: dict[str, int]) -> int:
    """Label every item of the batch; how many there are."""
    with batch.open(newline="", encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    with batch.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "label"])
        writer.writerows((row["id"], truth[row["id"]]) for row in rows)
    return len(rows)


def decodes() -> dict[str, int]:
    """How often each command decodes the whole ledger, in a tiny project."""
    with tempfile.TemporaryDirectory() as folder:
        made = story(Path(folder), items=3000, labels=300)
        return {name: decoded for name, decoded, _ in made if name != "init"}


def verify_seconds(labels: int) -> float:
    """CPU seconds of `verify` on a project with this many labels."""
    with tempfile.TemporaryDirectory() as folder:
        times = {
            name: seconds
            for name, _, seconds in story(Path(folder), items=4 * labels, labels=labels)
        }
    return round(times["verify"], 2)


def _shown(value: Any) -> str:
    if isinstance(value, dict) and all(isinstance(part, list) for part in value.values()):
        return f"{len(value):,} commands, {sum(map(len, value.values())):,} spellings"
    if isinstance(value, dict) and all(isinstance(part, dict) for part in value.values()):
        return "".join(
            f"\n{one['now']:>10,}  {n} ({one['then']:,} then)" for n, one in value.items()
        )
    if isinstance(value, dict) and THEN in value:
        return "".join(f"\n{size:>10,}  {name}" for name, size in value.items())
    if isinstance(value, dict):
        plain = {name: part for name, part in value.items() if name != "modules"}
        return ", ".join(f"{name} {part}" for name, part in plain.items())
    return ", ".join(value) or "none" if isinstance(value, list) else f"{value:,}"


def main(arguments: list[str] | None = None, show: Callable[[str], None] = print) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--against", type=Path, metavar="FILE")
    parser.add_argument("--verify", type=int, metavar="LABELS")
    asked = parser.parse_args(arguments)
    from assaymark.cli import cli

    figures = shape() | {"lines by room": rooms(), "options of commands": options(cli)}
    capabilities = by_capability(sizes())
    figures["lines by capability"] = {n: lines.total() for n, lines in capabilities.items()}
    figures["lines of what existed then"] = existed_then(capabilities[THEN])
    figures["full ledger decodes per command"] = decodes()
    if asked.verify:
        figures[f"CPU seconds of verify at {asked.verify:,} labels"] = verify_seconds(asked.verify)
    earlier = json.loads(asked.against.read_text(encoding="utf-8")) if asked.against else {}
    for name, value in figures.items():
        show(f"{name:<36} {_shown(value)}")
        if name in earlier and earlier[name] != value:
            show(f"{'  before':<36} {_shown(earlier[name])}")
        if name in earlier and name == "options of commands":
            show(f"{'  lost':<36} {_shown(lost(value, earlier[name]))}")
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
