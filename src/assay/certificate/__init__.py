"""Certificates: issued from replayed events, verified by doing it again and comparing."""

from assay.certificate.checks import (
    check_form,
    check_ledger,
    check_numbers,
    first_difference,
    superseded_by,
)
from assay.certificate.draws import check_chances, check_draws, check_tickets
from assay.certificate.issue import as_earlier, certificate_hash, issue, looks_of, read, write

__all__ = [
    "as_earlier",
    "certificate_hash",
    "check_chances",
    "check_draws",
    "check_form",
    "check_ledger",
    "check_numbers",
    "check_tickets",
    "first_difference",
    "issue",
    "looks_of",
    "read",
    "superseded_by",
    "write",
]
