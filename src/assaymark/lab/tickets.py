"""A believable collection of support tickets with known truth and a classifier's scores."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assaymark.pool.tables import write_table

PREVALENCE = 0.03
SEPARATION = 3.6  # standard deviations between the two classes: an F1 of about 0.84

REFUND = (
    "I was charged {amount} for {product} and would like my money back.",
    "Please refund order {order}. {product} arrived {fault}.",
    "My {product} was returned {days} days ago and the {amount} is still not on my account.",
    "You billed me twice for {product}: {amount} and again {amount}. Send one of them back.",
    "I cancelled {product} within the trial period, so {amount} should not have been taken.",
    "The {product} I got is {fault}. I do not want another one, I want the {amount} returned.",
    "Could you reverse the payment of {amount} for order {order}? It was never delivered.",
)
OTHER = (
    "How do I change the email address on my account? The page for {product} says error {days}.",
    "When will order {order} be delivered? It has been {days} days.",
    "The app closes when I open {product} on my tablet.",
    "I forgot my password and the reset mail for {product} does not arrive.",
    "Do you ship {product} abroad, and what does it cost? I saw {amount} somewhere.",
    "Please send the invoice for order {order} with our tax number on it.",
    "Is {product} compatible with last year's model? The manual does not say.",
    "My parcel {order} arrived {fault}; can you send a replacement for {product}?",
    "I would like to upgrade {product}. What would it cost on top of {amount}?",
    "Thank you for the quick help with {product} last week!",
    "Where can I download my data from {product}? I need it within {days} days.",
    "Your chat has been offline for {days} hours. My question is about {product}.",
)
PRODUCTS = (
    "the annual plan",
    "the coffee grinder",
    "the desk lamp",
    "the photo book",
    "the premium package",
    "the running watch",
    "the travel adapter",
    "the wireless headset",
)
FAULTS = ("broken", "in the wrong colour", "without the cable", "late", "scratched", "half empty")


@dataclass(frozen=True, kw_only=True)
class Tickets:
    """Ids, texts, scores and what is true of each ticket."""

    ids: list[str]
    texts: list[str]
    scores: NDArray[np.float64]
    relevant: NDArray[np.bool_]


def make_tickets(items: int, rng: np.random.Generator) -> Tickets:
    """A collection in which 3 % of the tickets ask for a refund, scored by a fair classifier."""
    relevant = rng.random(items) < PREVALENCE
    signal = rng.normal(np.where(relevant, SEPARATION / 2, -SEPARATION / 2), 1.0)
    # the log-odds of being relevant given the signal: the scores are calibrated
    odds = SEPARATION * signal + np.log(PREVALENCE / (1 - PREVALENCE))
    choices = rng.integers(0, 2**31, (items, 5))
    return Tickets(
        ids=[f"T{number:07d}" for number in range(1, items + 1)],
        texts=[_text(wanted, row) for wanted, row in zip(relevant, choices.tolist(), strict=True)],
        scores=np.round(1 / (1 + np.exp(-odds)), 6),
        relevant=relevant,
    )


def _text(wanted: bool, numbers: list[int]) -> str:  # noqa: FBT001 - one of two template books
    template, product, fault, order, days = numbers
    book = REFUND if wanted else OTHER
    return book[template % len(book)].format(
        product=PRODUCTS[product % len(PRODUCTS)],
        fault=FAULTS[fault % len(FAULTS)],
        order=10_000 + order % 90_000,
        days=2 + days % 27,
        amount=f"{5 + days % 195}.{order % 100:02d} EUR",
    )


def write_tickets(tickets: Tickets, path: Path) -> None:
    """The pool as a parquet file: id, text and score, without the truth."""
    write_table(path, {"id": tickets.ids, "text": tickets.texts, "score": tickets.scores})
