"""Audit over time: random automated items of later batches, in the project's ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assaymark.claims.canonical import digest
from assaymark.claims.record import plain, stored
from assaymark.claims.results import percent
from assaymark.errors import InputError, PlanError
from assaymark.hints import command, option
from assaymark.labelling.texts import Shelf, text_sources
from assaymark.ledger.events import State, SurveyedItem, SurveyReported, SurveyWork
from assaymark.pool import Progress, silent
from assaymark.pool.scored import ScoreColumns, ScoreFile
from assaymark.project.folder import Project, Session
from assaymark.sampling.surveys import SurveyBatch, ended_by_next, fresh_seed, hand_out, open_survey
from assaymark.triaging.audit_account import (
    CELLS,
    Opening,
    Parts,
    account_of,
    open_account,
    parts_of,
    refuse_beyond_seal,
    refuse_other_terms,
    sizes_of,
    wanted_draws,
)
from assaymark.triaging.audit_result import AuditResult
from assaymark.triaging.routing import conditions
from assaymark.triaging.stats.unit_audit import AuditUnit, Verdict, judge_units
from assaymark.triaging.triage import Thresholds

PURPOSE = "audit"
ASSUMPTIONS = (
    "Audited items are drawn at random, without replacement, from the automated items of each batch; "
    "their number is fixed when the batch is opened, and draws added later serve the estimate only.",
    "An item that nobody could tell counts as right for the alarm and as wrong for the lower bound.",
    "The alarm and each bound have this confidence one by one. 'Kept' may be asked at every look; the "
    "bounds themselves are for a single look.",
)


@dataclass(frozen=True, kw_only=True)
class AuditBatch:
    """One batch under audit: what it holds, and what its audited draws showed so far."""

    name: str
    items: int
    automated: int
    draws: int
    right: int
    unclear: int

    @property
    def automated_share(self) -> float:
        """The share of the batch that was automated."""
        return self.automated / self.items


@dataclass(frozen=True, kw_only=True)
class AuditAnswer:
    """The verdict over all batches, each batch on its own, and what still waits for labels."""

    audit: AuditResult
    batches: tuple[AuditBatch, ...]
    labels: int
    missing: int
    waiting: int
    late: int
    deadline: int | None
    accounts: int

    def result(self) -> dict[str, Any]:
        """The answer as plain values, for scripts, the ledger and the report."""
        return {
            **plain(self.audit),
            "sentence": str(self.audit),
            "labels": self.labels,
            "missing": self.missing,
            "waiting": self.waiting,
            "late": self.late,
            "deadline": self.deadline,
            "batches": [{**plain(batch), "yield": batch.automated_share} for batch in self.batches],
            "accounts": self.accounts,
            "warnings": list(self.audit.warnings),
            "assumptions": [*ASSUMPTIONS, self._deadline(), *self._other_accounts()],
        }

    def _deadline(self) -> str:
        """When a batch counts: nobody may choose it by holding answers back."""
        waits = "A batch counts when all its draws have an answer, and later batches wait for it"
        if self.deadline is None:
            return f"{waits}; this audit has no deadline."
        later = "the next batch is" if self.deadline == 1 else f"{self.deadline} later batches are"
        return (
            f"{waits}, until {later} opened: a draw without an answer by then counts as one that nobody "
            "could tell, and answers or changes that come later count for nothing."
        )

    def _other_accounts(self) -> tuple[str, ...]:
        """New thresholds start a new account with its own risk: said where there are several."""
        if self.accounts == 1:
            return ()
        risk = percent(round(1 - self.audit.confidence, 6))
        return (
            f"This project has audited {self.accounts} sets of thresholds, each with an alarm of its own: "
            f"the chance of a false alarm is at most {risk} for each of them, not for all together.",
        )


def draw_audit(
    project: Project,
    thresholds: Thresholds,
    *,
    batch: str,
    columns: ScoreColumns,
    count: int,
    opening: Opening | None = None,
    seed: str | None = None,
    output: Path | None = None,
    progress: Progress = silent,
) -> SurveyBatch:
    """Hand out `count` automated items of a batch, at random, blind.

    The first batch seals the alarm; the first draw of each batch fixes how many of its draws count.
    """
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
        request = _AuditRequest(batch=batch, items=items, held=held, count=count, seed=seed)
        work = _work(session, thresholds, file, request, opening or Opening())
        progress("drawing tickets", 0.7)
        drawn = _next_items(file, work, where, parts_of(thresholds), count)
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
    known = [item for item in texts if item not in same and _is_used(state, item)]
    shelf, sources = Shelf(project), text_sources(state)
    shelf.fetch(sources, known)
    for item in known:
        before = dict(shelf.fields(sources, item))
        shared = [name for name in texts[item] if before.get(name)]
        if not shared or any(before[name] != texts[item][name] for name in shared):
            raise InputError(
                f"Item {item!r} of this batch has the id of an item that was drawn before from "
                "another file, and nothing shows that they are the same. Labels go by id: give every "
                "batch ids of its own, such as the month and a number, or show the text with "
                f"{option('text')}."
            )


def _is_used(state: State, item: str) -> bool:
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


@dataclass(frozen=True, kw_only=True)
class _AuditRequest:
    """A batch to draw from: its items, what each kind of decision holds, and the draws wanted."""

    batch: str
    items: int
    held: dict[str, int]
    count: int
    seed: str | None


def _next_items(
    file: ScoreFile, work: SurveyWork, where: dict[str, str], parts: Parts, count: int
) -> list[SurveyedItem]:
    """The next tickets of each part: as many as were fixed at the opening, or `count` more."""
    fixed = [int(draws) for draws in work.survey.settings["draws"]]
    sizes = [sum(work.survey.cells[cell].items for cell in part) for part in parts]
    wanted = wanted_draws(count, sizes) if work.order else fixed
    items = []
    for part, draws in zip(parts, wanted, strict=True):
        known = sum(work.cells[item] in part for item in work.order)
        inside = {CELLS[cell]: where[CELLS[cell]] for cell in part}
        tickets = file.lowest_tickets(work.survey.seed, inside, known + draws)[known:]
        items += [SurveyedItem(id=item, cell=CELLS.index(name)) for item, name in tickets]
    return items


def _work(
    session: Session,
    thresholds: Thresholds,
    file: ScoreFile,
    request: _AuditRequest,
    opening: Opening,
) -> SurveyWork:
    """The survey of this batch: the open one, or a new one."""
    files = file.files()
    about = {
        "thresholds": thresholds_digest(thresholds),
        "rule": thresholds.rule,
        "target": thresholds.target,
        "items": request.items,
        "columns": [file.columns.id, file.columns.score],
        "files": digest(stored(files)),
    }
    audits = [work for work in session.state.surveys if work.survey.purpose == PURPOSE]
    for work in audits:
        if about.items() <= work.survey.settings.items():
            if work is not audits[-1]:
                raise PlanError(
                    f"{Path(request.batch).name!r} was audited before, and a later batch since. Evidence is "
                    "read in draw order: draw from the latest batch."
                )
            refuse_other_terms(account_of([work]), opening)
            return work
    works = [work for work in audits if work.survey.settings["thresholds"] == about["thresholds"]]
    return open_survey(
        session,
        PURPOSE,
        fresh_seed(session.state, request.seed),
        cells=[(name, request.held[name]) for name in CELLS],
        text=file.columns.text,
        source=request.batch,
        files=files,
        settings=about | _terms(thresholds, request, works, opening),
    )


def _terms(
    thresholds: Thresholds, request: _AuditRequest, works: Sequence[SurveyWork], opening: Opening
) -> dict[str, Any]:
    """What is sealed with this batch: the account, and how many draws of it count."""
    parts = parts_of(thresholds)
    sizes = sizes_of(request.held, parts)
    if works:
        account = account_of(works)
        refuse_other_terms(account, opening)
        draws = wanted_draws(request.count, sizes, account)
    else:
        draws = wanted_draws(request.count, sizes)
        account = open_account(opening, sizes, draws)
    refuse_beyond_seal(account, sizes, draws, Path(request.batch).name)
    return {
        "account": stored(account),
        "parts": [list(part) for part in parts],
        "draws": list(draws),
        "closes": ended_by_next(works, account.deadline),
    }


def thresholds_digest(thresholds: Thresholds) -> str:
    """What tells these thresholds from others."""
    return digest(stored(thresholds))


def judge_batches(project: Project, *, opening: Opening | None = None) -> AuditAnswer:
    """What all audited draws of the latest thresholds say; the look is recorded."""
    with project.writing() as session:
        state = session.state
        audits = [work for work in state.surveys if work.survey.purpose == PURPOSE]
        if not audits:
            raise PlanError(
                "No batch was audited in this project yet. Draw from one: "
                + command(
                    "triage audit",
                    thresholds="FILE",
                    batch="FILE",
                    id="COL",
                    draw=50,
                    project="DIR",
                )
            )
        same = audits[-1].survey.settings["thresholds"]
        works = [work for work in audits if work.survey.settings["thresholds"] == same]
        refuse_other_terms(account_of(works), opening or Opening())
        accounts = len({work.survey.settings["thresholds"] for work in audits})
        answer = _judged(state, works, accounts)
        session.record(
            SurveyReported(
                survey=works[-1].survey.number, labels=answer.labels, result=answer.result()
            )
        )
    return answer


def _judged(state: State, audits: list[SurveyWork], accounts: int) -> AuditAnswer:
    parts = tuple(tuple(part) for part in audits[0].survey.settings["parts"])
    sides = [_units(state, audits, part, number) for number, part in enumerate(parts)]
    whole = min(len(units) for units in sides)
    sides = [units[:whole] for units in sides]
    target = float(audits[0].survey.settings["target"])
    result = judge_units(sides, account_of(audits), target=target)
    return AuditAnswer(
        audit=result,
        batches=tuple(
            _batch(work, [units[at] for units in sides] if at < whole else [])
            for at, work in enumerate(audits)
        ),
        labels=result.draws,
        missing=sum(
            not state.labelled(item) for work in audits if not work.closed for item in work.order
        ),
        waiting=sum(state.labelled(item) for work in audits[whole:] for item in work.order),
        late=sum(work.final[item] != state.label(item) for work in audits for item in work.final),
        deadline=account_of(audits).deadline,
        accounts=accounts,
    )


def _batch(work: SurveyWork, units: Sequence[AuditUnit]) -> AuditBatch:
    verdicts = [verdict for unit in units for verdict in unit.draws]
    return AuditBatch(
        name=Path(work.survey.source or "").name,
        items=int(work.survey.settings["items"]),
        automated=sum(cell.items for cell in work.survey.cells),
        draws=len(verdicts),
        right=verdicts.count(True),
        unclear=verdicts.count(None),
    )


def _units(
    state: State, audits: Sequence[SurveyWork], part: Sequence[int], number: int
) -> list[AuditUnit]:
    """The batches of one part in order, up to the first that still waits for answers."""
    units = []
    for work in audits:
        fixed = int(work.survey.settings["draws"][number])
        drawn = [item for item in work.order if work.cells[item] in part]
        answered = work.closed or all(state.labelled(item) for item in drawn[:fixed])
        if len(drawn) < fixed or not answered:
            break
        later = [item for item in drawn[fixed:] if state.labelled(item)]
        units.append(
            AuditUnit(
                items=sum(work.survey.cells[cell].items for cell in part),
                draws=tuple(_verdict(state, work, item) for item in drawn[:fixed]),
                later=tuple(_verdict(state, work, item) for item in later),
            )
        )
    return units


def _verdict(state: State, work: SurveyWork, item: str) -> Verdict:
    label = work.final[item] if item in work.final else state.label(item)
    return None if label is None else label == 1 - work.cells[item]
