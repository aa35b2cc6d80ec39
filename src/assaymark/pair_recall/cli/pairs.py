"""Commands that build a pair of classifiers: keywords and pair."""

from pathlib import Path

import click

from assaymark.claims.record import plain
from assaymark.pair_recall.cli.recall import READ, numbers
from assaymark.terminal.output import (
    FILE,
    advise,
    engine_option,
    headline,
    json_option,
    progress_bar,
    quoted,
    rows,
    say,
    show_json,
    warn,
)


@click.command()
@click.option("--pool", required=True, metavar="FILE", help="The collection.")
@click.option("--text", multiple=True, required=True, metavar="COL", help="Text; repeatable.")
@click.option("--seed-terms", required=True, metavar="A,B", help="Words, phrases, #tags, @names.")
@click.option("--score", default="jaccard", show_default=True,
              help="jaccard, tversky, overlap or pmi.")  # fmt: skip
@click.option("--top", default=30, show_default=True, type=click.IntRange(min=1),
              help="Neighbours to take at most.")  # fmt: skip
@click.option("--min-items", default=5, show_default=True, type=click.IntRange(min=1),
              help="Fewest items that a neighbour occurs in.")  # fmt: skip
@click.option("--max-share", default=0.05, show_default=True, type=float,
              help="A neighbour occurs in at most this share of all items.")  # fmt: skip
@click.option("--weights", default="0.9,0.1", show_default=True, metavar="TERM,SEEDS",
              help="Tversky's weights.")  # fmt: skip
@click.option("--names", default="seed,neighbours", show_default=True, metavar="A,B",
              help="Names of the two new columns.")  # fmt: skip
@click.option("-o", "--output", type=FILE, help="The pool with both columns, .parquet or .csv.")
@engine_option
@json_option
def keywords(
    pool: str,
    text: tuple[str, ...],
    seed_terms: str,
    score: str,
    top: int,
    min_items: int,
    max_share: float,
    weights: str,
    names: str,
    output: Path | None,
    engine: str,
    connection: str | None,
    as_json: bool,
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
@click.option("--pool", required=True, metavar="FILE", help="The collection.")
@click.option("--id", "id_column", required=True, metavar="COL", help="Unique id of an item.")
@click.option("--text", multiple=True, required=True, metavar="COL", help="Text; repeatable.")
@click.option("--labels", required=True, type=READ, help="Labelled training items: id,label.")
@click.option("--split", default="columns", show_default=True,
              help="columns (two text columns), vocabulary or halves.")  # fmt: skip
@click.option("--names", default="first,second", show_default=True, metavar="A,B",
              help="Names of the two new columns.")  # fmt: skip
@click.option(
    "-o", "--output", required=True, type=FILE, help="The flagged pool: .parquet or .csv."
)
@json_option
def pair(
    pool: str,
    id_column: str,
    text: tuple[str, ...],
    labels: Path,
    split: str,
    names: str,
    output: Path,
    as_json: bool,
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
