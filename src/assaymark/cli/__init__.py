"""The command line: one command per step; no statistics here, and heavy imports inside."""

import atexit
import gc
import os
import sys
from pathlib import Path

import click

from assaymark import __version__
from assaymark.cli.commands import Commands, Parted
from assaymark.errors import AssaymarkError
from assaymark.terminal.encoding import adapt_streams
from assaymark.terminal.output import fail, remembered_project, say

SELDOM = 300_000
"""New objects before garbage is looked for: a ledger of 10,000 labels is half as many, none of them
garbage."""


@click.group(
    cls=Parted, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="assaymark")
@click.option(
    "--log",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar="ASSAYMARK_LOG",
    help="Append one JSON object per thing that happens to this file.",
)
@click.pass_context
def cli(context: click.Context, log: Path | None) -> None:
    """Prove how good a classifier is when every human label costs money.

    A project goes: init, plan, draw, label, look, certify. Anyone can then verify.

    \b
      assaymark size "f1 >= 0.75" --expect 0.8 --prevalence 0.03
      assaymark init work --pool scores.csv --id id --score score --threshold 0.5 --text text
      assaymark plan "f1 >= 0.75" --expect 0.8 -p work
      assaymark draw -p work
      assaymark label work/batch-1-1.csv -p work
      assaymark look -p work
      assaymark certify -p work
      assaymark verify work/certificate.json -p work

    People who do not use a terminal label in the browser: assaymark serve -p work
    """
    remembered_project(None, None, None)
    if log is not None and context.invoked_subcommand is not None:
        from assaymark.terminal.logs import log_to

        log_to(log, command=context.invoked_subcommand)


cli.commands = Commands()  # type: ignore[assignment]  # each is loaded when it is asked for


def main() -> None:
    """Run the command line: 0 done, 1 the answer is no, 2 bad input, 3 our bug; 4 to 6 of the gate."""
    gc.set_threshold(SELDOM)
    adapt_streams()
    atexit.register(_end_at_once)
    code = _run()
    if "assaymark.terminal.logs" in sys.modules:
        from assaymark.terminal.logs import log_end

        log_end(code)
    sys.exit(code)


def _end_at_once() -> None:
    """Spare Python its last search for garbage: a sixth of a short command, which ends anyway."""
    if "duckdb" not in sys.modules:  # which reports what was not collected as a leak
        gc.freeze()


def _run() -> int:
    try:
        return int(cli.main(prog_name="assaymark", standalone_mode=False) or 0)
    except click.ClickException as error:
        fail(error.format_message())
        return 2
    except (click.Abort, KeyboardInterrupt):
        say("Interrupted. Nothing was lost: the command can be repeated.", err=True)
        return 130
    except AssaymarkError as error:
        fail(error)
        return error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except UnicodeEncodeError as error:
        fail(
            f"The text {error.object[:40]!a} holds bytes that are no characters. Write it in UTF-8."
        )
        return 2
    except Exception as error:
        if os.environ.get("ASSAYMARK_DEBUG"):
            raise
        say(
            f"This is our bug: {type(error).__name__}: {error}. Set ASSAYMARK_DEBUG=1 to see where.",
            err=True,
        )
        return 3
