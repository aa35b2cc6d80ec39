"""Recall from pairs, from Python: two or three classifiers that overlap."""

from collections.abc import Sequence
from pathlib import Path

from assaymark.api.ask_tell import SurveyAskTell
from assaymark.api.data import FolderOwner, PoolInput, new_project
from assaymark.api.expectations import own_numbers, seed_text
from assaymark.ledger.events import SurveyWork
from assaymark.pair_recall.recall import RecallAnswer, RecallRequest
from assaymark.pair_recall.survey import draw_recall_survey, recall_of_survey
from assaymark.pool.memory import Table
from assaymark.sampling.surveys import find_survey


class PairRecall(SurveyAskTell[RecallAnswer]):
    """Estimates recall from classifiers that overlap. Begin with `assaymark.recall_from_pairs(…)`."""

    _begun_with = "recall_from_pairs"

    def __init__(
        self, folder: Path, request: RecallRequest, *, labels: int, outside: int, seed: str | None
    ) -> None:
        super().__init__(folder)
        self.request = request
        self._labels, self._outside, self._seed = labels, outside, seed
        self._owner: object = None  # keeps a temporary folder

    def recall(self) -> RecallAnswer:
        """What the labels so far say; recorded."""
        return recall_of_survey(self.project, self.request)

    def _work(self) -> SurveyWork | None:
        return find_survey(self.project.state(), "recall", {"flags": list(self.request.flags)})

    def _draw(self, count: int | None) -> Sequence[str]:
        first = self._drawn() == 0
        return draw_recall_survey(
            self.project,
            self.request,
            count=count or self._left(),
            outside=self._outside if first else 0,
            seed=self._seed if first else None,
            write=False,
        ).items

    def _left(self) -> int:
        work = self._work()
        if work is None:
            return self._labels
        outside = "0" * len(self.request.flags)
        cells = [cell.name for cell in work.survey.cells]
        inside = sum(cells[work.cells[item]] != outside for item in work.order)
        return max(0, self._labels - inside)

    def _answer(self) -> RecallAnswer:
        return self.recall()


@own_numbers
def recall_from_pairs(
    pool: "str | Path | Table",
    classifiers: Sequence[str],
    *,
    labels: int,
    outside: int = 0,
    confidence: float = 0.95,
    within: float = 0.05,
    pair: str | None = None,
    seed: int | str | None = None,
    id: str | Sequence[str] | None = None,  # noqa: A002 - the same word as on the command line
    text: str | Sequence[str] = (),
    folder: str | Path | None = None,
) -> PairRecall:
    """Begin to estimate recall from two or three classifiers, named by their 0/1 columns.

    `labels` items are drawn from what the classifiers flag, `outside` more from what none flags.
    `pair` says what kind of pair it is, `within` how narrow advice aims. The other parameters are
    those of `certify`.
    """
    request = RecallRequest(
        flags=tuple(classifiers), confidence=confidence, within=within, pair=pair
    )
    owner = FolderOwner()
    place = new_project(PoolInput(data=pool, id=id, text=text), folder, owner=owner)
    made = PairRecall(place, request, labels=labels, outside=outside, seed=seed_text(seed))
    made._owner = owner
    return made
