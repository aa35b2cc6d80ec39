"""Audit over time: random automated items of later batches, in the project's ledger."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assaymark.claims.canonical import digest
from assaymark.claims.record import plain, stored
from assaymark.errors import InputError, PlanError
from assaymark.labelling.texts import Shelf, text_sources
from assaymark.ledger.events import State, SurveyedItem, SurveyReported, SurveyWork
from assaymark.pool import Progress, silent
from assaymark.pool.scored import ScoreColumns, ScoreFile
from assaymark.pool.tables import file_digest
from assaymark.project.folder import Project, Session
from assaymark.records.pool import PoolFile
from assaymark.records.survey import Cell, Survey
from assaymark.sampling.surveys import SurveyBatch, hand_out, open_survey
from assaymark.triaging.routing import conditions
from assaymark.triaging.stats.drift_audit import Side, judge_audit, judge_sides, kept_rates
from assaymark.triaging.triage import AuditFound, Thresholds

PURPOSE = "audit"
CELLS = ("accept", "reject")
ASSUMPTIONS = (
    "Audited items are drawn at random, without replacement, from the automated items of each batch.",
    "Items count once, in draw order, up to the first without a label; one that nobody could tell "
    "counts as wrong.",
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
        _refuse_other_items(project, session.state, work, texts)
        return hand_out(project, session, work, drawn, texts, output=output)


def _refuse_other_items(
    project: Project,
    state: State,
    work: SurveyWork,
    texts: Mapping[str, Mapping[str, str | None]],
) -> None:
    """Refuse an id under which the project knows another item: labels go by id.

    The same text in the columns that both show, or the same files, mean the same item.
    """
    same = {
        item
        for other in state.surveys
        if other.survey.files == work.survey.files
        for item in other.order
    }
    known = [item for item in texts if item not in same and _seen(state, item)]
    shelf, sources = Shelf(project), text_sources(state)
    shelf.fetch(sources, known)
    for item in known:
        before = dict(shelf.fields(sources, item))
        shared = [name for name in texts[item] if before.get(name)]
        if not shared or any(before[name] != texts[item][name] for name in shared):
            raise InputError(
                f"Item {item!r} of this batch has the id of an item that was drawn before from "
                "another file, and nothing shows that they are the same. Labels go by id: give every "
                "batch ids of its own, such as the month and a number, or show the text with --text."
            )


def _seen(state: State, item: str) -> bool:
    return state.drawn(item) or item in state.answers


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
        "rule": thresholds.rule,
        "target": thresholds.target,
        "items": items,
        "columns": [file.columns.id, file.columns.score],
        "files": digest(stored(files)),
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
    return digest(stored(thresholds))


def judge_batches(project: Project, *, confidence: float = 0.95) -> AuditAnswer:
    """What all audited draws of the latest thresholds say; the look is on record."""
    with project.writing() as session:
        state = session.state
        audits = [work for work in state.surveys if work.survey.purpose == PURPOSE]
        if not audits:
            raise PlanError(
                "No batch was audited in this project yet. Draw from one: assaymark triage audit "
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


def _judged(state: State, audits: list[SurveyWork], confidence: float) -> AuditAnswer:
    audited = _audited(state, audits)
    batches = tuple(
        AuditBatch(
            name=Path(work.survey.source or "").name,
            items=int(work.survey.settings["items"]),
            automated=sum(cell.items for cell in work.survey.cells),
            draws=len(own),
            right=sum(flag for _, flag in own),
        )
        for work, own in zip(audits, audited, strict=True)
    )
    every = [item for work in audits for item in work.order]
    known = sum(state.labelled(item) for item in every)
    used = sum(batch.draws for batch in batches)
    return AuditAnswer(
        found=_found(audits, audited, confidence),
        batches=batches,
        labels=used,
        missing=len(every) - known,
        waiting=known - used,
    )


Audited = list[tuple[int, bool]]


def _audited(state: State, audits: Sequence[SurveyWork]) -> list[Audited]:
    """Cell and verdict of each item in draw order, batch by batch, up to the first without label."""
    found: list[Audited] = [[] for _ in audits]
    for own, work in zip(found, audits, strict=True):
        for item in work.order:
            if not state.labelled(item):
                return found
            cell, label = work.cells[item], state.label(item)
            own.append((cell, label is not None and label == 1 - cell))
    return found


def _found(audits: list[SurveyWork], audited: list[Audited], confidence: float) -> AuditFound:
    settings = audits[0].survey.settings
    target = float(settings["target"])
    right = [flag for own in audited for _, flag in own]
    if settings["rule"] == "precision":
        sides = [_side(audits, audited, cell, target) for cell in range(len(CELLS))]
        asked = [side for side in sides if side is not None]
        return judge_sides(right, asked, target=target, confidence=confidence)
    rates = kept_rates(
        [[flag for _, flag in own] for own in audited],
        [sum(cell.items for cell in work.survey.cells) for work in audits],
        target=target,
    )
    return judge_audit(right, target=target, confidence=confidence, rates=rates)


def _side(
    audits: list[SurveyWork], audited: list[Audited], cell: int, target: float
) -> Side | None:
    """The draws of one kind of decision; None where no batch holds any."""
    items = [work.survey.cells[cell].items for work in audits]
    if not sum(items):
        return None
    rates = kept_rates(
        [[flag for part, flag in own if part == cell] for own in audited], items, target=target
    )
    parts = np.array([part for own in audited for part, _ in own], dtype=np.int64)
    return Side(places=np.flatnonzero(parts == cell), rates=rates)
