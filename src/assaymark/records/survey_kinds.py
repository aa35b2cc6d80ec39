"""What surveys are for. One registration each: a new kind of survey is a row here and its capability."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class SurveyKind:
    """A purpose of labels that were bought for something other than a plan.

    `answer` is the command that tells what the labels say, `why` what annotators read about its purpose,
    and `section`, as module:function, makes the report's section from the result; without one the
    report has a plain table.
    """

    name: str
    answer: str
    why: str
    section: str | None = None


SURVEY_KINDS = {
    kind.name: kind
    for kind in (
        SurveyKind(
            name="estimate",
            answer="estimate",
            why="to measure how good the classifier is",
            section="assaymark.estimation.report:estimate_section",
        ),
        SurveyKind(
            name="recall",
            answer="recall",
            why="to find out how much of what is relevant the classifiers find",
            section="assaymark.pair_recall.report:recall_section",
        ),
        SurveyKind(
            name="triage",
            answer="triage",
            why="to choose what may be decided automatically",
            section="assaymark.triaging.report:triage_section",
        ),
        SurveyKind(
            name="audit",
            answer="triage audit",
            why="to check decisions that were made automatically",
            section="assaymark.triaging.report:audit_section",
        ),
        SurveyKind(
            name="training",
            answer="train",
            why="to train a classifier",
            section="assaymark.training.report:training_section",
        ),
        SurveyKind(
            name="claim",
            answer="look",
            why="to judge a claim that was sealed before the first label",
            section="assaymark.composite.report:claim_section",
        ),
        SurveyKind(
            name="sentinel",
            answer="sentinel look",
            why="to check whether a certificate still holds",
        ),
    )
}
