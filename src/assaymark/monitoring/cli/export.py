"""Command: export a certificate for other tools."""

from pathlib import Path

import click

from assaymark.claims.canonical import read_json
from assaymark.errors import InputError
from assaymark.terminal.options import JSON, argument, option, with_options
from assaymark.terminal.output import headline, rows, say, show_json

NAMES = ("in-toto", "cyclonedx", "hf", "mlflow", "every-eval-ever")


@click.command()
@with_options
def export(
    certificate: Path = argument(),
    form: str = option(
        "in-toto: test-result statement in DSSE. cyclonedx: model card of CycloneDX 1.6. "
        "hf: model-index of Hugging Face. mlflow: metrics, params, tags. every-eval-ever: its JSON.",
        "--format",
        type=click.Choice(NAMES),
    ),
    output: Path | None = option("Where to write it (default: standard output).", "-o"),
    key: Path | None = option("Sign with this key; for in-toto only."),
    as_json: bool = JSON,
) -> None:
    """Write a certificate in a format that another tool reads: its facts, and nothing else.

    Only the hash of the certificate is checked; verify says whether it follows from its ledger.

    \b
    Examples:
      assaymark export work/certificate.json --format cyclonedx -o model.cdx.json
      assaymark export work/certificate.json --format in-toto --key my.key -o certificate.dsse.json
    """
    from assaymark.certification.signatures.signing import load_signer
    from assaymark.files.places import SHARED, refuse_existing, write_safely
    from assaymark.monitoring.exports import FORMATS, read_exported

    if key is not None and form != "in-toto":
        raise InputError(
            f"The format {form} carries no signature: leave --key out, or take in-toto."
        )
    exported = read_exported(certificate, load_signer(key) if key else None)
    text = FORMATS[form](exported)
    if output is not None:
        refuse_existing(output)
        write_safely(output, text, mode=SHARED)
    if as_json:
        content = text if form == "hf" else read_json(text)
        show_json({"format": form, "path": str(output) if output else None, "content": content})
    elif output is None:
        say(text.rstrip("\n"))
    else:
        headline(f"Exported as {form}", "good")
        rows([("file", str(output)), ("certificate", exported.sha256)])
