"""assay: prove how good a classifier is when every human label costs money."""

import importlib
from typing import Any

__version__ = "0.1.0"

# the front door; heavy parts are loaded when they are first used
_HOMES = {
    "AssayError": "assay.errors",
    "Audit": "assay.steps.audit",
    "Certificate": "assay.types.certificate",
    "Claim": "assay.types.claim",
    "Columns": "assay.types.pool",
    "Counts": "assay.types.claim",
    "Expectation": "assay.types.plan",
    "Project": "assay.steps.project",
    "anytime_bound": "assay.stats.mixture",
    "bound": "assay.steps.calculators",
    "certify": "assay.steps.certify",
    "draw_batch": "assay.steps.draw",
    "init": "assay.steps.init",
    "label_file": "assay.steps.label",
    "look": "assay.steps.look",
    "parse_claim": "assay.stats.metrics",
    "seal_plan": "assay.steps.plan",
    "size": "assay.steps.calculators",
    "verify": "assay.steps.verify",
    "weighted_test": "assay.stats.weighted",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
