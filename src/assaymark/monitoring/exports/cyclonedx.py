"""CycloneDX 1.6: a machine-learning model whose card has the metric with its confidence interval."""

from typing import Any

from assaymark import __version__
from assaymark.monitoring.exports.facts import Exported, as_text, number


def cyclonedx(exported: Exported) -> str:
    """A bill of materials with one component: the classifier."""
    certificate = exported.certificate
    tool = {"type": "application", "name": "assaymark", "version": __version__}
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": certificate.issued, "tools": {"components": [tool]}},
        "components": [
            {
                "type": "machine-learning-model",
                "bom-ref": "classifier",
                "name": exported.model,
                "modelCard": {"quantitativeAnalysis": {"performanceMetrics": [_metric(exported)]}},
                "properties": [
                    {"name": f"assaymark:{name}", "value": value}
                    for name, value in exported.details.items()
                ],
            }
        ],
    }
    return as_text(bom)


def _metric(exported: Exported) -> dict[str, Any]:
    estimate = exported.estimate
    entry: dict[str, Any] = {"type": estimate.metric}
    if estimate.point is not None:
        entry["value"] = number(estimate.point)
    entry["slice"] = exported.certificate.pool.source
    entry["confidenceInterval"] = {
        "lowerBound": number(estimate.interval.low),
        "upperBound": number(estimate.interval.high),
    }
    return entry
