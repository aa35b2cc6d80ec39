"""Commands that answer: look, certify, verify, status; and key and demo."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.cli.output import (
    advise,
    headline,
    json_option,
    progress_bar,
    project_option,
    quoted,
    rows,
    say,
    show_json,
    spark_option,
)
from assaymark.types.record import plain
from assaymark.types.results import percent, shown

if TYPE_CHECKING:
    from assaymark.steps.look import Look
    from assaymark.steps.status import Status

TONES = {"pass": "good", "fail": "bad", "continue": "wait"}
MARKS = {"ok": "✓", "failed": "✗", "not checked": "–"}


@click.command()
@project_option
@json_option
@click.pass_context
def look(context: click.Context, folder: Path, as_json: bool) -> None:
    """What is established so far. Exit code 1 if the claim failed.

    A fixed plan refuses a look before all its labels are there: peeking would void the promise.

    \b
    Example:
      assaymark look -p work
    """
    from assaymark.steps.look import look as run
    from assaymark.steps.project import Project

    seen = run(Project(folder=folder))
    verdict, estimate = seen.verdict, seen.verdict.estimate
    if as_json:
        show_json(
            {
                "decision": verdict.decision,
                "claim": str(verdict.claim),
                "metric": estimate.metric,
                "point": estimate.point,
                "low": estimate.interval.low,
                "high": estimate.interval.high,
                "confidence": estimate.interval.confidence,
                "labels": estimate.labels,
                "draws": estimate.draws,
                "labels_expected": verdict.labels_expected,
                "looks": seen.looks,
                "waiting": verdict.waiting,
                "skipped": verdict.skipped,
                "census": verdict.census,
                "e_value": verdict.e_value,
                "mode": seen.plan.mode,
                "design": seen.plan.design,
                "reason": verdict.reason,
                "advice": verdict.advice,
                "assumptions": list(estimate.assumptions),
                "budget": None if seen.budget is None else plain(seen.budget),
            }
        )
    else:
        headline(str(verdict), TONES[verdict.decision])
        lines = [
            ("estimate", shown(estimate.point)),
            ("labels", f"{estimate.labels:,} ({estimate.draws:,} draws)"),
            ("could not tell", f"{verdict.skipped:,} (counted against the claim)"),
            ("looks", f"{seen.looks:,}"),
        ]
        if seen.budget is not None:
            lines.append(("budget", str(seen.budget)))
        rows(lines)
        if verdict.decision == "pass" and seen.open:
            advise(f"assaymark certify -p {quoted(folder)}")
        elif verdict.decision != "continue":
            advise(f"assaymark status -p {quoted(folder)}")
        elif verdict.decision == "continue":
            _advise_more(seen, folder)
    context.exit(1 if verdict.decision == "fail" else 0)


def _advise_more(seen: "Look", folder: Path) -> None:
    verdict = seen.verdict
    if verdict.waiting:
        say(
            f"  {verdict.waiting:,} labels wait behind an unlabelled draw: assaymark draw --pending"
        )
    if verdict.advice:
        say(f"  {verdict.advice}")
    if verdict.labels_expected is not None and seen.plan.mode == "anytime":
        more = max(verdict.labels_expected - verdict.estimate.labels, 1)
        say(f"  about {more:,} more labels, if it is as good as it looks")
    advise(f"assaymark draw -p {quoted(folder)}")


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write it.")
@click.option("--key", type=click.Path(dir_okay=False, path_type=Path), help="Sign with this key.")
@project_option
@json_option
def certify(output: Path | None, key: Path | None, folder: Path, as_json: bool) -> None:
    """Issue the certificate of an established claim. Exit code 1 and no file if it is not.

    \b
    Example:
      assaymark certify -o certificate.json --key my.key -p work
    """
    from assaymark.steps.certify import certify as run
    from assaymark.steps.project import Project
    from assaymark.steps.signing import load_signer

    signer = load_signer(key) if key else None
    issued = run(Project(folder=folder), output=output, signer=signer)
    if as_json:
        show_json(
            {
                "path": str(issued.path),
                "hash": issued.hash,
                "statement": issued.certificate.statement,
                "claim": str(issued.certificate.plan.claim),
                "population": issued.certificate.population,
                "signed": signer is not None,
            }
        )
        return
    headline(f"Certified: {issued.certificate.statement}", "good")
    if issued.certificate.population:
        say(f"  {issued.certificate.population}")
    rows([("certificate", str(issued.path)), ("hash", issued.hash)])
    advise(f"assaymark verify {quoted(issued.path)} -p {quoted(folder)}")


@click.command()
@click.argument("certificate", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "-p",
    "--project",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Project whose ledger and pool to recompute from (default: the certificate's folder).",
)
@click.option("--pool", metavar="PATH", help="Where the pool lies now, if it was moved.")
@click.option("--public-key", metavar="HEX", help="Demand a signature by this key.")
@spark_option
@json_option
@click.pass_context
def verify(
    context: click.Context,
    certificate: Path,
    folder: Path | None,
    pool: str | None,
    public_key: str | None,
    master: str | None,
    as_json: bool,
) -> None:
    """Recompute a certificate from the ledger, and from the pool if it is at hand.

    Exit code 1 unless the evidence was recomputed from the ledger, or a signature by the key given
    with --public-key was found; names what was and what was not checked.

    \b
    Examples:
      assaymark verify certificate.json -p work
      assaymark verify certificate.json -p work --pool /archive/scores.parquet
    """
    from assaymark.steps.place import is_project
    from assaymark.steps.project import Project
    from assaymark.steps.verify import verify as run

    if folder is None and is_project(certificate.parent):
        folder = certificate.parent
    if pool is not None and folder is None:
        raise click.UsageError("--pool needs the ledger too: name the project with -p DIR.")
    project = Project(folder=folder, pool_at=pool, spark=master) if folder else None
    with progress_bar("verify") as progress:
        found = run(certificate, project=project, public_key=public_key, progress=progress)
    if as_json:
        show_json(plain(found))
    else:
        headline(
            {
                "verified": "Verified.",
                "consistent": "Consistent with itself, but the evidence was not checked: give -p DIR.",
                "failed": "Not verified.",
                "superseded": "Superseded: a label changed after the certificate was issued.",
            }[found.status],
            {"verified": "good", "consistent": "wait"}.get(found.status, "bad"),
        )
        rows([(f"{MARKS[check.outcome]} {check.name}", check.detail) for check in found.checks])
        if found.statement and found.status == "verified":
            say(f"  {found.statement}")
            if found.population:
                say(f"  {found.population}")
    context.exit(0 if found.status == "verified" else 1)


@click.command()
@project_option
@json_option
def status(folder: Path, as_json: bool) -> None:
    """Where the project stands and what to do next. Does not look at the verdict.

    \b
    Example:
      assaymark status -p work
    """
    from assaymark.steps.project import Project
    from assaymark.steps.status import status as run

    now = run(Project(folder=folder))
    if as_json:
        show_json(plain(now))
        return
    headline(now.summary)
    rows(
        [
            ("items in the pool", f"{now.items:,}"),
            _about(now),
            ("confidence", percent(now.confidence) if now.confidence else "–"),
            ("draws made", f"{now.draws:,}" + ("" if now.size is None else f" of {now.size:,}")),
            ("items labelled", f"{now.labelled:,}"),
            ("without label", f"{now.missing:,}"),
            ("annotators differ", f"{now.disputed:,}"),
            ("events", f"{now.events:,}"),
        ]
    )
    advise(f"{now.advice} -p {quoted(folder)}")


def _about(now: "Status") -> tuple[str, str]:
    """What the counts of a status are about."""
    if now.estimate:
        return "estimate of", now.estimate
    if now.survey == "training":
        return "training for", now.claim or "none yet"
    return ("survey", now.survey) if now.survey else ("claim", now.claim or "none yet")


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@json_option
def key(file: Path, as_json: bool) -> None:
    """Make an Ed25519 key in FILE to sign certificates with.

    \b
    Example:
      assaymark key my.key
    """
    from assaymark.steps.signing import new_key

    public = new_key(file)
    if as_json:
        show_json({"path": str(file), "public_key": public})
        return
    headline(f"Private key written to {file}. Keep it secret.")
    rows([("public key", public)])


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("assaymark-demo"),
    show_default=True,
    help="Where to put the demo.",
)
@click.option("--items", default=200_000, show_default=True, type=click.IntRange(min=5_000))
@click.option("--seed", default="assay", show_default=True, help="Another seed, another story.")
@json_option
def demo(out: Path, items: int, seed: str, as_json: bool) -> None:
    """The whole story on a generated pool of support tickets, with labels from its known truth.

    \b
    Example:
      assaymark demo --out demo
    """
    from assaymark.lab.demo import demo as run

    told = run(out, items=items, seed=seed, say=(lambda _text: None) if as_json else say)
    if as_json:
        show_json(plain(told))


COMMANDS = (look, certify, verify, status, key, demo)
