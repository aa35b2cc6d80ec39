"""Scripts, styles and templates, read once at the start: no request ever names a file."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files

from jinja2 import DictLoader, Environment, StrictUndefined

from assaymark.web.wording import for_page

TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True, kw_only=True)
class Asset:
    """A file of the page as it is sent."""

    body: bytes
    type: str


def load_assets() -> dict[str, Asset]:
    """Each static file by its name."""
    assets = {}
    for file in (files("assaymark.web") / "static").iterdir():
        ending = file.name.rpartition(".")[2]
        if ending in TYPES:
            assets[file.name] = Asset(body=file.read_bytes(), type=TYPES[ending])
    return assets


def version_of(assets: dict[str, Asset]) -> str:
    """A short text that changes when any file does, so that browsers may keep the files."""
    mark = hashlib.sha256()
    for name in sorted(assets):
        mark.update(name.encode() + assets[name].body)
    return mark.hexdigest()[:12]


def load_templates() -> Environment:
    """The templates; everything put into them is escaped."""
    folder = files("assaymark.web") / "templates"
    sources = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}
    return Environment(
        loader=DictLoader({n: s for n, s in sources.items() if n.endswith(".html")}),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: for_page(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
