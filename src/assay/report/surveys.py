"""Which section tells the result of which kind of survey."""

from collections.abc import Callable, Mapping
from typing import Any

from assay.report.recall import recall_section
from assay.report.section import Section

SECTIONS: dict[str, Callable[[Mapping[str, Any]], Section]] = {
    "recall": recall_section,
}
"""Purpose of the survey -> section from the result on record."""
