"""Comparisons, claims of several parts and cut-offs from Python: ask, tell, certify."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assaymark.api.ask_tell import SurveyAskTell
from assaymark.api.conclusion import Conclusion
from assaymark.api.data import FolderOwner, PoolInput, project_folder, register
from assaymark.api.expectations import own_numbers, seed_text
from assaymark.api.wording import in_python
from assaymark.claims.pictures import Bar
from assaymark.claims.record import stored
from assaymark.composite.drawing import draw_for_claim
from assaymark.composite.issuing import ClaimIssued, certify_claim
from assaymark.composite.judging import Judgement
from assaymark.composite.look_facts import (
    ComparisonFacts,
    ConjunctionFacts,
    CutOffFacts,
    LookFacts,
)
from assaymark.composite.looks import abandon_claim, look_at_claim
from assaymark.composite.planning.comparing import ComparisonRequest, seal_comparison
from assaymark.composite.planning.cutting import seal_cutoff
from assaymark.composite.planning.sealing import Parts, Terms, seal_conjunction
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.seeding import reveal_claim_seed
from assaymark.composite.verification import verify_claim
from assaymark.composite.wording import bounds_words, is_established, so_far_words, verdict_sentence
from assaymark.composite.work import required_claim
from assaymark.ledger.events import SurveyWork
from assaymark.pool.memory import Table, Values
from assaymark.project.registration import undone_if_refused
from assaymark.records.certificate import Verification

if TYPE_CHECKING:
    from assaymark.certification.signatures.signing import Signer

ComparedMetric = Literal["accuracy", "recall", "precision", "f1", "f2"]


class ComposedClaim(SurveyAskTell[Conclusion]):
    """A comparison, a claim of several parts or a cut-off, driven from a notebook or a program.

    Begin one with `assaymark.compare`, `certify_parts` or `cutoff`; open it again with its folder.
    """

    _begun_with = "certify_parts"
    _owner: object = None  # keeps a temporary folder

    @property
    def sealed(self) -> SealedClaim:
        """The claim as it was sealed: its words, items and strata."""
        return required_claim(self.project.state()).sealed

    def verdict(self) -> Conclusion:
        """What is established now. Every look at an open claim is recorded."""
        return in_python(_conclusion(self.sealed, look_at_claim(self.project)))

    def certify(
        self, path: str | Path | None = None, *, signer: "Signer | None" = None
    ) -> ClaimIssued:
        """Issue the certificate of what is established (certificate.json unless named)."""
        output = None if path is None else Path(path)
        return certify_claim(self.project, output=output, signer=signer)

    def verify(self, path: str | Path | None = None) -> Verification:
        """Recompute a certificate (certificate.json unless named) from the ledger and the pool."""
        place = self.folder / "certificate.json" if path is None else Path(path)
        return verify_claim(place, project=self.project)

    def reveal(self, *parts: str) -> None:
        """Reveal the parts of the seed, or the beacon's value; this side's own part is added."""
        reveal_claim_seed(self.project, parts)

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
        return max(0, work.sealed.most - len(work.strata))

    def _finished(self) -> bool:
        verdict = self.verdict()
        if "rungs" in verdict.figures:  # better cut-offs may follow the first
            rungs = verdict.figures["rungs"]
            return verdict.decision == "fail" or all(rung["state"] == "reached" for rung in rungs)
        return verdict.decision not in ("continue", "undecided") or bool(
            verdict.figures.get("equal")
        )

    def _answer(self) -> Conclusion:
        return self.verdict()


def _conclusion(sealed: SealedClaim, judged: Judgement) -> Conclusion:
    look = judged.look
    rows, bars, bound, least = _figures_of(sealed, look)
    return Conclusion(
        decision=judged.decision,
        sentence=verdict_sentence(look),
        established=is_established(look),
        labels=look.labels,
        bound=bound,
        rows=tuple(rows),
        bars=tuple(bars),
        least=least,
        figures=judged.result,
        note=bounds_words(look) if "so_far" not in judged.result else so_far_words(look),
    )


_Shown = tuple[list[dict[str, Any]], list[Bar], float | None, float]


def _figures_of(sealed: SealedClaim, facts: LookFacts) -> _Shown:
    """Rows, bars, bound and the least of the scale."""
    if facts.kind == "comparison":
        return _compared(sealed, facts)
    return _parts(facts) if facts.kind == "conjunction" else _cut_off(facts)


def _compared(sealed: SealedClaim, facts: ComparisonFacts) -> _Shown:
    low, high, margin = facts.gap_low, facts.gap_high, facts.margin
    row = {"metric": sealed.metric, "gap_low": low, "gap_high": high, "margin": margin}
    return [row], [Bar(title=f"{sealed.metric}, b − a", low=low, high=high, target=0.0)], low, -1.0


def _parts(facts: ConjunctionFacts) -> _Shown:
    names = ("part", "state", "bound", "labels", "items")
    rows: list[dict[str, Any]] = [
        {"group": " ".join(part.group)} | {name: getattr(part, name) for name in names}
        for part in facts.parts
    ]
    if facts.so_far is not None:  # bounds that hold together, not those that hold each alone
        for row, bound in zip(rows, facts.so_far, strict=True):
            row["bound"] = bound
    bars = [
        Bar(title=f"{row['group']} {row['part']}".strip(), low=row["bound"], high=1.0)
        for row in rows
    ]
    known = [row["bound"] for row in rows if row["bound"] is not None]
    return rows, bars, min(known) if len(known) == len(rows) else None, 0.0


def _cut_off(facts: CutOffFacts) -> _Shown:
    rows = [stored(rung) for rung in facts.rungs]
    bars = [Bar(title=rung.state, low=None, high=None, point=rung.cutoff) for rung in facts.rungs]
    return rows, bars, facts.cutoff, 0.0


@contextmanager
def _begun(pool: PoolInput, folder: str | Path | None) -> Iterator[ComposedClaim]:
    """A new project to seal a claim in; nothing of it is left where that is refused."""
    owner = FolderOwner()
    place = project_folder(folder, owner=owner)
    with undone_if_refused(place):
        register(pool, place)
        made = ComposedClaim(place)
        made._owner = owner
        yield made


@own_numbers
def compare(
    pool: "str | Path | Table",
    *,
    a: str,
    b: str | Sequence[str],
    metric: ComparedMetric = "accuracy",
    margin: float | str | None = None,
    only: Literal["better", "worse"] | None = None,
    claim: str | None = None,
    score_a: str | None = None,
    score_b: str | None = None,
    positive: str | None = None,
    classes: bool | Sequence[str] = False,
    tags: bool | Sequence[str] = False,
    group: str | Sequence[str] = (),
    budget: int | None = None,
    confidence: float = 0.95,
    one_by_one: bool = False,
    seed: int | str | None = None,
    commit: Sequence[str] = (),
    beacon: str | None = None,
    id: str | Sequence[str] | None = None,  # noqa: A002 - the same word as on the command line
    text: str | Sequence[str] = (),
    folder: str | Path | None = None,
) -> ComposedClaim:
    """Begin to compare two classifiers on one pool: is b better than a?

    `a` and `b` name the columns of their predictions; of several `b` the question is which are
    better than `a`. With `margin`, "not worse by more than" and "within" it can be proved too; `only`
    puts all risk on one direction; `claim` says it in words ("f1 of b >= f1 of a - 0.01"). `positive`
    is the prediction that means relevant where predictions are two words; with `classes` they are
    names of classes, those that are predicted or those listed, and with `tags` any number of labels,
    "a; b". `group` names columns for claims in
    every group. `budget` is the most labels that will be bought. `one_by_one` renews the chances after
    every label, for one annotator. `commit` and `beacon` are for a seed that no side can choose alone,
    as in `Certification.claim`; `reveal` makes it known. The other parameters are those of `certify`.

    >>> old = [i % 2 for i in range(200)]
    >>> new = [i % 2 if i % 3 else 0 for i in range(200)]
    >>> work = compare({"old": old, "new": new}, a="old", b="new", seed=1)
    >>> work.run(lambda item: item.id % 2 == 1, batch=10).decision
    'worse'
    """
    candidates = _listed(b)
    question = ComparisonRequest(
        a=a,
        b=candidates,
        metric=metric,
        margin=None if margin is None else str(margin),
        score_a=score_a,
        score_b=score_b,
        positive=positive,
        only=only,
        claim=claim,
    )
    terms = _terms(
        confidence, seed, one_by_one=one_by_one, budget=budget, commit=commit, beacon=beacon
    )
    pool_input = PoolInput(
        data=pool, id=id, text=text, groups=_listed(group), positive=positive,
        compared=(a, *candidates), classes=_names_of(classes), tags=_names_of(tags),
    )  # fmt: skip
    with _begun(pool_input, folder) as work:
        seal_comparison(work.project, question, terms)
    return work


@own_numbers
def certify_parts(
    pool: "str | Path | Table",
    claim: str,
    *,
    group: str | Sequence[str] = (),
    positive: str | None = None,
    classes: bool | Sequence[str] = False,
    tags: bool | Sequence[str] = False,
    probability: Mapping[str, str] | None = None,
    which: bool = False,
    least_group: int = 0,
    budget: int | None = None,
    expect: float | None = None,
    anyway: bool = False,
    confidence: float = 0.95,
    one_by_one: bool = False,
    seed: int | str | None = None,
    commit: Sequence[str] = (),
    beacon: str | None = None,
    id: str | Sequence[str] | None = None,  # noqa: A002 - the same word as on the command line
    score: str | None = None,
    prediction: str | None = None,
    threshold: float | None = None,
    text: str | Sequence[str] = (),
    folder: str | Path | None = None,
) -> ComposedClaim:
    """Begin to prove a claim of several parts, one in every group, or one about classes.

    `claim` is "recall >= 0.8 and precision >= 0.7", or "recall >= 0.8 in every region" with
    `group="region"`, or "recall of every class >= 0.7" with `classes=True`, where predictions and
    labels are names of classes (those that are predicted, or those listed). `probability` names the
    column of each class's probability, in place of a prediction. With `tags=True` items have any
    number of labels: predictions are written "a; b", and a label is a list of names. With `which` the
    parts that hold are named one by one, in place of all together. `positive` is the prediction that
    means relevant where predictions are two words. The confidence is for all parts together. Groups
    of fewer than `least_group` items are left out, and named. `budget` is the most labels that will
    be bought. `expect` is the value that you expect of the worst part; a claim that looks false by it, or
    that points the wrong way, is refused, unless it is meant `anyway`. The other parameters are those of
    `certify`.
    """
    pool_input = PoolInput(
        data=pool, id=id, score=score, prediction=prediction, threshold=threshold, text=text,
        groups=_listed(group), positive=positive, classes=_names_of(classes),
        tags=_names_of(tags), probability=probability,
    )  # fmt: skip
    terms = _terms(
        confidence, seed, one_by_one=one_by_one, budget=budget, commit=commit, beacon=beacon
    )
    with _begun(pool_input, folder) as work:
        parts = Parts(least_group=least_group, family="named" if which else "every")
        seal_conjunction(work.project, claim, terms, parts, expect=expect, anyway=anyway)
    return work


@own_numbers
def cutoff(
    pool: "str | Path | Table | None" = None,
    claim: str = "",
    *,
    at: Sequence[float | str] = (),
    start: float | str | None = None,
    budget: int | None = None,
    confidence: float = 0.95,
    one_by_one: bool = False,
    seed: int | str | None = None,
    commit: Sequence[str] = (),
    beacon: str | None = None,
    y_score: Values | None = None,
    id: str | Sequence[str] | None = None,  # noqa: A002 - the same word as on the command line
    score: str | None = None,
    text: str | Sequence[str] = (),
    folder: str | Path | None = None,
) -> ComposedClaim:
    """Begin to find a cut-off on the score that is proved to keep the claim, "recall >= 0.95".

    The ladder of cut-offs is `at`, or chosen from the pool; recall is walked from the lowest up,
    precision from the highest down. With `budget` that many random labels are promised, and judged once
    when all of them are there. Otherwise `run` goes on to better cut-offs: give it `max_labels`. The
    `bound` of the conclusion is the best cut-off so far. The other parameters are those of `certify`.
    """
    named = score or ("score" if y_score is None else None)
    pool_input = PoolInput(data=pool, y_score=y_score, id=id, score=named, threshold=0.5, text=text)
    terms = _terms(
        confidence, seed, one_by_one=one_by_one, budget=budget, commit=commit, beacon=beacon
    )
    rungs = tuple(str(rung) for rung in at)
    begin = None if start is None else str(start)
    with _begun(pool_input, folder) as work:
        seal_cutoff(work.project, claim, terms, at=rungs, start=begin)
    return work


def _terms(
    confidence: float,
    seed: int | str | None,
    *,
    one_by_one: bool,
    commit: Sequence[str],
    beacon: str | None,
    budget: int | None = None,
) -> Terms:
    return Terms(
        confidence=confidence,
        seed=seed_text(seed),
        lead="one" if one_by_one else "several",
        budget=budget,
        commit=_listed(commit),
        beacon=beacon,
    )


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    """One name is a list of one."""
    return (names,) if isinstance(names, str) else tuple(names)


def _names_of(classes: bool | Sequence[str], /) -> bool | tuple[str, ...]:  # noqa: FBT001 - as given
    """The classes listed, or whether predictions are names of classes at all."""
    return classes if isinstance(classes, bool) else _listed(classes)
