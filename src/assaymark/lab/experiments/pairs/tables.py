"""Tables 3, 4 and 5 of Bommannavar, Kolcz and Rajaraman (KDD 2014), recomputed from their inputs.

Each row prints set sizes, precisions and what Eq. 1 and Eq. 2 are said to give. A cell agrees
*exactly* if the formula gives the printed figure to three decimals, *within rounding* if some
precisions that round to the printed ones do, and *not* otherwise.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assaymark.pair_recall.stats.printed_equations import recall_by_independence, recall_upper_bound

HALF = 0.0005  # printed figures have three decimals
SIZES = {"3": 800_000, "4": 10_500_000, "5": 116_244}  # of table 5: the sum of its |A| column

# table, topic, |A|, |A1|, |A2|, |A12|, p1, p2, p12; then r1 by Eq. 1 and Eq. 2 and its truth,
# and the same for r2
PRINTED = """
3; Apple; 3038; 676; 10217; 420; 0.655; 0.247; 0.774; 0.129; 0.166; 0.146; 0.734; 0.943; 0.830
3; Mars; 2372; 1783; 7703; 1433; 0.904; 0.264; 0.938; 0.661; 0.704; 0.680; 0.834; 0.889; 0.857
3; Obama; 1253; 851; 7400; 513; 0.984; 0.116; 0.994; 0.596; 0.599; 0.668; 0.609; 0.613; 0.683
3; Olympics; 23126; 4595; 45705; 2688; 0.986; 0.330; 0.989; 0.176; 0.178; 0.196; 0.587; 0.593; 0.653
4; Ads/Marketing; -; 42073; 76771; 4369; 0.825; 0.698; 0.900; 0.073; 0.077; 0.075; 0.113; 0.120; 0.145
4; Education; -; 93292; 76535; 21426; 0.827; 0.868; 0.873; 0.282; 0.319; 0.206; 0.242; 0.275; 0.214
4; Real Estate; -; 42841; 31978; 12411; 0.836; 0.918; 0.989; 0.418; 0.420; 0.413; 0.343; 0.346; 0.380
4; Food; -; 42376; 218507; 20493; 0.875; 0.842; 0.898; 0.100; 0.110; 0.122; 0.496; 0.546; 0.522
5; Adult; 1470; 10080; 2815; 757; 0.089; 0.430; 0.710; 0.624; 0.878; 0.593; 0.839; 1.180; 0.814
5; Arts; 13811; 13719; 12469; 5523; 0.524; 0.766; 0.865; 0.581; 0.671; 0.510; 0.771; 0.891; 0.692
5; Business; 32304; 18766; 23888; 10849; 0.748; 0.870; 0.938; 0.520; 0.554; 0.443; 0.770; 0.820; 0.646
5; Computers; 11235; 11802; 11756; 4111; 0.431; 0.706; 0.804; 0.498; 0.620; 0.453; 0.814; 1.012; 0.746
5; Games; 2146; 4245; 3723; 764; 0.223; 0.441; 0.754; 0.465; 0.616; 0.439; 0.807; 1.070; 0.766
5; Health; 5986; 6180; 6881; 2991; 0.576; 0.667; 0.872; 0.649; 0.744; 0.602; 0.837; 0.960; 0.766
5; Home; 1546; 7565; 3616; 643; 0.118; 0.299; 0.574; 0.594; 1.035; 0.543; 0.717; 1.249; 0.705
5; Recreation; 10846; 9022; 10712; 4488; 0.626; 0.713; 0.899; 0.586; 0.652; 0.505; 0.792; 0.881; 0.703
5; Science; 5540; 6005; 7710; 1706; 0.380; 0.462; 0.658; 0.474; 0.720; 0.417; 0.739; 1.123; 0.640
5; Shopping; 12386; 13534; 14610; 3865; 0.335; 0.642; 0.773; 0.419; 0.542; 0.375; 0.868; 1.122; 0.757
5; Society; 12925; 8397; 11289; 4071; 0.627; 0.720; 0.922; 0.501; 0.543; 0.408; 0.774; 0.839; 0.622
5; Sports; 6049; 6929; 6775; 3197; 0.550; 0.708; 0.910; 0.664; 0.729; 0.638; 0.835; 0.918; 0.778
"""


@dataclass(frozen=True, kw_only=True)
class PrintedPair:
    """One row of a table; `printed` is (recall of which, equation) -> the printed figure."""

    table: str
    topic: str
    positives: int | None
    sizes: tuple[int, int]
    joint: int
    precisions: tuple[float, float]
    joint_precision: float
    printed: dict[tuple[int, int], float]
    truth: tuple[float, float]

    @property
    def universe(self) -> int:
        """How many items the collection has, as the paper says."""
        return SIZES[self.table]

    def computed(self, which: int, equation: int, *, shift: int = 0) -> float:
        """The recall by Eq. 1 or Eq. 2; `shift` ±1 moves every precision to the end of its rounding.

        A positive shift gives the largest figure that the printed inputs allow.
        """
        precision, other = self.precisions[which], self.precisions[1 - which]
        move = shift * HALF
        if equation == 1:
            return recall_by_independence(
                joint_precision=self.joint_precision + move,
                joint=self.joint,
                other_precision=other - move,
                other=self.sizes[1 - which],
            )
        largest = recall_upper_bound(
            precision=precision + move,
            flagged=self.sizes[which],
            other_precision=other + move,
            other=self.sizes[1 - which],
            joint=self.joint,
            universe=self.universe,
        )
        return largest * (other + move) / (other - move)

    def agreement(self, which: int, equation: int) -> str:
        """ "exact", "rounding" or "no"."""
        said = self.printed[which, equation]
        if round(self.computed(which, equation), 3) == said:
            return "exact"
        low, high = (self.computed(which, equation, shift=s) for s in (-1, 1))
        return "rounding" if low - HALF <= said <= high + HALF else "no"

    @property
    def delta2(self) -> float:
        """The dependence among negatives that the printed figures imply."""
        false = [(1 - p) * n for p, n in zip(self.precisions, self.sizes, strict=True)]
        both = (1 - self.joint_precision) * self.joint
        return both * (self.universe - (self.positives or 0)) / (false[0] * false[1])

    @property
    def delta1(self) -> float:
        """Eq. 1 as printed over the printed true recall, averaged over the two classifiers."""
        return sum(self.printed[w, 1] / self.truth[w] for w in (0, 1)) / 2


def printed_pairs() -> tuple[PrintedPair, ...]:
    """All twenty rows of the three tables."""
    return tuple(
        PrintedPair(
            table=table,
            topic=topic,
            positives=positives,
            sizes=(n1, n2),
            joint=n12,
            precisions=(p1, p2),
            joint_precision=p12,
            printed={(0, 1): a1, (0, 2): a2, (1, 1): b1, (1, 2): b2},
            truth=(ra, rb),
        )
        for table, topic, positives, (n1, n2, n12), (p1, p2, p12), (
            a1,
            a2,
            ra,
            b1,
            b2,
            rb,
        ) in _rows()
    )


def _rows() -> Iterator[tuple[str, str, int | None, list[int], list[float], list[float]]]:
    for line in PRINTED.strip().splitlines():
        table, topic, positives, *rest = line.split("; ")
        known = None if positives == "-" else int(positives)
        shares = [float(text) for text in rest[3:]]
        yield table, topic, known, [int(text) for text in rest[:3]], shares[:3], shares[3:]


def recomputed() -> list[dict[str, Any]]:
    """One line per cell of the tables: what is printed, what follows, and whether they agree."""
    return [
        {
            "table": pair.table,
            "topic": pair.topic,
            "recall_of": ("first", "second")[which],
            "equation": equation,
            "printed": said,
            "computed": round(pair.computed(which, equation), 5),
            "agreement": pair.agreement(which, equation),
            "truth": pair.truth[which],
            "delta1": round(pair.delta1, 3),
            "delta2": round(pair.delta2, 2),
        }
        for pair in printed_pairs()
        for (which, equation), said in pair.printed.items()
    ]


def tally(lines: list[dict[str, Any]]) -> dict[str, int]:
    """How many cells agree exactly, within rounding, and not."""
    counts = Counter(line["agreement"] for line in lines)
    return {name: counts[name] for name in ("exact", "rounding", "no")}
