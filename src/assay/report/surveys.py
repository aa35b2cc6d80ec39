"""Which section tells the result of which kind of survey."""

from collections.abc import Callable, Mapping
from typing import Any

from assay.report.section import Section
from assay.report.triage import audit_section, triage_section

SECTIONS: dict[str, Callable[[Mapping[str, Any]], Section]] = {
    "triage": triage_section,
    "audit": audit_section,
}
"""Purpose of the survey -> section from the result on record."""
