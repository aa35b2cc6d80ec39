"""Betting on labels without replacement, method number 2: every claim that compiles to rows.

A *row* says Σ value·help >= required over the items of a pool: `value` belongs to a stratum, `help`
in [0, 1] to a stratum and an outcome (a label value as a small whole number). Groups, classes,
comparisons and ladders of cut-offs are several rows on the same draws.

    row = Row(value={0: Fraction(1)}, help={0: (0, 1)}, required=Fraction(3), strict=False)
    rows = Rows(rows=(row,), strata=1, outcomes=2)
    test = RowTest(rows=rows, sizes=(10,), level=0.05, prior=None, rule=One())
    segment = segment_at(0)                      # draws 1 … 10 use chances of 0 labels
    stored = chances(test, draws)                # draws = Draws(strata, labels, sampling)
    path = replay(test, draws)                   # per-row wealth, passed_at, certainty
    ruling = rule_on(path)                       # pass, fail, open or unreachable

- `rows`: `Row`, `Rows`, `exact`; mirrors (what refutes a row) are derived.
- `sealed`, `recipe`: `RowTest`, `Recipe`; with `ceiling` the test ends at a sealed number of draws.
- `rules`: `One`, `AllOf`, `Ordered`, `Named`, `Gap`, `Mixture`; `rulings`: `rule_on`.
- `race`: `Race`, the state of a test, for simulations that go on draw by draw.
- `path`, `chances`, `renewal`, `hedge`: replay, where to look, when chances are renewed, how
  stakes follow the wealth to a ceiling.
- `binary`: one claim on predicted classes, with its ladder of targets, as rows.

Outcome -1 is "cannot tell": help 0 in every row and in every mirror. A draw outside a row's domain
(value 0) leaves its wealth as it is; inside, chances are shared again within the domain; a row whose
domain has items but no chance in some stratum does not bet on that batch.
"""
