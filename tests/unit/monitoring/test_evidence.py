"""The ledger of a claim is read once: the states it gives are those of a replay."""

from assaymark.ledger.events import replay
from assaymark.monitoring.claim_files import read_claim_file
from assaymark.monitoring.evidence import read_evidence
from assaymark.project.folder import Project


def test_the_state_that_was_certified_is_that_of_a_replay(certified) -> None:
    """After a renewal too, when the ledger goes on behind the certificate."""
    certified.edit("2099-06-30", "2099-12-31")
    assert certified.run("lock", certified.claim).code == 0
    entries = Project(folder=certified.project).ledger.entries()
    issued = [entry.seq for entry in entries if entry.kind == "CertificateIssued"]
    evidence = read_evidence(read_claim_file(certified.claim))
    assert [seq - 1 for seq in issued] == list(evidence.ledger.certified)
    assert len(entries) > issued[0]
    for events in (issued[0] - 1, issued[0], len(entries)):
        assert evidence.ledger.after(events) == replay(entries[:events])
    assert evidence.state == replay(entries)


def test_judging_leaves_the_certified_state_as_it_was(certified) -> None:
    evidence = read_evidence(read_claim_file(certified.claim))
    events = evidence.certificate.ledger.events
    assert evidence.ledger.certified[events] == replay(evidence.entries[:events])
