"""A sealed claim's part of the risk that all claims on the same subjects share, as it is stored."""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

CLAIM, FAMILY, JOINT = "claim", "family", "joint"


@dataclass(frozen=True, kw_only=True)
class Carried:
    """The wealth that a part of the claim, and its refutation, start from. Decimal text.

    `share` of the risk stands behind this direction: the other direction of a comparison has the rest.
    """

    proof: str = "1"
    refutation: str = "1"
    share: str = "1"


@dataclass(frozen=True, kw_only=True)
class EarlierClaim:
    """A claim that used the account before: its survey, and how many of its draws had their label."""

    survey: int
    draws: int
    settled: int


@dataclass(frozen=True, kw_only=True)
class ClaimRisk:
    """The account, what `earlier` claims left of it for every part, and the risks of `others`.

    `account` is "claim", "claim/2" and so on, or "family", which all claims on the pool share. Claims
    whose seed is drawn jointly are "joint": each has a level of its own, by its `number` among them.
    `others` are the risks of further accounts on the same subjects: what is stated covers them too.
    """

    account: str = CLAIM
    carried: tuple[Carried, ...] = ()
    earlier: tuple[EarlierClaim, ...] = ()
    others: tuple[str, ...] = ()
    number: int = 1

    def stated(self, confidence: float) -> float:
        """The confidence in this account and all others together."""
        return float(Decimal(str(confidence)) - sum(map(Decimal, self.others)))

    def to_json(self) -> dict[str, Any]:
        """Plain values for the ledger."""
        return {
            "account": self.account,
            "carried": [dict(vars(one)) for one in self.carried],
            "earlier": [dict(vars(one)) for one in self.earlier],
            "others": list(self.others),
            **({"number": self.number} if self.account == JOINT else {}),
        }


def read_risk(data: dict[str, Any]) -> ClaimRisk:
    """The risk that `to_json` wrote."""
    numbers = [text for one in data["carried"] for text in one.values()]
    if not all(0 <= float(text) < math.inf for text in (*numbers, *data["others"])):
        raise ValueError("a wealth or a risk is no number from 0 on")
    return ClaimRisk(
        account=data["account"],
        carried=tuple(Carried(**one) for one in data["carried"]),
        earlier=tuple(EarlierClaim(**one) for one in data["earlier"]),
        others=tuple(data["others"]),
        number=int(data.get("number", 1)),
    )
