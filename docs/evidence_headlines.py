"""The README's sentences about what was measured, filled from the records that they link to."""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from evidence_records import FOLDER, Record

README = FOLDER.parents[1] / "README.md"
SENTENCES = FOLDER / "headlines.toml"
MARKS = re.compile(r"(<!-- evidence -->\n).*?(<!-- /evidence -->)", re.DOTALL)


def headlines(
    papers: Sequence[Record], peers: Sequence[Record], source: Path = SENTENCES
) -> list[str]:
    """One line per sentence; left out where one of its figures was not measured."""
    known = {(row["paper"][:3], row["row"]): row for row in papers}
    known |= {(row["task"], row["peer"]): row for row in peers}
    lines = []
    for one in tomllib.loads(source.read_text(encoding="utf-8"))["headline"]:
        figures = [known[paper, row][field] for paper, row, field in one["rows"]]
        if None not in figures:
            text = re.sub(r"\{.*?\}", r"**\g<0>**", one["text"]).format(*figures)
            text = text.replace("%**", " %**")
            lines.append(f"- {text} [Result](docs/evidence/{one['page']})")
    return lines


def filled(text: str, papers: Sequence[Record], peers: Sequence[Record]) -> str:
    """The README with its sentences as the records have them."""
    body = "".join(f"{line}\n" for line in headlines(papers, peers))
    return MARKS.sub(lambda found: found.group(1) + body + found.group(2), text)
