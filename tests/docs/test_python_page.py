"""The examples of the page on Python run in order and give what the page shows."""

import doctest

from pages import DOCS, fences

PAGE = DOCS / "how-to" / "python.md"


def test_the_examples_give_what_the_page_shows() -> None:
    blocks = [block for kind, block in fences(PAGE.read_text(encoding="utf-8")) if kind == "pycon"]
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, PAGE.name, str(PAGE), 0)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=report.append)
    assert result.attempted > 20
    assert result.failed == 0, "".join(report)
