"""A made collection of texts with topics, for experiments and tests without real data."""

from functools import lru_cache

import numpy as np

from assaymark.lab.corpora import Collection

WORDS = 4_000
OWN = 60
LENGTH = 40
SHARES = {"harbours": 0.12, "bridges": 0.06, "tunnels": 0.03}
FOCUS = 0.12  # share of the words of a text that come from its topic
BLUR = 0.04  # the same in a text that only touches the topic


@lru_cache(maxsize=2)
def made_collection(seed: int, *, items: int = 6_000) -> Collection:
    """Texts of random words; those of a topic use its own words more often than others do.

    As many texts as belong to a topic merely touch it, so that no classifier is perfect.
    """
    rng = np.random.default_rng((seed, 1))  # not the numbers that split collections
    common = 1 / np.arange(1, WORDS + 1)
    common /= common.sum()
    focus = np.zeros((items, len(SHARES)))
    topics = [[] for _ in range(items)]  # type: list[list[str]]
    for k, (name, share) in enumerate(SHARES.items()):
        order = rng.permutation(items)
        inside, near = order[: round(share * items)], order[round(share * items) :]
        focus[inside, k] = rng.uniform(0.3, 1.7, len(inside)) * FOCUS
        focus[near[: len(inside)], k] = rng.uniform(0.0, 1.7, len(inside)) * BLUR
        for item in inside:
            topics[item].append(name)
    lengths = rng.poisson(LENGTH, items) + 5
    texts = [_text(rng, common, focus[i], lengths[i]) for i in range(items)]
    return Collection(
        name="made",
        texts=np.array(texts, dtype=object),
        topics=np.array([";".join(topic_names) for topic_names in topics], dtype=object),
        scores=None,
    )


def _text(
    rng: np.random.Generator, common: np.ndarray, focus: np.ndarray, length: int
) -> str:  # fmt: skip
    words = rng.choice(WORDS, size=length, p=common)
    for k, share in enumerate(focus):
        from_topic = rng.random(length) < share
        words[from_topic] = WORDS - (k + 1) * OWN + rng.integers(0, OWN, int(from_topic.sum()))
    return " ".join(f"w{word}" for word in words)
