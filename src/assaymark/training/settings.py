"""What somebody asks of a training, and what may still be changed once it is recorded."""

import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from assaymark.claims.claim import Claim
from assaymark.claims.defaults import POWER
from assaymark.claims.ratio_metrics import binomial_test, metric
from assaymark.claims.results import counted
from assaymark.errors import InputError, PlanError
from assaymark.hints import command, option
from assaymark.records.modes import OFFERED
from assaymark.records.training import TrainingGoal, TrainingSettings
from assaymark.stats.operating_point import refuse_untrainable
from assaymark.training.stats.stopping_policy import POLICIES

KEEP = 0.5
LEAST_BUDGET = 20
OF_GOAL = ("claim", "confidence", "power", "budget", "policy", "wait", "mode")
OF_TRAINING = ("sampling", "population", "batch", "learner", "auto_certify")
CHOICES = (
    "rest (the items that training never takes), whole (the whole collection, where training items "
    "keep the labels people gave them) or future (a part that is set aside now and stands for "
    "further documents of the same source)"
)


@dataclass(frozen=True, kw_only=True)
class TrainingRequest:
    """What was said on the command line; None where nothing was.

    `insist` hands out items even where labels are missing or certification is advised; so does a
    `batch`, unless it is False.
    """

    claim: Claim | None = None
    confidence: float | None = None
    power: float | None = None
    budget: int | None = None
    policy: str | None = None
    wait: int | None = None
    mode: str | None = None
    sampling: str | None = None
    population: str | None = None
    keep: float | None = None
    batch: int | None = None
    learner: str | None = None
    auto_certify: bool = False
    seed: str | None = None
    seeds: Path | None = None
    insist: bool | None = None


def first_settings(request: TrainingRequest) -> TrainingSettings:
    """The settings of a new training. Refused where the claim's population would stay open."""
    if request.claim is None:
        raise PlanError(
            f"Say what the classifier should reach: {command('train', 'f1 >= 0.75', budget=3000)}. The claim "
            "and its population are sealed before the first training label."
        )
    refuse_untrainable(request.claim)
    policy = request.policy or ("adaptive" if request.budget is None else "split")
    POLICIES.find("policy", policy)
    goal = TrainingGoal(
        claim=request.claim,
        confidence=0.95 if request.confidence is None else request.confidence,
        power=POWER if request.power is None else request.power,
        budget=request.budget,
        policy=policy,
        wait=request.wait or 0,
        mode=request.mode or "score-guided",
    )
    population = request.population or "rest"
    future = population == "future"
    settings = TrainingSettings(
        goal=goal,
        sampling=request.sampling or "random",
        population=population,
        named=request.population is not None,
        keep=(KEEP if request.keep is None else request.keep) if future else (request.keep or 0.0),
        keep_seed=secrets.token_hex(16) if future else "",
        batch=request.batch,
        learner=request.learner or "linear",
        auto_certify=request.auto_certify,
    )
    _refuse_unnamed(settings, seeds=request.seeds is not None)
    _refuse_uncertifiable(goal)
    _refuse_idle_wait(goal, request)
    _refuse_hopeless(request.budget)
    return settings


def changed_settings(
    before: TrainingSettings, request: TrainingRequest, *, labels: int
) -> TrainingSettings:
    """The settings as they go on. The claim's target may change, because no item that judges it is
    drawn yet; its metric stays, and the population can only be named once.
    """
    known = before.goal.claim
    if request.claim is not None and replace(request.claim, target=known.target) != known:
        raise PlanError(
            f'This project trains for "{known}", and only its target may change. For "{request.claim}" '
            "begin a new project, or leave the claim out to go on."
        )
    changes = {name: value for name in OF_GOAL if (value := getattr(request, name)) is not None}
    POLICIES.find("policy", changes.get("policy", before.goal.policy))
    _refuse_small(request.budget, labels)
    settings = replace(
        before,
        goal=replace(before.goal, **changes),
        sampling=request.sampling or before.sampling,
        batch=request.batch or before.batch,
        learner=request.learner or before.learner,
        auto_certify=request.auto_certify or before.auto_certify,
    )
    if request.population is not None or request.keep is not None:
        settings = _named(settings, request)
    _refuse_unnamed(settings, seeds=request.seeds is not None)
    _refuse_uncertifiable(settings.goal)
    _refuse_idle_wait(settings.goal, request)
    _refuse_hopeless(request.budget)
    return settings


def changes(before: TrainingSettings, after: TrainingSettings) -> tuple[str, ...]:
    """What is settled otherwise now, one short line each: "budget 600 → 900"."""
    return tuple(
        f"{name} {_words(old)} → {_words(new)}"
        for name, old, new in (
            *((name, getattr(before.goal, name), getattr(after.goal, name)) for name in OF_GOAL),
            *((name, getattr(before, name), getattr(after, name)) for name in OF_TRAINING),
        )
        if old != new
    )


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _named(before: TrainingSettings, request: TrainingRequest) -> TrainingSettings:
    population = request.population or before.population
    same = population == before.population and request.keep in (None, before.keep)
    if same:
        return replace(before, named=True)
    if before.named:
        raise PlanError(
            f"The claim is about the population {before.population!r}, which was sealed before "
            f"training chose any item, so it cannot become {population!r}. Begin a new project for "
            "another population."
        )
    if population == "future" or request.keep is not None:
        raise PlanError(
            "A part for future documents is set aside before the first training label, and this "
            f"training began without one. Choose {option('population', 'rest')} or whole, or "
            "begin a new project."
        )
    return replace(before, population=population, named=True)


def _refuse_unnamed(settings: TrainingSettings, *, seeds: bool) -> None:
    if settings.named or (settings.sampling == "random" and not seeds):
        return
    how = option("seeds") if settings.sampling == "random" else f"{settings.sampling} sampling"
    raise PlanError(
        f"With {how} training picks out items, so what the claim will be about must be said first, with "
        f"{option('population')}: {CHOICES}."
    )


def _refuse_uncertifiable(goal: TrainingGoal) -> None:
    """Refuse before the first label what no plan could seal after the last one."""
    if not OFFERED[goal.mode].guided and binomial_test(goal.claim) is None:
        raise InputError(
            f"{metric(goal.claim.metric).title} can be certified in mode score-guided only, got "
            f"{option('mode', goal.mode)}: a simple random sample has no exact bound for it."
        )


def _refuse_idle_wait(goal: TrainingGoal, request: TrainingRequest) -> None:
    if request.wait and goal.policy != "wait":
        raise InputError(
            f"{option('wait')} belongs to {option('policy', 'wait')}, and the policy is "
            f"{goal.policy}. Add {option('policy', 'wait')}, or "
            f"leave {option('wait')} out."
        )


def _refuse_hopeless(budget: int | None) -> None:
    if budget is not None and budget < LEAST_BUDGET:
        raise InputError(
            f"A budget of {counted(budget, 'label')} cannot train and certify anything: it is for "
            f"training and certification together, and should be some hundreds; at least "
            f"{LEAST_BUDGET} are asked for. Give a larger {option('budget')}, or none with "
            f"{option('policy', 'adaptive')}."
        )


def _refuse_small(budget: int | None, labels: int) -> None:
    if budget is not None and budget <= labels:
        raise InputError(
            f"A budget of {counted(budget, 'label')} is used up: {counted(labels, 'training label')} "
            f"exist already. Give a larger {option('budget')}, or stop and certify: "
            f"{command('train', stop=True)}."
        )
