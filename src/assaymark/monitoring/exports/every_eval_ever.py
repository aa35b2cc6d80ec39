"""Every Eval Ever (schema 0.3.0): one evaluation result per figure, with its uncertainty."""

from datetime import datetime
from typing import Any

from assaymark.monitoring.exports.facts import Exported, as_text
from assaymark.monitoring.exports.figures import Figure

SCHEMA = "0.3.0"
# what the schema demands of every model, and the values that it allows
DEPLOYMENT = {
    "deployment_type": ("self_deployed", "externally_managed", "unknown"),
    "model_availability": ("open_weights", "closed_weights", "unknown"),
}


def every_eval_ever(exported: Exported) -> str:
    """The record. Its time is that of the certificate: the same certificate gives the same record."""
    moment = datetime.fromisoformat(exported.issued)
    seconds = f"{moment.timestamp():.3f}".rstrip("0").rstrip(".")
    lock = exported.lock
    owner = lock.owner if lock and lock.owner else "unknown"
    record = {
        "schema_version": SCHEMA,
        "evaluation_id": f"{exported.metric}/{exported.model}/{seconds}",
        "evaluation_timestamp": exported.issued,
        "retrieved_timestamp": seconds,
        "source_metadata": {
            "source_name": "assaymark certificate",
            "source_type": "evaluation_run",
            "source_organization_name": owner,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "assaymark", "version": exported.software},
        "model_info": {
            "name": exported.model,
            "id": exported.model,
            "additional_details": _details(exported.classifier),
        },
        "evaluation_results": [_result(exported, one) for one in exported.figures],
    }
    return as_text(record)


def _details(classifier: dict[str, str]) -> dict[str, str]:
    """The classifier as its claim file names it; what the schema demands and nobody said is unknown."""
    stated = {
        name: classifier[name] if classifier.get(name) in allowed else "unknown"
        for name, allowed in DEPLOYMENT.items()
    }
    return classifier | stated


def _result(exported: Exported, figure: Figure) -> dict[str, Any]:
    return {
        "evaluation_name": figure.claim,
        "source_data": {"dataset_name": figure.of(exported.pool), "source_type": "other"},
        "metric_config": {
            "evaluation_description": figure.title,
            "lower_is_better": figure.lower_is_better,
            "score_type": "continuous",
            "min_score": figure.least,
            "max_score": 1.0,
        },
        "score_details": {
            "score": figure.score,
            "details": exported.details,
            "uncertainty": {
                "confidence_interval": {
                    "lower": figure.low,
                    "upper": figure.high,
                    "confidence_level": figure.confidence,
                    "method": figure.method,
                },
                "num_samples": figure.labels,
            },
        },
    }
