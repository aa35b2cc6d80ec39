"""What planners say beforehand about the claims of the race, each entrant's own.

Kept apart from the runs: a forecast that is computed another way is held against the same runs.
"""

from collections.abc import Callable
from dataclasses import dataclass

from assaymark.claims.results import ModeForecast
from assaymark.lab.experiments.certify_race.entrants import CONFIDENCE, Course
from assaymark.stats.betting.hedge import course as expected_course


@dataclass(frozen=True, kw_only=True)
class Promise:
    """The mean of a plan, and the number of labels that it calls enough in 93 % of cases."""

    mean: float | None = None
    unlucky: float | None = None


def _of_mode(mode: ModeForecast) -> Promise:
    return Promise(mean=mode.expected, unlucky=mode.quantile)


def _fixed(course: Course) -> Promise:
    return Promise(mean=float(course.modes["fixed"].labels or course.items))


def _with_a_ceiling(course: Course) -> Promise:
    if course.ideal is None or course.ceiling is None:
        return Promise()
    expected = expected_course(course.ceiling, ideal=course.ideal, level=1 - CONFIDENCE)
    return Promise(mean=expected.mean, unlucky=course.ceiling)


FORECASTS: dict[str, Callable[[Course], Promise]] = {
    "fixed": _fixed,
    "budget": lambda course: _of_mode(course.modes["budget"]),
    "anytime": lambda course: _of_mode(course.modes["anytime"]),
    "weighted": lambda course: _of_mode(course.guided(course.scored)),
    "weighted, no scores": lambda course: _of_mode(course.guided(course.unscored)),
    "method 2": lambda course: _of_mode(course.guided(course.scored)),
    "method 2, ceiling": _with_a_ceiling,
}
