"""An information diffusion kernel machine: geodesic distance between documents as distributions.

Source: Zhang, Chen and Lee (2005), as used by Kraaij, Raaijmakers and Elzinga (2009), section 4.
Two forms: `geodesic` is the negative geodesic distance of that source, −2·arccos Σ√(p·q), which has no
parameter and is positive definite conditionally, which suffices for a support vector machine; `heat`
is the leading term of the diffusion kernel itself, exp(−d²/t), whose time t must be chosen.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assaymark.lab.corpora import learning

Floats = NDArray[np.float64]
WORDS = 20_000


@dataclass(frozen=True, kw_only=True, eq=False)
class DiffusionMachine:
    """A support vector machine on the geodesic kernel; `scores` are its signed distances."""

    words: Any
    machine: Any
    known: Any
    time: float | None

    def scores(self, texts: NDArray[Any]) -> Floats:
        """The distance of each text from the boundary, positive on the relevant side."""
        points = roots(self.words.transform(texts))
        parts = [
            self.machine.decision_function(kernel(points[i : i + 1000], self.known, self.time))
            for i in range(0, points.shape[0], 1000)
        ]
        return np.concatenate(parts)


def roots(counts: Any) -> Any:
    """Square roots of relative term frequencies: points on the unit sphere."""
    total = np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1)
    frequencies = counts.astype(np.float64).multiply(1 / total[:, None]).tocsr()
    frequencies.data = np.sqrt(frequencies.data)
    return frequencies


def kernel(left: Any, right: Any, time: float | None) -> Floats:
    """exp(−d²/time) with d the angle between two points, arccos of Σ√(p·q); −2·d without a time."""
    cosine = np.clip(np.asarray((left @ right.T).todense()), 0.0, 1.0)
    angle = np.arccos(cosine)
    return np.asarray(-2 * angle if time is None else np.exp(-(angle**2) / time))


def train_machine(
    texts: NDArray[Any], labels: NDArray[np.bool_], *, form: Literal["heat", "geodesic"] = "heat"
) -> DiffusionMachine:
    """The machine trained on these texts; the time of the heat kernel is the median squared angle."""
    words = learning("feature_extraction.text").CountVectorizer(max_features=WORDS, min_df=2)
    points = roots(words.fit_transform(texts))
    time = None
    if form == "heat":
        cosine = np.clip(np.asarray((points @ points.T).todense()), 0.0, 1.0)
        time = float(np.median(np.arccos(cosine[np.triu_indices(len(labels), 1)]) ** 2))
    machine = learning("svm").SVC(kernel="precomputed", C=10.0)
    machine.fit(kernel(points, points, time), labels)
    return DiffusionMachine(words=words, machine=machine, known=points, time=time)
