"""Certificates: issued from replayed events, verified by doing it again and comparing."""

from assaymark.certification.certificate.checks import (
    Recorded,
    check_form,
    check_ledger,
    check_numbers,
    check_replay,
    check_risk,
    issuing_event,
    read_recorded,
    recomputed,
    superseded_by,
)
from assaymark.certification.certificate.draws import (
    check_chances,
    check_draws,
    check_seed,
    check_tickets,
    check_training,
)
from assaymark.certification.certificate.issue import (
    as_earlier,
    document,
    issue,
    looks_of,
    population_of,
    read,
    rows_of,
    write,
)
from assaymark.certification.certificate.words import (
    account_words,
    history_of,
    population_in_words,
    statement_of,
)
