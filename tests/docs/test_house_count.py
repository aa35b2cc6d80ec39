"""The count of lines by capability: every line stands on one line of the table, and no line is empty."""

import sys

from pages import DOCS

sys.path.insert(0, str(DOCS.parent / "bench"))
from capabilities import NEWER, THEN, by_capability, lines_of, unused
from definitions import HEAD, before, definitions, existed_then
from house import SOURCE, sizes


def test_every_definition_is_on_one_line_of_the_table() -> None:
    modules = sizes()
    assert {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")} == set(modules)
    places = [(module, name) for module, lines in modules.items() for name in lines]
    assert {place: lines_of(*place) for place in places if len(lines_of(*place)) != 1} == {}
    totals = by_capability(modules)
    assert list(totals) == [THEN, *NEWER]
    assert all(lines.total() for lines in totals.values())
    total = sum(lines.total() for lines in totals.values())
    assert total == sum(len(path.read_text("utf-8").splitlines()) for path in SOURCE.rglob("*.py"))


def test_the_table_names_nothing_that_is_gone() -> None:
    assert unused(sizes()) == []
    assert "plugins.py" not in unused({"plugins.py": []})
    assert "claims/results.py::Estimate.row" in unused({"claims/results.py": ["Verdict.row"]})


def test_what_the_table_does_not_name_existed_then() -> None:
    assert lines_of("certification/looks.py") == [THEN]
    assert lines_of("reviewing/stats/wealth.py") == ["reviews in rank order with a certified end"]
    assert lines_of("records/plan.py", "Plan") == [THEN]
    assert lines_of("records/plan.py", "Stake") == ["one risk for all plans about a claim"]


def test_no_definition_that_existed_then_is_credited_to_a_later_capability() -> None:
    """In a module that existed, that is: a new module is new as a whole."""
    old = before()["definitions"]
    assert [
        f"{module}::{name}"
        for module, lines in sizes().items()
        for name in lines
        if lines_of(module) == [THEN] and lines_of(module, name) != [THEN] and name in old
    ] == []


def test_the_old_tree_is_counted_whole() -> None:
    old = before()
    assert old["lines"] == old["head"] + sum(old["definitions"].values()) == 44_517
    lines = existed_then(by_capability(sizes())[THEN])
    assert sum(part["then"] for part in lines.values()) == old["lines"]
    assert all(part["now"] for part in lines.values())


def test_lines_of_a_method_are_not_counted_again_with_its_class() -> None:
    source = "import os\n\n\n@mark\nclass One:\n    size = 1\n\n    @property\n    def two(self):\n        pass\n"
    assert definitions(source) == {"One": 4, "One.two": 3, HEAD: 3}
