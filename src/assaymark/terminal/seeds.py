"""What commands print about a seed: who drew it, what to send, what to reveal."""

from datetime import UTC, datetime

from assaymark.records.seeds import BEACONS, SeedSource, source_in_words
from assaymark.terminal.output import advise, say


def seed_lines(seed: str, source: SeedSource) -> list[tuple[str, str]]:
    """The seed, or what was committed to, and who drew it."""
    lines = [("seed", seed)] if seed else []
    lines.append(("seed source", source_in_words(source)))
    if source.commitments:
        lines.append(("your commitment", source.commitments[0]))
        lines += [("their commitment", text) for text in source.commitments[1:]]
    return lines


def advise_reveal(source: SeedSource, folder: str) -> None:
    """How the seed becomes known, now that everything else is sealed."""
    if source.law == "committed":
        advise(f"assaymark plan --reveal own -p {folder}")
        return
    if source.law == "joint":
        say("  Send the head to the other side; they answer with their part, and only then:")
        advise(f"assaymark plan --reveal PART -p {folder}")
        return
    beacon, number = BEACONS[source.beacon or ""], source.round
    moment = datetime.fromtimestamp(beacon.known_from(number or 1), UTC)
    say(f"  Lodge the head somewhere before {moment:%Y-%m-%d %H:%M:%S} UTC.")
    say(f'  Then the value ("randomness") is at api.drand.sh/{beacon.address}/public/{number}')
    advise(f"assaymark plan --reveal VALUE -p {folder}")
