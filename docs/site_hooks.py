"""What MkDocs is told beyond mkdocs.yml: the version, and lists that begin right after a line."""

import re
from typing import Any

from assaymark import __version__

FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"([-*]|\d+\.) ")


def on_config(config: Any) -> Any:
    """Every page says in its footer which version it is about."""
    config.copyright = f"assaymark {__version__} · {config.copyright}"
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with an empty line before every list, as Python-Markdown wants it and GitHub does not."""
    lines: list[str] = []
    fenced = False
    for line in markdown.split("\n"):
        before = lines[-1] if lines else ""
        starts = ITEM.match(line) and before.strip() and not _belongs(before)
        if starts and not fenced:
            lines.append("")
        fenced ^= FENCE.match(line) is not None
        lines.append(line)
    return "\n".join(lines)


def _belongs(line: str) -> bool:
    """Whether a line is an item of a list, or goes on with one."""
    return ITEM.match(line) is not None or line.startswith(" ")
