"""The report of a review: verdict, recall curve with its certified band, flow of records."""

import shlex
from pathlib import PurePath

from assaymark import __version__
from assaymark.claims.results import percent
from assaymark.drawing.flow_boxes import FlowStep, flow_boxes, narrow_flow
from assaymark.drawing.marks import Band, Figure, Line, Plot, Rule, figure
from assaymark.drawing.scales import Axis
from assaymark.hints import command
from assaymark.ledger.events import ReviewWork, State, replay
from assaymark.project.folder import Project, collection_of
from assaymark.reports.section import Chart, Report, Section, Table
from assaymark.reviewing.history import Point, history
from assaymark.reviewing.standing import the_review
from assaymark.reviewing.status import ReviewStatus, status_of
from assaymark.reviewing.wording import (
    ASSUMPTIONS,
    DECIDED,
    LIMITS,
    REASONS,
    USEFUL,
    certified,
    known_before,
    rounded_down,
    to_go,
    verdict,
)


def review_content(project: Project) -> tuple[Report, ReviewStatus]:
    """What the report says of the review itself, and where the review stands."""
    entries = project.ledger.entries()
    state = replay(entries)
    work = the_review(state)
    now = status_of(state, work)
    head = entries[-1].hash
    report = Report(
        title=f"Review: at least {percent(now.target)} of the relevant records are found",
        tone="pass" if now.decision == "stop" else "not yet",
        mark="✓" if now.decision == "stop" else "…",
        word="Established" if now.decision == "stop" else "Not yet",
        sentence=verdict(now),
        facts=_facts(now, work),
        card=(),
        card_note="",
        chart=recall_chart(history(entries), now),
        assumptions=ASSUMPTIONS,
        limits=LIMITS,
        record=(flow_section(now, work), targets_section(now)),
        annex=(_proof(project, state, head, len(entries)),),
        foot=f"assaymark {__version__} · ledger {head[:16]} · {len(entries):,} events",
    )
    return report, now


def _facts(now: ReviewStatus, work: ReviewWork) -> tuple[tuple[str, str], ...]:
    return (
        ("The collection", f"{now.items:,} records"),
        ("Target", f"recall {now.target:g} with {percent(now.confidence)} confidence, at any look"),
        (
            "Labels",
            f"{now.labels:,}: {now.directed:,} in the model's order and {now.random:,} at random",
        ),
        ("Known before", known_before(now)),
        ("To go", to_go(now)),
        ("Read by two people", percent(work.twice)),
        ("Conflicts decided", DECIDED[work.opened.decisions]),
    )


def recall_chart(points: tuple[Point, ...], now: ReviewStatus) -> Chart | None:
    """Found as a share of the bound of today, and the certified recall below it."""
    if not points or not now.found:
        return None
    most = now.found + now.left_at_most
    plot = Plot(
        x=Axis(high=max(p.labels for p in points), title="labels", numbers="count"),
        y=Axis(title="recall", grid=True),
        marks=(
            Band(points=tuple((p.labels, p.found / most, p.found / now.found) for p in points)),
            Line(
                points=tuple((p.labels, p.certified) for p in points),
                role="accent",
                width=3,
            ),
            Rule(y=now.target),
        ),
    )
    return Chart(
        title="Recall as labels came",
        caption="The thick line is the recall that was proved at each moment; the grey band is where "
        "the true recall lay, by what is known today; the dashed line is the target.",
        figure=figure(plot),
    )


def flow_rows(now: ReviewStatus, work: ReviewWork) -> tuple[tuple[str, int], ...]:
    """The numbers of a PRISMA flow diagram."""
    read = now.known + now.labels
    elsewhere = (("screened elsewhere, not found in the pool", now.unmatched),)
    return (
        *(elsewhere if now.unmatched else ()),
        ("records identified", now.items + work.opened.merged),
        ("duplicates removed", work.opened.merged),
        ("records in the pool", now.items),
        ("screened before the review", now.known),
        ("screened in model order", now.directed),
        ("screened at random", now.random),
        ("not screened", now.unread),
        ("relevant among those not screened or undecided, at most", now.left_at_most),
        ("not relevant", read - now.found - now.unclear),
        ("cannot tell", now.unclear),
        ("found relevant", now.found),
        ("found before the review", now.found_known),
        ("found in model order", now.found_directed),
        ("found at random", now.found_random),
    )


def flow_diagram(now: ReviewStatus, work: ReviewWork) -> Figure:
    """The same numbers as boxes, from the records that were identified to those found."""
    count = dict(flow_rows(now, work))

    def line(name: str) -> str:
        return f"{name}: {count[name]:,}"

    unread = (
        f"Not screened: {now.unread:,}",
        f"at most {now.left_at_most:,} relevant ones are missed ({percent(now.confidence)})",
    )
    screened = now.known + now.labels
    steps = (
        FlowStep(lines=(f"Records identified: {now.items + work.opened.merged:,}",)),
        FlowStep(
            lines=(f"Records in the pool: {now.items:,}",),
            aside=(f"Duplicates removed: {work.opened.merged:,}",),
        ),
        FlowStep(
            lines=(
                f"Records screened: {screened:,}",
                line("screened in model order"),
                line("screened at random"),
                *((line("screened before the review"),) if now.known else ()),
            ),
            aside=unread if now.certified_recall is not None else unread[:1],
        ),
        FlowStep(
            lines=(
                f"Found relevant: {now.found:,}",
                line("found in model order"),
                line("found at random"),
                *((line("found before the review"),) if now.known else ()),
            ),
            aside=(
                f"Not relevant: {count['not relevant']:,}",
                *((line("cannot tell"),) if now.unclear else ()),
            ),
        ),
        FlowStep(lines=_ending(now)),
    )
    return Figure(plots=(flow_boxes(steps),), narrow=(narrow_flow(steps),))


def _ending(now: ReviewStatus) -> tuple[str, ...]:
    word = "Stopped" if now.decision == "stop" else "Not stopped yet"
    if now.certified_recall is None or now.certified_recall < USEFUL:
        return (word,)
    proved = f"recall of at least {rounded_down(now.certified_recall)} is proved"
    return (word, f"{proved}; {now.target:g} is wanted")


def flow_section(now: ReviewStatus, work: ReviewWork) -> Section:
    """Where the records went, as a PRISMA flow diagram and a table."""
    why = "stopped because" if now.decision == "stop" else "not stopped:"
    return Section(
        title="Flow of records",
        sentence=f"{now.labels:,} of {now.items:,} records were screened here; {why} "
        f"{REASONS[now.reason]}.",
        tables=(
            Table(
                caption="Flow of records",
                header=("what", "records"),
                rows=tuple((name, f"{number:,}") for name, number in flow_rows(now, work)),
            ),
        ),
        charts=(
            Chart(
                title="Flow of records",
                caption="From the records that were identified to those found relevant, in the form of "
                "a PRISMA flow diagram.",
                figure=flow_diagram(now, work),
            ),
        ),
    )


def targets_section(now: ReviewStatus) -> Section:
    """Several targets read from the same labels."""
    rows = tuple(
        (
            f"{one.recall:g}",
            "certified" if one.certified else "not yet",
            "–" if one.expected_labels is None else f"{one.expected_labels:,}",
            f"{one.floor:,}",
        )
        for one in now.targets
    )
    return Section(
        title="Targets",
        sentence=f"Certified recall now: {certified(now)}. Every target may be read at the same time.",
        tables=(
            Table(
                caption="Targets; the last column is the least that any method must read",
                header=("recall", "verdict", "random labels to go", "irrelevant to read"),
                rows=rows,
            ),
        ),
    )


def _proof(project: Project, state: State, head: str, events: int) -> Section:
    work = the_review(state)
    secrets = work.secrets or ("not revealed yet: a certificate reveals it",)
    issued = [one.event.certificate for one in work.certificates[-1:]]
    name = PurePath(project.folder.resolve().name)
    folder, file = (shlex.quote(str(path)) for path in (name, name / "certificate.json"))
    check = (
        command("verify", file, project=folder)
        if issued
        else command("review status", project=folder)
    )
    return Section(
        title="How to check",
        sentence="Everything follows from the ledger, the collection and the secret numbers below.",
        paragraphs=(f"Commands: {check}.",),
        tables=(
            Table(
                caption="Hashes (SHA-256)",
                header=("what", "value"),
                rows=(
                    ("ledger, last event", f"{events:,}"),
                    ("ledger, hash of it", head),
                    ("collection, checksum", collection_of(state).fingerprint),
                    ("certificate, hash", *(issued or ["none was issued"])),
                    *(("hash of a secret number", one) for one in work.commitments),
                    *(("secret number", one) for one in secrets),
                    ("method", work.opened.method),
                    ("software", f"assaymark {__version__}"),
                ),
            ),
        ),
    )
