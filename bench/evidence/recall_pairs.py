"""Bommannavar, Kolcz and Rajaraman (2014): recall of rare topics from pairs of classifiers."""

from evidence.book import Book, Done, Row, mean, table

EVENTS = "tweets of August 2012 cannot be had; crisis tweets of six events"
DATA = {"3": "tweets", "4": "stories", "5": "ODP"}


def fill(book: Book) -> None:
    """Every table, figure, equation and headline number of the paper."""
    tweets = book.find("pairs", "crisislex_t6")
    papers = book.find("pairs", "arxiv_cs", "spamassassin")
    made = book.find("pairs", "crisislex_t6", "arxiv_cs")
    for row in table(made, "tables"):
        place = f"Table {row['table']}, {row['topic']}, recall of the {row['recall_of']} by equation {row['equation']}"
        why = {
            "exact": "recomputed from the printed sizes and precisions: agrees to three decimals",
            "rounding": "recomputed: agrees within the rounding of the printed precisions",
            "no": "recomputed from the printed sizes and precisions: does not follow from them",
        }[row["agreement"]]
        book.add(
            place,
            row["printed"],
            row["computed"],
            made,
            runs=1,
            data=f"the paper's {DATA[row['table']]}",
            why=why,
        )
    _cost(book, made)
    _tweets(book, tweets)
    _columns(book, papers)
    _thresholds(book, tweets, papers)
    _headlines(book, tweets, papers)


def _cost(book: Book, done: Done | None) -> None:
    rows = table(done, "cost")
    own = next((row for row in rows if row["prevalence"] == 0.01), None)
    book.add(
        "Section 4.3, samples for a margin of 0.05",
        384,
        384,
        None,
        data="–",
        command='python -c "print(int(0.25 * (1.96 / 0.05) ** 2))"',
        why="n = 0.25·(1.96/0.05)²",
    )
    book.add(
        "Section 4.3, samples for a margin of 0.025",
        1537,
        1536,
        None,
        data="–",
        command='python -c "print(int(0.25 * (1.96 / 0.025) ** 2))"',
        why="the paper rounds up",
    )
    book.add(
        "Figure 1, labels by unbiased sampling at a prevalence of 0.01",
        38400,
        own and own["unbiased"],
        done,
        runs=1,
        why="ours for recall 0.7 ± 0.05, the paper for the worst case of 0.5",
    )
    book.add(
        "Section 7.4, cost against unbiased sampling at a prevalence of 0.01",
        "more than 100 ×",
        own and own["saving"],
        done,
        runs=1,
        why="if the pair is independent",
    )
    rare = next((row for row in rows if row["prevalence"] == 0.001), None)
    book.add(
        "Abstract, cost against unbiased sampling",
        "as much as 1000 ×",
        rare and rare["saving"],
        done,
        runs=1,
        why="at a prevalence of 0.001, if the pair is independent",
    )
    book.add(
        "Abstract, cost in terms of error if δ1 = 1.1",
        None,
        rare and rare["honest_saving"],
        done,
        runs=1,
        why="a bias of 10 % does not shrink with labels; not in the paper",
    )


def _tweets(book: Book, done: Done | None) -> None:
    rows = [
        r
        for r in table(done, "summary")
        if r["collection"] == "crisislex_t6" and r["built"] == "jaccard"
    ]
    for row in rows or [
        {"topic": "six events", "estimate_a": None, "recall_a": None, "splits": None}
    ]:
        why = EVENTS if row["recall_a"] is None else f"true recall {row['recall_a']:.3f}; {EVENTS}"
        book.add(
            f"Table 3 in kind, seed terms and neighbours by Jaccard, {row['topic']}, equation 1",
            None,
            row["estimate_a"],
            done,
            runs=row["splits"],
            data="crisislex_t6",
            why=why,
        )
    book.add(
        "Table 2, neighbours of seed terms",
        None,
        "assaymark recall --seeds … --neighbours jaccard",
        None,
        data="–",
        command="assaymark lab pairs --data crisislex_t6.parquet",
        why="lists of words; ours are those of other events",
    )
    social = [r for r in table(done, "thresholds") if r["built"] == "social" and r["factor"] == 1.0]
    for topic in dict.fromkeys(row["topic"] for row in social) or ["six events"]:
        own = [row for row in social if row["topic"] == topic]
        truth = mean([row["recall_a"] for row in own])
        why = "no figure in the paper; hashtags, mentions and links stand for authors"
        book.add(
            f"Section 6.1.3, status and social signals, {topic}, estimate of the words' recall",
            None,
            mean([row["estimate_a"] for row in own]),
            done,
            runs=len(own) or None,
            data="crisislex_t6",
            why=why if truth is None else f"true recall {truth:.3f}; {why}",
        )


def _columns(book: Book, done: Done | None) -> None:
    rows = [row for row in table(done, "summary") if row["built"] == "columns"]
    for row in rows or [
        {
            "collection": "arxiv_cs",
            "topic": "cs.NI",
            "error": None,
            "splits": None,
            "recall_a": None,
            "estimate_a": None,
            "prevalence": None,
        }
    ]:
        why = "ODP cannot be had; two text columns, words instead of 4-grams, no up-sampling"
        if row["recall_a"] is not None:
            why = f"true recall {row['recall_a']:.3f}, prevalence {row['prevalence']:.4f}; {why}"
        book.add(
            f"Table 5 in kind, two columns, {row['collection']} {row['topic']}, equation 1",
            None,
            row["estimate_a"],
            done,
            runs=row["splits"],
            data=row["collection"],
            why=why,
        )
        book.add(
            f"Figure 5, mean error over splits, {row['collection']} {row['topic']}",
            "within 0.10",
            row["error"],
            done,
            runs=row["splits"],
            data=row["collection"],
            why="the paper: 100 splits of ODP",
        )


def _thresholds(book: Book, *sources: Done | None) -> None:
    rows: list[tuple[Done, Row]] = []
    for done in dict.fromkeys(sources):
        rows += [(done, row) for row in table(done, "thresholds") if done is not None]
    for factor in (4.0, 2.0, 1.0, 0.5, 0.25, 0.1):
        own = [row for _, row in rows if row["factor"] == factor]
        gaps = mean([abs(row["delta1"] - 1) for row in own])
        precision = mean([row["precision_b"] for row in own])
        names = ", ".join(dict.fromkeys(row["collection"] for row in own)) or None
        why = "the paper: lower thresholds make independence more valid, and precision low"
        if precision is not None:
            why = f"{len(own)} pairs, precision of the second {precision:.2f}; {why}"
        book.add(
            f"Section 6.1.2, mean |δ1 − 1| at {factor:g} × the threshold best for F1",
            None,
            gaps,
            rows[0][0] if rows else None,
            runs=len(own) or None,
            data=names,
            why=why
            if own or not rows
            else "no pair flags enough of the same items at so high a threshold",
            never=bool(rows),
        )


def _headlines(book: Book, *sources: Done | None) -> None:
    seen: dict[str, list[Row]] = {}
    kept: dict[str, Done] = {}
    averages: list[Row] = []
    for done in dict.fromkeys(sources):
        averages += table(done, "averages")
        for row in table(done, "headline"):
            seen.setdefault(row["built"], []).append(row)
            if done is not None:
                kept[row["built"]] = done
    for built in seen or {"jaccard": [], "columns": []}:
        own = seen.get(built, [])
        total = sum(row["estimates"] for row in own)
        for field, text in (
            ("within_0.10", "0.10 absolute"),
            ("within_15_percent", "15 % relative"),
        ):
            share = sum(row[field] * row["estimates"] for row in own) / total if total else None
            book.add(
                f"Abstract, share of estimates within {text}, pairs by {built}",
                1.0,
                share,
                kept.get(built),
                runs=total or None,
                why="the paper claims it for its pairs; dependence alone, all labels known",
            )
    single = mean([row["mean_single"] for row in averages])
    averaged = mean([row["averaged"] for row in averages])
    done = next((one for one in sources if one is not None), None)
    book.add(
        "Section 8, error of the number of positives by one pair",
        None,
        single if averages else None,
        done,
        runs=len(averages) or None,
        why="mean over topics and ways of building, relative",
    )
    book.add(
        "Section 8, error of the average over pairs",
        None,
        averaged if averages else None,
        done,
        runs=len(averages) or None,
        why="proposed in the paper, not measured there; errors of pairs share their sign",
    )
    book.add(
        "Figure 2, document space and Venn diagram",
        None,
        None,
        why="a drawing without figures; `assaymark recall` draws its own",
        never=True,
    )
    book.add(
        "Figures 3 and 4, examples of an entry and a tweet",
        None,
        None,
        why="pictures of examples",
        never=True,
    )
    book.add(
        "Table 1, notation",
        None,
        None,
        why="notation; ours is on the page Recall from pairs",
        never=True,
    )
    book.add(
        "Table 4 in kind, story text and linked page",
        None,
        None,
        why="linked pages cannot be had; two text columns of one document are the nearest (Table 5 in kind)",
        never=True,
    )
