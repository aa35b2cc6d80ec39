"""Tell the lead's addresses when a claim is established, refuted, ends without proof, or no longer holds."""

import asyncio
import contextlib
import json
import logging
import time
import urllib.request
from pathlib import Path
from typing import Any

from assaymark.claims.canonical import read_json
from assaymark.errors import AssaymarkError
from assaymark.files.places import write_safely
from assaymark.labelling.desk import Desk
from assaymark.project.connections import SENT, Hook, read_connections
from assaymark.web.rooms import loaded
from assaymark.web.site import Site

EVERY = 3.0  # seconds between looks at the state; nothing is computed for it
TRIES, PAUSE, PATIENCE = 5, 2.0, 10.0
log = logging.getLogger("assaymark.serve")


def _news(desk: Desk) -> dict[str, Any] | None:
    from assaymark.overview.recorded import subject_of

    desk.catch_up()
    subject = subject_of(desk.state)
    if subject is None or subject.event is None:
        return None
    return {**vars(subject), "head": desk.state.head.hash if desk.state.head else ""}


async def tell_on(site: Site) -> None:
    """Watch the state and tell each event once to each address, until the server ends."""
    while True:
        await asyncio.sleep(EVERY)
        with contextlib.suppress(AssaymarkError, OSError):  # a file that cannot be read just now
            hooks = await asyncio.to_thread(lambda: read_connections(site.served.folder).hooks)
            if hooks:
                await loaded("assaymark.overview.recorded")  # far more code than labelling takes
                news = await site.runner.ask(_news)
                if news is not None:
                    await _tell_all(site, hooks, news)


async def _tell_all(site: Site, hooks: tuple[Hook, ...], news: dict[str, Any]) -> None:
    path = site.served.folder / SENT
    sent = already_sent(path)
    for hook in hooks:
        key = f"{news['kind']} {news['number']} {news['event']}"
        if news["event"] not in hook.events or key in sent.get(hook.url, []):
            continue
        body = json.dumps({**news, "project": site.title}, sort_keys=True).encode()
        done = await asyncio.to_thread(deliver, hook, body)
        log.info("hook %s: %s %s", hook.url, key, "delivered" if done else "not delivered")
        # what could not be delivered in five tries is not tried again and again
        sent.setdefault(hook.url, []).append(key)
        write_safely(path, json.dumps(sent) + "\n")


def already_sent(path: Path) -> dict[str, list[str]]:
    """What was sent to each address; nothing where the file is missing or says something else."""
    try:
        value = read_json(path.read_text(encoding="utf-8"))
        return {str(url): [str(key) for key in keys] for url, keys in value.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


class _Stay(urllib.request.HTTPRedirectHandler):
    """No redirect is followed: only the configured address is called."""

    def redirect_request(self, *_args: Any, **_more: Any) -> None:
        return None


def deliver(hook: Hook, body: bytes, *, tries: int = TRIES, pause: float = PAUSE) -> bool:
    """Post the body, signed; whether the other side took it."""
    opener = urllib.request.build_opener(_Stay, urllib.request.ProxyHandler({}))
    for attempt in range(tries):
        request = urllib.request.Request(  # noqa: S310 - http and https only, checked when configured
            hook.url,
            data=body,
            headers={
                "content-type": "application/json",
                "user-agent": "assaymark",
                "x-assaymark-signature": hook.signature(body),
            },
        )
        with (
            contextlib.suppress(OSError, ValueError),
            opener.open(request, timeout=PATIENCE) as answer,
        ):
            if 200 <= answer.status < 300:
                return True
        if attempt + 1 < tries:
            time.sleep(pause * 2**attempt)
    return False
