"""What sentinels say of a certificate, as people read it."""

from collections.abc import Mapping
from typing import Any

from assaymark.claims.results import counted, shown
from assaymark.reports.section import Section, Table


def sentinel_section(result: Mapping[str, Any]) -> Section:
    """Whether the certificate still holds on later items, and how near the alarm is."""
    rows = (
        ("units judged", f"{result['units']:,}"),
        ("labels of them", f"{result['labels']:,}"),
        ("evidence of a fall, at its highest", shown(result["evidence"])),
        ("the alarm goes off at", shown(result["needed"])),
    )
    missing, doubt = result["missing"], "Unclear items decide whether the claim still holds."
    return Section(
        title="Is the certificate still true?",
        sentence=result["sentence"],
        paragraphs=(
            f"The alarm '{result['alarm']}' is silent while {result['null']}",
            *((f"{counted(missing, 'sentinel')} without an answer.",) if missing else ()),
            *((doubt,) if result["doubtful"] else ()),
        ),
        tables=(Table(caption="How near the alarm is", header=("what", "value"), rows=rows),),
    )
