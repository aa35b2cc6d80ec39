"""Commands that answer: look, certify, verify, status; and key, witness and demo."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assaymark.claims.record import plain
from assaymark.claims.results import percent, shown
from assaymark.composite.cli.steps import certify_now, claiming_now, look_now
from assaymark.monitoring.outcomes import look_exit_code
from assaymark.terminal.output import (
    advise,
    headline,
    json_option,
    progress_bar,
    project_of_environment,
    project_option,
    quoted,
    rows,
    say,
    show_json,
    spark_option,
)

if TYPE_CHECKING:
    from assaymark.certification.looks import Look
    from assaymark.overview.status import Status
    from assaymark.records.certificate import Verification

TONES = {"pass": "good", "fail": "bad", "continue": "wait"}
MARKS = {"ok": "✓", "failed": "✗", "not checked": "–"}


@click.command()
@click.option(
    "--exit-code", is_flag=True, help="End as gate does: 0 established, 1 refuted, 4 undecided."
)
@project_option
@json_option
@click.pass_context
def look(context: click.Context, exit_code: bool, folder: Path, as_json: bool) -> None:
    """What is established so far. Exit code 1 if the claim failed.

    A fixed plan refuses a look before all its labels are there: peeking would void the promise.

    \b
    Example:
      assaymark look -p work
    """
    from assaymark.certification.certificate.words import account_words
    from assaymark.certification.looks import look as run
    from assaymark.project.folder import Project

    project = Project(folder=folder)
    if claiming_now(project):
        look_now(context, project, as_json=as_json)
    seen = run(project)
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
                "account": account_words(seen.plan),
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
        if account := account_words(seen.plan):
            lines.append(("risk", account))
        rows(lines)
        if verdict.decision == "pass" and seen.open:
            advise(f"assaymark certify -p {quoted(folder)}")
        elif verdict.decision != "continue":
            advise(f"assaymark status -p {quoted(folder)}")
        elif verdict.decision == "continue":
            _advise_more(seen, folder)
    failed = 1 if verdict.decision == "fail" else 0
    context.exit(look_exit_code(verdict.decision) if exit_code else failed)


def _advise_more(seen: "Look", folder: Path) -> None:
    verdict = seen.verdict
    if verdict.waiting:
        say(
            f"  {verdict.waiting:,} labels wait behind an unlabelled draw: assaymark draw --pending"
        )
    if verdict.advice:
        say(f"  {verdict.advice}")
    if verdict.labels_expected is not None and not seen.plan.kind.promise:
        more = max(verdict.labels_expected - verdict.estimate.labels, 1)
        say(f"  about {more:,} more labels, if it is as good as it looks")
    advise(f"assaymark draw -p {quoted(folder)}")


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write it.")
@click.option("--key", type=click.Path(dir_okay=False, path_type=Path), help="Sign with this key.")
@click.option(
    "--bound", is_flag=True, help="Certify what is proven as it stands, if less than claimed."
)
@project_option
@json_option
def certify(
    output: Path | None, key: Path | None, bound: bool, folder: Path, as_json: bool
) -> None:
    """Issue the certificate of an established claim. Exit code 1 and no file if it is not.

    Whoever claimed 0.75 and sees that 0.70 is proven certifies 0.70 with --bound: that costs no risk
    and needs no new plan, even after the plan failed.

    \b
    Examples:
      assaymark certify -o certificate.json --key my.key -p work
      assaymark certify --bound -p work
    """
    from assaymark.certification.issuing import certify as run
    from assaymark.certification.signing import load_signer
    from assaymark.project.folder import Project

    project = Project(folder=folder)
    if claiming_now(project):
        if key is not None or bound:
            raise click.UsageError(
                "Certificates of several rows are not signed yet and state no single bound: leave out "
                "--key and --bound."
            )
        certify_now(project, output, as_json=as_json)
        return
    signer = load_signer(key) if key else None
    issued = run(project, output=output, signer=signer, bound=bound)
    if as_json:
        show_json(
            {
                "path": str(issued.path),
                "hash": issued.hash,
                "statement": issued.statement,
                "claim": str(issued.certificate.claim),
                "account": issued.account,
                "population": issued.population,
                "signed": signer is not None,
                "head": issued.head,
            }
        )
        return
    headline(f"Certified: {issued.statement}", "good")
    if issued.account:
        say(f"  {issued.account}.")
    if issued.population:
        say(f"  {issued.population}")
    rows([("certificate", str(issued.path)), ("hash", issued.hash), ("head", issued.head)])
    advise(f"assaymark verify {quoted(issued.path)} -p {quoted(folder)}")


@click.command()
@click.argument("certificate", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "-p",
    "--project",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Project whose ledger and pool to recompute from (default: the certificate's folder, else "
    "$ASSAYMARK_PROJECT).",
)
@click.option("--pool", metavar="PATH", help="Where the pool lies now, if it was moved.")
@click.option("--public-key", metavar="HEX", help="Demand a signature by this key (64 hex digits).")
@click.option(
    "--head", "heads", multiple=True, metavar="HASH",
    help="A head of the ledger that you were given earlier. Repeatable.",
)  # fmt: skip
@click.option(
    "--witness", "files", multiple=True, type=click.Path(dir_okay=False, path_type=Path),
    help="A file with such a head: a text, a time stamp (RFC 3161), a git commit. Repeatable.",
)  # fmt: skip
@click.option(
    "--tsa", type=click.Path(dir_okay=False, path_type=Path),
    help="Certificates (PEM) of time-stamp services that you trust.",
)  # fmt: skip
@click.option(
    "--require", default="", metavar="NAMES",
    help="Exit code 1 unless these were checked: pool, witness, signature (with commas between).",
)  # fmt: skip
@spark_option
@json_option
@click.pass_context
def verify(
    context: click.Context,
    certificate: Path,
    folder: Path | None,
    pool: str | None,
    public_key: str | None,
    heads: tuple[str, ...],
    files: tuple[Path, ...],
    tsa: Path | None,
    require: str,
    master: str | None,
    as_json: bool,
) -> None:
    """Recompute a certificate from the ledger, and from the pool if it is at hand.

    Ends as verified; verified in part, where pool or witness are not at hand; consistent only, where
    nothing but the certificate is; or failed. Exit code 1 for the last two, or if something that
    --require names is missing.

    \b
    Examples:
      assaymark verify certificate.json -p work
      assaymark verify certificate.json -p work --pool /archive/scores.parquet --head 3f0c…
      assaymark verify certificate.json -p work --require pool,witness
    """
    from assaymark.certification.verification import Brought
    from assaymark.certification.verification import verify as run
    from assaymark.composite.verification import is_claim_certificate, verify_claim
    from assaymark.project.folder import Project
    from assaymark.project.place import is_project
    from assaymark.reviewing.certificate import is_review_certificate
    from assaymark.reviewing.verifying import verify_review

    if folder is None and is_project(certificate.parent):
        folder = certificate.parent
    folder = folder or project_of_environment()
    if pool is not None and folder is None:
        raise click.UsageError("--pool needs the ledger too: name the project with -p DIR.")
    project = Project(folder=folder, pool_at=pool, spark=master) if folder else None
    brought = Brought(
        public_key=public_key,
        require=tuple(name.strip() for name in require.split(",") if name.strip()),
        **_witnesses(heads, files, tsa),
    )
    if is_claim_certificate(certificate):
        found = verify_claim(certificate, project=project, brought=brought)
    elif is_review_certificate(certificate):
        with progress_bar("verify") as progress:
            found = verify_review(certificate, project=project, brought=brought, progress=progress)
    else:
        with progress_bar("verify") as progress:
            found = run(certificate, project=project, brought=brought, progress=progress)
    if as_json:
        show_json(plain(found))
    else:
        _show_verification(found)
    failed = any(check.outcome == "failed" for check in found.checks)
    context.exit(1 if failed or found.status == "consistent only" else 0)


def _witnesses(heads: tuple[str, ...], files: tuple[Path, ...], tsa: Path | None) -> dict[str, Any]:
    from assaymark.certification.timestamp import read_certificates
    from assaymark.certification.witness import read_head_hash, read_witness

    given = [read_head_hash(head).encode() for head in heads] + [read_witness(f) for f in files]
    return {"heads": tuple(given), "authorities": read_certificates(tsa) if tsa else ()}


def _show_verification(found: "Verification") -> None:
    superseded = any(check.detail.startswith("superseded") for check in found.checks)
    lacking = [f"no {name}" for name in found.missing if name != "signature"]
    headline(
        {
            "verified": "Verified.",
            "verified in part": f"Verified in part: {' and '.join(lacking)} at hand.",
            "consistent only": "Consistent only: the certificate agrees with itself, and no evidence was "
            f"checked ({', '.join(lacking)}).",
            "failed": "Not verified: superseded, a label changed after the certificate was issued."
            if superseded
            else "Not verified.",
        }[found.status],
        {"verified": "good", "failed": "bad"}.get(found.status, "wait"),
    )
    rows([(f"{MARKS[check.outcome]} {check.name}", check.detail) for check in found.checks])
    if found.statement and found.status.startswith("verified"):
        say(f"  {found.statement}")
        if found.account:
            say(f"  {found.account}.")
        if found.population:
            say(f"  {found.population}")


@click.command()
@project_option
@json_option
def status(folder: Path, as_json: bool) -> None:
    """Where the project stands and what to do next. Does not look at the verdict.

    \b
    Example:
      assaymark status -p work
    """
    from assaymark.overview.status import status as run
    from assaymark.project.folder import Project

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
    from assaymark.certification.signing import new_key

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


@click.command()
@click.argument("given", metavar="HASH|FILE")
@click.option("--by", required=True, metavar="WHO", help="Who keeps it, and since when.")
@project_option
@json_option
def witness(given: str, by: str, folder: Path, as_json: bool) -> None:
    """Put on record who keeps a head of the ledger: a hash, or a file that names one.

    The file is a text with the head in it, a time stamp (RFC 3161), or a commit as git cat-file
    commit prints it. Later certificates list it; whoever verifies still asks the witness.

    \b
    Examples:
      assaymark witness 3f0c… --by "opposing counsel, mail of 3 May" -p work
      assaymark witness head.tsr --by "time-stamp service of the court" -p work
    """
    from assaymark.certification.witness import record_witness
    from assaymark.project.folder import Project

    done = record_witness(Project(folder=folder), given, by=by)
    if as_json:
        show_json(plain(done))
        return
    headline(f"On record: {by.strip()} keeps the head of event {done.event:,}")
    rows([("head", done.head), ("form", done.told)])


COMMANDS = (look, certify, verify, status, key, witness, demo)
