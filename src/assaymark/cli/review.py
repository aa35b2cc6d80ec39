"""The commands for a review that learns, with a certified end: review."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.claims.record import plain
from assaymark.claims.results import counted, percent
from assaymark.terminal.batches import advise_labels
from assaymark.terminal.options import FOLDER, JSON, argument, option, with_options
from assaymark.terminal.output import (
    DIRECTORY,
    WholeSentences,
    advise,
    asks,
    confirmed,
    headline,
    progress_bar,
    quoted,
    rows,
    say,
    show_json,
)

if TYPE_CHECKING:
    from assaymark.project.folder import Project
    from assaymark.reviewing.starting import Started
    from assaymark.reviewing.status import ReviewStatus

READ = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(cls=WholeSentences)
def review() -> None:
    """Read in rank order while a model learns, and stop when the recall is proved.

    \b
      assaymark review start work --pool records.csv --id id --text title --text abstract --recall 0.9
      assaymark review next -n 50 -p work
      assaymark label work/review-1.csv -p work
      assaymark review status -p work
      assaymark review certify -p work
    """


@review.command()
@with_options
def start(
    folder: Path = argument(type=DIRECTORY),
    pool: str = option(
        "The records: .parquet, .csv[.gz], .jsonl, .xlsx, .ris, .nbib (PubMed) or .asreview."
    ),
    id_columns: tuple[str, ...] = option(
        "Unique id of a record; repeat it where several columns make the id.",
        "--id",
        metavar="COL",
        required=True,
    ),
    text: tuple[str, ...] = option("What people read; repeatable.", metavar="COL", required=True),
    score: str | None = option("Another system's score: read highest first.", metavar="COL"),
    rank: str | None = option("Another system's rank: read lowest first.", metavar="COL"),
    recall: str = option("Recall to prove.", default="0.8", metavar="X"),
    confidence: str = option("How sure the statement is to be.", default="0.95", metavar="X"),
    known: str | None = option("Ids of records known to be relevant.", metavar="ID,ID|FILE"),
    terms: str | None = option("Search terms: records with them come first.", metavar="WORD,WORD"),
    screened: tuple[str, ...] = option(
        "Records with their answers from another tool; repeatable.", "--import", metavar="FILE"
    ),
    skip_unmatched: bool = option(
        "Begin without imported records that are not found in the pool; they are listed."
    ),
    open_decisions: bool = option(
        "People who decide between readers may see the figures; what they decide counts as relevant."
    ),
    twice: str = option(
        "Share of the records that two people read; a record counts when both have.",
        default="0",
        metavar="SHARE",
    ),
    as_json: bool = JSON,
) -> None:
    """Begin a review of a collection in FOLDER, and say what a proof of recall costs at least.

    Answers made elsewhere (ASReview project file, csv or RIS, Rayyan or Covidence csv, or a table
    with id and label) come in with --import; from then on only random draws from the rest are asked
    for. FILE=relevant and FILE=irrelevant say it of all records of a file.
    """
    from assaymark.pool.joined_ids import joined_name
    from assaymark.reviewing.starting import Start
    from assaymark.reviewing.starting import start as run

    request = Start(
        pool=pool,
        id=joined_name(id_columns),
        text=text,
        recall=recall,
        confidence=confidence,
        score=score,
        rank=rank,
        known=known,
        terms=tuple(word.strip() for word in (terms or "").split(",") if word.strip()),
        screened=screened,
        skip_unmatched=skip_unmatched,
        decisions="open" if open_decisions else "blind",
        twice=twice,
    )
    with progress_bar("review") as progress:
        begun = run(folder, request, progress=progress)
    if as_json:
        show_json(_started_json(begun, folder))
        return
    headline(f"Review of {counted(begun.items, 'record')} begun in {folder}")
    lines = [
        (
            "target",
            f"recall {float(begun.target):g} with {percent(float(begun.confidence))} confidence",
        )
    ]
    if begun.merged:
        lines.append(
            ("duplicates", f"{len(begun.merged):,} merged, listed in {folder / 'duplicates.csv'}")
        )
    if begun.known:
        lines.append(("known", f"{counted(begun.known, 'label')}, {begun.found:,} relevant"))
    if begun.unmatched:
        number = counted(len(begun.unmatched), "imported record")
        lines.append(("not found", f"{number} left out, listed in {folder / 'unmatched.csv'}"))
    lines.append(("head", f"{begun.head} (have somebody else keep it)"))
    rows(lines)
    _show_floor(begun)
    advise(f"assaymark review next -n 50 -p {quoted(folder)}")


def _started_json(begun: "Started", folder: Path) -> dict[str, object]:
    return {
        "project": str(folder),
        "items": begun.items,
        "recall": float(begun.target),
        "confidence": float(begun.confidence),
        "known": begun.known,
        "found": begun.found,
        "head": begun.head,
        "duplicates": [plain(one) for one in begun.merged],
        "unmatched": [{"file": one.file, "id": one.id} for one in begun.unmatched],
        "floor": [
            {
                "relevant": row.relevant,
                "irrelevant_read": {
                    f"{float(target):g}": labels
                    for target, labels in zip(begun.targets, row.labels, strict=True)
                },
            }
            for row in begun.floor
        ],
    }


def _show_floor(begun: "Started") -> None:
    from assaymark.reviewing.wording import floor_words

    if not begun.floor:
        return  # too few records for a guess
    say("No method can prove recall with less. Irrelevant records to read on average:")
    say("  relevant" + "".join(f"{f'recall {float(t):g}':>20}" for t in begun.targets))
    for row in begun.floor:
        cells = "".join(
            f"{f'{labels:,} ({100 * labels / (begun.items - row.relevant):.0f}%)':>20}"
            for labels in row.labels
        )
        say(f"  {row.relevant:>8,}{cells}")
    for sentence in floor_words(begun):
        say(sentence)


@review.command(name="next")
@with_options
def next_command(
    count: int = option("How many items.", "-n", default=50, long=False),
    output: Path | None = option("Where to write: .csv, .jsonl, .xlsx, .ris …", "-o"),
    form: str = option("As for assaymark draw.", "--format", default="auto"),
    pending: bool = option("Write items without a label again."),
    anyway: bool = option("Hand out more although missing labels hold up others."),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Hand out the next items: one mixed batch in which every item looks the same."""
    from assaymark.project.folder import Project
    from assaymark.reviewing.handing import next_items, write_open

    project = Project(folder=folder)
    if not pending and not anyway:
        _ask_about_held_up(project)
    with progress_bar("review") as progress:
        handout = (
            write_open(project, output=output, form=form)
            if pending
            else next_items(project, count=count, output=output, form=form, progress=progress)
        )
    if as_json:
        show_json(plain(handout))
        return
    if handout.path is None:
        headline(f"Nothing new to read: {counted(handout.open, 'open record')} come first", "wait")
        advise(f"assaymark review next --pending -p {quoted(folder)}")
        return
    title = "Open records" if pending else f"Handout {handout.number}"
    headline(f"{title}: {counted(len(handout.items), 'item')} to label")
    rows([("file", str(handout.path)), ("without label", f"{handout.open:,}")])
    advise_labels(handout.path, folder, fill=handout.fill)


def _ask_about_held_up(project: "Project") -> None:
    """Labels that do not count are named before more is handed out; somebody at the terminal decides."""
    from assaymark.errors import PlanError
    from assaymark.hints import command, switch
    from assaymark.reviewing.standing import NEW_DRAWS, account_of, held_up, the_review

    state = project.state()
    held = held_up(account_of(state, the_review(state)))
    if held is None:
        return
    first = command("review next", pending=True)
    if not asks():
        raise PlanError(
            f"{held.sentence} {NEW_DRAWS} First label what is open: {first}. To hand out more anyway, "
            f"add {switch('anyway')}."
        )
    say(f"  {held.sentence}", tone="wait")
    if not confirmed(f"{NEW_DRAWS} Hand out more anyway?"):
        advise(first)
        raise click.exceptions.Exit(0)


@review.command()
@with_options
def status(
    targets: tuple[str, ...] = option("Another target; repeatable.", "--recall", metavar="X"),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Whether to stop: found, at most left, certified recall now, and what is still to read.

    For the lead only: readers and those who decide between them should not see it.
    """
    from assaymark.project.folder import Project
    from assaymark.reviewing.standing import exact_share
    from assaymark.reviewing.status import review_status
    from assaymark.reviewing.wording import advice

    also = [exact_share("recall", text) for text in targets]
    now = review_status(Project(folder=folder, resumes=True), also=also)
    if as_json:
        show_json(plain(now))
        return
    show_status(now, quoted(folder))
    advise(advice(now, project=quoted(folder)))


def show_status(now: "ReviewStatus", folder: str) -> None:
    """The figures of a review, verdict first."""
    from assaymark.reviewing.wording import (
        REASONS,
        certified,
        floor,
        known_before,
        last_resort,
        next_step,
        to_go,
        waiting,
    )

    stop = now.decision == "stop"
    headline(
        f"{'Stop' if stop else 'Continue'}: {REASONS[now.reason]}.", "good" if stop else "wait"
    )
    rows(
        [
            ("labels", f"{now.labels:,} ({now.directed:,} directed, {now.random:,} random)"),
            ("known before", known_before(now)),
            ("found", f"{now.found:,}"),
            ("left at most", f"{now.left_at_most:,}"),
            (
                "certified recall",
                f"{certified(now)} (target {now.target:g}, {percent(now.confidence)} confidence)",
            ),
            ("to go", to_go(now)),
            ("next per cent", next_step(now)),
            ("cannot tell", f"{now.unclear:,}"),
            ("unread", f"{now.unread:,} of {now.items:,}"),
            ("floor", floor(now)),
        ]
    )
    for held in (waiting(now), last_resort(now, project=folder)):
        if held:
            say(f"  {held}")
    for one in now.targets:
        more = "certified" if one.certified else "no number can be named yet"
        if not one.certified and one.expected_labels is not None:
            more = f"about {one.expected_labels:,} random labels to go"
        say(f"  recall {one.recall:g}: {more}")


@review.command()
@with_options
def certify(
    output: Path | None = option("Where to write (default: certificate.json).", "-o"),
    key: Path | None = option("Sign with this key.", type=READ),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Issue the certificate of the review, and reveal the secret so that draws can be checked."""
    from assaymark.certification.signatures.signing import load_signer
    from assaymark.project.folder import Project
    from assaymark.reviewing.certificate import certify_review

    signer = load_signer(key) if key else None
    issued = certify_review(Project(folder=folder), output=output, signer=signer)
    if as_json:
        said = {"path": str(issued.path), "hash": issued.hash, "signed": signer is not None}
        show_json({**plain(issued.certificate), **said, "head": issued.head})
        return
    headline(str(issued.certificate), "good")
    rows([("file", str(issued.path)), ("SHA-256", issued.hash), ("head", issued.head)])
    advise(f"assaymark verify {quoted(issued.path)} -p {quoted(folder)}")


@review.command()
@with_options
def export(
    output: Path = option("Where to write: .csv or .ris.", "-o"),
    form: str = option("csv, ris or asreview.", "--format", default="auto"),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Write every record with its decision for another tool."""
    from assaymark.project.folder import Project
    from assaymark.reviewing.exporting import export_decisions

    number = export_decisions(Project(folder=folder), output, form=form)
    if as_json:
        show_json({"path": str(output), "decided": number})
        return
    headline(f"{counted(number, 'decision')} written to {output}")
