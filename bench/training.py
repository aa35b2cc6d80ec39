"""Training: reading texts once, one more batch of labels, scoring, and memory at many documents.

Made texts of the length of abstracts; a parquet file of a known collection may be named instead.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from assaymark.claims.ratio_metrics import parse_claim
from assaymark.learners.cross_validation import study
from assaymark.learners.documents import LinearDocuments
from assaymark.learners.features import vectorise
from assaymark.records.training import TrainingGoal
from assaymark.training.stats.stopping_policy import advise
from measure import report

ITEMS, MANY, LABELS, WORDS, LENGTH = 100_000, 1_000_000, 5_000, 30_000, 130
CLAIM = parse_claim("f1 >= 0.6")


def made(items: int, seed: int = 42):
    """Batches of ids and texts that are made as they are asked for."""
    rng = np.random.default_rng(seed)
    names = np.array([f"w{i}x" for i in range(WORDS)], dtype=object)
    share = 1 / np.arange(10, WORDS + 10)
    cumulated = np.cumsum(share / share.sum())
    for start in range(0, items, 5_000):
        size = min(5_000, items - start)
        words = names[np.searchsorted(cumulated, rng.random((size, LENGTH))).clip(0, WORDS - 1)]
        topic = np.arange(start, start + size) % 20 == 0
        words[topic, :12] = names[20_000 + rng.integers(0, 40, (topic.sum(), 12))]
        yield [str(i) for i in range(start, start + size)], [" ".join(row) for row in words]


def real(path: str):
    """Batches of a collection the lab knows, and the labels of one of its topics."""
    from assaymark.lab.corpora import frequent_topics, read_collection

    found = read_collection(Path(path))
    labels = found.labels(frequent_topics(found, count=4)[3])
    texts = list(found.texts)
    starts = range(0, len(texts), 5_000)
    return [([str(i) for i in range(s, min(s + 5_000, len(texts)))], texts[s : s + 5_000])
            for s in starts], labels  # fmt: skip


def increment(features, labels, looks) -> float:
    """Seconds for a refit, 10-fold cross-validation and advice, the history being as long as real."""
    rows = np.random.default_rng(1).permutation(features.items)[:LABELS]
    start = time.perf_counter()
    found = study(
        LinearDocuments(features=features), rows, labels[rows], np.ones(LABELS, bool), CLAIM
    )
    advise(TrainingGoal(claim=CLAIM, budget=20_000, policy="adaptive"), [*looks, found.look])
    return time.perf_counter() - start


def main() -> bool:
    batches = list(made(ITEMS))
    labels = np.arange(ITEMS) % 20 == 0
    if len(sys.argv) > 1:
        batches, labels = real(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        features = vectorise(batches, Path(folder) / "f", items=len(labels))
        took = time.perf_counter() - start
        good = report(f"reading {len(labels):,} texts once, s", took, 60, " s")
        documents = LinearDocuments(features=features)
        looks = []
        for size in range(200, LABELS, 400):
            rows = np.random.default_rng(1).permutation(features.items)[:size]
            looks.append(study(documents, rows, labels[rows], np.ones(size, bool), CLAIM).look)
        took = min(increment(features, labels, looks) for _ in range(3))
        good &= report(f"20 more labels at {LABELS:,}: refit, 10 folds, advice, s", took, 2, " s")
        scorer = documents.fit(np.arange(LABELS), labels[:LABELS])
        start = time.perf_counter()
        scorer.everywhere(lambda _m, _s: None)
        took = time.perf_counter() - start
        good &= report(f"scoring {len(labels):,} documents, s", took * 1e5 / len(labels), 3, " s")
    del batches, features, documents, scorer
    return bool(good & many())


def many() -> bool:
    """Memory while a million documents stream past, in a process of its own."""
    import subprocess

    code = (
        "import tempfile, sys; from pathlib import Path\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r}); import training as t\n"
        "from assaymark.learners.features import vectorise\nimport numpy as np\n"
        "peak = [0]\n"
        "def own(_message, _share): peak.append(max(peak.pop(), t.memory()))\n"
        "with tempfile.TemporaryDirectory() as d:\n"
        f"    f = vectorise(t.made({MANY}), Path(d) / 'f', items={MANY}, progress=own)\n"
        "    f.products(np.ones(f.matrix.shape[1], dtype=np.float32)); own('', None)\n"
        "print(peak[0])"
    )
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    took = time.perf_counter() - start
    size = sum(len(text) for _, texts in made(5_000) for text in texts) * MANY / 5_000 / 1e9
    print(f"      ({MANY:,} texts, {size:.1f} GB, made, read and scored in {took:.0f} s)")
    return report("memory of its own at the peak, GB", float(done.stdout), 0.5, " GB")


def memory() -> float:
    """This process's own memory in GB; pages of files that the system may drop do not count."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1e6


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
