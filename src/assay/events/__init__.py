"""What can happen, the chain that seals it, and the state that follows from it by replay."""

from assay.events.chain import START, Entry, check_chain, seal
from assay.events.kinds import (
    KINDS,
    BatchDrawn,
    CertificateIssued,
    DrawnItem,
    Event,
    LabelAdjudicated,
    LabelCorrected,
    LabelRecorded,
    LabelSkipped,
    Looked,
    PlanClosed,
    PlanSealed,
    PoolRegistered,
    ReserveStored,
    read_event,
)
from assay.events.state import Attempt, State, replay
from assay.events.story import check_story

__all__ = [
    "KINDS",
    "START",
    "Attempt",
    "BatchDrawn",
    "CertificateIssued",
    "DrawnItem",
    "Entry",
    "Event",
    "LabelAdjudicated",
    "LabelCorrected",
    "LabelRecorded",
    "LabelSkipped",
    "Looked",
    "PlanClosed",
    "PlanSealed",
    "PoolRegistered",
    "ReserveStored",
    "State",
    "check_chain",
    "check_story",
    "read_event",
    "replay",
    "seal",
]
