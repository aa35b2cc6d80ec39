"""How soon sentinels notice that a certified metric has fallen, and how often they ring at the bar.

35 labels a week by strata (15 of 700 predicted positives, 12 of 1,400 negatives near the threshold,
8 of 11,900 others), 30 good weeks first, then the fall; bar .80, risk .05. Precision falls with the
metric, or stays as it is where that is said.

python bench/sentinel_delays.py [RUNS]
"""

import sys

import numpy as np

from assaymark.monitoring.stats.sentinel_bets import STAKES, Bar, UnitPlan, simulated_excess
from assaymark.stats.sequential.unit_alarm import AlarmRule, wealth_path

UNIT = UnitPlan(positives=700, others=(1_400, 11_900), draws=(15, 12, 8))
ITEMS = UNIT.positives + sum(UNIT.others)
BEFORE, HORIZON = 30, 140
FALLS = (
    ("f1", 0.88, 0.70, None),
    ("f1", 0.88, 0.77, None),
    ("recall", 0.86, 0.70, None),
    ("recall", 0.86, 0.60, None),
    ("recall", 0.86, 0.70, 0.86),
    ("recall", 0.86, 0.60, 0.86),
)
ALARMS = ("average", "ever", "yearly")


def excesses(
    bar: Bar,
    levels: np.ndarray,
    runs: int,
    rng: np.random.Generator,
    precision: float | None = None,
) -> np.ndarray:
    largest = bar.least(UNIT.positives, ITEMS)
    weeks = [
        simulated_excess(bar, UNIT, float(level), largest, runs, rng, precision) for level in levels
    ]
    return np.stack(weeks, axis=1)


def first_alarm(bets: np.ndarray, alarm: str) -> np.ndarray:
    rule = AlarmRule(alarm=alarm, risk=0.05, window=4 * ITEMS, stakes=STAKES)
    rang = wealth_path(bets, np.full(bets.shape[1], ITEMS), rule) >= rule.needed
    return np.where(rang.any(axis=1), rang.argmax(axis=1) + 1.0, np.inf)


def shown(value: float) -> str:
    return f"{value:.0f}" if np.isfinite(value) else "–"


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    rng = np.random.default_rng(12)
    print(f"{'weeks to the alarm: median / nine of ten':44}" + "".join(f"{a:>12}" for a in ALARMS))
    for metric, good, bad, precision in FALLS:
        bar = Bar(metric=metric, target=0.8)
        levels = np.where(np.arange(BEFORE + HORIZON) < BEFORE, good, bad)
        bets = excesses(bar, levels, runs, rng, precision)
        cells = []
        for alarm in ALARMS:
            late = first_alarm(bets, alarm) - BEFORE
            cells.append(
                " / ".join(shown(q) for q in np.quantile(late, [0.5, 0.9], method="higher"))
            )
        print(
            f"{metric + f' {good:.2f} → {bad:.2f}' + (', precision stays' if precision else ''):44}"
            + "".join(f"{c:>12}" for c in cells)
        )
    bar = Bar(metric="f1", target=0.8)
    bets = excesses(bar, np.full(BEFORE + HORIZON, 0.8), runs, rng)
    rates = [np.isfinite(first_alarm(bets, alarm)).mean() for alarm in ALARMS]
    print(
        f"{'f1 at the bar, 170 weeks: share that rang':44}" + "".join(f"{r:12.3f}" for r in rates)
    )


if __name__ == "__main__":
    main()
