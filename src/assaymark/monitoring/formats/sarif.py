"""SARIF 2.1.0: every claim that is not certified is a result at its claim file."""

import json
from typing import Any
from urllib.parse import quote

from assaymark import __version__
from assaymark.monitoring.gate import Gate, GatedClaim
from assaymark.monitoring.outcomes import GRAVEST_FIRST, MEANINGS, Outcome

LEVELS: dict[Outcome, str] = {
    "tampered": "error",
    "refuted": "error",
    "stale": "warning",
    "undecided": "warning",
}


def sarif(gate: Gate) -> str:
    """The gate as one run of one tool."""
    rules = [name for name in GRAVEST_FIRST if name in LEVELS]
    driver = {
        "name": "assaymark gate",
        "version": __version__,
        "rules": [_rule(name) for name in rules],
    }
    results = [
        _result(claim, rules.index(claim.outcome))
        for claim in gate.claims
        if claim.outcome != "certified"
    ]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _rule(outcome: Outcome) -> dict[str, Any]:
    return {
        "id": f"claim-{outcome}",
        "shortDescription": {"text": f"The claim is {outcome}: {MEANINGS[outcome]}."},
        "defaultConfiguration": {"level": LEVELS[outcome]},
    }


def _result(claim: GatedClaim, index: int) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": quote(claim.file)}, "region": {"startLine": 1}}
    return {
        "ruleId": f"claim-{claim.outcome}",
        "ruleIndex": index,
        "level": LEVELS[claim.outcome],
        "message": {"text": f"{claim.name} ({claim.claim}) is {claim.outcome}: {claim.reason}"},
        "locations": [{"physicalLocation": place}],
        "properties": {
            "labels": claim.labels,
            "labels_expected": claim.labels_expected,
            "expires": claim.expires,
        },
    }
