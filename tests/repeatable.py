"""Seeds that repeat: a plan without a seed draws the same items whenever a test is run.

The product draws such a seed from the system's secrets. A test that passes for most seeds would fail
one day for no change at all, and nobody could repeat it.
"""

import hashlib
import itertools
import secrets

SEED = 16  # bytes, as everywhere in the product where no seed was given


class Seeds:
    """The seeds of the test that runs: by its name and their number, none twice."""

    def __init__(self) -> None:
        self._secret = secrets.token_hex
        self.begin("")

    def begin(self, test: str) -> None:
        self._test, self._numbers = test, itertools.count()

    def token_hex(self, nbytes: int | None = None) -> str:
        if nbytes != SEED:
            return self._secret(nbytes)
        name = f"{self._test} {next(self._numbers)}"
        return hashlib.sha256(name.encode()).hexdigest()[: 2 * SEED]
