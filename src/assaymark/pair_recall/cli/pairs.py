"""Commands that build a pair of classifiers: keywords and pair."""

from pathlib import Path

import click

from assaymark.claims.record import plain
from assaymark.pair_recall.cli.recall import READ, numbers
from assaymark.terminal.options import CONNECTION, ENGINE, JSON, option, with_options
from assaymark.terminal.output import (
    advise,
    headline,
    progress_bar,
    quoted,
    rows,
    say,
    show_json,
    warn,
)


@click.command()
@with_options
def keywords(
    pool: str = option("The collection.", metavar="FILE"),
    text: tuple[str, ...] = option("Text; repeatable.", metavar="COL", required=True),
    seed_terms: str = option("Words, phrases, #tags, @names.", metavar="A,B"),
    score: str = option("jaccard, tversky, overlap or pmi.", default="jaccard"),
    top: int = option("Neighbours to take at most.", default=30, least=1),
    min_items: int = option("Fewest items that a neighbour occurs in.", default=5, least=1),
    max_share: float = option(
        "A neighbour occurs in at most this share of all items.", default=0.05
    ),
    weights: str = option("Tversky's weights.", default="0.9,0.1", metavar="TERM,SEEDS"),
    names: str = option("Names of the two new columns.", default="seed,neighbours", metavar="A,B"),
    output: Path | None = option("The pool with both columns, .parquet or .csv.", "-o"),
    engine: str = ENGINE,
    connection: str | None = CONNECTION,
    as_json: bool = JSON,
) -> None:
    """Build a pair of keyword filters: seed terms, and the terms that occur with them.

    Terms are compared in lower case; "#mars" and "mars" are two terms; letters of every script and
    accents are kept as they are; addresses are left out. With -o the pool is written again with both
    filters as 0/1 columns, ready for assaymark recall; Spark writes a folder of parquet files.

    \b
    Examples:
      assaymark keywords --pool tweets.parquet --text text --seed-terms "mars,#mars"
      assaymark keywords --pool tweets.parquet --text text --seed-terms "mars,#mars" -o flagged.parquet
    """
    from assaymark.pair_recall.pair_building import build_keywords

    weigh = numbers(weights, "TERM,SEEDS", float)
    new = _names(names)
    with progress_bar("keywords") as progress:
        built = build_keywords(
            pool,
            text=text,
            seed_terms=[term for term in seed_terms.split(",") if term.strip()],
            score=score,
            top=top,
            least_items=min_items,
            most_share=max_share,
            weights=(weigh[0], weigh[1]),
            names=new,
            output=output,
            engine=engine,
            connection=connection,
            progress=progress,
        )
    if as_json:
        show_json(plain(built) | {"path": str(output) if output else None})
        return
    headline(f"{len(built.neighbours)} neighbours of {', '.join(built.seeds)} by {built.score}")
    for near in built.neighbours[:15]:
        say(f"  {near.term:<24}{near.score:>8.3f}  {near.items:>8,} items, {near.joint:,} shared")
    if len(built.neighbours) > 15:
        say(f"  … and {len(built.neighbours) - 15} more (--json shows all)")
    rows(
        [
            (built.columns[0], f"{built.seed_items:,} of {built.items:,} items"),
            (built.columns[1], f"{built.neighbour_items:,}"),
            ("both", f"{built.both:,}"),
        ]
    )
    if built.warning:
        warn(built.warning)
    _next(output, built.columns, text, built.score)


def _names(text: str) -> tuple[str, str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts) or parts[0] == parts[1]:
        raise click.UsageError(f"Expected two different names, A,B, got {text!r}.")
    return parts[0], parts[1]


def _next(output: Path | None, columns: tuple[str, str], text: tuple[str, ...], kind: str) -> None:
    if output is None:
        advise("the same with -o flagged.parquet, to write both filters as columns")
        return
    shown_text = " ".join(f"--text {quoted(name)}" for name in text)
    advise(
        f"assaymark recall --pool {quoted(output)} --id ID --a {quoted(columns[0])} --b "
        f"{quoted(columns[1])} {shown_text} --pair {kind} --draw 300 -o batch.csv"
    )


@click.command()
@with_options
def pair(
    pool: str = option("The collection.", metavar="FILE"),
    id_column: str = option("Unique id of an item.", "--id", metavar="COL"),
    text: tuple[str, ...] = option("Text; repeatable.", metavar="COL", required=True),
    labels: Path = option("Labelled training items: id,label.", type=READ),
    split: str = option("columns (two text columns), vocabulary or halves.", default="columns"),
    names: str = option("Names of the two new columns.", default="first,second", metavar="A,B"),
    output: Path = option("The flagged pool: .parquet or .csv.", "-o"),
    as_json: bool = JSON,
) -> None:
    """Train two classifiers that see different things, and flag the pool with both.

    Each sees its own text column, its own half of the vocabulary, or its own half of each text. The
    training items are left out of the flagged pool. Needs scikit-learn: pip install 'assaymark[learn]'.

    \b
    Example:
      assaymark pair --pool news.parquet --id id --text title --labels train.csv -o flagged.parquet
    """
    from assaymark.pair_recall.pair_building import build_learned

    with progress_bar("pair") as progress:
        built = build_learned(
            pool,
            id_column=id_column,
            text=text,
            labels=labels,
            split=split,
            names=_names(names),
            output=output,
            progress=progress,
        )
    if as_json:
        show_json(plain(built) | {"path": str(output)})
        return
    headline(f"Two classifiers by {split}, trained on {built.training:,} items")
    rows(
        [
            ("positive among these", f"{built.positives:,}"),
            (built.columns[0], f"{built.flagged[0]:,} of {built.items:,} other items"),
            (built.columns[1], f"{built.flagged[1]:,}"),
            ("both", f"{built.both:,}"),
        ]
    )
    if built.warning:
        warn(built.warning)
    _next(output, built.columns, text, split)
