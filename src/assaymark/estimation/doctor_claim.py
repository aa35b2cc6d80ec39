"""A claim judged once by labels that exist, where their design supports a proof."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from assaymark.certification.forecasts.calculators import bound
from assaymark.claims.claim import Claim, Counts, Side
from assaymark.claims.ratio_metrics import metric, parse_claim
from assaymark.claims.results import counted, percent, rounded
from assaymark.errors import InputError
from assaymark.estimation.label_file import Cell, LabelColumns, LabelFile, part_sizes
from assaymark.estimation.stats.label_design import Support
from assaymark.estimation.stats.stratified_claim import SampledPart, stratified_bound
from assaymark.hints import option

Ruling = Literal["established", "refuted", "undecided"]
ASSUMPTIONS = (
    "the items were drawn as you say, and how many did not depend on their labels",
    "the classifier was fixed before they were drawn",
    "it is judged once: looking again after more labels would need a sealed plan",
)


@dataclass(frozen=True, kw_only=True)
class JudgedClaim:
    """What the labels prove about a claim: its ruling, and the bound on the claim's side."""

    claim: str
    ruling: Ruling
    bound: float | None
    method: str
    sentence: str
    assumptions: tuple[str, ...] = ASSUMPTIONS


def judge_labels(
    file: LabelFile,
    columns: LabelColumns,
    *,
    support: Support,
    claim: str,
    pool: str | None,
    confidence: float,
) -> JudgedClaim | None:
    """The claim judged by these labels; None where they support nothing."""
    wanted = parse_claim(claim)
    if support == "refused":
        return None
    _refuse_gaps(file)
    other: Side = "upper" if wanted.side == "lower" else "lower"
    limits: list[float | None]
    if support == "random":
        counts = counts_of(file)
        method = "exact, random sample"
        limits = [
            bound(wanted.metric, counts, design="simple", confidence=confidence, side=side).bound
            for side in (wanted.side, other)
        ]
    else:
        parts = _parts(file, columns, pool)
        method = f"exact in each of {counted(len(parts), 'part')}, put together by the union bound"
        limits = [
            stratified_bound(wanted, parts, confidence=confidence, side=side)
            for side in (wanted.side, other)
        ]
    ruling = _ruling(wanted, *limits)
    return JudgedClaim(
        claim=str(wanted),
        ruling=ruling,
        bound=limits[0],
        method=method,
        sentence=_sentence(wanted, ruling, limits, confidence),
    )


def _refuse_gaps(file: LabelFile) -> None:
    """Items that are hard to tell are not like the rest: a proof cannot leave them out."""
    gaps = {
        "without a label": file.missing,
        "nobody could tell": file.unclear,
        "with labels that contradict each other": file.conflicts,
    }
    if not any(gaps.values()):
        return
    named = ", ".join(
        f"{counted(number, 'item')} {name}" for name, number in gaps.items() if number
    )
    raise InputError(
        f"A claim needs one settled label for every item that was drawn, and the file has {named}. "
        "Settle them; an item that nobody can tell counts against the claim: write the label that "
        "makes the classifier wrong."
    )


def counts_of(file: LabelFile) -> Counts:
    """The usable labels by prediction, each counted once."""
    cells: Counter[tuple[bool, bool]] = Counter()
    for cell in file.cells:
        cells[cell.predicted, cell.label] += cell.count
    return Counts(
        tp=cells[True, True], fp=cells[True, False], fn=cells[False, True], tn=cells[False, False]
    )


def _parts(file: LabelFile, columns: LabelColumns, pool: str | None) -> list[SampledPart]:
    """The collection by stratum and prediction, with the labels in each part."""
    if columns.strata is None or pool is None:
        raise InputError(
            "A claim from labels drawn by strata needs to know the collection: name the strata with "
            f"{option('strata')} and give it with {option('pool')}. Chances alone give an estimate."
        )
    sizes = part_sizes(pool, columns)
    labelled: Counter[tuple[str, bool]] = Counter()
    positives: Counter[tuple[str, bool]] = Counter()
    for cell in file.cells:
        labelled[_part(cell)] += cell.count
        positives[_part(cell)] += cell.count * cell.label
    strange = next((part for part in labelled if part not in sizes), None)
    if strange is not None:
        raise InputError(
            f"Labels lie in the stratum {strange[0]!r} with the prediction {int(strange[1])}, and the "
            "collection has no such item: the file and the collection do not belong together."
        )
    parts = [
        SampledPart(
            predicted=part[1], items=items, labels=labelled[part], positives=positives[part]
        )
        for part, items in sizes.items()
    ]
    for part in parts:
        if part.labels > part.items:
            raise InputError(
                f"{part.labels:,} labels lie in a part of the collection that has {part.items:,} "
                "items: the file and the collection do not belong together."
            )
    return parts


def _part(cell: Cell) -> tuple[str, bool]:
    return cell.stratum, cell.predicted


def _ruling(claim: Claim, mine: float | None, other: float | None) -> Ruling:
    if claim.side == "lower":
        if mine is not None and mine >= claim.target:
            return "established"
        return "refuted" if other is not None and other < claim.target else "undecided"
    if mine is not None and mine <= claim.target:
        return "established"
    return "refuted" if other is not None and other > claim.target else "undecided"


def _sentence(claim: Claim, ruling: Ruling, limits: list[float | None], confidence: float) -> str:
    title, sure = metric(claim.metric).title, percent(confidence)
    upper = (claim.side == "upper") != (ruling == "refuted")
    value = limits[1] if ruling == "refuted" else limits[0]
    if value is None:
        return f"Undecided: {title} may be undefined for all these labels say."
    proven = f"{title} is at {'most' if upper else 'least'} {rounded(value, up=upper)}"
    words = {
        "established": f"Established: {proven} with {sure} confidence; the claim was {claim}.",
        "refuted": f"Refuted: {proven} with {sure} confidence; the claim was {claim}.",
        "undecided": f"Undecided: {proven} with {sure} confidence, which does not decide {claim}.",
    }
    return words[ruling]
