"""The command line: one command per step; no statistics here, and heavy imports inside."""

import os
import sys

import click

from assay import __version__
from assay.cli import calculators, lab, pairs, project, recall, story
from assay.cli.output import fail
from assay.errors import AssayError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="assay")
def cli() -> None:
    """Prove how good a classifier is when every human label costs money.

    A project goes: init, plan, draw, label, look, certify. Anyone can then verify.

    \b
      assay size "f1 >= 0.75" --expect 0.8 --prevalence 0.03
      assay init work --pool scores.csv --id id --score score --threshold 0.5 --text text
      assay plan "f1 >= 0.75" --expect 0.8 -p work
      assay draw -p work
      assay label work/batch-1-1.csv -p work
      assay look -p work
      assay certify -p work
      assay verify work/certificate.json -p work
    """


for command in (
    *calculators.COMMANDS,
    *project.COMMANDS,
    *story.COMMANDS,
    *recall.COMMANDS,
    *pairs.COMMANDS,
    *lab.COMMANDS,
):
    cli.add_command(command)


def main() -> None:
    """Run the command line: 0 done, 1 the answer is no, 2 bad input or refused, 3 our bug."""
    try:
        sys.exit(cli.main(prog_name="assay", standalone_mode=False) or 0)
    except click.ClickException as error:
        fail(error.format_message())
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted. Nothing was lost: the command can be repeated.", err=True)
        sys.exit(130)
    except AssayError as error:
        fail(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        if os.environ.get("ASSAY_DEBUG"):
            raise
        click.echo(
            f"This is a bug in assay: {type(error).__name__}: {error}. Set ASSAY_DEBUG=1 to see where.",
            err=True,
        )
        sys.exit(3)
