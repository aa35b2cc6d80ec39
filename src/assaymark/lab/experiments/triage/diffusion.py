"""An information diffusion kernel machine: geodesic distance between documents as distributions.

Source: Zhang, Chen and Lee (2005), as used by Kraaij, Raaijmakers and Elzinga (2009), section 4.
"""

from dataclasses import dataclass
from typing import Any

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
    time: float

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
    found = counts.astype(np.float64).multiply(1 / total[:, None]).tocsr()
    found.data = np.sqrt(found.data)
    return found


def kernel(left: Any, right: Any, time: float) -> Floats:
    """exp(−d²/time) with d the angle between two points: arccos of Σ√(p·q)."""
    cosine = np.clip(np.asarray((left @ right.T).todense()), 0.0, 1.0)
    return np.asarray(np.exp(-(np.arccos(cosine) ** 2) / time))


def train_machine(texts: NDArray[Any], labels: NDArray[np.bool_]) -> DiffusionMachine:
    """The machine trained on these texts; the kernel's time is the median squared angle."""
    words = learning("feature_extraction.text").CountVectorizer(max_features=WORDS, min_df=2)
    points = roots(words.fit_transform(texts))
    cosine = np.clip(np.asarray((points @ points.T).todense()), 0.0, 1.0)
    time = float(np.median(np.arccos(cosine[np.triu_indices(len(labels), 1)]) ** 2))
    machine = learning("svm").SVC(kernel="precomputed", C=10.0)
    machine.fit(kernel(points, points, time), labels)
    return DiffusionMachine(words=words, machine=machine, known=points, time=time)
