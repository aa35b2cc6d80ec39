"""The few questions assaymark asks a pool, as SQL that every engine understands.

The engines must give the same integers and the same tickets, so nothing here depends on how an
engine rounds a cast, orders a sum of floats or treats a missing value: casts follow a floor, sums
are of whole numbers, and missing values are counted before anything else is computed.
"""

from collections.abc import Mapping, Sequence

from assaymark.errors import InputError
from assaymark.pool.dialect import WHOLE, Dialect, double_sql
from assaymark.pool.grid import grid_sql, unit_sql
from assaymark.records.plan import Stratum
from assaymark.records.pool import Columns

TRUE = "('1', 'true', '1.0', 't', 'yes')"
FALSE = "('0', 'false', '0.0', 'f', 'no')"


def view_sql(
    columns: Columns,
    types: Mapping[str, str],
    dialect: Dialect,
    source: str,
    flags: Sequence[str] = (),
) -> str:
    """The pool in assaymark's own columns: raw_id, id, score, prediction, text_0, …, flag_0, …"""
    refuse_id_type(columns.id, types)
    name = dialect.name(columns.id)
    score = score_sql(columns.score, types, dialect)
    prediction = _prediction_sql(columns, types, score, dialect)
    texts = "".join(
        f", CAST({dialect.name(c)} AS STRING) AS text_{i}" for i, c in enumerate(columns.text)
    )
    marks = "".join(f", {_flag_sql(f, types, dialect)} AS flag_{i}" for i, f in enumerate(flags))
    return (
        f"SELECT {name} AS raw_id, CAST({name} AS STRING) AS id, {score} AS score, "
        f"{prediction} AS prediction{texts}{marks} FROM {source}"
    )


def refuse_id_type(column: str, types: Mapping[str, str]) -> None:
    """Refuse ids that could be written as text in more than one way."""
    if types[column] not in {"VARCHAR", *WHOLE}:
        raise InputError(
            f"Ids in '{column}' are of type {types[column]}, which can be written as text in more "
            f"than one way. Use text or whole numbers as ids.{_missing_hint(types[column])}"
        )


def _missing_hint(kind: str) -> str:
    """Why whole numbers come with a decimal point: pandas writes them so where one is missing."""
    number = kind in ("DOUBLE", "FLOAT")
    return (
        " (Whole numbers of which one is missing become such a type in pandas.)" if number else ""
    )


def _numeric(kind: str) -> bool:
    return kind in WHOLE | {"DOUBLE", "FLOAT"} or kind.startswith("DECIMAL")


def score_sql(column: str | None, types: Mapping[str, str], dialect: Dialect) -> str:
    """The score as a number, from columns of these types; NULL where it is none."""
    if column is None:
        return "CAST(NULL AS DOUBLE)"
    kind = types[column]
    if kind == "VARCHAR":
        return dialect.number(dialect.name(column))
    if _numeric(kind):
        return f"CAST({dialect.name(column)} AS DOUBLE)"
    raise InputError(f"Scores in '{column}' are of type {kind}. Scores are numbers.")


def _prediction_sql(
    columns: Columns, types: Mapping[str, str], score: str, dialect: Dialect
) -> str:
    if columns.threshold is not None:
        return f"({score} >= {double_sql(columns.threshold)})"
    if columns.prediction is None or columns.classes:
        return "CAST(NULL AS BOOLEAN)"
    if columns.positive is not None:
        text = f"trim(CAST({dialect.name(columns.prediction)} AS STRING))"
        named = dialect.text(columns.positive)
        return f"CASE WHEN {text} = {named} THEN true WHEN {text} <> '' THEN false END"
    return _flag_sql(columns.prediction, types, dialect)


def _flag_sql(column: str, types: Mapping[str, str], dialect: Dialect) -> str:
    """A 0/1 column as true or false; NULL where it holds anything else."""
    name, kind = dialect.name(column), types[column]
    if kind == "BOOLEAN":
        return name
    if _numeric(kind):
        return f"CASE WHEN {name} = 1 THEN true WHEN {name} = 0 THEN false END"
    text = f"lower(trim(CAST({name} AS STRING)))"
    return f"CASE WHEN {text} IN {TRUE} THEN true WHEN {text} IN {FALSE} THEN false END"


def flaws(columns: Columns, dialect: Dialect, *, id_is_text: bool) -> dict[str, str]:
    """What no item may have, by name: a condition on the pool's rows."""
    conditions = {"no_id": "id IS NULL OR id = ''" if id_is_text else "raw_id IS NULL"}
    if columns.score:
        conditions["no_score"] = "score IS NULL"
        conditions["odd_score"] = f"NOT {dialect.finite('score')}"
    if columns.prediction and not columns.classes:
        conditions["odd_prediction"] = "prediction IS NULL"
    return conditions


def ends_sql(columns: Columns, dialect: Dialect) -> str:
    """The lowest and the highest finite score, as two expressions."""
    finite = f"FILTER (WHERE {dialect.finite('score')})"
    return f"min(score) {finite}, max(score) {finite}" if columns.score else "NULL, NULL"


def validation_sql(view: str, columns: Columns, dialect: Dialect, conditions: Sequence[str]) -> str:
    """Items, lowest and highest score, and how many items meet each condition."""
    counts = ", ".join(f"count(*) FILTER (WHERE {condition})" for condition in conditions)
    return f"SELECT count(*), {ends_sql(columns, dialect)}, {counts} FROM {view}"


def histogram_sql(
    view: str, dialect: Dialect, *, items: int, low: float | None, high: float | None
) -> str:
    """Items and the exact integer sum of scores by predicted class and grid position."""
    if low is None or high is None:
        grid, unit = "0", "0.0"
    else:
        grid, unit = grid_sql("score", low, high), unit_sql("score", low, high)
    total = dialect.total(f"CAST(floor(1e9 * {unit}) AS BIGINT)", items)
    return (
        f"SELECT coalesce(prediction, false) AS p, {grid} AS g, count(*) AS n, {total} AS s "
        f"FROM {view} GROUP BY p, g ORDER BY p, g"
    )


def tickets_sql(
    view: str,
    dialect: Dialect,
    *,
    seed: str,
    grid: str,
    strata: Sequence[Stratum],
    limits: Sequence[int],
    after: Sequence[str],
    cuts: Sequence[str],
) -> str:
    """The lowest tickets of each stratum after those `after` and below `cuts`; 'g' cuts nothing.

    One cut-off for all comes first, because it leaves few rows whose place on the grid is needed;
    strata that are taken whole pass it by their own condition.
    """
    cases = " ".join(f"WHEN {stratum_sql(s, 'g')} THEN {k}" for k, s in enumerate(strata))
    whole = [stratum_sql(s, grid) for s, cut in zip(strata, cuts, strict=True) if cut == "g"]
    cut = max((cut for cut in cuts if cut != "g"), default="")
    first = " OR ".join([f"ticket < {dialect.text(cut)}", *(f"({sql})" for sql in whole)])
    low = dialect.pick([dialect.text(text) for text in after], "k")
    high = dialect.pick([dialect.text(text) for text in cuts], "k")
    most = dialect.pick([str(int(limit)) for limit in limits], "k")
    ticket = dialect.sha256(f"{dialect.text(seed + ':')} || id")
    return f"""
        WITH t AS (SELECT id, score, prediction, {ticket} AS ticket FROM {view}),
             s AS (SELECT *, {grid} AS g FROM t WHERE {first}),
             u AS (SELECT *, CASE {cases} END AS k FROM s),
             v AS (SELECT * FROM u WHERE k IS NOT NULL AND ticket < {high} AND ticket > {low}),
             w AS (SELECT *, row_number() OVER (PARTITION BY k ORDER BY ticket, id) AS place FROM v)
        SELECT id, k, ticket, prediction, score FROM w WHERE place <= {most}
        """


def strata_sql(
    view: str, dialect: Dialect, *, ids: Sequence[str], grid: str, strata: Sequence[Stratum]
) -> str:
    """The stratum of each of these items; none where an item lies in no stratum."""
    cases = " ".join(f"WHEN {stratum_sql(s, 'g')} THEN {k}" for k, s in enumerate(strata))
    listed = ", ".join(dialect.text(name) for name in ids)
    return f"""
        WITH t AS (SELECT id, prediction, {grid} AS g FROM {view} WHERE id IN ({listed})),
             u AS (SELECT id, CASE {cases} END AS k FROM t)
        SELECT id, k FROM u WHERE k IS NOT NULL
        """


def stratum_sql(stratum: Stratum, grid: str) -> str:
    """The condition that an item belongs to this stratum; `grid` gives its grid position."""
    terms = ["true"]
    if stratum.prediction is not None:
        terms.append("prediction" if stratum.prediction else "NOT prediction")
    if stratum.grid_from is not None:
        terms.append(f"{grid} >= {int(stratum.grid_from)}")
    if stratum.grid_to is not None:
        terms.append(f"{grid} < {int(stratum.grid_to)}")
    return " AND ".join(terms)
