"""Claims of several parts on real collections: a classifier of each, and true claims with points to spare."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from assaymark.api.several_parts import certify_parts, compare, cutoff
from assaymark.composite.sealed import SealedClaim
from claim_runs import Outcomes, outcomes_of, write_pool

LENGTH = (
    "case when length({t}) < {a} then 'short' when length({t}) < {b} then 'middle' else 'long' end"
)
KINDS_OF_FEELING = {
    "warm": "admiration|approval|gratitude|joy|love|optimism|caring|excitement|pride|relief",
    "cold": "anger|annoyance|disapproval|disgust|disappointment|sadness|fear|grief|remorse|nervousness",
}


@dataclass(frozen=True, kw_only=True)
class Source:
    """What a collection is read by: text, a two-class label, groups, and a label of a few classes."""

    text: str
    label: str
    group: str
    topic: str


def _topics(column: str, names: dict[str, str], rest: str) -> str:
    """The first of these names whose pattern the column has."""
    cases = " ".join(f"when regexp_matches({column}, '{p}') then '{n}'" for n, p in names.items())
    return f"case {cases} else '{rest}' end"


CHOOSING = {
    "crisislex_t6": Source(
        text="text",
        label="on_topic::int",
        group="event",
        topic="event",
    ),
    "newsgroups20": Source(
        text="text",
        label="(label like 'comp.%')::int",
        group=LENGTH.format(t="text", a=600, b=1200),
        topic="split_part(label, '.', 1)",
    ),
    "davidson_perspective": Source(
        text="text",
        label="(class < 2)::int",
        group=LENGTH.format(t="text", a=50, b=95),
        topic="['hate', 'rude', 'neither'][class + 1]",
    ),
}
REPORTED = {
    "reuters21578": Source(
        text="coalesce(title, '') || ' ' || coalesce(body, '')",
        label="(';' || coalesce(topics, '') || ';' like '%;earn;%')::int",
        group=LENGTH.format(t="coalesce(body, '')", a=400, b=1000),
        topic=_topics(
            "coalesce(topics, '')",
            {"earn": "earn", "acq": "acq", "money": "money|interest"},
            "none",
        ),
    ),
    "spamassassin": Source(
        text="coalesce(subject, '') || ' ' || coalesce(body, '')",
        label="is_spam::int",
        group=LENGTH.format(t="coalesce(body, '')", a=900, b=2200),
        topic='"group"',
    ),
    "goemotions": Source(
        text="text",
        label="(';' || labels || ';' like '%;neutral;%')::int",
        group=LENGTH.format(t="text", a=45, b=85),
        topic=_topics("labels", KINDS_OF_FEELING, "none"),
    ),
    "arxiv_cs": Source(
        text="title || ' ' || abstract",
        label="regexp_matches(categories, 'stat|cs.(LG|AI|CV|CL)')::int",
        group=LENGTH.format(t="abstract", a=850, b=1300),
        topic=_topics(
            "primary_cat", {"stat": "stat", "security": "cs.CR", "net": "cs.NI|cs.DC"}, "rest"
        ),
    ),
}
ITEMS, TRAINING = 6_000, 1_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A claim that holds, as it is sealed, with what is true of every item."""

    collection: str
    kind: str
    claim: str
    sealed: SealedClaim
    outcomes: Outcomes


class Scored:
    """A collection as two classifiers see it, one trained on a third of the other's examples."""

    def __init__(self, folder: Path, name: str) -> None:
        source = {**CHOOSING, **REPORTED}[name]
        columns = f"{source.text}, {source.label}, {source.group}, {source.topic}"
        rows = duckdb.sql(f"SELECT {columns} FROM '{folder / name}.parquet'").fetchall()
        order = np.random.default_rng(1).permutation(len(rows))
        train = min(TRAINING, len(rows) // 6)
        chosen = [rows[i] for i in order[: min(ITEMS + train, len(rows))]]
        texts, labels, groups, topics = (list(column) for column in zip(*chosen, strict=True))
        words = TfidfVectorizer(sublinear_tf=True, min_df=3, max_features=30_000)
        vectors = words.fit_transform(texts)
        self.name, self.group = name, groups[train:]
        self.truth, self.topics = np.array(labels)[train:], np.array(topics)[train:]
        self.scores = [
            LogisticRegression(max_iter=300).fit(vectors[:n], labels[:n]).predict_proba(vectors[train:])[:, 1]
            for n in (train, train // 3)
        ]  # fmt: skip
        self.flagged = self.scores[0] >= 0.5
        model = LogisticRegression(max_iter=300, C=10).fit(vectors[:train], topics[:train])
        sure = model.predict_proba(vectors[train:])
        self.guesses, self.sure = model.classes_[sure.argmax(axis=1)], sure.max(axis=1)

    def cases(self) -> Iterator[Case]:
        """Every claim of the collection."""
        for kind, claim in self._of_two_classes():
            yield self._case(
                kind, claim, self._pool_of_two, self._labels(), threshold=0.5, group="group"
            )
        for kind, claim in self._of_classes():
            topics = {f"i{n}": str(topic) for n, topic in enumerate(self.topics)}
            yield self._case(
                kind, claim, self._pool_of_topics, topics, prediction="topic", classes=True
            )
        yield self._cut_off()
        yield self._compared()

    def figures(self, inside: Any) -> tuple[float, float, float]:
        """Recall, precision and accuracy of the better classifier there."""
        truth, flagged = self.truth[inside] == 1, self.flagged[inside]
        hits = (truth & flagged).sum()
        return hits / truth.sum(), hits / flagged.sum(), (truth == flagged).mean()

    def _of_two_classes(self) -> Iterator[tuple[str, str]]:
        """True claims about groups and several figures, with a few points to spare."""
        each = [self.figures(np.array(self.group) == g) for g in sorted(set(self.group))]
        recall, precision, _ = self.figures(np.ones(len(self.truth), dtype=bool))
        recalls, _, right = zip(*each, strict=True)
        no = self.truth == 0
        balanced = (recall + float((no & ~self.flagged).sum() / no.sum())) / 2
        yield "groups", f"recall >= {max(0.01, min(recalls) - 0.06):.2f} in every group"
        yield "groups", f"accuracy >= {min(right) - 0.05:.2f} in every group"
        yield "and", f"recall >= {recall - 0.05:.2f} and precision >= {precision - 0.05:.2f}"
        yield "gap", f"accuracy gap between group <= {max(right) - min(right) + 0.1:.2f}"
        yield "average", f"balanced accuracy >= {max(0.5, balanced - 0.05):.2f}"

    def _of_classes(self) -> Iterator[tuple[str, str]]:
        """True claims about every class, and their mean."""
        names = sorted(set(self.topics))
        hits = [float(((self.topics == k) & (self.guesses == k)).sum()) for k in names]
        recalls = [h / (self.topics == k).sum() for h, k in zip(hits, names, strict=True)]
        precisions = [
            h / max(1, (self.guesses == k).sum()) for h, k in zip(hits, names, strict=True)
        ]
        if min(recalls) > 0.1:
            yield "classes", f"recall of every class >= {min(recalls) - 0.06:.2f}"
        if min(precisions) > 0.1:
            yield "classes", f"precision of every class >= {min(precisions) - 0.06:.2f}"
        yield "average", f"macro recall >= {np.mean(recalls) - 0.05:.2f}"

    def _labels(self) -> dict[str, Any]:
        return {f"i{n}": int(label) for n, label in enumerate(self.truth)}

    def _pool_of_two(self, path: Path) -> Path:
        score = [round(float(x), 4) for x in self.scores[0]]
        return write_pool(path, {"score": score, "group": list(self.group)})

    def _pool_of_topics(self, path: Path) -> Path:
        sure = [round(float(x), 4) for x in self.sure]
        return write_pool(path, {"score": sure, "topic": list(self.guesses)})

    def _case(
        self, kind: str, claim: str, pool: Any, truth: dict[str, Any], **columns: Any
    ) -> Case:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            path = pool(folder / "p.csv")
            certify_parts(
                path, claim, id="id", score="score", anyway=True, folder=folder / "w", **columns
            )
            sealed, outcomes = outcomes_of(folder / "w", truth)
        return Case(collection=self.name, kind=kind, claim=claim, sealed=sealed, outcomes=outcomes)

    def _cut_off(self) -> Case:
        """Recall at a cut-off that keeps nine tenths of the positives."""
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            path = self._pool_of_two(folder / "p.csv")
            cutoff(path, "recall >= 0.8", id="id", score="score", folder=folder / "w")
            sealed, outcomes = outcomes_of(folder / "w", self._labels())
        return Case(
            collection=self.name,
            kind="cut-off",
            claim="recall >= 0.8",
            sealed=sealed,
            outcomes=outcomes,
        )

    def _compared(self) -> Case:
        """Accuracy of the two classifiers."""
        guesses = [(scores >= 0.5).astype(int) for scores in self.scores]
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            path = write_pool(folder / "p.csv", {"new": list(guesses[0]), "old": list(guesses[1])})
            compare(path, a="old", b="new", id="id", folder=folder / "w")
            sealed, outcomes = outcomes_of(folder / "w", self._labels())
        return Case(
            collection=self.name,
            kind="comparison",
            claim="accuracy, new against old",
            sealed=sealed,
            outcomes=outcomes,
        )
