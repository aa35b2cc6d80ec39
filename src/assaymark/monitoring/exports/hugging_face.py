"""Hugging Face: the `model-index` of a model card, as YAML to paste into its head."""

import json

from assaymark.monitoring.exports.facts import Exported
from assaymark.monitoring.exports.figures import Figure


def hugging_face(exported: Exported) -> str:
    """The fragment. Texts are written as JSON strings, which YAML reads as they are."""
    lines = [
        "model-index:",
        f"- name: {json.dumps(exported.model)}",
        "  results:",
        "  - task:",
        "      type: other",
        "    dataset:",
        f"      name: {json.dumps(exported.pool)}",
        "      type: private",
        f"      revision: {json.dumps(exported.fingerprint)}",
        "    metrics:",
    ]
    for figure in exported.figures:
        lines += _metrics(figure, exported.sha256)
    return "\n".join(lines) + "\n"


def _metrics(figure: Figure, sha256: str) -> list[str]:
    level = f"{figure.confidence:g}"
    title = figure.title if figure.part is None else f"{figure.title} ({figure.part})"
    values = (
        ("", "estimate", figure.point),
        ("_lower", f"lower bound at {level}", figure.low),
        ("_upper", f"upper bound at {level}", figure.high),
    )
    args = json.dumps({"claim": figure.claim, "certificate_sha256": sha256})
    lines = []
    for end, name, value in values:
        if value is not None:
            lines += [
                f"    - type: {json.dumps(figure.key + end)}",
                f"      name: {json.dumps(f'{title}, {name}', ensure_ascii=False)}",
                f"      value: {json.dumps(value)}",
                f"      args: {args}",
            ]
    return lines
