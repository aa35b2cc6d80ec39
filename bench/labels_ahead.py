"""How far "roughly N more labels" is off: what happened over what was expected, on made pools.

    python bench/labels_ahead.py --worlds 20

Prints, for each mode, the quantiles of the labels that were still needed over those that the verdict
expected, and how often the printed range held them.
"""

import argparse

import numpy as np

import assaymark

MODES = {"score-guided": "score-guided", "anytime": "simple"}
QUANTILES = (0.05, 1 / 6, 0.5, 5 / 6, 0.95)


def world(seed: int) -> tuple[np.ndarray, np.ndarray, str]:
    """Scores, truth and a true claim a little below the classifier's value."""
    rng = np.random.default_rng(seed)
    score = rng.beta(0.3, (3, 2, 1)[seed % 3], 4000)
    sharp = (1.0, 0.7, 1.3)[seed % 3]
    odds = np.log((score + 1e-6) / (1 - score + 1e-6))
    truth = rng.random(4000) < 1 / (1 + np.exp(-sharp * odds))
    flagged = score >= 0.3
    hits = (flagged & truth).sum()
    values = {
        "f1": 2 * hits / (flagged.sum() + truth.sum()),
        "recall": hits / truth.sum(),
        "precision": hits / flagged.sum(),
    }
    name = list(values)[seed % 5 % 3]
    return score, truth, f"{name} >= {values[name] - rng.choice([0.04, 0.07, 0.1]):.3f}"


def ratios(seed: int, mode: str) -> list[tuple[float, bool]]:
    """Needed over expected at every look that gave a range, and whether the range held it."""
    score, truth, claim = world(seed)
    work = assaymark.certify(
        y_score=score, threshold=0.3, claim=claim, mode="anytime", design=MODES[mode], seed=seed,
        folder=":memory:", anyway=True,
    )  # fmt: skip
    seen = []
    while items := work.ask(60):
        work.tell([(item.id, int(truth[item.id])) for item in items])
        verdict = work.verdict()
        if verdict.decision != "continue":
            break
        if verdict.labels_ahead is not None:
            seen.append((verdict.labels, verdict.labels_expected or 0, verdict.labels_ahead))
    total = verdict.labels
    if verdict.decision != "pass":
        return []
    return [
        ((total - labels) / max(expected - labels, 1), low <= total - labels <= high)
        for labels, expected, (low, high) in seen
    ]


def main() -> None:
    """Run the worlds and print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--worlds", type=int, default=20)
    worlds = parser.parse_args().worlds
    for mode in MODES:
        found = [pair for seed in range(worlds) for pair in ratios(seed, mode)]
        shares = np.array([share for share, _ in found])
        held = np.mean([inside for _, inside in found])
        ends = "  ".join(f"{np.quantile(shares, q):.2f}" for q in QUANTILES)
        print(f"{mode:<13} {len(found):>5} looks  quantiles {ends}  range held {held:.0%}")


if __name__ == "__main__":
    main()
