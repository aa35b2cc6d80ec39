"""The pages of evidence, written from the records alone: papers, validity, peers, performance.

python docs/evidence_pages.py    write docs/evidence/*.json and *.md from docs/evidence/results
"""

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import evidence_headlines
from evidence_estimates import estimates_page
from evidence_forecasts import forecasts_page, rows_on_record
from evidence_heat import heat_map
from evidence_race import race_page
from evidence_records import FIELDS, FOLDER, RESULTS, Record, joined, read

PAPERS = FOLDER / "papers.toml"
NOTE = "<!-- Written by docs/generate.py from docs/evidence/results; do not edit. -->"


def number(value: Any) -> str:
    """A figure as a reader wants it; a dash where there is none."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown; bars inside cells are escaped."""
    lines = [list(head), ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in lines
    )


def described() -> dict[str, dict[str, Any]]:
    """What papers.toml says of each paper: title, source, data, and what is to be known."""
    return tomllib.loads(PAPERS.read_text(encoding="utf-8"))


def papers_page(paper: str, about: dict[str, Any], records: Sequence[Record]) -> str:
    """One paper: each table, figure, algorithm and headline, the paper's figure beside ours."""
    own = [one for one in records if one["paper"].startswith(paper)]
    printed = [one for one in own if one["theirs"] is not None]
    beside = [one for one in printed if one["ours"] is not None]
    parts = [
        NOTE,
        f"# {about['title']}",
        f"{about['source']}",
        about["data"],
        f"{len(own)} rows; the paper prints a figure in {len(printed)} of them, and {len(beside)} of "
        "these have ours beside it. Shares are fractions of 1. Runs are those of our figure.",
    ]
    for place in dict.fromkeys(one["row"].split(",")[0] for one in own):
        rows = [one for one in own if one["row"].split(",")[0] == place]
        parts += [f"## {place}", _paper_table(rows), _commands(rows)]
    if about.get("differs"):
        parts += ["## What to know", about["differs"].strip()]
    return "\n\n".join(part for part in parts if part) + "\n"


def _paper_table(rows: Sequence[Record]) -> str:
    cells = []
    for one in rows:
        _, _, name = one["row"].partition(",")
        cells.append(
            [
                name.strip() or one["row"],
                number(one["theirs"]),
                number(one["ours"]),
                number(one["runs"]),
                one["data"] or "–",
                one["why"] or "",
            ]
        )
    return table(["row", "paper", "ours", "runs", "data", "why they differ"], cells)


def _commands(rows: Sequence[Record]) -> str:
    names = dict.fromkeys(one["command"] for one in rows if one["command"])
    return "\n".join(f"    {name}" for name in names)


def validity_page(records: Sequence[Record]) -> str:
    """Every guarantee in every world: what was promised, and the worst that was measured."""
    above = [one for one in records if one["low"] is not None and one["low"] > one["nominal"]]
    said = (
        "In no row does the whole interval lie above what is promised."
        if not above
        else f"In {len(above)} row{'s' * (len(above) != 1)} the whole interval lies above what is promised: "
        + "; ".join(f"{one['promise']} ({one['world']})" for one in above)
        + "."
    )
    rows = [
        [
            one["promise"].replace("-", " "),
            one["world"],
            number(one["nominal"]),
            number(one["measured"]),
            f"{number(one['low'])}–{number(one['high'])}" if one["low"] is not None else "–",
            "all outcomes" if one["runs"] is None else number(one["runs"]),
            one["size"],
            f"`{one['test']}`",
        ]
        for one in records
    ]
    head = [
        "promise",
        "world",
        "promised at most",
        "measured",
        "interval",
        "runs",
        "size",
        "shown by",
    ]
    parts = [
        NOTE,
        "# Validity: every guarantee, measured",
        "Each row is one promise in one world: how often it may fail, and how often it did. Worlds are "
        "enumerated (*exact*: every outcome counted, no chance left), *made*, chosen by an *adversary*, "
        "or *real* collections with all labels known. The interval is Clopper and Pearson's at 95 %. "
        "[Every promise](promises.md) lists the sentences behind the names.",
        f"{len(records)} rows, {len({one['promise'] for one in records})} promises. {said}",
        "![Worst measured error over the promised one, by promise and kind of world](validity.svg)",
        table(head, rows),
    ]
    return "\n\n".join(parts) + "\n"


def peers_page(records: Sequence[Record]) -> str:
    """Other tools on the same data, seeds and confidence."""
    parts = [
        NOTE,
        "# Peers: other tools in the same run",
        "Same data, same seeds, same confidence. *Labels* is the mean number of labels; *over-claims* is "
        "the share of runs that ended with something false, looked at once and looked at after every "
        "batch. Each peer runs in an environment of its own (`bench/requirements.txt`).",
    ]
    for task in dict.fromkeys(one["task"] for one in records):
        own = [one for one in records if one["task"] == task]
        rows = [
            [
                f"{one['peer']} {one['version']}".strip(),
                one["data"],
                number(one["confidence"]),
                number(one["runs"]),
                number(one["labels"]),
                number(one["overclaim"]),
                number(one["overclaim_peeking"]),
                number(one["seconds"]),
            ]
            for one in own
        ]
        head = [
            "method",
            "data",
            "confidence",
            "runs",
            "labels",
            "over-claims",
            "with peeking",
            "seconds",
        ]
        parts += [f"## {task}", table(head, rows), _commands(own)]
        wins = dict.fromkeys(f"- **{one['peer']}**: {one['wins']}" for one in own if one["wins"])
        if wins:
            parts += ["Where others win:", "\n".join(wins)]
    if not records:
        parts.append("Nothing measured yet.")
    return "\n\n".join(part for part in parts if part) + "\n"


def performance_page(records: Sequence[Record]) -> str:
    """Times and sizes against bars and limits, with the command for each."""
    rows = [
        [
            one["what"],
            f"{number(one['measured'])} {one['unit']}".strip(),
            "–" if one["bar"] is None else f"{number(one['bar'])} {one['unit']}".strip(),
            number(one["ratio"]),
            one["limit"] or "–",
            one["machine"],
            f"`{one['command']}`",
        ]
        for one in records
    ]
    head = ["what", "measured", "bar", "of the limit", "limit", "machine", "command"]
    parts = [
        NOTE,
        "# Performance: against bars and limits",
        "Times are of the machine named; a loaded one shares its two cores with other work. A ratio "
        "compares with a limit, where there is one. The information limit counts draws with replacement: "
        "no such test needs fewer labels on average. Ours draws without, so in a pool that is nearly used "
        "up (a margin of 0.02) it can need fewer.",
        table(head, rows) if rows else "Nothing measured yet.",
    ]
    return "\n\n".join(parts) + "\n"


def _time_of(one: Record) -> str:
    """Wall time, processor time where it was measured, and the machine."""
    work = one["cpu_seconds"]
    work = "" if work is None else f" ({number(work)} s of processor time)"
    return f"{number(one['seconds'])} s{work}, {one['machine']}"


def _what_was_run(runs: Sequence[Record]) -> list[str]:
    """The steps behind the figures, and those that were not run: nothing is shown for these."""
    if not runs:
        return []
    rows = [
        [
            f"`{one['command']}`",
            one["size"],
            _time_of(one) if one["finished"] else "**not run**",
        ]
        for one in runs
    ]
    done = sum(one["finished"] for one in runs)
    said = (
        f"{done} of {len(runs)} steps were run for the figures on these pages. A row whose step was not "
        "run has a dash and says so, or has the figure of the small step, on made worlds."
    )
    return ["## What was run", said, table(["step", "size", "time"], rows)]


def overview_page(
    about: dict[str, dict[str, Any]], papers: Sequence[Record], runs: Sequence[Record]
) -> str:
    """What there is, and how to repeat it."""
    rows = []
    for paper, own in about.items():
        mine = [one for one in papers if one["paper"].startswith(paper)]
        printed = [one for one in mine if one["theirs"] is not None]
        both = sum(one["ours"] is not None for one in printed)
        rows.append([f"[{own['title']}](paper-{paper}.md)", f"{both} of {len(printed)}"])
    parts = [
        NOTE,
        "# Evidence",
        "What the product promises, what was measured, and what five papers print beside what we get. "
        "Every figure on these pages comes from a record in `docs/evidence/results`; a test fails when a "
        "page and its records disagree.",
        table(["paper", "printed figures with ours beside them"], rows),
        "- [Validity](validity.md): every guarantee in every world\n"
        "- [Peers](peers.md): other tools in the same run\n"
        "- [Performance](performance.md): against bars and limits\n"
        "- [The race](race.md): labels to certify a claim, way by way\n"
        "- [Estimates](estimates.md): errors beside rivals, every cell, with the reason where one leads\n"
        "- [Forecasts](forecasts.md): what plans say beforehand, and what happens\n"
        "- [Every promise, and the test that holds it](promises.md)",
        "## Repeat it",
        "    make evidence                              # small: no data, minutes\n"
        "    make evidence SIZE=full DATA=collections   # all collections in that folder, hours",
        *_what_was_run(runs),
        "Both go on where they were interrupted. A small run never replaces a figure that was measured "
        "with more runs or on real data. Records for other programs: `papers.json`, `validity.json`, "
        "`peers.json`, `performance.json`.",
    ]
    return "\n\n".join(parts) + "\n"


def pages(folder: Path = RESULTS) -> dict[str, str]:
    """The text of every file of evidence that follows from the results, by its name."""
    records = {kind: read(kind, folder) for kind in FIELDS}
    about = described()
    found = joined(folder)
    found["index.md"] = overview_page(about, records["papers"], records["runs"])
    for paper, own in about.items():
        found[f"paper-{paper}.md"] = papers_page(paper, own, records["papers"])
    found["validity.md"] = validity_page(records["validity"])
    found["validity.svg"] = heat_map(records["validity"])
    found["peers.md"] = peers_page(records["peers"])
    found["performance.md"] = performance_page(records["performance"])
    found["race.md"] = race_page(folder, NOTE)
    found["forecasts.md"] = forecasts_page(rows_on_record())
    found["estimates.md"] = estimates_page(folder, NOTE)
    return found


def stale() -> list[str]:
    """The files on disk that are not what the results say."""
    readme = evidence_headlines.README.read_text(encoding="utf-8")
    old = (
        []
        if evidence_headlines.filled(readme, read("papers"), read("peers")) == readme
        else ["README.md"]
    )
    return old + [
        f"evidence/{name}"
        for name, text in pages().items()
        if not (FOLDER / name).exists() or (FOLDER / name).read_text(encoding="utf-8") != text
    ]


def write() -> None:
    """Write every file of evidence."""
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
    readme = evidence_headlines.README
    text = evidence_headlines.filled(
        readme.read_text(encoding="utf-8"), read("papers"), read("peers")
    )
    readme.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write()
