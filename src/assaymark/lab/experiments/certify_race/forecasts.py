"""What planners say beforehand about the claims of the race, each entrant's own.

Kept apart from the runs: a forecast that is computed another way is held against the same runs.
"""

from collections.abc import Callable
from dataclasses import dataclass

from assaymark.claims.results import ModeForecast
from assaymark.lab.experiments.certify_race.entrants import Course


@dataclass(frozen=True, kw_only=True)
class Promise:
    """The mean of a plan, the labels that it calls enough in 93 % of cases, and its chance to pass."""

    predicted: float | None = None
    unlucky: float | None = None
    chance: float | None = None


def _of_mode(mode: ModeForecast) -> Promise:
    return Promise(predicted=mode.expected, unlucky=mode.quantile, chance=mode.power)


def _fixed(course: Course) -> Promise:
    mode = course.modes["fixed"]
    if mode.labels is None:  # far more than the pool has: everything is read
        return Promise(predicted=float(course.items), chance=1.0)
    return Promise(predicted=mode.expected, chance=mode.power)


def _with_a_ceiling(course: Course) -> Promise:
    if course.ceiling is None:
        return Promise()
    return _of_mode(course.to_a_ceiling(course.scored, course.ceiling))


FORECASTS: dict[str, Callable[[Course], Promise]] = {
    "fixed": _fixed,
    "budget": lambda course: _of_mode(course.modes["budget"]),
    "anytime": lambda course: _of_mode(course.modes["anytime"]),
    "weighted": lambda course: _of_mode(course.guided(course.scored)),
    "weighted, no scores": lambda course: _of_mode(course.guided(course.unscored)),
    "method 2": lambda course: _of_mode(course.guided(course.scored)),
    "method 2, ceiling": _with_a_ceiling,
}
