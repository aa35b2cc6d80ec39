"""JUnit XML: one test case per claim, for machines that show test results."""

import re
from xml.sax.saxutils import escape, quoteattr

from assaymark.monitoring.gate import Gate, GatedClaim

# what XML 1.0 cannot hold at all, not even escaped
UNWRITABLE = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def junit(gate: Gate) -> str:
    """The gate as a test suite: every claim that is not certified is a failure."""
    failures = sum(claim.outcome != "certified" for claim in gate.claims)
    head = f'name="assaymark gate" tests="{len(gate.claims)}" failures="{failures}" errors="0"'
    cases = "".join(_case(claim) for claim in gate.claims)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites {head}>\n<testsuite {head} skipped="0" timestamp="{gate.today}T00:00:00">\n'
        f"{cases}</testsuite>\n</testsuites>\n"
    )


def _case(claim: GatedClaim) -> str:
    where = f"classname={_attribute(claim.file)} name={_attribute(claim.name)}"
    said = escape(_clean(f"{claim.claim}: {claim.reason}"))
    if claim.outcome == "certified":
        return f'<testcase {where} time="0"><system-out>{said}</system-out></testcase>\n'
    failure = f'type="{claim.outcome}" message={_attribute(f"{claim.outcome}: {claim.reason}")}'
    return f'<testcase {where} time="0"><failure {failure}>{said}</failure></testcase>\n'


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return UNWRITABLE.sub("�", text)
