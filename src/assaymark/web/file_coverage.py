"""The files that a table names beside those that are there, in the page's words."""

from collections.abc import Sequence
from typing import Any

from assaymark.claims.results import counted
from assaymark.pool.named_files import MOST_NAMES, TooManyNamesError
from assaymark.pool.preview import Finding
from assaymark.project.attachments import Coverage
from assaymark.web.display import visible

MOST_LISTED = 1_000  # names that a page is sent
MOST_SHOWN = 5  # names in a sentence


def coverage_reply(covered: Coverage, columns: Sequence[str]) -> dict[str, Any]:
    """The comparison of table and files, in sentences and as names."""
    return {
        "named": covered.named,
        "findings": [
            {"level": one.level, "sentence": visible(one.sentence)}
            for one in _findings(covered, columns)
        ],
        "missing": [visible(name) for name in covered.missing[:MOST_LISTED]],
        "unnamed": [visible(name) for name in covered.unnamed[:MOST_LISTED]],
    }


def uncompared_reply(error: TooManyNamesError) -> dict[str, Any]:
    """That the table names too many files, and what becomes of uploaded ones."""
    finding = {"level": "careful", "sentence": error.message}
    return {"named": MOST_NAMES, "findings": [finding], "missing": [], "unnamed": []}


def _findings(covered: Coverage, columns: Sequence[str]) -> list[Finding]:
    findings = [_about_missing(covered, columns)]
    for one, other in covered.unclear[:MOST_SHOWN]:
        findings.append(
            Finding(
                level="careful",
                sentence=f"“{one}” and “{other}” end with one name, and uploaded files are known by "
                "their name alone. Neither is shown: rename the files, and the cells of the table.",
            )
        )
    if covered.unnamed:
        single = len(covered.unnamed) == 1
        sentence = (
            f"{counted(len(covered.unnamed), 'uploaded file')} {'is' if single else 'are'} named by "
            f"no row: {_listed(covered.unnamed)}."
        )
        findings.append(Finding(level="careful", sentence=sentence))
    return findings


def _about_missing(covered: Coverage, columns: Sequence[str]) -> Finding:
    if not covered.named:
        listed = ", ".join(f"“{name}”" for name in columns) or "no column"
        return Finding(
            level="fine",
            sentence=f"What reviewers read ({listed}) names no picture or PDF, so no file is needed. A "
            "cell that names one holds its name and nothing else, such as scan-001.png.",
        )
    if not covered.missing:
        what = "The file" if covered.named == 1 else f"All {covered.named:,} files"
        verb = "is" if covered.named == 1 else "are"
        return Finding(level="fine", sentence=f"{what} that the table names {verb} here.")
    missing, verb = len(covered.missing), "is" if len(covered.missing) == 1 else "are"
    return Finding(
        level="careful",
        sentence=f"{missing:,} of {counted(covered.named, 'file')} that the table names {verb} "
        f"missing: {_listed(covered.missing)}. Reviewers see the name only.",
    )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_SHOWN
    return ", ".join(names[:MOST_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
