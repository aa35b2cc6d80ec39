"""Where the randomness of a plan comes from: one side, several sides together, or a public beacon.

One idea: a seed is worth what nobody could choose about it. Parts of a joint seed are committed to
by hash before the plan is sealed, and revealed after; the seed is a hash of all parts and of
everything else in the plan, so whoever knows only their own part knows nothing about the draws.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Literal

from assaymark.claims.canonical import canonical
from assaymark.claims.record import Record
from assaymark.errors import InputError

Law = Literal["open", "committed", "joint", "beacon"]
LAWS = ("open", "committed", "joint", "beacon")
HEX = re.compile(r"[0-9a-f]{64}")
LEAST_PART = 16
"""Characters of a part at least: a shorter one could be found from its hash by trying."""


@dataclass(frozen=True, kw_only=True)
class Beacon:
    """A public source of randomness: the time of round 1, and the seconds between rounds."""

    name: str
    first: int
    period: int
    address: str

    def known_from(self, number: int) -> int:
        """When a round becomes known, in seconds since 1970."""
        return self.first + (number - 1) * self.period

    def round_after(self, second: float) -> int:
        """The first round that becomes known after this second since 1970."""
        return max(1, int((second - self.first) // self.period) + 2)


BEACONS = {
    beacon.name: beacon
    for beacon in (
        Beacon(
            name="drand-quicknet", first=1692803367, period=3,
            address="52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
        ),
        Beacon(
            name="drand-default", first=1595431050, period=30,
            address="8990e7a9aaed2ffed73dbd7092123d6f289930540d7651336225dc172e51b2ce",
        ),
    )
}  # fmt: skip
"""Beacons whose rounds come at known times. The address is the hash of the chain's information, which
fixes the first round's time and the period; a test recomputes it."""


@dataclass(frozen=True, kw_only=True)
class SeedSource(Record):
    """The law of a seed, what was fixed at the seal, and the parts once they are revealed."""

    law: Law = "open"
    commitments: tuple[str, ...] = ()
    beacon: str | None = None
    round: int | None = None
    parts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        hashed = self.law in ("committed", "joint")
        wanted = {"committed": len(self.commitments) == 1, "joint": len(self.commitments) > 1}
        if self.law not in LAWS or not wanted.get(self.law, not self.commitments):
            raise InputError(f"A seed of the law {self.law!r} has other commitments than these.")
        if (self.law == "beacon") != (self.beacon is not None and self.round is not None):
            raise InputError("A beacon's seed, and no other, names the beacon and a round.")
        if hashed and len(set(self.commitments)) != len(self.commitments):
            raise InputError("Two sides committed to the same hash: each makes a part of its own.")
        for text in self.commitments:
            if not HEX.fullmatch(text):
                raise InputError(
                    f"A commitment is a SHA-256 of 64 hexadecimal digits, got {text!r}."
                )

    @property
    def is_shared(self) -> bool:
        """Whether no single side could choose the seed."""
        return self.law in ("joint", "beacon")


def beacon_of(source: SeedSource) -> Beacon:
    """The beacon that a seed comes from; refused where it is not one of ours."""
    beacon = BEACONS.get(source.beacon or "")
    if beacon is None:
        raise InputError(f"There is no beacon {source.beacon!r} here: {', '.join(BEACONS)}.")
    return beacon


def commitment_of(part: str) -> str:
    """The hash by which a side commits to its part of a seed."""
    return hashlib.sha256(part.encode()).hexdigest()


def in_order(source: SeedSource, parts: tuple[str, ...]) -> tuple[str, ...]:
    """The parts in the order of the commitments; refused where one is missing or does not fit."""
    if source.law == "beacon":
        if len(parts) != 1 or not HEX.fullmatch(parts[0].lower()):
            raise InputError(
                "A beacon's value is its randomness: 64 hexadecimal digits of the round that was sealed."
            )
        return (parts[0].lower(),)
    known = {commitment_of(part): part for part in parts}
    strange = sorted(set(known) - set(source.commitments))
    if strange:
        raise InputError(
            "A part does not fit any commitment of the plan: its SHA-256 is "
            f"{strange[0]}. Reveal the very text that was hashed, without spaces around it."
        )
    missing = [text for text in source.commitments if text not in known]
    if missing:
        raise InputError(
            f"Nobody has revealed the part with the hash {missing[0]} yet: the draws begin once all "
            f"{len(source.commitments)} parts are known."
        )
    return tuple(known[text] for text in source.commitments)


def seed_from(parts: tuple[str, ...], *, plan: str) -> str:
    """The seed: SHA-256 of all parts and of the hash of everything else that was sealed."""
    return hashlib.sha256(canonical({"parts": list(parts), "plan": plan}).encode()).hexdigest()


def source_in_words(source: SeedSource) -> str:
    """Who drew the seed, and what that excludes."""
    if source.law == "committed":
        return "one side committed to it before the seal and revealed it later; nobody else had a part in it"
    if source.law == "joint":
        return (
            f"drawn by {len(source.commitments)} sides together: each committed to its part before the "
            "plan was sealed, and revealed it after"
        )
    if source.law == "beacon":
        return (
            f"round {source.round} of the public beacon {source.beacon}, named when the plan was sealed; "
            "compare the value with the beacon's own record, and the time of the seal with a witness"
        )
    return "drawn or chosen by the person who sealed the plan; no witness"
