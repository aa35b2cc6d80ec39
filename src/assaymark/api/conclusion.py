"""The result of a comparison, of a claim of several parts, of a cut-off or of a review."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from assaymark.claims.pictures import (
    Bar,
    Picture,
    frame,
    html_answer,
    html_table,
    interval_picture,
)


@dataclass(frozen=True, kw_only=True)
class Conclusion:
    """What is established so far: the decision, its sentence, and the figures behind it.

    `decision` is one of the words of the command: "better", "worse", "within" or "undecided" for a
    comparison, "pass", "fail" or "continue" for claims and cut-offs, "stop" or "continue" for a
    review. `bound` is the one figure that is proven, None where there is none yet. `note` says at which
    level the bounds in `rows` hold, each alone and all together.
    """

    decision: str
    sentence: str
    established: bool
    labels: int
    bound: float | None
    rows: tuple[Mapping[str, Any], ...] = ()
    bars: tuple[Bar, ...] = ()
    least: float = 0.0
    figures: Mapping[str, Any] = field(default_factory=dict)
    note: str | None = None

    def __str__(self) -> str:
        return self.sentence

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "A conclusion is neither true nor false: it may be 'not yet'. Write .established, or compare "
            ".decision with the word you expect."
        )

    def to_frame(self) -> Any:
        """The figures as a pandas or polars data frame, or a list of dicts without either."""
        return frame(self.rows)

    def plot(self) -> Picture:
        """What is proven, on one scale."""
        caption = self.sentence if self.note is None else f"{self.sentence} {self.note}"
        return interval_picture(self.bars, caption=caption, least=self.least)

    def _repr_html_(self) -> str:
        rows = [("decision", self.decision), ("labels", f"{self.labels:,}")]
        return html_answer(self.sentence, rows, self.plot()) + html_table(self.rows)
