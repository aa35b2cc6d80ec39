"""When reviews turn to random draws: labels and runs that end below the target, by length of the window.

python bench/review_switch.py arxiv_cs.parquet          12 topics in 20,000 records, 3 targets, 4 runs
python bench/review_switch.py arxiv_cs.parquet 10       10 runs

A topic is read once in the order of a model that learns; each run draws anew along that order. The
switch rule, the wealth and the bound are the product's.
"""

import random
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

from assaymark.lab.experiments.review import experiment
from assaymark.lab.experiments.review.courses import Course
from assaymark.lab.experiments.review.rules import Certified, Draw, row_of_target
from assaymark.reviewing.stats import Reading, experience, switch, wants_random

WINDOWS = (0.0, 0.15)
MOST = 7_000  # labels after which the model learns no more


def order(truth, features, seed: int) -> list[bool]:
    """The answers in the order of directed reading alone."""
    course = Course(truth, features, seed)
    first = course.read(min(MOST, len(truth)))
    read = set(first)
    last = course.ranker_after(len(first)).order
    return [bool(truth[item]) for item in (*first, *(i for i in reversed(last) if i not in read))]


def run(answers: list[bool], target: Fraction, rng: random.Random) -> tuple[int, float, bool]:
    """Labels, recall, and whether draws began with more left than the target allows."""
    unread, place = list(range(1, len(answers))), {i: i - 1 for i in range(1, len(answers))}
    relevant, found, ahead, early = sum(answers), 1, 1, None
    rule = Certified(target)
    readings: list[Reading] = []
    draws: list[Draw] = []

    def take(item: int) -> bool:
        at, last = place.pop(item), unread.pop()
        if last != item:
            unread[at], place[last] = last, at
        return answers[item]

    while unread and not rule(found, len(unread), draws):
        past = experience(readings, relevant=found, unread=len(unread), target=target)
        given = []
        if wants_random(past, relevant=found, unread=len(unread), target=target):
            if early is None:
                early = row_of_target(found, target) <= relevant
            for _ in range(min(10, len(unread))):
                left = len(unread)
                given.append(take(rng.choice(unread)))
                draws.append(Draw(left=left, found=found, hit=given[-1]))
                found += given[-1]
                if given[-1]:
                    break
            readings.append(Reading(random=tuple(given)))
            continue
        while unread and len(given) < 10:
            if ahead in place:
                given.append(take(ahead))
            ahead += 1
        found += sum(given)
        readings.append(Reading(directed=tuple(given)))
    return len(answers) - len(unread), found / relevant, bool(early)


def main() -> int:
    path, runs = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 4
    collection, features = experiment._material(path, 42, full=True)
    orders = {
        topic: order(collection.labels(topic), features, number)
        for number, topic in enumerate(experiment._topics(collection, experiment.FULL))
    }
    for target in map(Fraction, experiment.FULL.targets):
        for share in WINDOWS:
            switch.SHARE = share
            ends = [
                (read / len(answers), recall < target, early)
                for topic, answers in orders.items()
                for number in range(runs)
                for read, recall, early in [
                    run(answers, target, random.Random(f"{topic} {number}"))
                ]
            ]
            read, below, early = (np.mean(column) for column in zip(*ends, strict=True))
            print(
                f"recall {float(target):g}, window of {share:.0%} of the directed labels: reads {read:.1%}, "
                f"below {below:.2%}, draws too early {early:.0%} ({len(ends)} runs)",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
