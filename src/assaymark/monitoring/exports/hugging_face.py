"""Hugging Face: the `model-index` of a model card, as YAML to paste into its head."""

import json

from assaymark.monitoring.exports.facts import Exported


def hugging_face(exported: Exported) -> str:
    """The fragment. Texts are written as JSON strings, which YAML reads as they are."""
    certificate = exported.certificate
    estimate = exported.estimate
    claim = str(certificate.claim)
    level = f"{estimate.interval.confidence:g}"
    metrics = [(estimate.metric, "estimate", estimate.point)]
    metrics += [
        (f"{estimate.metric}_lower", f"lower bound at {level}", estimate.interval.low),
        (f"{estimate.metric}_upper", f"upper bound at {level}", estimate.interval.high),
    ]
    lines = [
        "model-index:",
        f"- name: {json.dumps(exported.model)}",
        "  results:",
        "  - task:",
        "      type: other",
        "    dataset:",
        f"      name: {json.dumps(certificate.pool.source)}",
        "      type: private",
        f"      revision: {json.dumps(certificate.pool.fingerprint)}",
        "    metrics:",
    ]
    for kind, name, value in metrics:
        if value is not None:
            lines += [
                f"    - type: {json.dumps(kind)}",
                f"      name: {json.dumps(f'{estimate.title}, {name}', ensure_ascii=False)}",
                f"      value: {json.dumps(value)}",
                f"      args: {json.dumps({'claim': claim, 'certificate_sha256': exported.sha256})}",
            ]
    return "\n".join(lines) + "\n"
