"""CycloneDX 1.6: a machine-learning model whose card has each metric with its confidence interval."""

from typing import Any

from assaymark import __version__
from assaymark.monitoring.exports.facts import Exported, as_text, number
from assaymark.monitoring.exports.figures import Figure


def cyclonedx(exported: Exported) -> str:
    """A bill of materials with one component: the classifier."""
    tool = {"type": "application", "name": "assaymark", "version": __version__}
    metrics = [_metric(figure, exported.pool) for figure in exported.figures]
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": exported.issued, "tools": {"components": [tool]}},
        "components": [
            {
                "type": "machine-learning-model",
                "bom-ref": "classifier",
                "name": exported.model,
                "modelCard": {"quantitativeAnalysis": {"performanceMetrics": metrics}},
                "properties": [
                    {"name": f"assaymark:{name}", "value": value}
                    for name, value in exported.details.items()
                ],
            }
        ],
    }
    return as_text(bom)


def _metric(figure: Figure, pool: str) -> dict[str, Any]:
    return {
        "type": figure.metric,
        **({} if figure.point is None else {"value": number(figure.point)}),
        "slice": figure.of(pool),
        "confidenceInterval": {
            "lowerBound": number(figure.low),
            "upperBound": number(figure.high),
        },
    }
