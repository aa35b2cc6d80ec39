"""Estimates from Python: any metric from a stratified sample, with intervals."""

from collections.abc import Sequence
from pathlib import Path

from assaymark.api.ask_tell import SurveyAskTell
from assaymark.api.certification import Certification
from assaymark.api.expectations import own_numbers, seed_text
from assaymark.api.wording import in_python
from assaymark.estimation.estimate import EstimateDesign, Estimates
from assaymark.estimation.survey import (
    EstimateRequest,
    current_estimate,
    design_of,
    draw_estimate,
    open_estimate,
    read_estimate,
)
from assaymark.ledger.events import SurveyWork
from assaymark.pool.memory import Table, Values


class Estimation(SurveyAskTell[Estimates]):
    """Estimates how good a classifier is, driven from a notebook or a program.

    Begin one with `assaymark.estimate(…)`; ask and tell, or `run` a function that labels.
    """

    _begun_with = "estimate"
    _owner: object = None  # keeps a temporary folder

    def estimate(self) -> Estimates:
        """What the labels say now, for every metric; recorded."""
        return in_python(read_estimate(self.project))

    @property
    def design(self) -> EstimateDesign:
        """Strata, allocation and the planned number of labels."""
        work = self._work()
        if work is None:
            raise AssertionError("the estimate was opened with the object")
        return design_of(work)

    def _work(self) -> SurveyWork | None:
        return current_estimate(self.project.state())

    def _draw(self, count: int | None) -> Sequence[str]:
        return draw_estimate(self.project, count=count, write=False).items

    def _left(self) -> int:
        return max(0, self.design.labels - self._drawn())

    def _answer(self) -> Estimates:
        return self.estimate()


@own_numbers
def estimate(
    pool: "str | Path | Table | None" = None,
    metric: str = "accuracy",
    *,
    within: float | None = None,
    budget: int | None = None,
    confidence: float = 0.95,
    guarantee: bool = False,
    allocation: str | None = None,
    expect: float | None = None,
    seed: int | str | None = None,
    y_score: Values | None = None,
    y_pred: Values | None = None,
    id: str | Sequence[str] | None = None,  # noqa: A002 - the same word as on the command line
    score: str | None = None,
    prediction: str | None = None,
    threshold: float | None = None,
    positive: str | None = None,
    text: str | Sequence[str] = (),
    folder: str | Path | None = None,
) -> Estimation:
    """Begin an estimate of the metric: register the pool and plan a stratified sample.

    Give the half-width of the interval that is wanted, `within`, or the number of labels, `budget`.
    With `guarantee`, draws are by chance and the result has a bound that holds at every look.
    `allocation="renewed"` draws for F1, precision or recall in three portions, the later ones where
    the labels so far say that a label tells most.
    `expect` is the value that you expect of the metric. The other parameters are those of `certify`.

    >>> work = estimate(y_score=[i / 500 for i in range(500)], threshold=0.5, budget=60, seed=1)
    >>> work.run(lambda item: item.id >= 250)["accuracy"].point
    1.0
    """
    request = EstimateRequest(
        metric=metric,
        within=within,
        budget=budget,
        confidence=confidence,
        guarantee=guarantee,
        allocation=allocation,
        expect=expect,
        seed=seed_text(seed),
    )
    project = Certification.begin(
        folder, pool, y_score=y_score, y_pred=y_pred, id=id, score=score, prediction=prediction,
        threshold=threshold, positive=positive, text=text,
    )  # fmt: skip
    open_estimate(project.project, request)
    made = Estimation(project.folder)
    made._owner = project
    return made
