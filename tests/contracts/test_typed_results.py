"""Results cross rooms as frozen dataclasses: commands know their types, the state holds no mixed
tuples, and a dict is only what is stored, exported or shown as a table."""

import ast
from functools import cache
from pathlib import Path

import assaymark

SOURCE = Path(assaymark.__file__).parent
SHELLS = {"web", "lab"}  # templates and papers' tables take dicts
# names that say that the dict is a document: written to a file, a ledger or a table
DOCUMENTS = (
    "to_dict", "to_json", "to_result", "to_settings", "row", "rows", "result", "figures", "sealed",
    "statement", "document", "claim_tree", "first_object", "plain_answer",
)  # fmt: skip
ENDINGS = ("_json", "_facts")
# fields that hold a document: as it is stored, signed or sealed, or as the rows of a table
FIELDS = {
    "ClaimIssued.facts",
    "ClaimShape.tree",
    "Conclusion.figures",
    "Conclusion.rows",
    "ConvertedPool.rows",
    "Envelope.statement",
    "LinearClaim.constants",
    "MemoryTable.columns",
    "RowPart.constants",
    "Judgement.result",
    "Ruled.result",
    "SealedClaim.constants",
    "Survey.settings",
    "SurveyReported.result",
}


@cache
def modules() -> list[tuple[Path, ast.Module]]:
    return [
        (path.relative_to(SOURCE), ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted(SOURCE.rglob("*.py"))
    ]


def names_any(tree: ast.AST) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(tree))


def is_document(annotation: ast.expr | None) -> bool:
    text = "" if annotation is None else ast.unparse(annotation).strip("'\"")
    return text.startswith(("dict[str, Any]", "dict[str, object]", "list[dict[str, Any]]"))


def mixes(annotation: ast.expr) -> bool:
    """Whether it holds a tuple of several kinds of things, as a field of the state."""
    return any(
        isinstance(node, ast.Subscript)
        and ast.unparse(node.value) == "tuple"
        and not ast.unparse(node.slice).endswith("...)")
        for node in ast.walk(annotation)
    )


def test_commands_know_the_types_of_what_they_show() -> None:
    untyped = [
        path.as_posix()
        for path, tree in modules()
        if {"cli", "cli.py"} & set(path.parts) and names_any(tree)
    ]
    assert untyped == []


def test_only_the_options_of_commands_are_typed_dicts() -> None:
    typed = [
        f"{path.as_posix()}: {kind.name}"
        for path, tree in modules()
        if not {"cli", "cli.py"} & set(path.parts)
        for kind in ast.walk(tree)
        if isinstance(kind, ast.ClassDef) and "TypedDict" in map(ast.unparse, kind.bases)
    ]
    assert typed == []


def test_only_documents_are_dicts() -> None:
    loose = [
        f"{path.as_posix()}: {node.name}"
        for path, tree in modules()
        if path.parts[0] not in SHELLS
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and is_document(node.returns)
        if not node.name.startswith("_")
        if node.name not in DOCUMENTS and not node.name.endswith(ENDINGS)
    ]
    assert loose == []


def test_nouns_hold_no_dicts_but_documents() -> None:
    found = {
        f"{kind.name}.{ast.unparse(field.target)}"
        for path, tree in modules()
        if path.parts[0] not in SHELLS
        for kind in ast.walk(tree)
        if isinstance(kind, ast.ClassDef)
        for field in kind.body
        if isinstance(field, ast.AnnAssign)
        if any(text in ast.unparse(field.annotation) for text in ("[str, Any]", "[str, object]"))
    }
    assert found == FIELDS


def test_the_state_holds_no_mixed_tuples() -> None:
    tree = ast.parse((SOURCE / "ledger" / "events" / "state.py").read_text(encoding="utf-8"))
    fields = [
        (kind.name, ast.unparse(field.target))
        for kind in ast.walk(tree)
        if isinstance(kind, ast.ClassDef)
        for field in kind.body
        if isinstance(field, ast.AnnAssign) and mixes(field.annotation)
    ]
    assert fields == []


def test_the_rules_can_fail() -> None:
    assert names_any(ast.parse("def show(answer: dict[str, Any]): ..."))
    assert is_document(ast.parse("dict[str, Any] | None", mode="eval").body)
    assert not is_document(ast.parse("dict[str, int]", mode="eval").body)
    assert mixes(ast.parse("list[tuple[str, int]]", mode="eval").body)
    assert not mixes(ast.parse("tuple[str, ...]", mode="eval").body)
