"""The files that a project's collection names: read once, since it never changes."""

import contextlib
from collections.abc import Collection

from assaymark.errors import AssaymarkError
from assaymark.pool.named_files import TooManyNamesError, files_named_by
from assaymark.project.attachments import base_name, unclear_names
from assaymark.project.folder import collection_of
from assaymark.records.pool import RegisteredPool
from assaymark.web.site import Site

AGAIN = 60  # seconds until a collection that could not be read is asked again


def named_files(site: Site, collection: RegisteredPool) -> list[str]:
    """The files that the collection names in what reviewers read."""
    if site.named_files is None:
        pool = site.project.pool(collection)
        try:
            site.named_files = files_named_by(pool, len(collection.columns.text))
        finally:
            pool.close()
    return site.named_files


def unclear_files(site: Site) -> frozenset[str] | None:
    """Names that the collection uses for two different paths; None while it cannot be read.

    For a thread that may wait: the first to ask reads the collection.
    """
    if site.unclear_files is None:
        with site.naming:
            due = site.named_files is not None or site.clock() >= site.names_again
            if site.unclear_files is None and due:
                _read_unclear(site)
    return site.unclear_files


def hidden_for(site: Site, cell: str) -> Collection[str] | None:
    """Names whose uploaded file this cell does not show; None while nobody can say.

    Where the table names too many files to compare them, a cell with a folder shows none: another
    could end with the same name.
    """
    unclear = unclear_files(site)
    if site.uncompared and "/" in cell.strip().replace("\\", "/"):
        return {base_name(cell)}
    return unclear


def _read_unclear(site: Site) -> None:
    try:
        collection = site.runner.call(lambda desk: collection_of(desk.state))
        unclear = _unclear_in(site, collection)
    except (AssaymarkError, OSError):
        site.names_again = site.clock() + AGAIN
        return
    with contextlib.suppress(OSError):  # what cannot be noted is found out again
        site.attachments.settle(unclear)
    site.unclear_files = unclear


def _unclear_in(site: Site, collection: RegisteredPool) -> frozenset[str]:
    try:
        return frozenset(unclear_names(named_files(site, collection)))
    except TooManyNamesError:  # the page of files says so
        site.uncompared = True
        return frozenset()
