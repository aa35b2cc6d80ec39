"""How often promises failed in the worlds of the lab, made and real."""

from collections.abc import Sequence

from scipy.special import betaincinv

from evidence.book import Row, table
from evidence.steps import Done

LOOKS = {
    "anytime": ("simple-sample-at-every-look", "anytime"),
    "budget": ("simple-sample-at-every-look", "budget"),
    "weighted": ("claim-at-every-look", "score-guided"),
}
MADE_TRIAGE = ("two bells", "bent scores")
PROMISED = ("certified", "targeted", "sides", "precision")


def records(done: Sequence[Done]) -> list[Row]:
    """A record per promise and world of the finished steps; of several steps the largest."""
    found: dict[tuple[str, str], Row] = {}
    for one in done:
        for row in (*_looks(one), *_triage(one), *_pairs(one)):
            key = (row["promise"], row["world"])
            if key not in found or (row["runs"] or 0) >= (found[key]["runs"] or 0):
                found[key] = row
    return [found[key] for key in sorted(found)]


def _record(done: Done, promise: str, world: str, wrong: int, runs: int, nominal: float) -> Row:
    low = float(betaincinv(wrong, runs - wrong + 1, 0.025)) if wrong else 0.0
    high = float(betaincinv(wrong + 1, runs - wrong, 0.975)) if wrong < runs else 1.0
    return {
        "promise": promise,
        "world": world,
        "nominal": nominal,
        "measured": round(wrong / runs, 6),
        "low": round(low, 6),
        "high": round(high, 6),
        "runs": runs,
        "test": done.step.command,
        "size": "full" if done.step.files else "small",
    }


def _looks(done: Done) -> list[Row]:
    rows = []
    for row in table(done, "bounds"):
        if row["bound"] in LOOKS and row["protocol"] == "test grows":
            promise, way = LOOKS[row["bound"]]
            made = row["where"] == "synthetic worlds"
            world = f"made: 12 worlds, {way}" if made else f"real: {row['where']}, {way}"
            wrong = round(row["false_acceptance"] * row["runs"])
            rows.append(_record(done, promise, world, wrong, row["runs"], 0.05))
    return rows


def _triage(done: Done) -> list[Row]:
    """Each rule with a promise in each world, all numbers of labels together."""
    own = [row for row in table(done, "rules") if row.get("rule") in PROMISED]
    rows = []
    for world, rule in dict.fromkeys((row["world"], row["rule"]) for row in own):
        mine = [row for row in own if (row["world"], row["rule"]) == (world, rule)]
        kind = "made" if world.startswith(MADE_TRIAGE) else "real"
        wrong, runs = (sum(row[name] for row in mine) for name in ("broken", "runs"))
        name = f"{kind}: {world}, rule {rule}, 100 to 1,000 labels"
        rows.append(_record(done, "triage-cut-offs", name, wrong, runs, 0.1))
    return rows


def _pairs(done: Done) -> list[Row]:
    """The interval for δ1 · recall by dependence, all worlds of that dependence together."""
    if done.step.experiment != "pairs":
        return []
    rows = []
    for delta in dict.fromkeys(row["delta"] for row in table(done, "coverage")):
        own = [row for row in table(done, "coverage") if row["delta"] == delta]
        runs = sum(row["runs"] for row in own)
        wrong = sum(round((1 - row["interval"]) * row["runs"]) for row in own)
        world = f"made: dependence {delta:g}, interval for δ1 · recall (no guarantee)"
        rows.append(_record(done, "recall-sampling", world, wrong, runs, 0.05))
    return rows
