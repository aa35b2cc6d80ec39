"""assaymark: prove how good a classifier is when every human label costs money."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what editors and type checkers see of the names below
    from assaymark.api.ask_tell import Item as Item
    from assaymark.api.certification import Certification as Audit
    from assaymark.api.certification import Certification as Certification
    from assaymark.api.certification import certify as certify
    from assaymark.api.conclusion import Conclusion as Conclusion
    from assaymark.api.doctoring import doctor as doctor
    from assaymark.api.estimation import Estimation as Estimation
    from assaymark.api.estimation import estimate as estimate
    from assaymark.api.gating import gate as gate
    from assaymark.api.gating import lock as lock
    from assaymark.api.gating import require as require
    from assaymark.api.metrics import Metrics as Metrics
    from assaymark.api.metrics import bound as bound
    from assaymark.api.metrics import bound_scorer as bound_scorer
    from assaymark.api.metrics import metrics as metrics
    from assaymark.api.pair_recall import PairRecall as PairRecall
    from assaymark.api.pair_recall import recall_from_pairs as recall_from_pairs
    from assaymark.api.reviewing import Review as Review
    from assaymark.api.reviewing import review as review
    from assaymark.api.several_parts import ComposedClaim as ComposedClaim
    from assaymark.api.several_parts import certify_parts as certify_parts
    from assaymark.api.several_parts import compare as compare
    from assaymark.api.several_parts import cutoff as cutoff
    from assaymark.api.sizing import size as size
    from assaymark.api.training import Training as Training
    from assaymark.api.training import train as train
    from assaymark.api.triaging import triage as triage
    from assaymark.api.verification import verify as verify
    from assaymark.certification.drawing import draw_batch as draw_batch
    from assaymark.certification.looks import look as look
    from assaymark.certification.sealing import seal_plan as seal_plan
    from assaymark.claims.claim import Claim as Claim
    from assaymark.claims.claim import Counts as Counts
    from assaymark.claims.ratio_metrics import parse_claim as parse_claim
    from assaymark.claims.results import Verdict as Verdict
    from assaymark.errors import AssaymarkError as AssaymarkError
    from assaymark.labelling.recording import label_file as label_file
    from assaymark.monitoring.asserting import assert_certified as assert_certified
    from assaymark.project.folder import Project as Project
    from assaymark.project.registration import init as init
    from assaymark.records.certificate import Certificate as Certificate
    from assaymark.records.plan import Expectation as Expectation
    from assaymark.records.pool import Columns as Columns
    from assaymark.stats.score_guided.supermartingale import weighted_test as weighted_test
    from assaymark.stats.sequential.beta_mixture import anytime_bound as anytime_bound
    from assaymark.triaging.sklearn_classifier import TriageClassifier as TriageClassifier
    from assaymark.triaging.sklearn_scorers import (
        automated_accuracy_scorer as automated_accuracy_scorer,
    )
    from assaymark.triaging.sklearn_scorers import yield_scorer as yield_scorer

__version__ = "0.1.0"

# the front door; heavy parts are loaded when they are first used
_HOMES = {
    "AssaymarkError": "assaymark.errors",
    "Audit": "assaymark.api.certification:Certification",  # its earlier name
    "Certificate": "assaymark.records.certificate",
    "Certification": "assaymark.api.certification",
    "Claim": "assaymark.claims.claim",
    "Columns": "assaymark.records.pool",
    "ComposedClaim": "assaymark.api.several_parts",
    "Counts": "assaymark.claims.claim",
    "Estimation": "assaymark.api.estimation",
    "Expectation": "assaymark.records.plan",
    "Conclusion": "assaymark.api.conclusion",
    "Item": "assaymark.api.ask_tell",
    "Metrics": "assaymark.api.metrics",
    "PairRecall": "assaymark.api.pair_recall",
    "Project": "assaymark.project.folder",
    "Review": "assaymark.api.reviewing",
    "Training": "assaymark.api.training",
    "TriageClassifier": "assaymark.triaging.sklearn_classifier",
    "Verdict": "assaymark.claims.results",
    "anytime_bound": "assaymark.stats.sequential.beta_mixture",
    "assert_certified": "assaymark.monitoring.asserting",
    "automated_accuracy_scorer": "assaymark.triaging.sklearn_scorers",
    "bound": "assaymark.api.metrics",
    "bound_scorer": "assaymark.api.metrics",
    "certify": "assaymark.api.certification",
    "certify_parts": "assaymark.api.several_parts",
    "compare": "assaymark.api.several_parts",
    "cutoff": "assaymark.api.several_parts",
    "doctor": "assaymark.api.doctoring",
    "draw_batch": "assaymark.certification.drawing",
    "estimate": "assaymark.api.estimation",
    "gate": "assaymark.api.gating",
    "init": "assaymark.project.registration",
    "label_file": "assaymark.labelling.recording",
    "lock": "assaymark.api.gating",
    "look": "assaymark.certification.looks",
    "metrics": "assaymark.api.metrics",
    "parse_claim": "assaymark.claims.ratio_metrics",
    "recall_from_pairs": "assaymark.api.pair_recall",
    "require": "assaymark.api.gating",
    "review": "assaymark.api.reviewing",
    "seal_plan": "assaymark.certification.sealing",
    "size": "assaymark.api.sizing",
    "train": "assaymark.api.training",
    "triage": "assaymark.api.triaging",
    "verify": "assaymark.api.verification",
    "weighted_test": "assaymark.stats.score_guided.supermartingale",
    "yield_scorer": "assaymark.triaging.sklearn_scorers",
}

__all__ = [
    "AssaymarkError",
    "Audit",
    "Certificate",
    "Certification",
    "Claim",
    "Columns",
    "ComposedClaim",
    "Conclusion",
    "Counts",
    "Estimation",
    "Expectation",
    "Item",
    "Metrics",
    "PairRecall",
    "Project",
    "Review",
    "Training",
    "TriageClassifier",
    "Verdict",
    "__version__",
    "anytime_bound",
    "assert_certified",
    "automated_accuracy_scorer",
    "bound",
    "bound_scorer",
    "certify",
    "certify_parts",
    "compare",
    "cutoff",
    "doctor",
    "draw_batch",
    "estimate",
    "gate",
    "init",
    "label_file",
    "lock",
    "look",
    "metrics",
    "parse_claim",
    "recall_from_pairs",
    "require",
    "review",
    "seal_plan",
    "size",
    "train",
    "triage",
    "verify",
    "weighted_test",
    "yield_scorer",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        home, _, other = _HOMES[name].partition(":")
        return getattr(importlib.import_module(home), other or name)
    raise AttributeError(f"module 'assaymark' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
