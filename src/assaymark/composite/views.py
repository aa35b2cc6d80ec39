"""How labels are counted for a claim: as two verdicts, as one class against the rest, or as they are.

One idea: a claim about accuracy asks only whether a prediction was right, and a claim about one
class only whether it is that class. Few outcomes have few rates to learn, so they need fewer labels.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from assaymark.claims.label_sets import members
from assaymark.claims.language.tree import ClaimTree, Comparison, Part, Within
from assaymark.errors import InputError
from assaymark.records.pool import NONE_OF_LIST

View = Literal["two", "class", "right", "labels"]
REST, NEITHER = "any other", "none of them"
CLASSIFIER = "classifier"


def with_verdicts(tree: ClaimTree, *, positive: str | None, negative: str | None) -> ClaimTree:
    """The tree with verdicts as they are counted, 1 and 0; recall of the positive one is recall."""
    if positive is None:
        return tree
    return replace(tree, parts=tuple(_with_verdict(p, positive, negative) for p in tree.parts))


def _with_verdict(leaf: Part, positive: str, negative: str | None) -> Part:
    names, compared = leaf.figure.names, isinstance(leaf, Comparison | Within)
    if len(names) <= compared:
        return leaf
    first, *rest = names
    spelled = {positive: "1", negative: "0"}.get(first, first)
    if spelled == first and first not in ("0", "1", CLASSIFIER):
        known = " or ".join(f"'{name}'" for name in (positive, negative) if name)
        raise InputError(f"There is no class '{first}': there is {known}.")
    plain = spelled == "1" and leaf.figure.metric != "accuracy"
    figure = replace(leaf.figure, names=tuple(rest) if plain else (spelled, *rest))
    return replace(leaf, figure=figure)


def choose_view(tree: ClaimTree, classes: Sequence[str]) -> tuple[View, str | None]:
    """The view that the claim needs where labels are these classes, and the class it is about."""
    if not classes:
        return "two", None
    names = {_class(leaf, classes) for leaf in tree.parts}
    if all(leaf.figure.metric == "accuracy" for leaf in tree.parts) and names == {None}:
        return "right", None
    only = names.pop() if len(names) == 1 else None
    every = any(leaf.figure.every_class for leaf in tree.parts)
    return ("class", only) if only is not None and not every else ("labels", None)


def _class(leaf: Part, classes: Sequence[str]) -> str | None:
    """The class that a part names; a comparison names its classifiers after it."""
    names = leaf.figure.names
    if isinstance(leaf, Comparison | Within):
        return names[0] if len(names) == 2 else None
    return names[0] if names and (len(names) == 2 or names[0] in classes) else None


def counted_names(
    view: View, classes: Sequence[str], *, about: str | None, classifiers: int
) -> tuple[tuple[str, ...], tuple[str, ...], str | None]:
    """Names that may be predicted, names that labels have besides, and the positive one."""
    if view == "two":
        return ("0", "1"), (), "1"
    if view == "class":
        return (REST, about or ""), (), about
    if view == "right":
        return tuple(f"c{i}" for i in range(classifiers)), (NEITHER,), None
    return tuple(classes), (NONE_OF_LIST,), None


def outcome(
    view: View,
    code: int | None,
    classes: Sequence[str],
    *,
    about: str | None,
    predictions: Sequence[str],
) -> int:
    """The number of a label's outcome; -1 where nobody could tell."""
    if code is None:
        return -1
    if view in ("two", "labels"):
        return code
    name = classes[code] if code < len(classes) else NONE_OF_LIST
    if view == "class":
        return int(about == name or about in members(name))
    return list(predictions).index(name) if name in predictions else len(predictions)


def believed(
    view: View,
    classes: Sequence[str],
    *,
    about: str | None,
    predictions: Sequence[str],
    score: float,
) -> tuple[float, ...]:
    """The expected share of every outcome, where the score is the probability of the prediction."""
    if view == "two":
        return (1.0 - score, score)
    others = max(1, len(classes) - 1)
    if view == "class":
        share = score if predictions[0] == about else (1.0 - score) / others
        return (1.0 - share, share)
    if view == "right":
        named = sorted(set(predictions))
        each = {name: score / len(named) for name in named}
        shares = [each.get(f"c{i}", 0.0) for i in range(len(predictions))]
        return (*shares, 1.0 - score)
    rest = (1.0 - score) / (others + 1)
    return (*(score if name in predictions else rest for name in classes), rest)
