"""The course of a long claim, kept between commands of one user: a look goes on from the last segment.

It is a cache like that of a ledger's state, sealed in the same way, and nothing that proves anything
asks for it. It is taken up only where the ledger holds the same seal, the same draws, and the same
labels at each renewal; the course that goes on from it is that of the first draw, to the last bit.
"""

from dataclasses import dataclass

from assaymark.composite.course import Course, Renewal, course_of, renewals
from assaymark.composite.work import ClaimWork
from assaymark.project.folder import Project, keep_beside, kept_beside

KIND = "course"
DRAWS = 1_000  # a shorter course takes no longer than reading one


@dataclass(frozen=True, kw_only=True, eq=False)
class KeptCourse:
    """A course with what it was computed from."""

    course: Course
    renewals: tuple[Renewal, ...]
    strata: tuple[int, ...]


def resumed_course(project: Project, work: ClaimWork) -> Course:
    """The course up to the latest segment that was begun; kept where it took long."""
    known, strata = renewals(work), tuple(work.strata)
    if len(strata) < DRAWS:
        return course_of(work)
    kept = kept_beside(project, KIND)
    begun = kept.course if isinstance(kept, KeptCourse) and _holds(kept, work, known) else None
    segments = 0 if begun is None else len(begun.stops)
    course = course_of(work, begun)
    if len(course.stops) > segments:
        follows = strata[: len(course.followed)]
        keep_beside(project, KIND, KeptCourse(course=course, renewals=tuple(known), strata=follows))
    return course


def _holds(kept: KeptCourse, work: ClaimWork, known: list[Renewal]) -> bool:
    """Whether the claim began as it was when its course was kept."""
    return (
        kept.course.sealed == work.sealed
        and tuple(known[: len(kept.renewals)]) == kept.renewals
        and tuple(work.strata[: len(kept.strata)]) == kept.strata
    )
