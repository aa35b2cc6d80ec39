"""The next items to read: one queue in which random and directed items look the same."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from assaymark.errors import InputError, PlanError
from assaymark.files.batch import BatchRow, refuse_existing, write_batch
from assaymark.files.tools import find_writer
from assaymark.hints import command
from assaymark.ledger.events import (
    Event,
    ReviewDrawn,
    ReviewWork,
    SecretCommitted,
    State,
)
from assaymark.pool import Progress, silent
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.tables import file_digest
from assaymark.project.batch_files import write_new_batch
from assaymark.project.folder import Project, Session, collection_of
from assaymark.records.seeds import commitment_of
from assaymark.reviewing.ranking import Ranking, all_ids, rank
from assaymark.reviewing.secret import new_secret, read_secret
from assaymark.reviewing.standing import Account, account_of, readings, target_of, the_review
from assaymark.reviewing.stats import draw_batch, experience, set_digest, wants_random
from assaymark.sampling.surveys import store_texts
from assaymark.sampling.tickets import blind_order

MIXED = 10  # one item in this many is directed while random draws are wanted
SLACK = 50  # items made ready beyond those wanted, because readers go on meanwhile
Texts = dict[str, dict[str, str | None]]


@dataclass(frozen=True, kw_only=True)
class Handout:
    """What was handed out; which items are random is nowhere in it."""

    number: int
    items: tuple[str, ...]
    open: int
    path: Path | None
    fill: str


def random_share(work: ReviewWork, account: Account, count: int) -> int:
    """How many of the next items are drawn at random."""
    standing, target = account.standing, target_of(work)
    history = readings(work, account.plays)
    past = experience(history, relevant=standing.found, unread=standing.unread, target=target)
    if work.opened.ranking == "none" and past.since_hit is None:
        return count if standing.found else 0
    wanted = wants_random(past, relevant=standing.found, unread=standing.unread, target=target)
    return count - max(1, count // MIXED) if wanted and count > 1 else count * wanted


def next_items(
    project: Project,
    *,
    count: int,
    output: Path | None = None,
    form: str = "auto",
    write: bool = True,
    progress: Progress = silent,
) -> Handout:
    """Hand out the next `count` items: the random part is drawn first, from all unread items.

    Ranking, tickets and texts come before the ledger is locked, so that no reader's answer waits for
    them; while it is locked, the set drawn from is settled and what left it meanwhile is passed over.
    """
    if count < 1:
        raise InputError(f"Hand out at least 1 item, got {count}.")
    before = project.state()
    path = output or project.folder / f"review-{the_review(before).handouts + 1}.csv"
    writer = find_writer(path, form)
    ready = _prepared(project, before, count, progress)
    with project.writing() as session:
        state = session.state
        work = the_review(state)
        events, items = _drawn(project, session, work, ready, count)
        texts = _with_texts(project, state, items, ready.texts)
        file, digest = _store(project, state, work, items, texts)
        order = blind_order(f"{work.opened.commitment}:{work.handouts + 1}", items)
        if write and items:
            rows: list[BatchRow] = [{"id": item, "label": "", **texts[item]} for item in order]
            name, columns = f"handout {work.handouts + 1}", collection_of(state).columns.text
            write_new_batch(project.folder, name, path, rows, columns, form=form)
        session.record(*(_filed(event, file, digest) for event in events))
        still = sum(not state.labelled(item) for item in work.handed)
    return Handout(
        number=events[-1].handout,
        items=tuple(order),
        open=still + len(items),
        path=path if write and items else None,
        fill=writer.fill,
    )


def _filed(event: ReviewDrawn, file: str, digest: str) -> Event:
    return replace(event, file=file, sha256=digest)


@dataclass(frozen=True, kw_only=True, eq=False)
class Ready:
    """What a handout needs, worked out from the labels of a moment before.

    `random` items are to be drawn: how many is a question of cost alone, so it may be answered
    early. `tickets` are the first items of batch `number` in draw order, or None where their secret
    was not known yet; items only ever leave the set drawn from, so those that are left keep their
    order.
    """

    ids: list[str]
    ranking: Ranking
    random: int
    number: int
    tickets: list[str] | None
    texts: Texts


def _prepared(project: Project, state: State, count: int, progress: Progress) -> Ready:
    work = the_review(state)
    ids = sorted(all_ids(project, state))
    account = account_of(state, work)
    ranking = rank(project, state, work, account.plays, progress=progress)
    inside = work.inside(state, ids)
    wanted, number = random_share(work, account, count), len(work.batches) + 1
    tickets = None
    if wanted and work.drawable:
        secret = read_secret(project.folder, work)
        tickets = draw_batch(secret, number, inside, wanted + SLACK)
    free = {*inside} - work.handed.keys()
    likely = islice((item for item in ranking.order if item in free), count + SLACK)
    texts = _texts(project, state, list(dict.fromkeys([*(tickets or ()), *likely])))
    return Ready(
        ids=ids, ranking=ranking, random=wanted, number=number, tickets=tickets, texts=texts
    )


def _drawn(
    project: Project, session: Session, work: ReviewWork, ready: Ready, count: int
) -> tuple[list[ReviewDrawn], list[str]]:
    ranking = ready.ranking
    if ranking.event is not None and ranking.event.number == len(work.rankings) + 1:
        session.record(ranking.event)
    inside = work.inside(session.state, ready.ids)
    handout = work.handouts + 1
    events: list[ReviewDrawn] = []
    chosen: list[str] = []
    free = set(inside)
    wanted = min(ready.random, len(inside))
    if wanted:
        secret = _secret(project, session, work)
        number = len(work.batches) + 1
        same = ready.tickets if number == ready.number else None
        chosen = [item for item in same or () if item in free][:wanted]
        if len(chosen) < wanted:
            chosen = draw_batch(secret, number, inside, wanted)
        events.append(_event(number, handout, "random", chosen, inside))
    fresh = [item for item in chosen if item not in work.handed]
    free.difference_update(chosen, work.handed)
    directed = list(islice((i for i in ranking.order if i in free), count - len(fresh)))
    if not (fresh or directed or chosen):
        raise PlanError(_nothing_left(account_of(session.state, work)))
    if directed:
        number = len(work.batches) + 1 + len(events)
        events.append(_event(number, handout, "directed", directed, None))
    return events, [*fresh, *directed]


def _secret(project: Project, session: Session, work: ReviewWork) -> str:
    if work.drawable:
        return read_secret(project.folder, work)
    number = len(work.commitments) + 1
    secret = new_secret(project.folder, number)
    session.record(SecretCommitted(review=1, number=number, commitment=commitment_of(secret)))
    return secret


def _event(
    number: int, handout: int, route: str, items: Sequence[str], inside: Sequence[str] | None
) -> ReviewDrawn:
    return ReviewDrawn(
        review=1,
        batch=number,
        handout=handout,
        route=route,  # type: ignore[arg-type]
        items=tuple(items),
        file="pending",  # named when its texts are stored, before it is recorded
        sha256="",
        n=None if inside is None else len(inside),
        digest=None if inside is None else set_digest(inside),
    )


def _nothing_left(account: Account) -> str:
    if account.open:
        return (
            f"Every unread record was handed out; {account.open:,} of them have no label yet. Label "
            f"these; to write them again: {command('review next', pending=True)}."
        )
    return "Every record of the pool has its label: nothing is left to read."


def _with_texts(project: Project, state: State, items: Sequence[str], known: Texts) -> Texts:
    """The texts of these items: those at hand, and the few that are not."""
    missing = [item for item in items if item not in known]
    more = _texts(project, state, missing) if missing else {}
    return {item: known[item] if item in known else more[item] for item in items}


def _texts(project: Project, state: State, items: Sequence[str]) -> Texts:
    collection = collection_of(state)
    pool = DuckDBPool(project.pool_path(collection), collection.columns)
    try:
        return pool.texts(list(items))
    finally:
        pool.close()


def _store(
    project: Project,
    state: State,
    work: ReviewWork,
    items: Sequence[str],
    texts: Texts,
) -> tuple[str, str]:
    file = Path("reserve") / f"review-{work.handouts + 1}.parquet"
    place = project.folder / file
    store_texts(place, items, texts, collection_of(state).columns.text)
    return file.as_posix(), file_digest(place)


def write_open(project: Project, *, output: Path | None = None, form: str = "auto") -> Handout:
    """Write the items again that were handed out and have no final label. Records nothing."""
    state = project.state()
    work = the_review(state)
    items = [item for item in work.handed if not state.labelled(item)]
    if not items:
        raise PlanError("Every item that was handed out has its label. Hand out more.")
    path = output or project.folder / f"review-open-{work.handouts}.csv"
    refuse_existing(path)
    texts = _texts(project, state, items)
    order = blind_order(work.opened.commitment, items)
    rows: list[BatchRow] = [{"id": item, "label": "", **texts[item]} for item in order]
    write_batch(path, rows, collection_of(state).columns.text, form=form)
    return Handout(
        number=work.handouts,
        items=tuple(order),
        open=len(items),
        path=path,
        fill=find_writer(path, form).fill,
    )
