"""Which items two people label: decided by a seed and the item's id, so that anybody can repeat it."""

import hashlib


def read_twice(seed: str, item: str, share: float) -> bool:
    """Whether this item is among the share that two people label: decided by seed and id alone."""
    number = int(hashlib.sha256(f"{seed}:second reader:{item}".encode()).hexdigest()[:13], 16)
    return number < share * 16**13
