"""Rewrite the output that pages show by what their commands print now.

    python tests/docs/refill.py docs/tutorial.md docs/explanation/certificates.md

Pages are followed one after the other in one temporary folder, so that one can go on where
another ends. Hashes become "…". With -d FOLDER the folder's files are copied there first. Read
the difference before you keep it: this makes a page say what the program does, right or wrong.
"""

import argparse
import re
import shutil
import tempfile
from pathlib import Path

from pages import DOCS, FENCE, commands, type_in

HASH = re.compile(r"\b(?:[0-9a-f]{64}\b|[0-9a-f]{16}…)")


def refill(page: Path, folder: Path) -> None:
    """Run the page's commands in the folder and put their answers into the page."""
    text = page.read_text(encoding="utf-8")
    if "$ python docs/" in text:
        (folder / "docs").symlink_to(DOCS)

    def answer(found: re.Match[str]) -> str:
        language, block = found.groups()
        if language == "python" and (name := re.match(r"# (\w+\.py)\n", block)):
            (folder / name.group(1)).write_text(block, encoding="utf-8")
        if language != "console":
            return found.group(0)
        lines = []
        for command in commands(block):
            lines += [f"$ {command.line}", *type_in(command.line, folder)]
        return "```console\n" + "".join(HASH.sub("…", line) + "\n" for line in lines) + "```"

    page.write_text(FENCE.sub(answer, text), encoding="utf-8")


def main() -> None:
    """Refill the pages named on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("-d", "--data", type=Path, help="a folder whose files the pages need")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        for file in options.data.iterdir() if options.data else ():
            shutil.copy(file, place)
        for page in options.pages:
            refill(page, Path(place))


if __name__ == "__main__":
    main()
