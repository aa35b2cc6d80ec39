"""What surveys are for. One registration each: a new kind of survey is a row here and its capability."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class SurveyKind:
    """A purpose of labels that were bought for something other than a plan.

    `title` is its heading until there is a result, `answer` the command that tells what the labels say,
    `why` what annotators read about its purpose, and `section`, as module:function, makes the report's
    section from the result; without one the report has a plain table.
    """

    name: str
    title: str
    answer: str
    why: str
    section: str | None = None


SURVEY_KINDS = {
    kind.name: kind
    for kind in (
        SurveyKind(
            name="estimate",
            title="Estimate",
            answer="estimate",
            why="to measure how good the classifier is",
            section="assaymark.estimation.report:estimate_section",
        ),
        SurveyKind(
            name="recall",
            title="Recall from pairs of classifiers",
            answer="recall",
            why="to find out how much of what is relevant the classifiers find",
            section="assaymark.pair_recall.report:recall_section",
        ),
        SurveyKind(
            name="triage",
            title="Triage",
            answer="triage",
            why="to choose what may be decided automatically",
            section="assaymark.triaging.report:triage_section",
        ),
        SurveyKind(
            name="audit",
            title="Audit of automatic decisions",
            answer="triage audit",
            why="to check decisions that were made automatically",
            section="assaymark.triaging.report:audit_section",
        ),
        SurveyKind(
            name="training",
            title="Training",
            answer="train",
            why="to train a classifier",
            section="assaymark.training.report:training_section",
        ),
        SurveyKind(
            name="claim",
            title="Claim",
            answer="look",
            why="to judge a claim that was sealed before the first label",
            section="assaymark.composite.report:claim_section",
        ),
        SurveyKind(
            name="sentinel",
            title="Check for drift",
            answer="sentinel look",
            why="to check whether a certificate still holds",
            section="assaymark.monitoring.report:sentinel_section",
        ),
    )
}
