"""Forecasts of claims of several parts against the labels that runs really take, on real collections.

    python bench/claim_forecasts.py --data FOLDER --runs 6 --keep docs/evidence/claim-forecasts.json

A classifier is trained on 1,000 items of a collection; its raw scores are all that a plan knows of the
rest. Claims are set a few points below the truth, so they hold. `expected` is the forecast for somebody
who expects what is true of the worst part, `scores` the one if the raw scores are right (none where they
call the claim false). `used` are the labels of simulated runs, `inside` those in the printed range.
CrisisLex, 20 newsgroups and Davidson chose that range; Reuters, SpamAssassin and GoEmotions had no part
in choosing anything.
"""

import argparse
import json
import statistics
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from assaymark.api.several_parts import certify_parts, compare
from assaymark.claims.language.tree import Gap
from assaymark.composite.planning.forecast import forecast_claim, labels_in, labels_of_share
from assaymark.composite.planning.forecast_words import HIGH, LOW
from assaymark.composite.planning.worlds import claimed_figures, closer, group_figures
from assaymark.composite.sealed import SealedClaim
from claim_runs import Outcomes, outcomes_of, run_claim, write_pool

LENGTH = (
    "case when length({t}) < {a} then 'short' when length({t}) < {b} then 'middle' else 'long' end"
)
COLLECTIONS: dict[str, tuple[str, str, str]] = {
    # name: text, two-class label, groups
    "reuters21578": (
        "coalesce(title, '') || ' ' || coalesce(body, '')",
        "(';' || coalesce(topics, '') || ';' like '%;earn;%')::int",
        LENGTH.format(t="coalesce(body, '')", a=400, b=1000),
    ),
    "spamassassin": (
        "coalesce(subject, '') || ' ' || coalesce(body, '')",
        "is_spam::int",
        LENGTH.format(t="coalesce(body, '')", a=900, b=2200),
    ),
    "goemotions": (
        "text",
        "(';' || labels || ';' like '%;neutral;%')::int",
        LENGTH.format(t="text", a=45, b=85),
    ),
}
ITEMS, TRAINING = 6_000, 1_000
Row = dict[str, Any]


class Scored:
    """A collection as two classifiers see it, one trained on a third of the other's examples."""

    def __init__(self, folder: Path, name: str) -> None:
        text, label, group = COLLECTIONS[name]
        query = f"SELECT {text}, {label}, {group} FROM '{folder / name}.parquet'"
        rows = duckdb.sql(query).fetchall()
        order = np.random.default_rng(1).permutation(len(rows))
        train = min(TRAINING, len(rows) // 6)
        chosen = [rows[i] for i in order[: min(ITEMS + train, len(rows))]]
        texts, labels, groups = (list(column) for column in zip(*chosen, strict=True))
        words = TfidfVectorizer(sublinear_tf=True, min_df=3, max_features=30_000)
        vectors, self.truth = words.fit_transform(texts), np.array(labels)[train:]
        self.name, self.group = name, groups[train:]
        self.scores = [
            LogisticRegression(max_iter=300).fit(vectors[:n], labels[:n]).predict_proba(vectors[train:])[:, 1]
            for n in (train, train // 3)
        ]  # fmt: skip
        self.flagged = self.scores[0] >= 0.5

    def figures(self, inside: Any) -> tuple[float, float, float]:
        """Recall, precision and accuracy of the better classifier there."""
        truth, flagged = self.truth[inside] == 1, self.flagged[inside]
        hits = (truth & flagged).sum()
        return hits / truth.sum(), hits / flagged.sum(), (truth == flagged).mean()

    def claims(self) -> Iterator[str]:
        """True claims of every kind, with a few points to spare."""
        each = [self.figures(np.array(self.group) == g) for g in sorted(set(self.group))]
        recall, precision, _ = self.figures(np.ones(len(self.truth), dtype=bool))
        recalls, _, right = zip(*each, strict=True)
        yield f"recall >= {min(recalls) - 0.06:.2f} in every group"
        yield f"accuracy >= {min(right) - 0.05:.2f} in every group"
        yield f"recall >= {recall - 0.05:.2f} and precision >= {precision - 0.05:.2f}"
        yield f"accuracy gap between group <= {max(right) - min(right) + 0.1:.2f}"
        yield f"balanced accuracy >= {max(0.5, (recall + self._specificity()) / 2 - 0.05):.2f}"

    def _specificity(self) -> float:
        no = self.truth == 0
        return float((no & ~self.flagged).sum() / no.sum())


def true_shares(sealed: SealedClaim, outcomes: Outcomes) -> np.ndarray:
    """The true share of every outcome per stratum."""
    kinds = len(sealed.cells.labels)
    counts = np.array(
        [np.bincount(each, minlength=kinds)[:kinds] for each in outcomes], dtype=float
    )
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


def expected(sealed: SealedClaim, truth: np.ndarray) -> int | None:
    """The forecast for somebody who expects what is true of the worst part, or of the gap."""
    leaf = sealed.statements[0].tree.parts[0]
    if isinstance(leaf, Gap):
        values = [value(truth) for _, value in group_figures(sealed, leaf)]
        world = closer(sealed, leaf, max(values) - min(values))  # type: ignore[type-var,operator]
        return None if world is None else labels_in(sealed, world)
    figures = claimed_figures(sealed)
    margin = min(figure.margin(truth) or 0.0 for figure in figures)
    return forecast_claim(sealed, ahead=margin).needed


def measured(
    collection: str, claim: str, sealed: SealedClaim, outcomes: Outcomes, *, runs: int,
    forecast: int | None, scores: int | None,
) -> Row:  # fmt: skip
    """Labels of simulated runs beside the forecasts."""
    seed = zlib.crc32(f"{collection} {claim}".encode())
    used = [run_claim(sealed, outcomes, np.random.default_rng([seed, k]))[1] for k in range(runs)]
    low, high = (None, None) if forecast is None else (LOW * forecast, HIGH * forecast)
    inside = sum(low <= n <= high for n in used) if low is not None and high is not None else None
    return {
        "collection": collection, "claim": claim, "expected": forecast, "scores": scores,
        "used": round(statistics.mean(used)), "least": min(used), "most": max(used), "runs": runs,
        "inside": inside,
    }  # fmt: skip


def rows_of(pool: Scored, runs: int) -> Iterator[Row]:
    """Every claim of a collection."""
    truth = {f"i{n}": int(label) for n, label in enumerate(pool.truth)}
    for claim in pool.claims():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            score = [round(float(x), 4) for x in pool.scores[0]]
            path = write_pool(folder / "p.csv", {"score": score, "group": list(pool.group)})
            certify_parts(path, claim, id="id", score="score", threshold=0.5, group="group",
                          anyway=True, folder=folder / "w")  # fmt: skip
            sealed, outcomes = outcomes_of(folder / "w", truth)
            yield measured(
                pool.name, claim, sealed, outcomes, runs=runs,
                forecast=expected(sealed, true_shares(sealed, outcomes)),
                scores=forecast_claim(sealed).labels,
            )  # fmt: skip
    yield _compared(pool, truth, runs)


def _compared(pool: Scored, truth: dict[str, Any], runs: int) -> Row:
    """Accuracy of the two classifiers, from the share of disagreements that the better one wins."""
    guesses = [(scores >= 0.5).astype(int) for scores in pool.scores]
    differ = guesses[0] != guesses[1]
    wins = float((guesses[0] == pool.truth)[differ].mean())
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        path = write_pool(folder / "p.csv", {"new": list(guesses[0]), "old": list(guesses[1])})
        compare(path, a="old", b="new", id="id", folder=folder / "w")
        sealed, outcomes = outcomes_of(folder / "w", truth)
        forecast = labels_of_share(sealed.disagree, sealed.level, wins)
        claim = f"accuracy, new against old ({wins:.0%} of {int(differ.sum())})"
        return measured(
            pool.name, claim, sealed, outcomes, runs=runs, forecast=forecast, scores=None
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    rows: list[Row] = []
    for name in COLLECTIONS:
        for row in rows_of(Scored(options.data, name), options.runs):
            rows.append(row)
            print(json.dumps(row), flush=True)
            if options.keep:
                options.keep.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
