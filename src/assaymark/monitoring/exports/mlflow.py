"""MLflow: metrics, parameters and tags to log with `log_metrics`, `log_params` and `set_tags`."""

from assaymark.monitoring.exports.facts import Exported, as_text

PARAMS = ("claim", "confidence", "mode", "design", "method", "side", "judged")


def mlflow(exported: Exported) -> str:
    """One JSON object with three tables; the bounds are `<metric>_lower` and `<metric>_upper`.

    A figure of one part of a claim is `<metric>/<part>_lower`, which MLflow shows as a group.
    """
    metrics: dict[str, float] = {}
    for figure in exported.figures:
        values = {"_lower": figure.low, "_upper": figure.high, "_labels": figure.labels}
        metrics |= {f"{figure.key}{end}": value for end, value in values.items()}
        if figure.point is not None:
            metrics[figure.key] = figure.point
    details = exported.details
    return as_text(
        {
            "metrics": metrics,
            "params": {key: details[key] for key in PARAMS if key in details},
            "tags": {
                f"assaymark.{key}": value for key, value in details.items() if key not in PARAMS
            },
        }
    )
