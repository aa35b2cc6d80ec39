"""Comparisons, claims of several parts and cut-offs from Python: asked for, told, certified."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from assaymark.api.data import FolderOwner, PoolInput, new_project
from assaymark.api.finding import Finding
from assaymark.api.surveys import SurveyAskTell
from assaymark.api.wishes import seed_text
from assaymark.claims.pictures import Bar
from assaymark.composite.drawing import draw_for_claim
from assaymark.composite.issuing import ClaimIssued, certify_claim
from assaymark.composite.judging import Judgement
from assaymark.composite.looks import abandon_claim, look_at_claim
from assaymark.composite.planning.comparing import ComparisonWish, seal_comparison
from assaymark.composite.planning.cutting import seal_cutoff
from assaymark.composite.planning.sealing import Parts, Terms, seal_conjunction
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.verification import verify_claim
from assaymark.composite.wording import is_established, statement
from assaymark.composite.work import required_claim
from assaymark.ledger.events import SurveyWork
from assaymark.pool.memory import Table
from assaymark.project.folder import Project
from assaymark.records.certificate import Verification

ComparedMetric = Literal["accuracy", "recall", "precision", "f1", "f2"]


class ComposedClaim(SurveyAskTell[Finding]):
    """A comparison, a claim of several parts or a cut-off, driven from a notebook or a program.

    Begin one with `assaymark.compare`, `certify_parts` or `cutoff`; open it again with its folder.
    """

    _owner: object = None  # keeps a temporary folder

    @property
    def sealed(self) -> SealedClaim:
        """The claim as it was sealed: its words, items and strata."""
        return required_claim(self.project.state()).sealed

    def verdict(self) -> Finding:
        """What is established now. Every look at an open claim is recorded."""
        return _finding(self.sealed, look_at_claim(self.project))

    def certify(self, path: str | Path | None = None) -> ClaimIssued:
        """Issue the certificate of what is established (certificate.json unless named)."""
        return certify_claim(self.project, output=None if path is None else Path(path))

    def verify(self, path: str | Path | None = None) -> Verification:
        """Recompute a certificate (certificate.json unless named) from the ledger and the pool."""
        place = self.folder / "certificate.json" if path is None else Path(path)
        return verify_claim(place, project=self.project)

    def abandon(self, reason: str) -> str | None:
        """Close the open claim for good, with a reason; returns its words."""
        return abandon_claim(self.project, reason)

    def _work(self) -> SurveyWork | None:
        return required_claim(self.project.state()).survey

    def _draw(self, count: int | None) -> Sequence[str]:
        return draw_for_claim(self.project, count=count, write=False).items

    def _left(self) -> int:
        work = required_claim(self.project.state())
        if not work.open and work.sealed.kind != "cut-off":
            return 0
        return sum(stratum.items for stratum in work.sealed.strata) - len(work.survey.order)

    def _finished(self) -> bool:
        verdict = self.verdict()
        if "rungs" in verdict.figures:  # better cut-offs may follow the first
            rungs = verdict.figures["rungs"]
            return verdict.decision == "fail" or all(rung["state"] == "reached" for rung in rungs)
        return verdict.decision not in ("continue", "undecided") or bool(
            verdict.figures.get("equal")
        )

    def _answer(self) -> Finding:
        return self.verdict()


def _finding(sealed: SealedClaim, judged: Judgement) -> Finding:
    figures = judged.result
    rows, bars, bound, least = _KINDS[sealed.kind](sealed, figures)
    return Finding(
        decision=judged.decision,
        sentence=statement(figures),
        established=is_established(figures),
        labels=int(figures["labels"]),
        bound=bound,
        rows=tuple(rows),
        bars=tuple(bars),
        least=least,
        figures=figures,
    )


_Shown = tuple[list[dict[str, Any]], list[Bar], float | None, float]


def _compared(sealed: SealedClaim, figures: dict[str, Any]) -> _Shown:
    low, high, margin = figures["gap_low"], figures["gap_high"], figures["margin"]
    row = {"metric": sealed.metric, "gap_low": low, "gap_high": high, "margin": margin}
    return [row], [Bar(title=f"{sealed.metric}, b − a", low=low, high=high, target=0.0)], low, -1.0


def _parts(_sealed: SealedClaim, figures: dict[str, Any]) -> _Shown:
    names = ("part", "state", "bound", "labels", "items")
    rows = [
        {"group": " ".join(part["group"])} | {name: part[name] for name in names}
        for part in figures["parts"]
    ]
    bars = [
        Bar(title=f"{row['group']} {row['part']}".strip(), low=row["bound"], high=1.0)
        for row in rows
    ]
    known = [row["bound"] for row in rows if row["bound"] is not None]
    return rows, bars, min(known) if len(known) == len(rows) else None, 0.0


def _cut_off(_sealed: SealedClaim, figures: dict[str, Any]) -> _Shown:
    rows = [dict(rung) for rung in figures["rungs"]]
    bars = [
        Bar(title=rung["state"], low=None, high=None, point=rung["cutoff"])
        for rung in figures["rungs"]
    ]
    return rows, bars, figures["cutoff"], 0.0


_KINDS = {"comparison": _compared, "conjunction": _parts, "cut-off": _cut_off}


def _begun(pool: PoolInput, folder: str | Path | None) -> tuple[Path, object]:
    owner = FolderOwner()
    return new_project(pool, folder, owner=owner), owner


def compare(
    pool: "str | Path | Table",
    *,
    a: str,
    b: str,
    metric: ComparedMetric = "accuracy",
    margin: float | str | None = None,
    only: Literal["better", "worse"] | None = None,
    score_a: str | None = None,
    score_b: str | None = None,
    positive: str | None = None,
    confidence: float = 0.95,
    one_by_one: bool = False,
    seed: int | str | None = None,
    id: str | Sequence[str] | None = None,  # noqa: A002 - the same word as on the command line
    text: str | Sequence[str] = (),
    folder: str | Path | None = None,
) -> ComposedClaim:
    """Begin to compare two classifiers on one pool: is b better than a?

    `a` and `b` name the columns of their predictions. With `margin`, "not worse by more than" and
    "within" it can be proved too; `only` puts all risk on one direction. `one_by_one` renews the
    chances after every label, for one annotator. The other parameters are those of `certify`.

    >>> old = [i % 2 for i in range(200)]
    >>> new = [i % 2 if i % 3 else 0 for i in range(200)]
    >>> work = compare({"old": old, "new": new}, a="old", b="new", seed=1)
    >>> work.run(lambda item: item.id % 2 == 1, batch=10).decision
    'worse'
    """
    place, owner = _begun(PoolInput(data=pool, id=id, text=text), folder)
    wish = ComparisonWish(
        a=a,
        b=(b,),
        metric=metric,
        margin=None if margin is None else str(margin),
        score_a=score_a,
        score_b=score_b,
        positive=positive,
        only=only,
    )
    seal_comparison(Project(folder=place), wish, _terms(confidence, seed, one_by_one=one_by_one))
    return _opened(place, owner)


def certify_parts(
    pool: "str | Path | Table",
    claim: str,
    *,
    group: str | Sequence[str] = (),
    positive: str | None = None,
    least_group: int = 0,
    confidence: float = 0.95,
    one_by_one: bool = False,
    seed: int | str | None = None,
    id: str | Sequence[str] | None = None,  # noqa: A002 - the same word as on the command line
    score: str | None = None,
    prediction: str | None = None,
    threshold: float | None = None,
    text: str | Sequence[str] = (),
    folder: str | Path | None = None,
) -> ComposedClaim:
    """Begin to prove a claim of several parts, or one that is to hold in every group.

    `claim` is "recall >= 0.8 and precision >= 0.7", or "recall >= 0.8 in every group of region" with
    `group="region"`. The confidence is for all parts together. Groups of fewer than `least_group`
    items are left out, and named. The other parameters are those of `certify`.
    """
    groups = (group,) if isinstance(group, str) else tuple(group)
    given = PoolInput(
        data=pool, id=id, score=score, prediction=prediction, threshold=threshold, text=text,
        groups=groups, positive=positive,
    )  # fmt: skip
    place, owner = _begun(given, folder)
    terms = _terms(confidence, seed, one_by_one=one_by_one)
    seal_conjunction(Project(folder=place), claim, terms, Parts(least_group=least_group))
    return _opened(place, owner)


def cutoff(
    pool: "str | Path | Table | None" = None,
    claim: str = "",
    *,
    at: Sequence[float | str] = (),
    start: float | str | None = None,
    confidence: float = 0.95,
    one_by_one: bool = False,
    seed: int | str | None = None,
    y_score: Any = None,
    id: str | Sequence[str] | None = None,  # noqa: A002 - the same word as on the command line
    score: str | None = None,
    text: str | Sequence[str] = (),
    folder: str | Path | None = None,
) -> ComposedClaim:
    """Begin to find a cut-off on the score that is proved to keep the claim, "recall >= 0.95".

    The ladder of cut-offs is `at`, or chosen from the pool; recall is walked from the lowest up,
    precision from the highest down. `run` goes on to better cut-offs: give it `max_labels`. The
    `bound` of the finding is the best cut-off so far. The other parameters are those of `certify`.
    """
    named = score or ("score" if y_score is None else None)
    given = PoolInput(data=pool, y_score=y_score, id=id, score=named, threshold=0.5, text=text)
    place, owner = _begun(given, folder)
    terms = _terms(confidence, seed, one_by_one=one_by_one)
    rungs = tuple(str(rung) for rung in at)
    begin = None if start is None else str(start)
    seal_cutoff(Project(folder=place), claim, terms, at=rungs, start=begin)
    return _opened(place, owner)


def _terms(confidence: float, seed: int | str | None, *, one_by_one: bool) -> Terms:
    lead: Literal["one", "several"] = "one" if one_by_one else "several"
    return Terms(confidence=confidence, seed=seed_text(seed), lead=lead)


def _opened(folder: Path, owner: object) -> ComposedClaim:
    made = ComposedClaim(folder)
    made._owner = owner
    return made
