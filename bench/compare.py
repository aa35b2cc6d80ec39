"""Labels that comparisons need, against tests of fixed size, in the same run.

    python bench/compare.py --runs 20 --trials 50 --ties 50   # a quick look
    python bench/compare.py --data FOLDER     # 20 newsgroups and an F1 pair as well
    python bench/compare.py --json FILE       # keeps the figures as records

Made pools have 20,000 items without scores. A comparison may be looked at after every label; the
rivals are judged once, at the number of labels at which they succeed in 80 % of the runs: McNemar's
test and a paired bootstrap on a random sample, a sign test on disagreements, and a test of two
proportions on two random samples. The real pools come from collections that are not part of the
project (`newsgroups20.parquet`, `davidson_perspective.parquet`); the classifiers are trained here.

The last pools are ties in accuracy and in F1: how often each says "better" there, judged once after
600 labels and looked at after every 50 of them. Records say in `labels` when 80 % of the runs were
done.
"""

import argparse
import contextlib
import io
import json
import math
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy
from scipy.stats import binomtest, norm

from assaymark import __version__
from assaymark.api.several_parts import compare
from assaymark.composite.cli.commands import compare as command
from assaymark.composite.judging import Ruled
from claim_runs import outcomes_of, run_claim, write_pool

Z = float(norm.ppf(0.975))
CASES = ((0.92, 0.90, 0.06), (0.95, 0.94, 0.04), (0.80, 0.79, 0.12))
ITEMS, MOST, TIE, EVERY = 20_000, 60_000, 600, 50
RIVALS = {
    "sign test": f"scipy {scipy.__version__} binomtest on disagreements",
    "McNemar": f"scipy {scipy.__version__} binomtest, exact McNemar on a random sample",
    "bootstrap": "paired, 200 resamples of a random sample",
    "unpaired": "two proportions, z test on two random samples",
}


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Labels and the predictions of two classifiers, as arrays of the same length."""

    name: str
    y: np.ndarray
    a: np.ndarray
    b: np.ndarray
    metric: str = "accuracy"
    source: str = "made"


def made(better: float, worse: float, differ: float) -> Pair:
    """Two classifiers with these accuracies that differ in this share of the items."""
    wins = round(ITEMS * (differ + better - worse) / 2)
    losses = round(ITEMS * differ) - wins
    rng = np.random.default_rng(1)
    y = (rng.random(ITEMS) < 0.5).astype(int)
    both_right = round(ITEMS * worse) - losses
    kinds = rng.permutation(
        np.repeat([0, 1, 2, 3], [wins, losses, both_right, ITEMS - wins - losses - both_right])
    )
    a = np.where(np.isin(kinds, [1, 2]), y, 1 - y)
    b = np.where(np.isin(kinds, [0, 2]), y, 1 - y)
    return Pair(name=f"accuracy {better:.2f} / {worse:.2f}, {differ:.0%} differ", y=y, a=a, b=b)


def f1_tie() -> Pair:
    """Two classifiers with the same F1 that find different positives; cells by both predictions."""
    cells = {(1, 1): (4_000, 3_000), (1, 0): (2_000, 1_000), (0, 1): (2_000, 1_000),
             (0, 0): (12_000, 600)}  # fmt: skip
    a, b = (np.repeat([pair[i] for pair in cells], [n for n, _ in cells.values()]) for i in (0, 1))
    y = np.concatenate([np.repeat([1, 0], [hits, n - hits]) for n, hits in cells.values()])
    return Pair(name="F1, 20% differ", y=y, a=a, b=b, metric="f1")


def newsgroups(folder: Path) -> Pair:
    """20 newsgroups: naive Bayes against a linear classifier, trained on a fifth."""
    import duckdb
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import SGDClassifier
    from sklearn.naive_bayes import ComplementNB

    rows = duckdb.sql(f"SELECT text, label FROM '{folder / 'newsgroups20.parquet'}'").fetchall()
    y = np.array([label for _, label in rows])
    train = np.random.default_rng(1).random(len(y)) < 0.2
    table = TfidfVectorizer(min_df=3, sublinear_tf=True, max_features=30_000).fit_transform(
        [text for text, _ in rows]
    )
    first = ComplementNB(alpha=0.02).fit(table[train], y[train])
    second = SGDClassifier(alpha=1e-5, random_state=1).fit(table[train], y[train])
    pair = [model.predict(table[~train]) for model in (first, second)]
    pair.sort(key=lambda guess: float((guess == y[~train]).mean()))
    return Pair(name="20 newsgroups, 20 classes", y=y[~train], a=pair[0], b=pair[1],
                source="real")  # fmt: skip


def perspective(folder: Path) -> Pair:
    """A vendor's toxicity score, cut at .5 and at .4."""
    import duckdb

    rows = duckdb.sql(
        f"SELECT class, perspective_toxicity FROM '{folder / 'davidson_perspective.parquet'}' "
        "WHERE perspective_toxicity IS NOT NULL"
    ).fetchall()
    y = np.array([int(klass < 2) for klass, _ in rows])
    score = np.array([s for _, s in rows])
    return Pair(
        name="Perspective .4 over .5, F1",
        y=y,
        a=(score >= 0.5).astype(int),
        b=(score >= 0.4).astype(int),
        metric="f1",
        source="real",
    )


def figure(metric: str, y: np.ndarray, guess: np.ndarray) -> float:
    if metric == "accuracy":
        return float((y == guess).mean())
    hit = int(((y == 1) & (guess == 1)).sum())
    return 2 * hit / max(1, int((y == 1).sum() + (guess == 1).sum()))


def ours(pair: Pair, runs: int) -> list[int]:
    """Labels of simulated comparisons of the product until "better" is shown."""
    found = simulated(pair, runs, most=6_000)
    return sorted(n if judged.decision == "better" else 10**6 for judged, n in found)


def simulated(pair: Pair, runs: int, *, most: int) -> list[tuple[Ruled, int]]:
    """Simulated comparisons of the product: what each found, and after how many labels."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        columns = {"old": list(pair.a), "new": list(pair.b)}
        pool = write_pool(folder / "pool.csv", columns)
        if pair.y.dtype.kind in "iu":
            compare(pool, a="old", b="new", id="id", metric=pair.metric, folder=folder / "w")  # type: ignore[arg-type]
        else:
            asked = ["--pool", str(pool), "--id", "id", "--a", "old", "--b", "new", "--classes"]
            with contextlib.redirect_stdout(io.StringIO()):
                command([*asked, "-p", str(folder / "w"), "--json"], standalone_mode=False)
        truth: dict[str, object] = {f"i{n}": label for n, label in enumerate(pair.y)}
        sealed, outcomes = outcomes_of(folder / "w", truth)
    return [
        run_claim(sealed, outcomes, np.random.default_rng(seed), most=most) for seed in range(runs)
    ]


def passes(test: str, pair: Pair, n: int, rng: np.random.Generator) -> bool:
    """Whether a rival says "better" on n labels, judged once at a two-sided level of .05."""
    return _says_better(test, pair, _order(test, pair, rng), n, rng)


def _order(test: str, pair: Pair, rng: np.random.Generator) -> np.ndarray:
    """The items in the order in which a rival asks for their labels."""
    if test == "sign test":
        return rng.permutation(np.flatnonzero(pair.a != pair.b))
    return rng.integers(0, len(pair.y), 2 * MOST)


def _says_better(
    test: str, pair: Pair, order: np.ndarray, n: int, rng: np.random.Generator
) -> bool:
    where = order[:n]
    if test in ("sign test", "McNemar"):
        wins, losses = _wins(pair, where)
        return wins > losses and binomtest(wins, wins + losses).pvalue <= 0.05
    if test == "bootstrap":
        return float(np.quantile(_resampled_gaps(pair, where, rng), 0.025)) > 0
    other = order[MOST : MOST + n]
    p, q = (
        figure("accuracy", pair.y[w], guess[w]) for w, guess in ((where, pair.b), (other, pair.a))
    )
    spread = math.sqrt(max(1e-12, (p * (1 - p) + q * (1 - q)) / n))
    return (p - q) / spread > Z


def _resampled_gaps(pair: Pair, where: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The gap in 200 resamples, which are drawn as counts of every kind of item."""
    y, a, b = pair.y[where], pair.a[where], pair.b[where]
    if pair.metric == "accuracy":
        kinds = np.column_stack([b == y, a == y])
    else:
        kinds = np.column_stack([y == 1, a == 1, b == 1])
    each, counts = np.unique(kinds, axis=0, return_counts=True)
    times = rng.multinomial(len(where), counts / len(where), size=200)
    if pair.metric == "accuracy":
        gaps: np.ndarray = times @ (each[:, 0].astype(int) - each[:, 1]) / len(where)
        return gaps
    positive = times @ each[:, 0]
    f_a, f_b = (
        2 * (times @ (each[:, 0] & each[:, i])) / np.maximum(1, positive + times @ each[:, i])
        for i in (1, 2)
    )
    return f_b - f_a


def _wins(pair: Pair, where: np.ndarray) -> tuple[int, int]:
    y, a, b = pair.y[where], pair.a[where], pair.b[where]
    return int(((b == y) & (a != y)).sum()), int(((a == y) & (b != y)).sum())


def n80(test: str, pair: Pair, trials: int) -> int | None:
    """About the labels at which a rival succeeds in 80 % of the trials: doubled, then halved."""
    rng = np.random.default_rng(7)
    limit = int((pair.a != pair.b).sum()) if test == "sign test" else MOST

    def power(n: int) -> float:
        return sum(passes(test, pair, n, rng) for _ in range(trials)) / trials

    high = 30
    while high < limit and power(high) < 0.8:
        high *= 2
    if high >= limit:
        return None
    low = high // 2
    while high - low > max(5, high // 20):
        middle = (low + high) // 2
        low, high = (middle, high) if power(middle) < 0.8 else (low, middle)
    return high


def false_better(test: str, pair: Pair, runs: int) -> tuple[float, float]:
    """How often a rival says "better" of a tie: judged once after TIE labels, and on the way."""
    rng = np.random.default_rng(11)
    once = sum(passes(test, pair, TIE, rng) for _ in range(runs)) / runs
    ever = 0
    for _ in range(runs):
        order = _order(test, pair, rng)
        ever += any(_says_better(test, pair, order, n, rng) for n in range(EVERY, TIE + 1, EVERY))
    return once, ever / runs


def _row(pair: Pair, peer: str, version: str, labels: float | None, runs: int, wins: str,
         started: float, seed: int) -> dict[str, object]:  # fmt: skip
    return {
        "task": "Compare two classifiers (labels until 80 % of runs are done)",
        "peer": peer,
        "version": version,
        "data": pair.name if pair.source == "real" else f"{pair.name}; made, 20,000 items",
        "confidence": 0.95,
        "seed": seed,
        "runs": runs,
        "labels": labels,
        "overclaim": None,
        "overclaim_peeking": None,
        "seconds": round(time.process_time() - started, 1),
        "wins": wins,
        "command": "python bench/compare.py --data FOLDER --json FILE",
    }


def main() -> None:
    """Print one block per pair."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--ties", type=int, default=400)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    pairs = [made(*case) for case in CASES]
    if options.data is not None:
        pairs += [perspective(options.data), newsgroups(options.data)]
    records: list[dict[str, object]] = []
    for pair in pairs:
        records += one_pair(pair, options.runs, options.trials)
        _keep(records, options.json)
    for pair in (made(0.9, 0.9, 0.06), f1_tie()):
        records += tie(pair, options.ties)
        _keep(records, options.json)


def _keep(records: list[dict[str, object]], place: Path | None) -> None:
    if place is not None:
        place.write_text(json.dumps(records, ensure_ascii=False, indent=1) + "\n")


def _rivals(pair: Pair) -> list[str]:
    """The tests that speak of the pair's figure."""
    return ["bootstrap"] if pair.metric == "f1" else list(RIVALS)


def one_pair(pair: Pair, runs: int, trials: int) -> list[dict[str, object]]:
    """Ours and every rival on one pair."""
    values = [figure(pair.metric, pair.y, guess) for guess in (pair.b, pair.a)]
    share = float((pair.a != pair.b).mean())
    print(f"{pair.name}: {values[0]:.3f} / {values[1]:.3f}, {share:.1%} differ", flush=True)
    started = time.process_time()
    needed = ours(pair, runs)
    last = needed[math.ceil(0.8 * len(needed)) - 1]
    median = statistics.median(needed)
    print(f"  compare, any time    median {median:,.0f}, 80 % within {last:,}", flush=True)
    records = [_row(pair, "assaymark", __version__, last, runs, "", started, 0)]
    for test in _rivals(pair):
        started = time.process_time()
        found = n80(test, pair, trials)
        words = "more than the pool allows" if found is None else f"about {found:,}"
        each = " of each classifier" if test == "unpaired" else ""
        print(f"  {test:<20} {words} (one look){each}", flush=True)
        wins = ""
        if found is not None and found < last:
            wins = f"judged once it is done after {found:,} labels, where looking at any time takes {last:,}"
        records.append(_row(pair, test, RIVALS[test], found, trials, wins, started, 7))
    return records


def tie(pair: Pair, runs: int) -> list[dict[str, object]]:
    """How often each says "better" of two classifiers that are equally good."""
    print(f"a tie, {pair.name}; false 'better' once after {TIE} labels, looked at every {EVERY}")
    started, records = time.process_time(), []
    found = [judged.decision == "better" for judged, _ in simulated(pair, runs, most=TIE)]
    said = sum(found) / runs
    print(f"  compare              {said:.3f} looked at after every label", flush=True)
    row = _row(pair, "assaymark", __version__, None, runs, "", started, 0)
    records.append({**row, "task": "Call a tie 'better'", "overclaim_peeking": said})
    for test in _rivals(pair):
        started = time.process_time()
        once, ever = false_better(test, pair, runs)
        print(f"  {test:<20} {once:.3f} once, {ever:.3f} looked at", flush=True)
        row = _row(pair, test, RIVALS[test], None, runs, "", started, 11)
        records.append({**row, "task": "Call a tie 'better'", "overclaim": once,
                        "overclaim_peeking": ever})  # fmt: skip
    return records


if __name__ == "__main__":
    main()
