"""The count of lines by capability: every module stands on one line of the table, and no line is empty."""

import sys

from pages import DOCS

sys.path.insert(0, str(DOCS.parent / "bench"))
from capabilities import NEWER, THEN, by_capability, lines_of, unused
from house import SOURCE, sizes


def test_every_module_is_on_one_line_of_the_table() -> None:
    modules = sizes()
    assert {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")} == set(modules)
    assert {name: lines_of(name) for name in modules if len(lines_of(name)) != 1} == {}
    totals = by_capability(modules)
    assert list(totals) == [THEN, *NEWER]
    assert all(totals.values())
    assert sum(totals.values()) == sum(modules.values())


def test_the_table_names_nothing_that_is_gone() -> None:
    assert unused(sizes()) == []
    assert unused(["plugins.py"]) != []


def test_what_the_table_does_not_name_existed_then() -> None:
    assert lines_of("certification/looks.py") == [THEN]
    assert lines_of("reviewing/stats/wealth.py") == ["reviews in rank order with a certified end"]
