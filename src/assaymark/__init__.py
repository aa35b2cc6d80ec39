"""assaymark: prove how good a classifier is when every human label costs money."""

import importlib
from typing import Any

__version__ = "0.1.0"

# the front door; heavy parts are loaded when they are first used
_HOMES = {
    "AssaymarkError": "assaymark.errors",
    "Audit": "assaymark.certification.audit",
    "Certificate": "assaymark.records.certificate",
    "Claim": "assaymark.claims.claim",
    "Columns": "assaymark.records.pool",
    "Counts": "assaymark.claims.claim",
    "Expectation": "assaymark.records.plan",
    "Project": "assaymark.project.folder",
    "anytime_bound": "assaymark.stats.sequential.beta_mixture",
    "bound": "assaymark.certification.calculators",
    "certify": "assaymark.certification.issuing",
    "compare": "assaymark.composite.front",
    "draw_batch": "assaymark.certification.drawing",
    "init": "assaymark.project.registration",
    "label_file": "assaymark.labelling.recording",
    "look": "assaymark.certification.looks",
    "parse_claim": "assaymark.claims.ratio_metrics",
    "seal_plan": "assaymark.certification.sealing",
    "size": "assaymark.certification.calculators",
    "verify": "assaymark.certification.verification",
    "weighted_test": "assaymark.stats.score_guided.supermartingale",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'assaymark' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
