"""What labels that exist can support: a random sample, strata that weights repair, or nothing.

How labels were drawn cannot be seen in them. It is said by whoever drew them, and checked against
the collection: a "random sample" whose mix differs from the collection's is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assaymark.errors import InputError
from assaymark.hints import option

Support = Literal["random", "repairable", "refused"]
DOUBT = 1e-3  # a mix that chance makes in fewer samples than this is no random one


@dataclass(frozen=True, kw_only=True)
class Mix:
    """How many items of each part are labelled, and how many the collection holds, where known."""

    labelled: Mapping[str, int]
    collection: Mapping[str, int] | None = None


def chance_of_mix(mix: Mix) -> float | None:
    """How often a random sample of the collection differs from its mix as much as these labels do.

    A chi-square test, exact where there are two parts. None where the collection is not known.
    """
    if mix.collection is None:
        return None
    names = [name for name, items in mix.collection.items() if items]
    counts = np.array([mix.labelled.get(name, 0) for name in names], dtype=np.float64)
    sizes = np.array([mix.collection[name] for name in names], dtype=np.float64)
    labels, items = int(counts.sum()), int(sizes.sum())
    if len(names) < 2 or not labels or labels >= items:
        return 1.0
    if len(names) == 2:
        return _two_parts(int(counts[0]), labels, int(sizes[0]), items)
    from scipy import stats  # takes a second to load, and most files name their design

    expected = labels * sizes / sizes.sum()
    return float(stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), len(names) - 1))


def _two_parts(labelled: int, labels: int, size: int, items: int) -> float:
    from scipy import stats

    law = stats.hypergeom(items, size, labels)
    return float(min(1.0, 2 * min(law.cdf(labelled), law.sf(labelled - 1))))


def stratum_weights(mix: Mix) -> dict[str, float]:
    """Items of the collection that each label of a stratum stands for.

    >>> stratum_weights(Mix(labelled={"0": 50, "1": 50}, collection={"0": 950, "1": 50}))
    {'0': 19.0, '1': 1.0}
    """
    if mix.collection is None:
        raise InputError(
            f"Weights need the sizes of the strata in the collection: give it with {option('pool')}."
        )
    weights = {}
    for name, items in mix.collection.items():
        labels = mix.labelled.get(name, 0)
        if items and not labels:
            raise InputError(
                f"No item of the stratum {name!r} is labelled, and the collection holds {items:,} of "
                "them. No weight can stand for them: label some."
            )
        if labels > items:
            raise InputError(
                f"The stratum {name!r} has {labels:,} labelled items and the collection holds {items:,} of "
                "them. Are these labels of another collection?"
            )
        if labels:
            weights[name] = items / labels
    strange = next((name for name in mix.labelled if name not in weights), None)
    if strange is not None:
        raise InputError(
            f"Labels lie in the stratum {strange!r}, which the collection does not have. Are these labels "
            "of another collection?"
        )
    return weights
