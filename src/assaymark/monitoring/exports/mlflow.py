"""MLflow: metrics, parameters and tags to log with `log_metrics`, `log_params` and `set_tags`."""

from assaymark.monitoring.exports.facts import Exported, as_text


def mlflow(exported: Exported) -> str:
    """One JSON object with three tables; the bounds are `<metric>_lower` and `<metric>_upper`."""
    estimate = exported.estimate
    name = estimate.metric
    metrics: dict[str, float] = {
        f"{name}_lower": estimate.interval.low,
        f"{name}_upper": estimate.interval.high,
        f"{name}_labels": estimate.labels,
    }
    if estimate.point is not None:
        metrics[name] = estimate.point
    params = ("claim", "confidence", "mode", "design", "method", "side")
    details = exported.details
    return as_text(
        {
            "metrics": metrics,
            "params": {key: details[key] for key in params},
            "tags": {
                f"assaymark.{key}": value for key, value in details.items() if key not in params
            },
        }
    )
