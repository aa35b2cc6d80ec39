"""Labels bought to order for triage: drawn inside the region that might be automated, judged once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from assaymark import __version__
from assaymark.claims.checks import count, open_share
from assaymark.claims.record import stored
from assaymark.errors import InputError, PlanError
from assaymark.hints import command, option
from assaymark.ledger.events import State, SurveyedItem, SurveyReported, SurveyWork, about_pool
from assaymark.pool import Progress, silent
from assaymark.pool.scored import ScoreColumns, ScoreFile, read_scored
from assaymark.pool.sources import is_elsewhere
from assaymark.project.folder import Project, registered_pool
from assaymark.project.purpose import pool_for_sampling, refuse_review
from assaymark.records.pool import RegisteredPool
from assaymark.sampling.surveys import (
    SurveyBatch,
    before_freeze,
    fresh_seed,
    hand_out,
    open_survey,
)
from assaymark.stats.calibration import Calibrator, as_given, calibrate
from assaymark.stats.labelled_scores import Labelled, labelled
from assaymark.triaging.routing import conditions
from assaymark.triaging.stats.cutoffs import fewest_labels
from assaymark.triaging.stats.score_histogram import curve_of, histogram
from assaymark.triaging.stats.targeted_labels import SLACK, Aim, PoolRegion, aim, certify_drawn
from assaymark.triaging.triage import Cutoffs, Thresholds, Triage, calibration_words
from assaymark.triaging.triage_answer import DrawnLabels, TriageAnswer

PURPOSE = "triage"


@dataclass(frozen=True, kw_only=True)
class LabelRequest:
    """What labels are wanted for. `train` is a file of scores and labels to calibrate with."""

    target: float
    labels: int
    delta: float = 0.1
    slack: float = SLACK
    train: str | None = None
    score: str | None = None
    label: str = "label"
    calibrator: str = "platt"
    seed: str | None = None

    def __post_init__(self) -> None:
        open_share("target", self.target)
        open_share("delta", self.delta)
        fewest = fewest_labels(self.target, self.delta)
        if count("labels", self.labels) < fewest:
            raise InputError(
                f"{self.labels:,} labels can never prove an accuracy of {self.target:g} at risk "
                f"{self.delta:g}: it takes at least {fewest:,}, all of them right. "
                f"{command('triage size')} says how many are likely to do."
            )


@dataclass(frozen=True, kw_only=True)
class LabelsDrawn:
    """What was handed out, of which region, and what the scores predict for it."""

    batch: SurveyBatch
    region: Cutoffs
    items: int
    predicted: float
    risk: float


def draw_labels(
    project: Project,
    request: LabelRequest,
    *,
    output: Path | None = None,
    progress: Progress = silent,
) -> LabelsDrawn:
    """Draw the labels at random inside the largest region that might be automated.

    All of them are drawn in one go and judged once: whoever looks, draws more and looks again
    would pass too often. A new attempt is another draw, and the risks of all attempts add up.
    """
    with project.writing() as session:
        pool = pool_for_sampling(session.state)
        risk = _risk(session.state, request.delta)
        waiting = open_work(session.state)
        if waiting is not None:
            raise PlanError(
                f"Survey {waiting.survey.number} has labels out that were not judged yet. Label "
                f"them, then run: {command('triage', project='DIR')}"
            )
        with _scored(project, pool) as file:
            progress("reading the scores", 0.2)
            scores = file.read().scores
            curve = _curve(request, scores)
            aimed = aim(curve, scores, target=request.target, slack=request.slack)
            progress("drawing tickets", 0.6)
            seed = fresh_seed(session.state, request.seed)
            parts = conditions(file.score, aimed.widest.cutoffs)
            where = {name: parts[name] for name in ("accept", "reject")}
            drawn = [item for item, _ in file.lowest_tickets(seed, where, request.labels)]
            texts = file.texts(drawn)
        work = open_survey(
            session,
            PURPOSE,
            seed,
            cells=[("might be automated", aimed.widest.items)],
            text=pool.columns.text,
            settings=_settings(request, aimed, curve.name),
        )
        items = [SurveyedItem(id=item, cell=0) for item in drawn]
        batch = hand_out(project, session, work, items, texts, output=output)
    return LabelsDrawn(
        batch=batch,
        region=aimed.widest.cutoffs,
        items=aimed.widest.items,
        predicted=aimed.predicted,
        risk=risk,
    )


def _risk(state: State, delta: float) -> float:
    """The risk that this attempt or one before it certifies wrongly; refused where it is certain."""
    before = [float(work.survey.settings["delta"]) for work in _label_surveys(state)]
    risk = round(sum(before) + delta, 12)
    if risk >= 1:
        raise PlanError(
            f"The risks of {len(before)} attempts and this one add up to {risk:g}, so nothing could be "
            f"promised any more. Give a smaller {option('delta')}, or begin a new project with new items."
        )
    return risk


def _label_surveys(state: State) -> list[SurveyWork]:
    return [work for work in state.surveys if work.survey.purpose == PURPOSE]


def _scored(project: Project, pool: RegisteredPool) -> ScoreFile:
    columns = pool.columns
    if columns.score is None:
        raise InputError(
            f"This project's pool has no score; triage needs one: {command('init', score='…')}"
        )
    place = project.pool_path(pool)
    if is_elsewhere(place):
        raise InputError(
            f"Labels to order are aimed by reading every score into this machine's memory, and only "
            f"Spark can reach {place!r}. Write its ids, scores and texts as parquet files, begin a "
            f"project on these, and route the whole with: {command('triage route', engine='spark')}."
        )
    return ScoreFile(
        place,
        ScoreColumns(score=columns.score, id=columns.id, text=columns.text),
        what="pool",
    )


def _curve(request: LabelRequest, scores: Any) -> Calibrator:
    if request.train is None:
        return as_given(scores)
    columns = ScoreColumns(score=request.score or "score", label=request.label)
    train = read_scored(request.train, columns, what="training file")
    if train.labels is None:
        raise AssertionError("labels were asked for")
    return calibrate(request.calibrator, labelled(train.scores, train.labels, what="training"))


def _settings(request: LabelRequest, aimed: Aim, curve: str) -> dict[str, Any]:
    return {
        "target": request.target,
        "delta": request.delta,
        "slack": request.slack,
        "calibrator": curve,
        "predicted": aimed.predicted,
        "pool": aimed.pool,
        "path": [[r.cutoffs.low, r.cutoffs.high, r.items] for r in aimed.path],
    }


def open_work(state: State) -> SurveyWork | None:
    """The survey for triage whose labels were not judged yet."""
    works = _label_surveys(state)
    return works[-1] if works and not works[-1].reports else None


def judge_labels(project: Project) -> TriageAnswer:
    """The cut-offs that the drawn labels prove; recorded once, and again if a label was changed since."""
    with project.writing() as session:
        state = session.state
        works = _label_surveys(state)
        if not works:
            refuse_review(state)
            raise PlanError(
                f"No labels were drawn for triage in this project. Draw some: "
                f"{command('triage draw', target=0.9, labels=300, project='DIR')}, or give a "
                f"development file with {option('dev')}."
            )
        work = works[-1]
        missing = [item for item in work.order if not state.labelled(item)]
        if missing:
            raise PlanError(
                f"{len(missing):,} of {len(work.order):,} drawn items have no label yet (for example "
                f"{missing[0]!r}). Labels are judged once, when all are there: hard items come last."
            )
        answer = _judged(project, state, works)
        if not work.reports or work.reports[-1].event.result != stored(answer.result):
            session.record(
                SurveyReported(
                    survey=work.survey.number, labels=len(work.order), result=answer.result
                )
            )
    return answer


def _judged(project: Project, state: State, works: Sequence[SurveyWork]) -> TriageAnswer:
    work = works[-1]
    if before_freeze(state, work):
        raise PlanError(
            "A new classifier was frozen after these labels were ordered, and its scores are other "
            f"ones. Order labels again: {command('triage draw', project='DIR')}."
        )
    settings, pool = work.survey.settings, registered_pool(state)
    path = tuple(
        PoolRegion(cutoffs=Cutoffs(low=low, high=high), items=items)
        for low, high, items in settings["path"]
    )
    with _scored(project, pool) as file:
        scores = file.read().scores
        known = file.scores_of(work.order)
    data = answered(
        [known[item] for item in work.order],
        [state.label(item) for item in work.order],
        path[-1].cutoffs,
    )
    triage = certify_drawn(
        data, path, target=settings["target"], delta=settings["delta"], pool=settings["pool"]
    )
    triage = _all_attempts(triage, [float(one.survey.settings["delta"]) for one in works])
    about = about_pool(state, pool)
    if about is not None:
        triage = replace(triage, assumptions=(*triage.assumptions, about))
    thresholds = _thresholds(triage, pool, settings, path)
    skipped = sum(state.label(item) is None for item in work.order)
    return TriageAnswer(
        triage=triage,
        thresholds=thresholds,
        counted_on="pool",
        curve=curve_of(data),
        histogram=histogram(scores, triage.cutoffs),
        drawn=DrawnLabels(survey=work.survey.number, attempts=len(works), skipped=skipped),
    )


def _all_attempts(triage: Triage, risks: Sequence[float]) -> Triage:
    """The verdict with the risk that any attempt so far certifies wrongly."""
    if len(risks) == 1:
        return triage
    sentence = (
        f"This is attempt {len(risks)} on the pool. Each was judged at its own risk, and the risk "
        "stated is their sum."
    )
    return replace(triage, delta=round(sum(risks), 12), assumptions=(*triage.assumptions, sentence))


def answered(scores: Sequence[float], labels: Sequence[int | None], region: Cutoffs) -> Labelled:
    """Scores with labels; where nobody could tell, the label that makes the decision wrong."""
    values = np.array(scores, dtype=np.float64)
    accepted = values >= region.high if region.high is not None else np.zeros(len(values), bool)
    answers = [not yes if label is None else label == 1
            for label, yes in zip(labels, accepted.tolist(), strict=True)]  # fmt: skip
    return Labelled(scores=values, labels=np.array(answers, dtype=np.bool_))


def _thresholds(
    triage: Triage, pool: RegisteredPool, settings: dict[str, Any], path: Sequence[PoolRegion]
) -> Thresholds:
    items = next((r.items for r in path if r.cutoffs == triage.cutoffs), 0)
    return Thresholds(
        rule=triage.rule,
        target=triage.target,
        delta=triage.delta,
        certified=triage.certified,
        cutoffs=triage.cutoffs,
        score=str(pool.columns.score),
        promise=triage.promise,
        labels=triage.labels,
        automated_share=items / settings["pool"],
        placed_by=f"scores of the project's pool, {calibration_words(settings['calibrator'])}",
        sources=(pool.fingerprint,),
        software=__version__,
    )
