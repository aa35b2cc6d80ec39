"""pytest plugin: `assert_certified` in tests, and what an undecided claim means there.

Loaded by pytest in every run where assaymark is installed, so it imports nothing heavy and acts only
on tests that ask the gate. An undecided claim fails, unless the test is marked
`@pytest.mark.assaymark(undecided="xfail")` or the ini file says `assaymark_undecided = xfail`.
"""

import sys
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from assaymark.monitoring.gate import Gate

CHOICES = ("fail", "xfail")
ASSERTING = "assaymark.monitoring.asserting"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the ini option."""
    parser.addini(
        "assaymark_undecided",
        "What an undecided claim is: fail (default) or xfail.",
        default="fail",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line(
        "markers",
        'assaymark(undecided="fail"): what an undecided claim is in this test: "fail" or "xfail".',
    )


@pytest.fixture
def assaymark_gate() -> "Callable[..., Gate]":
    """`assert_certified`, without an import: `assaymark_gate("claims/toxicity.toml")`."""
    from assaymark.monitoring.asserting import assert_certified

    return assert_certified


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report a test as expected to fail, where it failed by an undecided claim and that is allowed."""
    report = yield
    if call.excinfo is None or ASSERTING not in sys.modules:
        return report
    error: Any = call.excinfo.value
    if not isinstance(error, sys.modules[ASSERTING].NotCertifiedError):
        return report
    if error.gate.outcome == "undecided" and _undecided(item) == "xfail":
        report.outcome = "skipped"
        report.wasxfail = f"reason: {error}"
    return report


def _undecided(item: pytest.Item) -> str:
    mark = item.get_closest_marker("assaymark")
    chosen = mark.kwargs.get("undecided") if mark else None
    value = str(chosen or item.config.getini("assaymark_undecided"))
    if value not in CHOICES:
        raise pytest.UsageError(f"'undecided' must be one of {', '.join(CHOICES)}, got {value!r}.")
    return value
