"""Rows of a pool made from another tool's output, and what was left out on the way."""

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assaymark.errors import InputError
from assaymark.hints import option, switch

FAIL_WORDS = {"i", "n", "incorrect", "fail", "failed", "false", "no", "bad", "0"}
PASS_WORDS = {"c", "correct", "pass", "passed", "true", "yes", "good", "1"}
LARGEST = 2_000_000_000  # bytes read into memory at once


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the user says of a log: which scorer, which epoch, names of columns, and what may be left out.

    `threshold`: a judge's number from which on it says pass.
    """

    scorer: str | None = None
    epoch: int | None = None
    prompt: int | None = None
    id: str | None = None
    verdict: str | None = None
    rule: str | None = None
    threshold: float | None = None
    leave_out_unscored: bool = False


@dataclass(frozen=True, kw_only=True)
class ConvertedPool:
    """Rows with the same columns, which column plays which part, and sentences about what was done."""

    rows: tuple[dict[str, Any], ...]
    id: str = "id"
    prediction: str | None = None
    score: str | None = None
    text: tuple[str, ...] = ()
    group: str | None = None
    remarks: tuple[str, ...] = ()


def read_json(path: Path) -> Any:
    """The JSON value in this file."""
    if path.stat().st_size > LARGEST:
        raise InputError(f"{path.name!r} is larger than {LARGEST:,} bytes. Split it.")
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InputError(f"{path.name!r} is not readable JSON: {error}.") from error


def refuse_version(path: Path, version: object, known: tuple[object, ...]) -> None:
    """Refused where a file says a version of its format that is not known here."""
    if version not in known:
        listed = " and ".join(str(one) for one in known)
        versions = f"versions {listed} are" if len(known) > 1 else f"version {listed} is"
        raise InputError(
            f"{path.name!r} says version {version!r} of its format, and {versions} known. Export it so, or "
            "write its rows as JSON lines or CSV."
        )


def as_text(value: object) -> str:
    """Text as it is; anything else as JSON, which the page lays out."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def fails(value: object, *, where: str, threshold: float | None = None) -> int:
    """1 where a judge's value means that the answer fails, 0 where it passes.

    >>> fails("C", where="row 1"), fails(False, where="row 1"), fails(0.4, where="row 1", threshold=0.7)
    (0, 1, 1)
    """
    if isinstance(value, bool):
        return int(not value)
    if isinstance(value, (int, float)):
        if abs(value) == math.inf:
            raise InputError(
                f"{where}: the judge gave {value:g}, which is no number. Score it again."
            )
        if value in (0, 1) and threshold is None:
            return int(value == 0)
        if threshold is None:
            raise InputError(
                f"{where}: the judge gave {value:g}, and from which number on it passes is not known. Say it "
                f"with {option('threshold')}."
            )
        return int(value < threshold)
    word = str(value).strip().lower()
    if word in FAIL_WORDS:
        return 1
    if word in PASS_WORDS:
        return 0
    raise InputError(f"{where}: the verdict {value!r} means neither pass nor fail.")


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One answer with what a judge said; None, NaN or no text at all is a missing score."""

    id: str
    value: object
    texts: dict[str, str]
    where: str

    @property
    def is_scored(self) -> bool:
        """Whether the judge said anything."""
        return str(self.value).strip() not in ("None", "nan", "")


def id_of(value: object, where: str) -> str:
    """The id of an answer as text; refused where there is none."""
    if value is None or str(value).strip() == "":
        raise InputError(f"{where} has no id, so its label could not be joined to it. Give it one.")
    return str(value)


def judged_pool(answers: list[Judged], choices: Choices, remarks: list[str]) -> ConvertedPool:
    """Answers as a pool: predicted 1 where the judge says that an answer fails.

    So recall is the judge's catch rate, and the pass rate is 1 less the prevalence.
    """
    if not answers:
        raise InputError("The log holds no answer.")
    scored = [one for one in answers if one.is_scored]
    if missing := len(answers) - len(scored):
        first = next(one for one in answers if not one.is_scored)
        if not choices.leave_out_unscored:
            raise InputError(
                f"{missing:,} of {len(answers):,} answers {'has' if missing == 1 else 'have'} no score "
                f"({first.where}). A pool without such answers is about the others only: score them, or "
                f"leave them out with {switch('leave-out-unscored')}."
            )
        remarks.append(f"{missing:,} of {len(answers):,} answers without a score were left out.")
    _refuse_repeated([one.id for one in scored])
    numbers = [one.value for one in scored if type(one.value) in (int, float)]
    graded = len(numbers) == len(scored) and any(number not in (0, 1) for number in numbers)
    # the higher, the more it fails; shares stay shares
    most = 1.0 if graded and all(0 <= number <= 1 for number in numbers) else 0.0  # type: ignore[operator]
    rows = []
    for one in scored:
        row: dict[str, Any] = {"id": one.id}
        row["fails"] = fails(one.value, where=one.where, threshold=choices.threshold)
        if graded:
            row["judge_score"] = round(most - float(one.value), 12)  # type: ignore[arg-type]
        rows.append(row | one.texts)
    columns = tuple(name for name in scored[0].texts if any(row.get(name) for row in rows))
    kept = ("id", "fails", *(("judge_score",) if graded else ()), *columns)
    return ConvertedPool(
        rows=tuple({name: row.get(name, "") for name in kept} for row in rows),
        prediction="fails",
        score="judge_score" if graded else None,
        text=columns,
        remarks=tuple(remarks),
    )


def _refuse_repeated(ids: list[str]) -> None:
    name, times = Counter(ids).most_common(1)[0] if ids else ("", 0)
    if times > 1:
        raise InputError(
            f"The item {name!r} occurs {times} times. Each answer counts once: give ids of their own, or "
            "choose one of several runs."
        )


def column_name(text: str) -> str:
    """A name that can be a text column: labels files use id, label, annotator and time.

    >>> column_name("label")
    'the label'
    """
    clean = re.sub(r"\s+", " ", text).strip() or "text"
    return f"the {clean}" if clean.lower() in ("id", "label", "annotator", "time") else clean
