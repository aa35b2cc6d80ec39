"""assaymark: prove how good a classifier is when every human label costs money."""

import importlib
from typing import Any

__version__ = "0.1.0"

# the front door; heavy parts are loaded when they are first used
_HOMES = {
    "AssaymarkError": "assaymark.errors",
    "Audit": "assaymark.steps.audit",
    "Certificate": "assaymark.types.certificate",
    "Claim": "assaymark.types.claim",
    "Columns": "assaymark.types.pool",
    "Counts": "assaymark.types.claim",
    "Expectation": "assaymark.types.plan",
    "Project": "assaymark.steps.project",
    "anytime_bound": "assaymark.stats.mixture",
    "bound": "assaymark.steps.calculators",
    "certify": "assaymark.steps.certify",
    "draw_batch": "assaymark.steps.draw",
    "init": "assaymark.steps.init",
    "label_file": "assaymark.steps.label",
    "look": "assaymark.steps.look",
    "parse_claim": "assaymark.stats.metrics",
    "seal_plan": "assaymark.steps.plan",
    "size": "assaymark.steps.calculators",
    "verify": "assaymark.steps.verify",
    "weighted_test": "assaymark.stats.weighted",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'assaymark' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
