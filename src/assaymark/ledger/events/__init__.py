"""What can happen, the chain that seals it, and the state that follows from it by replay."""

from assaymark.ledger.events.chain import START, Entry, check_chain, seal
from assaymark.ledger.events.draws import DrawnItem
from assaymark.ledger.events.event import (
    KINDS,
    Answered,
    Event,
    Stamped,
    check_file_name,
    read_event,
)
from assaymark.ledger.events.item_answers import read_twice
from assaymark.ledger.events.labels import (
    LabelAdjudicated,
    LabelCorrected,
    LabelKnown,
    LabelRecorded,
)
from assaymark.ledger.events.monitored import ClaimLocked, ScoresWatched
from assaymark.ledger.events.plans import (
    BatchDrawn,
    Block,
    CertificateIssued,
    Closing,
    Drawn,
    Looked,
    PlanClosed,
    PlanSealed,
    PoolRegistered,
    ReserveStored,
    SeedRevealed,
)
from assaymark.ledger.events.review_work import ReviewWork, decides_blind, review_of
from assaymark.ledger.events.reviews import (
    KnownItem,
    KnownLabels,
    ReviewCertified,
    ReviewDrawn,
    ReviewOpened,
    ReviewRanked,
    SecretCommitted,
    SecretRevealed,
)
from assaymark.ledger.events.state import (
    Attempt,
    Remark,
    State,
    SurveyWork,
    advance,
    check_story,
    replay,
)
from assaymark.ledger.events.surveys import (
    Renewed,
    SurveyDrawn,
    SurveyedItem,
    SurveyOpened,
    SurveyReported,
    outcomes_of,
)
from assaymark.ledger.events.training import (
    about_pool,
    is_frozen,
    labels_digest,
    live_surveys,
    outgrown,
    population_of,
    population_sentence,
    population_words,
    random_items,
    set_aside,
    settings_of,
    trained_on,
    training_labels,
    training_of,
)
from assaymark.ledger.events.trainings import ClassifierFrozen, ModelTrained, TrainingChanged
from assaymark.ledger.events.witnesses import WitnessRecorded
