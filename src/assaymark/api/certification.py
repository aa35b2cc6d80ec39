"""Certification from Python: claim, ask for items, tell labels, read the verdict, certify."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assaymark.api.ask_tell import AskTell, Item
from assaymark.api.data import PoolInput, project_folder, register
from assaymark.api.expectations import claim_of, expectation_of, own_numbers, seed_text
from assaymark.api.labels import Labels
from assaymark.api.wording import in_python
from assaymark.certification import issuing, verification
from assaymark.certification.drawing import draw_batch, left_to_draw, read_texts, useful_draw
from assaymark.certification.looks import look
from assaymark.certification.sealing import PlanRequest, abandon_plan, forecast_plan, seal_plan
from assaymark.certification.seeding import SeedPart, new_part, reveal_seed
from assaymark.claims.claim import Claim, Counts
from assaymark.claims.defaults import POWER
from assaymark.claims.results import Forecast, Verdict
from assaymark.labelling.known import TakenIn, know
from assaymark.labelling.recording import DEFAULT_ANNOTATOR
from assaymark.pool.memory import Table, Values, is_table
from assaymark.project.folder import latest_attempt, registered_pool
from assaymark.records.agreement import Sensitivity
from assaymark.records.certificate import Verification
from assaymark.records.plan import Expectation, Plan

if TYPE_CHECKING:
    from assaymark.certification.signatures.signing import Signer

__all__ = ["Certification", "Item", "certify"]
SampleDesign = Literal["simple", "score-guided", "weighted"]
ClaimMode = Literal["score-guided", "anytime", "budget", "fixed"]


class Certification(AskTell[Verdict]):
    """Proves a claim about a classifier, driven from a notebook or a program.

    Open the project in a folder, or begin a new one with `assaymark.certify(…)`.

    >>> scores = [i / 100 for i in range(100)]
    >>> work = certify({"score": scores}, "accuracy >= 0.9", threshold=0.5, seed="example")
    >>> work.run(lambda item: item.id >= 50, batch=20).decision
    'pass'
    """

    _begun_with = "certify"
    _owner: object = None  # keeps the temporary folder of a training

    @classmethod
    def begin(
        cls,
        folder: str | Path | None,
        pool: "str | Path | Table | None" = None,
        *,
        y_score: Values | None = None,
        y_pred: Values | None = None,
        id: str | Sequence[str] | None = None,  # noqa: A002 - the same word as on the command line
        score: str | None = None,
        prediction: str | None = None,
        threshold: float | None = None,
        positive: str | None = None,
        text: str | Sequence[str] = (),
        engine: str = "duckdb",
        connection: object = None,
    ) -> "Certification":
        """A new project on the pool, without a plan; the parameters are those of `certify`."""
        if score is None and not is_table(pool) and y_score is None and y_pred is None:
            score = "score"
        pool_input = PoolInput(
            data=pool,
            y_score=y_score,
            y_pred=y_pred,
            id=id,
            score=score,
            prediction=prediction,
            threshold=threshold,
            positive=positive,
            text=text,
        )
        made = cls.__new__(cls)
        place = project_folder(folder, owner=made)
        register(pool_input, place, engine=engine, connection=connection)
        made.__init__(place, connection=connection)  # type: ignore[misc] # the folder must outlive `made` only
        return made

    @own_numbers
    def claim(
        self,
        claim: str | Claim,
        *,
        mode: ClaimMode | None = None,
        design: SampleDesign | None = None,
        confidence: float = 0.95,
        power: float = POWER,
        budget: int | None = None,
        expect: float | Expectation | None = None,
        pilot: Counts | str | Sequence[int] | None = None,
        seed: int | str | None = None,
        commit: Sequence[str] = (),
        beacon: str | None = None,
        reserve: float = 0.0,
        claim_only: bool = False,
        new_risk: bool = False,
        one_by_one: bool = False,
        family: bool = False,
        expectation: Expectation | None = None,
        anyway: bool = False,
    ) -> Plan:
        """Seal a plan for the claim: from here on claim, size and draws are decided.

        `claim` is text such as "recall >= 0.8" or a `Claim`. `expect` is the value of the claimed
        metric that you expect, `pilot` the counts of a labelled random sample; both only plan the
        number of labels. `mode` is "score-guided", "anytime", "budget" or "fixed"; without one it is the
        mode that the forecast recommends. `design` is "score-guided" where there are predictions, or
        "simple"; score-guided with mode "budget" ends at a sealed number of labels. `budget` is where a
        fixed or budget plan ends. `one_by_one` is for a single annotator who labels every item before
        the next is drawn. `anyway` seals a claim that looks false, or one that points the wrong way. All
        plans on one claim share one risk: `reserve` keeps a part of it for a later plan, `new_risk`
        opens a second account (what is stated then covers both), and a `claim_only` plan states no bound
        besides its target; with `family` all claims on the pool that say so share one risk. `commit` are
        hashes of other sides' parts of a joint seed ("own": this side alone), `beacon` a public beacon;
        `reveal` makes the seed known after the seal.
        """
        return seal_plan(
            self.project,
            self._terms(
                claim,
                expectation or expect,
                pilot,
                mode=mode,
                design=design,
                confidence=confidence,
                power=power,
                budget=budget,
                seed=seed_text(seed),
                reserve=reserve,
                claim_only=claim_only,
                new_risk=new_risk,
                one_by_one=one_by_one,
                anyway=anyway,
                family=family,
                commit=(commit,) if isinstance(commit, str) else tuple(commit),
                beacon=beacon,
            ),
        )

    def know(
        self,
        labels: Labels,
        *,
        id: str | Sequence[str] | None = None,  # noqa: A002 - as on the command line
        label: str = "label",
    ) -> TakenIn:
        """Take in labels from elsewhere, before a plan: knowledge that no draw has to buy again.

        `labels` are those of `tell`. In a score-guided plan their items leave the strata and count as
        certain; in a simple one they answer items that are drawn, free of charge.
        """
        return know(self.project, self._rows(labels, DEFAULT_ANNOTATOR, id, label))

    @staticmethod
    def new_part() -> SeedPart:
        """A part of a joint seed, to be kept secret until the plan is sealed, and its hash to send."""
        return new_part()

    def reveal(self, *parts: str) -> Plan:
        """Reveal the parts of the seed, or the beacon's value; this side's own part is added."""
        return reveal_seed(self.project, parts)

    @own_numbers
    def forecast(
        self,
        claim: str | Claim,
        *,
        confidence: float = 0.95,
        power: float = POWER,
        expect: float | Expectation | None = None,
        pilot: Counts | str | Sequence[int] | None = None,
    ) -> Forecast | None:
        """What the claim will cost in every mode; None where nothing is known. Records nothing."""
        terms = self._terms(claim, expect, pilot, confidence=confidence, power=power)
        return in_python(forecast_plan(self.project, terms))

    def verdict(self) -> Verdict:
        """What is established now. Every look at an open plan is recorded."""
        return in_python(look(self.project).verdict)

    def sensitivity(self) -> Sensitivity | None:
        """How many wrong labels would overturn an established claim; None unless it is one."""
        from assaymark.overview.dossier import dossier  # heavy: only who asks for it pays

        return dossier(self.project).sensitivity

    @property
    def plan(self) -> Plan:
        """The latest plan."""
        return latest_attempt(self.project.state()).plan

    def certify(
        self,
        path: str | Path | None = None,
        *,
        signer: "Signer | None" = None,
        bound: bool = False,
    ) -> issuing.Issued:
        """Issue the certificate of an established claim (certificate.json unless named).

        With `bound` it certifies what is proven as it stands, be it less than was claimed.
        """
        output = None if path is None else Path(path)
        return issuing.certify(self.project.afresh(), output=output, signer=signer, bound=bound)

    def verify(
        self, path: str | Path | None = None, *, brought: verification.Brought | None = None
    ) -> Verification:
        """Recompute a certificate (certificate.json unless named) from the ledger and the pool."""
        place = self.folder / "certificate.json" if path is None else Path(path)
        return verification.verify(place, project=self.project, brought=brought)

    def abandon(self, reason: str) -> int:
        """Close the open plan for good, with a reason; returns its number."""
        return abandon_plan(self.project, reason)

    def _terms(
        self,
        claim: str | Claim,
        expect: float | Expectation | None,
        pilot: Counts | str | Sequence[int] | None,
        **options: Any,
    ) -> PlanRequest:
        asked = claim_of(claim)
        return PlanRequest(
            claim=asked, expectation=expectation_of(self.project, asked, expect, pilot), **options
        )

    def _draw(self, count: int | None) -> Sequence[str]:
        return draw_batch(self.project, count=count, write=False).items

    def _left(self) -> int:
        return left_to_draw(self.project)

    def _useful(self) -> int:
        return useful_draw(self.project)

    def _open(self) -> Sequence[str]:
        state = self.project.state()
        return [item for item in latest_attempt(state).order if not state.labelled(item)]

    def _texts(self, ids: Sequence[str]) -> dict[str, dict[str, str]]:
        state = self.project.state()
        if not registered_pool(state).columns.text:
            return {}
        files = [reserve.file for reserve in latest_attempt(state).reserves]
        return dict(read_texts(self.project, state, files, ids))

    def _finished(self) -> bool:
        if self.plan.kind.judged_once:  # it is judged once, when all its labels are there
            return not self._left() and not self._open()
        return self.verdict().decision != "continue"

    def _answer(self) -> Verdict:
        return self.verdict()


@own_numbers
def certify(
    pool: "str | Path | Table | None" = None,
    claim: str | Claim | None = None,
    *,
    y_score: Values | None = None,
    y_pred: Values | None = None,
    id: str | Sequence[str] | None = None,  # noqa: A002 - the same word as on the command line
    score: str | None = None,
    prediction: str | None = None,
    threshold: float | None = None,
    positive: str | None = None,
    text: str | Sequence[str] = (),
    folder: str | Path | None = None,
    mode: ClaimMode | None = None,
    design: SampleDesign | None = None,
    confidence: float = 0.95,
    power: float = POWER,
    budget: int | None = None,
    expect: float | Expectation | None = None,
    pilot: Counts | str | Sequence[int] | None = None,
    seed: int | str | None = None,
    commit: Sequence[str] = (),
    beacon: str | None = None,
    one_by_one: bool = False,
    anyway: bool = False,
) -> Certification:
    """Begin to prove a claim: register the pool, seal a plan, and get the items to label.

    `pool` is a data frame (pandas, polars), an Arrow table, a DuckDB relation, a Hugging Face
    dataset, a dict of columns, a list of dicts or the name of a file; arrays `y_score` and
    `y_pred` do as well, and ids are then positions. `id`, `score`, `prediction` and `text` name
    columns; `threshold` turns scores into predictions, and `positive` is the prediction that means
    relevant where they are two words. Without `folder` the project is temporary: it is removed when the
    result is no longer used; `folder=":memory:"` keeps it in main memory, for simulations. The other
    parameters are those of `Certification.claim`.

    >>> work = certify(y_score=[0.1, 0.9] * 60, threshold=0.5, claim="precision >= 0.8", seed=1)
    >>> work.run(lambda item: item.id % 2 == 1).established
    True
    """
    made = Certification.begin(
        folder,
        pool,
        y_score=y_score,
        y_pred=y_pred,
        id=id,
        score=score,
        prediction=prediction,
        threshold=threshold,
        positive=positive,
        text=text,
    )
    if claim is not None:
        made.claim(
            claim,
            mode=mode,
            design=design,
            confidence=confidence,
            power=power,
            budget=budget,
            expect=expect,
            pilot=pilot,
            seed=seed,
            commit=commit,
            beacon=beacon,
            one_by_one=one_by_one,
            anyway=anyway,
        )
    return made
