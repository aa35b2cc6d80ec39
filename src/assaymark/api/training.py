"""Training from Python: a text classifier under a label budget, then its certification."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from assaymark.api.ask_tell import Item, SurveyAskTell
from assaymark.api.certification import Certification, ClaimMode
from assaymark.api.data import FolderOwner, PoolInput, new_project
from assaymark.api.expectations import claim_of, own_numbers, seed_text
from assaymark.api.wording import in_python
from assaymark.claims.claim import Claim
from assaymark.ledger.events import SurveyWork, training_of
from assaymark.pool.memory import Table
from assaymark.records.training import Advice
from assaymark.training.freeze import stop_training, train_on
from assaymark.training.rounds import Trained
from assaymark.training.settings import TrainingRequest
from assaymark.training.training_advice import advice_of


class Training(SurveyAskTell["Trained | None"]):
    """Grows a text classifier under a label budget. Begin with `assaymark.train(…)`.

    Each `ask` refits on all labels and hands out what is worth labelling next: nothing when it is
    time to certify. `stop` freezes the classifier and gives its certification.
    """

    _begun_with = "train"
    _owner: object = None  # keeps a temporary folder
    _first: TrainingRequest | None = None
    _latest: Trained | None = None

    @property
    def advice(self) -> Advice | None:
        """What the latest round advised: train on, or certify. None before the first model."""
        if self._latest is not None:
            return self._latest.advice
        work = self._work()
        return in_python(advice_of(work)) if work is not None and work.models else None

    def stop(self, *, seed: int | str | None = None, family: bool = False) -> Certification:
        """Freeze the classifier, seal the plan of its claim, and certify it from here on.

        With `family` the plan shares one risk with all claims on the pool that say so.
        """
        stop_training(self.project, seed=seed_text(seed), family=family)
        made = Certification(self.folder)
        made._owner = self._owner
        return made

    def _train_once(self, request: TrainingRequest) -> Trained:
        self._latest = in_python(train_on(self.project, request, write=False).trained)
        return self._latest

    def _draw(self, count: int | None) -> Sequence[str]:
        return self._round(TrainingRequest(batch=count))

    def _next(self, batch: int | None, room: int | None) -> list[Item]:
        """A run heeds the advice: it buys no label that training has no use for."""
        return self._items(self._round(TrainingRequest(batch=batch, insist=False))[:room])

    def _round(self, request: TrainingRequest) -> Sequence[str]:
        if self._first is not None:
            request = replace(self._first, batch=request.batch or self._first.batch)
        batch = self._train_once(request).batch
        self._first = None  # only now: what was refused can be asked for again
        return () if batch is None else batch.items

    def _work(self) -> SurveyWork | None:
        return training_of(self.project.state())

    def _left(self) -> int:
        return 1_000_000_000  # the rounds themselves say when it is enough

    def _finished(self) -> bool:
        return self.advice is not None and self.advice.action == "certify"

    def _answer(self) -> Trained | None:
        return self._latest


@own_numbers
def train(
    pool: "str | Path | Table",
    claim: str | Claim,
    *,
    text: str | Sequence[str],
    budget: int | None = None,
    population: Literal["rest", "whole", "future"] | None = None,
    sampling: Literal["random", "uncertainty", "relevance"] | None = None,
    policy: str | None = None,
    confidence: float | None = None,
    power: float | None = None,
    batch: int | None = None,
    learner: str | None = None,
    seed: int | str | None = None,
    id: str | Sequence[str] | None = None,  # noqa: A002 - the same word as on the command line
    keep: float | None = None,
    wait: int | None = None,
    mode: ClaimMode | None = None,
    folder: str | Path | None = None,
) -> Training:
    """Begin to train a classifier of the `text` columns that is to meet the claim.

    `budget` is for training and certification together; `population` is what the claim is about
    (needed for active sampling); `policy` decides when training stops; `batch` is how many items
    are handed out at a time; `learner` is a scikit-learn pipeline, "module:name". `keep` is the share
    of the items that training leaves for the claim (population "future"), `wait` the number of training
    labels of the policy "wait", `mode` how the claim is certified. The other parameters are those of
    `certify`.
    """
    request = TrainingRequest(
        claim=claim_of(claim),
        budget=budget,
        population=population,
        sampling=sampling,
        policy=policy,
        confidence=confidence,
        power=power,
        batch=batch,
        learner=learner,
        seed=seed_text(seed),
        keep=keep,
        wait=wait,
        mode=mode,
    )
    owner = FolderOwner()
    unscored = PoolInput(data=pool, id=id, text=text, unscored=True)
    made = Training(new_project(unscored, folder, owner=owner))
    made._owner, made._first = owner, request
    return made
