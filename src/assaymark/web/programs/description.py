"""The interface of programs, described by OpenAPI 3.1."""

from typing import Any

from assaymark import __version__

PREFIX = "/api/v1"
LABEL = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "string", "minLength": 1},
        "label": {
            "description": "1 relevant, 0 not relevant, null cannot tell; or the name of a class",
            "type": ["integer", "string", "null"],
        },
        "annotator": {"type": "string", "minLength": 1, "maxLength": 64},
    },
}
ITEM = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "fields": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


def _sent(schema: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _call(summary: str, answer: dict[str, Any], **more: Any) -> dict[str, Any]:
    refused = {"description": "Refused; `error` says why.", "content": {"application/json": {
        "schema": {"type": "object", "properties": {"error": {"type": "string"}}}}}}  # fmt: skip
    good = {"description": "Done.", "content": {"application/json": {"schema": answer}}}
    codes = {"200": good, "400": refused, "401": refused, "403": refused, "409": refused}
    return {"summary": summary, "responses": codes, **more}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


WHOLE = {"type": "integer"}
CALLS: dict[str, dict[str, Any]] = {
    "/status": {
        "get": _call(
            "Where the plan stands by what is recorded; no look is taken (right: read).",
            _object(claim={"type": ["string", "null"]}, outcome={"type": "string"}, waiting=WHOLE,
                    unread=WHOLE, conflicts=WHOLE, labelled=WHOLE, event=WHOLE),
        )
    },
    "/items": {
        "get": _call(
            "Items that wait for a label, with their texts (right: label).",
            _object(items={"type": "array", "items": ITEM}),
            parameters=[{"name": "limit", "in": "query",
                         "schema": {"type": "integer", "minimum": 1, "maximum": 500}}],
        )
    },
    "/labels": {
        "post": _call(
            "Record labels, all of them or none (right: label).",
            _object(recorded=WHOLE, skipped=WHOLE, corrected=WHOLE, unchanged=WHOLE, not_drawn=WHOLE,
                    disputed=WHOLE),
            requestBody=_sent({**_object(labels={"type": "array", "items": LABEL, "minItems": 1,
                                                 "maxItems": 10_000},
                                         correct={"type": "boolean"}),
                               "required": ["labels"]}),
        )
    },
    "/draw": {
        "post": _call(
            "Draw the next items of the plan (right: lead).",
            _object(drawn=WHOLE, warning={"type": ["string", "null"]}),
            requestBody=_sent(_object(count={"type": ["integer", "null"], "minimum": 1})),
        )
    },
    "/look": {
        "post": _call(
            "The verdict of now; a look that is recorded if labels changed (right: lead).",
            _object(tone={"type": "string"}, sentence={"type": "string"},
                    bound={"type": ["number", "null"]}, point={"type": ["number", "null"]}),
            requestBody=_sent({"type": "object"}),
        )
    },
    "/hooks/label-studio": {
        "post": _call(
            "Annotation events of Label Studio (right: label).",
            _object(recorded=WHOLE, ignored={"type": "string"}),
            requestBody=_sent(_object(action={"type": "string"}, annotation={"type": "object"},
                                      task={"type": "object"})),
        )
    },
}  # fmt: skip


def openapi(root: str) -> dict[str, Any]:
    """The whole description."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "assaymark",
            "version": __version__,
            "description": "Labels and verdicts of one project. Every call needs a program's token.",
        },
        "servers": [{"url": f"{root}{PREFIX}"}],
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
        "paths": CALLS,
    }
