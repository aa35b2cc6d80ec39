"""Audit over time: random automated items of later batches, in the project's ledger."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.draw import simple_draws
from assay.errors import InputError, PlanError
from assay.events import State, SurveyedItem, SurveyReported, SurveyWork
from assay.pool import Progress, silent
from assay.pool.routing import conditions
from assay.pool.scored import ScoreColumns, ScoreFile
from assay.pool.tables import file_digest
from assay.stats.triage_audit import judge_audit
from assay.steps.project import Project, Session
from assay.steps.survey import SurveyBatch, hand_out, open_survey
from assay.types.canonical import digest
from assay.types.pool import PoolFile
from assay.types.record import plain
from assay.types.survey import Cell, Survey
from assay.types.triage import AuditFound, Thresholds

PURPOSE = "audit"
CELLS = ("accept", "reject")
ASSUMPTIONS = (
    "Audited items are drawn at random, with replacement, from the automated items of each batch.",
    "Items count in draw order, up to the first without a label; one that nobody could tell counts "
    "as wrong.",
)


@dataclass(frozen=True, kw_only=True)
class AuditBatch:
    """One batch under audit: what it holds, and what its audited draws showed so far."""

    name: str
    items: int
    automated: int
    draws: int
    right: int

    @property
    def automated_share(self) -> float:
        """The share of the batch that was automated."""
        return self.automated / self.items


@dataclass(frozen=True, kw_only=True)
class AuditAnswer:
    """The verdict over all batches, each batch on its own, and what still waits for labels."""

    found: AuditFound
    batches: tuple[AuditBatch, ...]
    labels: int
    missing: int
    waiting: int

    def result(self) -> dict[str, Any]:
        """The answer as plain values, for scripts, the ledger and the report."""
        return {
            **plain(self.found),
            "sentence": str(self.found),
            "labels": self.labels,
            "missing": self.missing,
            "waiting": self.waiting,
            "batches": [{**plain(batch), "yield": batch.automated_share} for batch in self.batches],
            "assumptions": list(ASSUMPTIONS),
        }


def draw_audit(
    project: Project,
    thresholds: Thresholds,
    *,
    batch: str,
    columns: ScoreColumns,
    count: int,
    seed: str | None = None,
    output: Path | None = None,
    progress: Progress = silent,
) -> SurveyBatch:
    """Hand out `count` more automated items of a batch, at random, blind."""
    _auditable(thresholds)
    if count < 1:
        raise InputError(f"Draw at least 1 item, got {count}.")
    with project.writing() as session, ScoreFile(batch, columns, what="batch") as file:
        progress("checking the batch", 0.2)
        items = file.refuse_bad_scores()
        file.refuse_bad_ids(items)
        parts = conditions(file.score, thresholds.cutoffs)
        where = {name: parts[name] for name in CELLS}
        held = file.counts(where)
        if not sum(held.values()):
            raise InputError(f"No item of {batch!r} is automated by these thresholds.")
        work = _work(session, thresholds, file, batch, items, held, seed)
        known = len(work.order)
        progress("drawing tickets", 0.7)
        tickets = file.lowest_tickets(work.survey.seed, where, known + count)[known:]
        drawn = [SurveyedItem(id=item, cell=CELLS.index(part)) for item, part in tickets]
        texts = file.texts([item.id for item in drawn])
        return hand_out(project, session, work, drawn, texts, output=output)


def _auditable(thresholds: Thresholds) -> None:
    if thresholds.rule == "sides":
        raise InputError(
            "These thresholds promise error rates within each class, which an audit of automated "
            "items cannot see: it would need the reviewed items too. Audit thresholds of the rule "
            "certified or precision."
        )
    if thresholds.cutoffs.none:
        raise InputError("These thresholds automate nothing, so there is nothing to audit.")


def _work(
    session: Session,
    thresholds: Thresholds,
    file: ScoreFile,
    batch: str,
    items: int,
    held: dict[str, int],
    seed: str | None,
) -> SurveyWork:
    """The survey of this batch: the open one, or a new one."""
    files = tuple(
        PoolFile(name=path.name, size=path.stat().st_size, sha256=file_digest(path))
        for path in file.source.files
    )
    settings = {
        "thresholds": thresholds_digest(thresholds),
        "target": thresholds.target,
        "items": items,
        "files": digest(plain(files)),
    }
    audits = [work for work in session.state.surveys if work.survey.purpose == PURPOSE]
    for work in audits:
        if work.survey.settings == settings:
            if work is not audits[-1]:
                raise PlanError(
                    f"{Path(batch).name!r} was audited before, and a later batch since. Evidence is "
                    "read in draw order: draw from the latest batch."
                )
            return work
    survey = Survey(
        number=len(session.state.surveys) + 1,
        purpose="audit",
        seed=seed or secrets.token_hex(16),
        cells=tuple(Cell(name=name, items=held[name]) for name in CELLS),
        text=file.columns.text,
        source=batch,
        files=files,
        settings=settings,
    )
    return open_survey(session, survey)


def thresholds_digest(thresholds: Thresholds) -> str:
    """What tells these thresholds from others."""
    return digest(plain(thresholds))


def judge_batches(project: Project, *, confidence: float = 0.95) -> AuditAnswer:
    """What all audited draws of the latest thresholds say; the look is on record."""
    with project.writing() as session:
        state = session.state
        audits = [work for work in state.surveys if work.survey.purpose == PURPOSE]
        if not audits:
            raise PlanError(
                "No batch was audited in this project yet. Draw from one: assay triage audit "
                "--thresholds FILE --batch FILE --id COL --draw 50 -p DIR"
            )
        same = audits[-1].survey.settings["thresholds"]
        own = [work for work in audits if work.survey.settings["thresholds"] == same]
        answer = _judged(state, own, confidence)
        session.record(
            SurveyReported(
                survey=own[-1].survey.number, labels=answer.labels, result=answer.result()
            )
        )
    return answer


def drawn_in_order(work: SurveyWork) -> Iterator[str]:
    """The items of an audit in draw order, repeats included; they follow from the seed."""
    domain = sum(cell.items for cell in work.survey.cells)
    draws = simple_draws(
        work.survey.seed, domain=domain, drawn=0, known=0, new=len(work.order), last=None
    )
    return (work.order[draw.place] for draw in draws)


def _judged(state: State, audits: list[SurveyWork], confidence: float) -> AuditAnswer:
    right: list[bool] = []
    batches = []
    stopped = False
    for work in audits:
        own: list[bool] = []
        for item in drawn_in_order(work):
            stopped = stopped or not state.labelled(item)
            if stopped:
                break
            label = state.label(item)
            own.append(label is not None and label == 1 - work.cells[item])
        right += own
        batches.append(
            AuditBatch(
                name=Path(work.survey.source or "").name,
                items=int(work.survey.settings["items"]),
                automated=sum(cell.items for cell in work.survey.cells),
                draws=len(own),
                right=sum(own),
            )
        )
    every = [item for work in audits for item in work.order]
    known = sum(state.labelled(item) for item in every)
    used = _used(state, audits)
    return AuditAnswer(
        found=judge_audit(
            right, target=float(audits[0].survey.settings["target"]), confidence=confidence
        ),
        batches=tuple(batches),
        labels=used,
        missing=len(every) - known,
        waiting=known - used,
    )


def _used(state: State, audits: list[SurveyWork]) -> int:
    """Items in the labelled prefix of all draws."""
    number = 0
    for work in audits:
        for item in work.order:
            if not state.labelled(item):
                return number
            number += 1
    return number
