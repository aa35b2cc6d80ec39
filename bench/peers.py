"""Other tools beside ours: same data, same seeds, same confidence; records for docs/evidence.

    python -m venv peers && peers/bin/pip install -e '.[lab]' -r bench/requirements.txt
    peers/bin/python bench/peers.py [--runs N] [--data FOLDER] [--only claim|estimate|triage|review]

Over-claims are runs that end with something false: judged once, and looked at after every batch.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

import numpy as np

from assaymark.claims.claim import Claim
from assaymark.lab.corpora import read_collection, vendor_worlds
from assaymark.lab.experiments.certify_race.rivals import alpha_path, shifted_gain
from assaymark.lab.experiments.review import experiment as review
from assaymark.lab.experiments.review.courses import Course
from assaymark.lab.experiments.review.rules import CERTIFIED, TOGETHER, Mixed, prefix
from assaymark.lab.side_by_side.runs import certify_rows
from assaymark.lab.tasks import rng_of
from assaymark.lab.worlds import Sketch, cut_world, make_world
from assaymark.stats.betting.binary import binary_test

RESULTS = Path(__file__).parents[1] / "docs" / "evidence" / "results"
SEED, CONFIDENCE = 42, 0.95
MARGIN, ONCE, EVERY, MOST = 0.04, 200, 20, 400
OURS = "assaymark"
ASKED = {"runs": 20}


def record(
    task,
    peer,
    data,
    runs,
    *,
    labels=None,
    once=None,
    peeking=None,
    seconds=None,
    wins="",
    confidence=CONFIDENCE,
):
    names = {
        "ppi-python": "ppi-python",
        "MAPIE": "mapie",
        "buscarpy": "buscarpy",
        "tarexp": "tarexp",
    }
    own = next((version(dist) for name, dist in names.items() if peer.startswith(name)), "")
    return {
        "task": task,
        "peer": peer,
        "version": version("assaymark") if peer == OURS else own,
        "data": data,
        "confidence": confidence,
        "seed": SEED,
        "runs": runs,
        "labels": None if labels is None else round(float(labels)),
        "overclaim": once,
        "overclaim_peeking": peeking,
        "seconds": None if seconds is None else round(seconds, 3),
        "wins": wins,
        "command": f"python bench/peers.py --runs {ASKED['runs']} --only {TASKS[task]}",
    }


TASKS = {
    "Prove an accuracy": "claim",
    "Estimate F1 within 0.03": "estimate",
    "Automate at a given accuracy": "triage",
    "Stop a review at recall 0.8": "review",
}


def claim_records(runs: int, data: Path | None):
    """A claim that is true by a margin (labels), and one that is just false (over-claims)."""
    from ppi_py import classical_mean_ci, ppi_mean_ci

    worlds = [make_world(Sketch(prevalence=0.2, f1=0.8), rng_of(SEED, "peers"))]
    if data is not None and (data / "davidson_perspective.parquet").exists():
        found = vendor_worlds(read_collection(data / "davidson_perspective.parquet"), (0.5,))
        worlds += [world for world in found if "offensive" in world.name]
    for world in worlds:
        right = (world.labels == world.predicted).astype(float)
        sure = np.where(world.predicted, world.scores, 1 - world.scores)
        truth = float(right.mean())

        def ppi(at, right=right, sure=sure):
            return float(np.ravel(ppi_mean_ci(right[at], sure[at], sure, alpha=0.1)[0])[0])

        def classical(at, right=right):
            return float(np.ravel(classical_mean_ci(right[at], alpha=0.1)[0])[0])

        yield _ours(world, truth, runs)
        yield _alpha(world, right, truth, runs)
        for peer, low in (("ppi-python, PPI++", ppi), ("ppi-python, classical", classical)):
            yield _fixed(world, truth, peer, low, runs)


def _strata_test(world, target):
    claim = Claim(metric="accuracy", side="lower", target=target)
    cut = cut_world(world, claim)
    return binary_test(claim, cut.strata, level=1 - CONFIDENCE, bounds=False).test, cut.labels


def _ours(world, truth, runs):
    begun, rng = time.perf_counter(), rng_of(SEED, "ours", world.name)
    test, labels = _strata_test(world, truth - MARGIN)
    used = [certify_rows(test, labels, rng, most=4000).labels for _ in range(runs)]
    seconds = (time.perf_counter() - begun) / runs
    false, labels = _strata_test(world, truth + 1e-4)
    wrong = [
        certify_rows(false, labels, rng, most=MOST).ruling.passed_at is not None
        for _ in range(runs)
    ]
    return record(
        "Prove an accuracy",
        OURS,
        world.name,
        runs,
        labels=np.mean(used),
        once=None,
        peeking=float(np.mean(wrong)),
        seconds=seconds,
    )


def _alpha(world, right, truth, runs):
    claim = Claim(metric="accuracy", side="lower", target=truth - MARGIN)
    rng, used, wrong, begun = rng_of(SEED, "alpha", world.name), [], [], time.perf_counter()
    for _ in range(runs):
        order = rng.permutation(len(right))[:4000]
        for target, seen in ((truth - MARGIN, used), (truth + 1e-4, wrong)):
            shift = shifted_gain(Claim(metric=claim.metric, side=claim.side, target=target))
            values = np.where(right[order] > 0, shift.values[0], shift.values[1])
            path = alpha_path(
                values,
                null=shift.null,
                top=shift.top,
                items=len(right),
                guess=float(shift.null) + 0.02,
            )
            at = np.flatnonzero(path >= np.log(1 / (1 - CONFIDENCE)))
            seen.append((int(at[0]) + 1) if at.size else 10**9)
    passed = [min(n, 4000) for n in used]
    return record(
        "Prove an accuracy",
        "ALPHA (rebuilt)",
        world.name,
        runs,
        labels=np.mean(passed),
        once=None,
        peeking=float(np.mean([n <= MOST for n in wrong])),
        seconds=(time.perf_counter() - begun) / (2 * runs),
    )


def _fixed(world, truth, peer, low: Callable, runs: int):
    """A limit made for one look: the size at which 93 % pass, and errors with and without peeking."""
    rng, size = rng_of(SEED, peer, world.name), np.arange(2 * EVERY, MOST + 1, EVERY)
    once, ever = 0, 0
    begun = time.perf_counter()
    for _ in range(runs):
        order = rng.permutation(world.items)[:MOST]
        lows = [low(order[:n]) for n in size]
        once += lows[list(size).index(ONCE)] > truth
        ever += max(lows) > truth
    seconds = (time.perf_counter() - begun) / runs / len(size)
    short, least = 0, 4000
    while least - short > 25:  # the size at which 93 % pass, between two that were tried
        middle = (short + least) // 2
        drawn = [low(rng.permutation(world.items)[:middle]) >= truth - MARGIN for _ in range(100)]
        short, least = (short, middle) if np.mean(drawn) >= 0.93 else (middle, least)
    wins = "an interval in microseconds, without strata or a sealed plan" if "PPI" in peer else ""
    return record(
        "Prove an accuracy",
        peer,
        world.name,
        runs,
        labels=least,
        once=once / runs,
        peeking=ever / runs,
        seconds=seconds,
        wins=wins,
    )


def estimate_records(runs: int, _data: Path | None):
    """Labels until the root mean squared error of F1 is 0.03."""
    import rivals

    samples = 10 * runs
    ways = {
        OURS: rivals.ours,
        **{
            name if name == "random" else f"{name} (rebuilt)": way
            for name, way in rivals.RIVALS.items()
        },
    }
    for world in rivals.worlds([]):
        truth, needed, times = world.value("f1"), {}, {}
        for name, way in ways.items():
            begun, errors = time.perf_counter(), []
            for n in rivals.SIZES:
                question = rivals.Question(world=world, metric="f1", labels=n, runs=samples)
                points = way(question, rng_of(1, world.name, str(n), name))
                errors.append(float(np.sqrt(((points - truth) ** 2).mean())))
            times[name] = (time.perf_counter() - begun) / len(rivals.SIZES) / samples
            slope, start = np.polyfit(np.log(rivals.SIZES), np.log(errors), 1)
            needed[name] = float(np.exp((np.log(0.03) - start) / slope))
        for name, labels in needed.items():
            wins = ""
            if name != OURS and labels < needed[OURS]:
                wins = f"{world.name}: {labels:.0f} labels where ours needs {needed[OURS]:.0f}"
            yield record(
                "Estimate F1 within 0.03",
                name,
                world.name,
                samples,
                labels=labels,
                seconds=times[name],
                wins=wins,
                confidence=None,
            )


def triage_records(runs: int, data: Path | None):
    """Yield and broken promises at 500 labels."""
    import warnings

    import triage_rivals as rival

    warnings.simplefilter("ignore")
    sketches = [*rival.SKETCHES]
    if data is not None and (data / "davidson_perspective.parquet").exists():
        sketches += rival.sketches_of(data / "davidson_perspective.parquet")
    for sketch in sketches:
        world = rival.make(sketch, SEED)
        known, curve = rival.fixed_before(world), rival.platt(world.training)
        seen: dict[str, list[tuple[float, bool]]] = {OURS: [], "MAPIE": []}
        times = dict.fromkeys(seen, 0.0)
        everyone = curve.at(world.population.scores)
        for number in range(runs):
            rng = rng_of(SEED, "peers triage", world.name, str(number))
            drawn = rival._sample(world, 500, rng)
            it = rival.Round(world=world, known=known, development=drawn, rng=rng)
            begun = time.perf_counter()
            seen[OURS].append(rival.ours(world, rival._certified, it))
            middle = time.perf_counter()
            pair = rival.mapie(curve.at(drawn.scores), drawn.labels, world.target)
            seen["MAPIE"].append(rival.outcome(world, everyone, pair))
            times[OURS] += middle - begun
            times["MAPIE"] += time.perf_counter() - middle
        shares = {name: float(np.mean([one[0] for one in own])) for name, own in seen.items()}
        for name, own in seen.items():
            wins = f"{world.name}: automates {shares[name]:.2f}, ours {shares[OURS]:.2f}"
            better = name != OURS and shares[name] > shares[OURS]
            title = f"{world.name}, automates {shares[name]:.2f}"
            yield record(
                "Automate at a given accuracy",
                name,
                title,
                runs,
                labels=500,
                once=float(np.mean([one[1] for one in own])),
                seconds=times[name] / runs,
                wins=wins if better else "",
                confidence=0.9,
            )


@dataclass
class Told:
    """What a stopping rule of tarexp reads of a review: rounds of ten records and their answers."""

    n_docs: int
    answers: list[tuple[bool, ...]] = field(default_factory=list)

    @property
    def n_rounds(self):
        return len(self.answers)

    @property
    def n_annotated(self):
        return sum(map(len, self.answers))

    @property
    def n_pos_annotated(self):
        return sum(map(sum, self.answers))

    def getAnnotationCounts(self):  # noqa: N802 - the name that tarexp calls
        return [{1: sum(own), 0: len(own) - sum(own)} for own in self.answers]


def _ranked_until(stops: Callable, course: Course):
    told, count = Told(n_docs=len(course.truth), answers=[(True,)]), 1
    while count < told.n_docs:
        items = course.read(min(told.n_docs, count + TOGETHER))[count:]
        told.answers.append(tuple(course.truth[items].tolist()))
        count += len(items)
        if stops(told):
            break
    return prefix(course, count)


def _certified(course: Course, target: Fraction, seed: int):
    return Mixed(course, target, np.random.default_rng([seed, 1])).play()[CERTIFIED]


def review_records(runs: int, _data: Path | None):
    """The same rankings for every rule; over-claims are runs that stop below the target."""
    from buscarpy import calculate_h0
    from tarexp.component import stopping

    target, path = Fraction("0.8"), review.MADE
    collection, features = review._material(path, SEED, full=False)
    topics = review._topics(collection, review.SMALL)

    def frontier(ledger):
        flat = [int(a) for own in ledger.answers for a in own]
        p = calculate_h0(flat, ledger.n_docs, recall_target=float(target))
        return p is not None and p < 0.05

    peers = {"buscarpy": lambda: frontier}
    for name in ("Knee", "Budget", "BatchPrec"):
        rule = getattr(stopping, f"{name}StoppingRule")
        peers[f"tarexp, {name}"] = lambda rule=rule: rule().checkStopping
    ways = {
        OURS: lambda course, seed: _certified(course, target, seed),
        **{
            name: lambda course, _seed, make=make: _ranked_until(make(), course)
            for name, make in peers.items()
        },
    }
    read: dict[str, list[tuple[int, bool]]] = {name: [] for name in ways}
    times = dict.fromkeys(ways, 0.0)
    for topic in topics:
        truth = collection.labels(topic)
        for run in range(runs):
            for name, way in ways.items():
                seed = int(rng_of(SEED, "peers review", topic, str(run)).integers(2**32))
                begun = time.perf_counter()
                end = way(Course(truth, features, seed), seed)
                times[name] += time.perf_counter() - begun
                read[name].append((end.read, end.recall < float(target) - 1e-12))
    for name, own in read.items():
        labels, wrong = np.mean([one[0] for one in own]), float(np.mean([one[1] for one in own]))
        ours = np.mean([one[0] for one in read[OURS]])
        wins = f"reads {labels:.0f} records where ours reads {ours:.0f}" if labels < ours else ""
        if wins and wrong > 0.05:
            wins += f", but stops below the target in {wrong:.0%} of the runs"
        where = f"made texts, {len(truth):,} records, {len(topics)} topics"
        yield record(
            "Stop a review at recall 0.8",
            name,
            where,
            len(own),
            labels=labels,
            peeking=wrong,
            seconds=times[name] / len(own),
            wins=wins if name != OURS else "",
        )


RUNNERS = {
    "claim": claim_records,
    "estimate": estimate_records,
    "triage": triage_records,
    "review": review_records,
}


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--runs", type=int, default=20)
    options.add_argument("--data", type=Path)
    options.add_argument("--only", choices=RUNNERS)
    options.add_argument("--results", type=Path, default=RESULTS)
    asked = options.parse_args()
    ASKED["runs"] = asked.runs
    for name in [asked.only] if asked.only else RUNNERS:
        rows = []
        for row in RUNNERS[name](asked.runs, asked.data):
            print(
                json.dumps(
                    {
                        k: row[k]
                        for k in (
                            "peer",
                            "data",
                            "labels",
                            "overclaim",
                            "overclaim_peeking",
                            "seconds",
                        )
                    }
                ),
                flush=True,
            )
            rows.append(row)
        text = json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
        (asked.results / f"peers-{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
