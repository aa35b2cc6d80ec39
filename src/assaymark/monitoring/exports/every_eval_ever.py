"""Every Eval Ever (schema 0.3.0): one evaluation result with its uncertainty."""

from datetime import datetime
from typing import Any

from assaymark.monitoring.exports.facts import Exported, as_text

SCHEMA = "0.3.0"
# what the schema demands of every model, and the values that it allows
DEPLOYMENT = {
    "deployment_type": ("self_deployed", "externally_managed", "unknown"),
    "model_availability": ("open_weights", "closed_weights", "unknown"),
}


def every_eval_ever(exported: Exported) -> str:
    """The record. Its time is that of the certificate: the same certificate gives the same record."""
    certificate = exported.certificate
    moment = datetime.fromisoformat(certificate.issued)
    seconds = f"{moment.timestamp():.3f}".rstrip("0").rstrip(".")
    lock = certificate.lock
    owner = lock.owner if lock and lock.owner else "unknown"
    record = {
        "schema_version": SCHEMA,
        "evaluation_id": f"{certificate.claim.metric}/{exported.model}/{seconds}",
        "evaluation_timestamp": certificate.issued,
        "retrieved_timestamp": seconds,
        "source_metadata": {
            "source_name": "assaymark certificate",
            "source_type": "evaluation_run",
            "source_organization_name": owner,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "assaymark", "version": certificate.software},
        "model_info": {
            "name": exported.model,
            "id": exported.model,
            "additional_details": _details(exported.classifier),
        },
        "evaluation_results": [_result(exported)],
    }
    return as_text(record)


def _details(classifier: dict[str, str]) -> dict[str, str]:
    """The classifier as its claim file names it; what the schema demands and nobody said is unknown."""
    stated = {
        name: classifier[name] if classifier.get(name) in allowed else "unknown"
        for name, allowed in DEPLOYMENT.items()
    }
    return classifier | stated


def _result(exported: Exported) -> dict[str, Any]:
    certificate = exported.certificate
    estimate, claim = exported.estimate, certificate.claim
    bound = estimate.interval.low if claim.side == "lower" else estimate.interval.high
    # the format wants a score; where no estimate is defined the proved bound is the only figure
    score = bound if estimate.point is None else estimate.point
    return {
        "evaluation_name": str(claim),
        "source_data": {"dataset_name": certificate.pool.source, "source_type": "other"},
        "metric_config": {
            "evaluation_description": estimate.title,
            "lower_is_better": claim.side == "upper",
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": {
            "score": score,
            "details": exported.details,
            "uncertainty": {
                "confidence_interval": {
                    "lower": estimate.interval.low,
                    "upper": estimate.interval.high,
                    "confidence_level": estimate.interval.confidence,
                    "method": estimate.interval.method,
                },
                "num_samples": estimate.labels,
            },
        },
    }
