"""Commands for the page in the browser: serve, and users who may reach it from elsewhere."""

import gc
import ipaddress
import re
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.errors import InputError
from assaymark.terminal.options import FOLDER, JSON, argument, option, with_options
from assaymark.terminal.output import (
    WholeSentences,
    advise,
    headline,
    quoted,
    rows,
    say,
    show_json,
)

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from assaymark.project.users import Role
    from assaymark.web.app import Options


@click.command()
@with_options
def serve(
    host: str = option("Address to listen on.", default="127.0.0.1"),
    port: int = option(
        "Where it listens; 0 takes a free one.", default=8765, type=click.IntRange(0, 65535)
    ),
    annotator: str | None = option("Whose labels they are, without asking.", metavar="NAME"),
    twice: float | None = option(
        "Share of items two people label.", type=click.FloatRange(0, 1), metavar="SHARE"
    ),
    auto_draw: bool | None = option(
        "Draw more items automatically until the claim is established (default: as set on the page Plan, "
        "where it is on at first).",
        "--auto-draw/--no-auto-draw",
        default=None,
        show_default=False,
    ),
    return_after: float = option(
        "When an item left open goes to somebody else.",
        default=15.0,
        type=click.FloatRange(0.05),
        metavar="MINUTES",
    ),
    files: Path | None = option(
        "Folder of pictures and PDFs that text columns name (default: files in the project).",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
    ),
    allow_host: tuple[str, ...] = option("A name that people will type.", metavar="NAME"),
    tls_cert: Path | None = option(
        "Certificate to serve https with.",
        type=click.Path(dir_okay=False, exists=True, path_type=Path),
    ),
    tls_key: Path | None = option(
        "Private key of that certificate.",
        type=click.Path(dir_okay=False, exists=True, path_type=Path),
    ),
    behind_tls: bool = option("A proxy in front of it speaks https."),
    root_path: str = option(
        "Prefix of the page at the proxy.", default="", metavar="PREFIX", show_default=False
    ),
    trust_proxy: tuple[str, ...] = option("The proxy's address, if not here.", metavar="IP"),
    sso_header: str | None = option(
        "Header in which the proxy names who signed in.", metavar="NAME"
    ),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Label, watch and plan in the browser, until Ctrl-C.

    In a folder that is no project it opens a start page: begin a project from a table that you
    upload, and work on all projects that lie in the folder.

    It prints one link for the lead and one for reviewers; nobody can sign in without one, not even
    from this machine. From elsewhere everybody needs a token of their own: add people with assaymark
    users first. A proxy that signs people in (--sso-header) may name these users.

    \b
    Examples:
      assaymark serve
      assaymark serve -p work
      assaymark serve --annotator kim -p work
      assaymark serve --allow-host labels.example.org --behind-tls --root-path /work -p work
    """
    from assaymark.project.users import checked_name, read_users
    from assaymark.web.access.proxy import Front
    from assaymark.web.app import Options

    names = read_users(folder) if folder.is_dir() else ()
    _refuse_unsafe(host, allow_host, users=bool(names), folder=folder)
    if sso_header is not None and not names:
        raise InputError(
            "--sso-header names users, and there are none. Add them first: assaymark users add NAME "
            f"--role lead -p {quoted(folder)}."
        )
    if annotator is not None and names:
        raise InputError("--annotator is for one person on this machine; here users sign in.")
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key belong together.")
    options = Options(
        annotator=checked_name(annotator) if annotator is not None else None,
        twice=twice,
        minutes=return_after,
        auto_draw=auto_draw,
        files=files,
        hosts=(*allow_host, *(() if host in ("0.0.0.0", "::") else (host,))),  # noqa: S104
        secure=behind_tls or tls_cert is not None,
        root=_prefix(root_path),
        front=Front(behind=behind_tls, header=sso_header, proxies=trust_proxy),
    )
    gc.set_threshold(ALLOCATIONS)
    app, several = _app(folder, options)
    gc.freeze()  # the project stays in memory: there is no garbage to look for in it
    bound = _bound(host, port)
    port = bound.getsockname()[1]
    url = _address(host, port, allow_host, tls=tls_cert is not None, proxied=behind_tls)
    url = f"{url.rstrip('/')}{options.root}/"
    links = {} if names else {role: f"{url}enter?token={s}" for role, s in options.links.items()}
    if as_json:
        show_json({"url": url, "links": links, "project": str(folder), "users": len(names)})
    else:
        headline(f"The page is at {url}")
        where = ("projects in" if several else "project", str(folder))
        rows([where, ("who", _who(len(names), annotator))])
        rows([(f"link for {LINKS[role]}", link) for role, link in links.items()])
        if not options.secure and not _loopback(host):
            say(
                "  Careful: without https everybody on the way can read texts and tokens. Use "
                "--tls-cert and --tls-key, or a proxy and --behind-tls."
            )
        which = "your link" if links else "it"
        advise(f"open {which} in a browser; Ctrl-C ends the server, and every saved label is kept")
    _run(app, bound, tls_cert, tls_key)


def _app(folder: Path, options: "Options") -> "tuple[ASGIApp, bool]":
    """The page of a project; of a folder without one, the start page of the projects in it."""
    from assaymark.project.folder import Project
    from assaymark.project.place import is_project

    if is_project(folder):
        from assaymark.web.app import make_app

        return make_app(Project(folder=folder), options), False
    if not folder.is_dir():
        raise InputError(f"There is no folder {str(folder)!r}. Make it, or name another with -p.")
    from assaymark.web.start.app import make_start_app

    return make_start_app(folder, options), True


ALLOCATIONS = 100_000
"""New objects after which garbage is collected; the usual 700 suit programs with little in memory."""
TURN = 0.0005  # seconds until a thread that computes gives way: no key waits while a model learns
LINKS = {"lead": "the lead", "annotator": "reviewers"}


def _prefix(text: str) -> str:
    """The prefix as it stands before every address: empty, or /so/many/parts."""
    parts = text.strip("/").split("/")
    if text.strip("/") == "":
        return ""
    if not all(re.fullmatch(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*", part) for part in parts):
        raise InputError(
            f"A prefix is made of letters, digits, '.', '_', '~', '-' and '/', got {text!r}. Example: "
            "/labels."
        )
    return "/" + "/".join(parts)


def _address(host: str, port: int, names: tuple[str, ...], *, tls: bool, proxied: bool) -> str:
    """What people type: the first name they were promised, if there is one."""
    scheme = "https" if tls or (proxied and names) else "http"
    if names:
        # a proxy listens on a port of its own
        return f"{scheme}://{names[0]}/" if proxied else f"{scheme}://{names[0]}:{port}/"
    if host in ("0.0.0.0", "::"):  # noqa: S104
        return f"{scheme}://localhost:{port}/"
    return f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/"


def _who(users: int, annotator: str | None) -> str:
    if users:
        return f"{users} named user{'s' if users > 1 else ''}, each with a token"
    return f"{annotator}, by a link" if annotator else "anybody with a link, by the name they give"


def _run(app: "ASGIApp", bound: socket.socket, cert: Path | None, key: Path | None) -> None:
    import sys

    import uvicorn

    from assaymark.web.access.connections import protocol, room_for

    sys.stdout.flush()
    config = uvicorn.Config(
        app,
        log_level="error",  # strangers who speak no HTTP are not news
        http=protocol(most=room_for()),
        ws="none",
        proxy_headers=False,  # the page decides itself which proxy it believes
        backlog=128,
        access_log=False,  # addresses and names of readers are nobody's business
        server_header=False,
        timeout_graceful_shutdown=5,
        ssl_certfile=cert,
        ssl_keyfile=key,
        h11_max_incomplete_event_size=32_768,
    )
    sys.setswitchinterval(TURN)
    uvicorn.Server(config).run(sockets=[bound])


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refuse_unsafe(host: str, names: tuple[str, ...], *, users: bool, folder: Path) -> None:
    if users or (_loopback(host) and not names):
        return
    raise InputError(
        f"Others could reach the page at {host if not names else names[0]}, and nobody is named who may. "
        f"Add people first: assaymark users add NAME --role lead -p {quoted(folder)}."
    )


def _bound(host: str, port: int) -> socket.socket:
    """The address, taken before anything is promised."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # the protocol is named so that answers are not held back to be sent together (Nagle)
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(256)  # whoever reads our first line may connect at once
    except OSError as error:
        bound.close()
        raise InputError(
            f"Port {port} on {host} cannot be used: {error.strerror}. Choose another with --port."
        ) from error
    return bound


@click.group(cls=WholeSentences)
def users() -> None:
    """Who may use the page from other machines.

    \b
    Examples:
      assaymark users add kim --role annotator -p work
      assaymark users add lee --role lead -p work
      assaymark users list -p work
      assaymark users remove kim -p work
    """


@users.command()
@with_options
def add(
    name: str = argument(),
    role: "Role" = option(
        "annotator labels; lead also plans, watches and decides; reader reads the result.",
        type=click.Choice(["annotator", "lead", "reader"]),
    ),
    url: str | None = option("Where people reach the page, to print a link.", metavar="URL"),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Name a user and print their token, once. A user of that name gets a new token.

    \b
    Example:
      assaymark users add kim --role annotator --url https://labels.example.org -p work
    """
    from assaymark.project.folder import Project
    from assaymark.project.users import KEY, add_user

    if not (folder / KEY).is_file():  # a folder of several projects that was served before
        assert Project(folder=folder).ledger  # noqa: S101 - refuses a folder that is no project
    added = add_user(folder, name, role)
    link = f"{(url or 'http://HOST:PORT').rstrip('/')}/enter#{added.token}"
    if as_json:
        show_json({"name": added.user.name, "role": role, "token": added.token, "link": link})
        return
    headline(f"{added.user.name} may use the page as {role}")
    rows([("token", added.token), ("link", link)])
    say("  It is shown this once; only its hash is kept. Send it over a safe channel.")
    advise(f"assaymark serve --host ADDRESS -p {quoted(folder)}")


@users.command(name="list")
@with_options
def list_users(
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Who may use the page.

    \b
    Example:
      assaymark users list -p work
    """
    from assaymark.project.users import read_users

    accounts = read_users(folder)
    if as_json:
        show_json({"users": [{"name": user.name, "role": user.role} for user in accounts]})
        return
    headline(f"{len(accounts)} user{'' if len(accounts) == 1 else 's'}")
    rows([(user.name, user.role) for user in accounts])


@users.command()
@with_options
def remove(
    name: str = argument(),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Take a user's access away. Their labels stay.

    \b
    Example:
      assaymark users remove kim -p work
    """
    from assaymark.project.users import remove_user

    remove_user(folder, name)
    if as_json:
        show_json({"removed": name})
        return
    headline(f"{name} can no longer use the page, from this moment on")
