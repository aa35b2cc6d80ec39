"""The rows of all five papers."""

from collections.abc import Sequence

from evidence import annotation_cost, recall_pairs, sequential_bias, stratified_risk, triage_yield
from evidence.book import Book, Row
from evidence.steps import Done

PAPERS = {
    "000": ("000 Bagdouri et al. 2013", annotation_cost.fill),
    "001": ("001 Kumar and Raj 2016", stratified_risk.fill),
    "002": ("002 Bommannavar et al. 2014", recall_pairs.fill),
    "003": ("003 Webber et al. 2013", sequential_bias.fill),
    "004": ("004 Kraaij et al. 2009", triage_yield.fill),
}


def records(done: Sequence[Done]) -> dict[str, list[Row]]:
    """The rows of each paper, by its number."""
    found = {}
    for paper, (name, fill) in PAPERS.items():
        book = Book(name, done)
        fill(book)
        found[paper] = book.rows
    return found
