"""Labels that comparisons need, against tests of fixed size, in the same run.

    python bench/compare.py --runs 20
    python bench/compare.py --runs 20 --data FOLDER     # 20 newsgroups and an F1 pair as well

Made pools have 20,000 items without scores. A comparison may be looked at after every label; the
rivals are judged once, at the number of labels at which they succeed in 80 % of the runs: McNemar's
test and a paired bootstrap on a random sample, a sign test on disagreements, and a test of two
proportions on two random samples. The real pools come from collections that are not part of the
project (`newsgroups20.parquet`, `davidson_perspective.parquet`); the classifiers are trained here.
"""

import argparse
import contextlib
import io
import math
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binomtest, norm

from assaymark.api.several_parts import compare
from assaymark.composite.cli.commands import compare as command
from claim_runs import outcomes_of, run_claim, write_pool

Z, POWER = float(norm.ppf(0.975)), float(norm.ppf(0.8))
CASES = ((0.92, 0.90, 0.06), (0.95, 0.94, 0.04), (0.80, 0.79, 0.12))
ITEMS = 20_000


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Labels and the predictions of two classifiers, as arrays of the same length."""

    name: str
    y: np.ndarray
    a: np.ndarray
    b: np.ndarray
    metric: str = "accuracy"


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
    return Pair(name="20 newsgroups, 20 classes", y=y[~train], a=pair[0], b=pair[1])


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
    )


def figure(metric: str, y: np.ndarray, guess: np.ndarray) -> float:
    if metric == "accuracy":
        return float((y == guess).mean())
    hit = int(((y == 1) & (guess == 1)).sum())
    return 2 * hit / max(1, int((y == 1).sum() + (guess == 1).sum()))


def ours(pair: Pair, runs: int) -> list[int]:
    """Labels of simulated comparisons of the product until "better" is shown."""
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
    found = [
        run_claim(sealed, outcomes, np.random.default_rng(seed), most=6_000) for seed in range(runs)
    ]
    return sorted(n if judged.decision == "better" else 10**6 for judged, n in found)


def passes(test: str, pair: Pair, n: int, rng: np.random.Generator) -> bool:
    """Whether a rival says "better" on n labels, judged once at a two-sided level of .05."""
    if test == "sign test":
        where = rng.permutation(np.flatnonzero(pair.a != pair.b))[:n]
        wins, losses = _wins(pair, where)
        return wins > losses and binomtest(wins, wins + losses).pvalue <= 0.05
    where = rng.integers(0, len(pair.y), n)
    if test == "McNemar":
        wins, losses = _wins(pair, where)
        return wins > losses and binomtest(wins, wins + losses).pvalue <= 0.05
    if test == "bootstrap":
        again = where[rng.integers(0, n, (200, n))]
        gaps = [
            figure(pair.metric, pair.y[w], pair.b[w]) - figure(pair.metric, pair.y[w], pair.a[w])
            for w in again
        ]
        return float(np.quantile(gaps, 0.025)) > 0
    other = rng.integers(0, len(pair.y), n)
    p, q = (
        figure("accuracy", pair.y[w], guess[w]) for w, guess in ((where, pair.b), (other, pair.a))
    )
    spread = math.sqrt(max(1e-12, (p * (1 - p) + q * (1 - q)) / n))
    return (p - q) / spread > Z


def _wins(pair: Pair, where: np.ndarray) -> tuple[int, int]:
    y, a, b = pair.y[where], pair.a[where], pair.b[where]
    return int(((b == y) & (a != y)).sum()), int(((a == y) & (b != y)).sum())


def n80(test: str, pair: Pair, trials: int) -> int | None:
    """About the labels at which a rival succeeds in 80 % of the trials: doubled, then halved."""
    rng = np.random.default_rng(7)
    limit = int((pair.a != pair.b).sum()) if test == "sign test" else 60_000

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


def main() -> None:
    """Print one block per pair."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    pairs = [made(*case) for case in CASES]
    if options.data is not None:
        pairs += [perspective(options.data), newsgroups(options.data)]
    for pair in pairs:
        values = [figure(pair.metric, pair.y, guess) for guess in (pair.b, pair.a)]
        share = float((pair.a != pair.b).mean())
        print(f"{pair.name}: {values[0]:.3f} / {values[1]:.3f}, {share:.1%} differ", flush=True)
        needed = ours(pair, options.runs)
        last = needed[math.ceil(0.8 * len(needed)) - 1]
        print(
            f"  compare, any time    median {statistics.median(needed):,.0f}, 80 % within {last:,}"
        )
        rivals = ["bootstrap"] if pair.metric == "f1" else ["sign test", "McNemar", "bootstrap"]
        for test in [*rivals, *(["unpaired"] if pair.metric == "accuracy" else [])]:
            trials = options.trials if test != "bootstrap" else min(options.trials, 25)
            found = n80(test, pair, trials)
            told = "more than the pool allows" if found is None else f"about {found:,}"
            each = " of each classifier" if test == "unpaired" else ""
            print(f"  {test:<20} {told} (one look){each}", flush=True)


if __name__ == "__main__":
    main()
