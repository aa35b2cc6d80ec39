"""A policy that certifies at once, as another package would add one."""

from assaymark.training.stats.stopping_policy import Decision, Outlook


def decide(_outlook: Outlook) -> Decision:
    """Certify, whatever the looks show."""
    return Decision(action="certify", reason="no more training is wanted")
