"""Ids that a spreadsheet changed: found, named, and put right where that is certain."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from assaymark.errors import InputError
from assaymark.files.labels import LabelRow
from assaymark.hints import switch
from assaymark.ledger.events import State

SHORTENED = re.compile(r"\d(?:[.,]\d+)?E\+\d+", re.IGNORECASE)
WHOLE = re.compile(r"(?<=\d)[.,]0+\Z")  # 1002.0, as programs write numbers with gaps between them
LONG = 12  # digits from which on spreadsheets show a number as 1.23E+11


def mend_ids(state: State, rows: Sequence[LabelRow], *, restore_zeros: bool) -> Sequence[LabelRow]:
    """The rows with their ids as they were drawn.

    An id without the zeros in front of a drawn one is refused, or restored if `restore_zeros`; a
    long number that was cut to "1.23E+17" cannot be restored and is always refused.
    """
    rows = [_tidied(state, row) for row in rows]
    strange = [row for row in rows if not state.drawn(row.item)]
    if not strange:
        return rows
    drawn = [*state.claimed, *state.surveyed]
    cut = next((row.item for row in strange if SHORTENED.fullmatch(row.item)), None)
    if cut and any(item.isdecimal() and len(item) >= LONG for item in drawn):
        raise InputError(
            f"The id {cut!r} is a long number that a spreadsheet cut short, so nobody knows the item. "
            "Nothing was recorded. Label a .xlsx batch instead: its ids stay text."
        )
    bare_ids = {row.item: WHOLE.sub("", row.item.strip()) for row in strange}
    once = {bare for bare, times in Counter(bare_ids.values()).items() if times == 1}
    lost = _without_zeros(drawn, {row.item for row in rows}, once)
    if lost and not restore_zeros:
        bare, whole = next(iter(lost.items()))
        raise InputError(
            f"{bare!r} was not drawn, but {whole!r} was: a spreadsheet seems to have removed leading "
            f"zeros. Nothing was recorded. If that is so, import with {switch('restore-zeros')}; "
            "a .xlsx batch "
            "keeps them."
        )
    return [replace(row, item=lost.get(bare_ids.get(row.item, row.item), row.item)) for row in rows]


def _tidied(state: State, row: LabelRow) -> LabelRow:
    """The row with blanks around its id, or the decimals of a whole number, taken away.

    Only where the id as it stands was not drawn and the tidy one was.
    """
    if state.drawn(row.item):
        return row
    bare = row.item.strip()
    for item in (bare, WHOLE.sub("", bare)):
        if state.drawn(item):
            return replace(row, item=item)
    return row


def _without_zeros(drawn: Sequence[str], ids: set[str], strange: set[str]) -> dict[str, str]:
    """Ids of the file that are drawn ids without their zeros, where only one can be meant."""
    padded = dict.fromkeys(item for item in drawn if item.startswith("0"))
    times = Counter(item.lstrip("0") or "0" for item in padded)
    pairs = ((item.lstrip("0") or "0", item) for item in padded)
    return {
        bare: item
        for bare, item in pairs
        if bare in strange and item not in ids and times[bare] == 1
    }
