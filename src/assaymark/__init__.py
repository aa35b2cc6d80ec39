"""assaymark: prove how good a classifier is when every human label costs money."""

import importlib
from typing import Any

__version__ = "0.1.0"

# the front door; heavy parts are loaded when they are first used
_HOMES = {
    "AssaymarkError": "assaymark.errors",
    "Audit": "assaymark.api.certification:Certification",  # its earlier name
    "Certification": "assaymark.api.certification",
    "Certificate": "assaymark.records.certificate",
    "Claim": "assaymark.claims.claim",
    "Columns": "assaymark.records.pool",
    "Counts": "assaymark.claims.claim",
    "Item": "assaymark.api.ask_tell",
    "Expectation": "assaymark.records.plan",
    "Project": "assaymark.project.folder",
    "anytime_bound": "assaymark.stats.sequential.beta_mixture",
    "assert_certified": "assaymark.monitoring.asserting",
    "bound": "assaymark.api.metrics",
    "bound_scorer": "assaymark.api.metrics",
    "certify": "assaymark.api.certification",
    "compare": "assaymark.composite.front",
    "draw_batch": "assaymark.certification.drawing",
    "init": "assaymark.project.registration",
    "label_file": "assaymark.labelling.recording",
    "look": "assaymark.certification.looks",
    "metrics": "assaymark.api.metrics",
    "parse_claim": "assaymark.claims.ratio_metrics",
    "seal_plan": "assaymark.certification.sealing",
    "size": "assaymark.certification.calculators",
    "verify": "assaymark.certification.verification",
    "weighted_test": "assaymark.stats.score_guided.supermartingale",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        home, _, other = _HOMES[name].partition(":")
        return getattr(importlib.import_module(home), other or name)
    raise AttributeError(f"module 'assaymark' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
