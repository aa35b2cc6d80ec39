"""Which modules belong to which capability that came after the move to rooms.

A module is named here if the old tree had no forerunner of it and it would go with its capability.
Every other module counts as what existed then, also where it has grown because of a newer capability
(classes in pools, risk in plans, surveys on pages): nobody could say by how much. The old tree is
commit 3e21ce22: `git ls-tree -r 3e21ce22 -- src`.

Patterns are those of `fnmatch`, relative to `src/assaymark`; `*` reaches into folders below.
"""

from collections import Counter
from collections.abc import Iterable
from fnmatch import fnmatchcase

THEN = "what existed then"

NEWER: dict[str, tuple[str, ...]] = {
    "claims of several parts: words, groups, classes, comparison, cut-offs": (
        "claims/language/*",
        "claims/parts/*",
        "claims/averages.py",
        "claims/label_sets.py",
        "claims/ladders.py",
        "claims/truth.py",
        "composite/*",
        "project/class_names.py",
        "stats/fixed_walk.py",
        "api/several_parts.py",
        "cli/typed_claims.py",
        "web/pages/claiming.py",
    ),
    "method 2: bets on rows, sealed renewal of chances, ceiling": (
        "claims/cells.py",
        "claims/linear.py",
        "claims/rows.py",
        "claims/sharing.py",
        "claims/weights.py",
        "stats/betting/*",
        "certification/planning/rows.py",
        "certification/modes/guided_rows.py",
        "certification/modes/sealed_sample.py",
        "lab/row_runs.py",
        "lab/side_by_side/*",
    ),
    "one risk for all plans about a claim": (
        "stats/risk_account.py",
        "certification/modes/account.py",
        "certification/modes/closed_rows.py",
        "certification/planning/stakes.py",
    ),
    "reviews in rank order with a certified end": (
        "reviewing/*",
        "api/reviewing.py",
        "cli/review.py",
        "drawing/flow_boxes.py",
        "ledger/events/review_work.py",
        "ledger/events/reviews.py",
        "pool/joined_ids.py",
        "project/purpose.py",
        "web/pages/reviewing.py",
        "lab/experiments/review/*",
    ),
    "claim files, locks, gate, score watch, sentinels, exports": (
        "monitoring/*",
        "api/gating.py",
        "ledger/events/monitored.py",
        "records/claim_terms.py",
    ),
    "audits of triage over time: three alarms": (
        "stats/sequential/item_weighted_mean.py",
        "stats/sequential/unit_alarm.py",
        "triaging/audit_account.py",
        "triaging/stats/unit_audit.py",
    ),
    "Python beyond Audit: tables in memory, estimates, pairs, triage, training, metrics": (
        "api/__init__.py",
        "api/conclusion.py",
        "api/data.py",
        "api/estimation.py",
        "api/expectations.py",
        "api/labels.py",
        "api/metrics.py",
        "api/pair_recall.py",
        "api/sizing.py",
        "api/surveys.py",
        "api/training.py",
        "api/triaging.py",
        "api/verification.py",
        "claims/pictures.py",
        "pool/memory.py",
        "triaging/sklearn_scorers.py",
    ),
    "labels that exist: doctor, known labels": (
        "api/doctoring.py",
        "certification/known_labels.py",
        "estimation/cli/doctor.py",
        "estimation/doctor_claim.py",
        "estimation/label_doctor.py",
        "estimation/label_file.py",
        "estimation/stats/label_design.py",
        "estimation/stats/stratified_claim.py",
        "labelling/known.py",
    ),
    "estimates with renewed chances, and their verification": (
        "estimation/renewal.py",
        "estimation/stats/renewed_chances.py",
        "estimation/verification.py",
    ),
    "joint seeds, beacons, reading again for the other side": (
        "certification/rereading.py",
        "certification/seeding.py",
        "cli/seeds.py",
        "records/seeds.py",
        "terminal/seeds.py",
    ),
    "witnesses, time stamps, DSSE, heads of the ledger": (
        "certification/certificate/dsse.py",
        "certification/signatures/timestamp.py",
        "certification/signatures/witness.py",
        "ledger/events/witnesses.py",
        "ledger/head.py",
    ),
    "start page: several projects, new ones from an uploaded table": (
        "pool/preview.py",
        "project/tables.py",
        "web/pieces.py",
        "web/start/*",
    ),
    "pictures and PDFs of items": (
        "pool/named_files.py",
        "project/attachment_archives.py",
        "project/attachments.py",
        "web/attachments.py",
        "web/file_coverage.py",
        "web/intake.py",
        "web/named_files.py",
        "web/pages/attaching.py",
    ),
    "list of items, assignment, reviewers who are away, results of surveys on the page": (
        "labelling/overdue.py",
        "web/pages/absence.py",
        "web/pages/items.py",
        "web/pages/label_files.py",
        "web/pages/surveys.py",
    ),
    "programs: tokens, OpenAPI, hooks, Label Studio as front end": (
        "project/connections.py",
        "web/programs/*",
    ),
    "several servers on one ledger, proxies, signing out": (
        "ledger/leases.py",
        "web/access/ended_sessions.py",
        "web/access/proxy.py",
    ),
    "more files: judges' logs, Splink, alerts, Concordance, ASReview projects, RIS notes": (
        "cli/convert.py",
        "files/formats/asreview_project.py",
        "files/formats/concordance.py",
        "files/formats/ris_notes.py",
        "files/tool_output/*",
        "project/foreign_pools.py",
    ),
    "reports for courts and journals: protocols, the matter, the lead's own words": (
        "overview/answer_names.py",
        "overview/matter.py",
        "overview/protocols.py",
        "web/markdown.py",
    ),
    "plug-ins": ("plugins.py",),
    "scoring later files by the trained classifier": (
        "learners/saved_linear.py",
        "training/scoring.py",
    ),
    "experiments that did not exist": (
        "lab/experiments/certify_race/bars.py",
        "lab/experiments/certify_race/forecasts.py",
        "lab/experiments/estimate_errors/*",
        "lab/experiments/pairs/social.py",
        "lab/experiments/policies/paper_tables.py",
        "lab/experiments/stratified/printed_study.py",
        "lab/experiments/triage/printed_tables.py",
    ),
}


def lines_of(module: str) -> list[str]:
    """The lines of the table that a module, by its path below the package, belongs to."""
    newer = [
        name
        for name, patterns in NEWER.items()
        if any(fnmatchcase(module, pattern) for pattern in patterns)
    ]
    return newer or [THEN]


def unused(modules: Iterable[str]) -> list[str]:
    """Patterns that no module matches: they name what is gone."""
    known = list(modules)
    return [
        pattern
        for patterns in NEWER.values()
        for pattern in patterns
        if not any(fnmatchcase(module, pattern) for module in known)
    ]


def by_capability(sizes: dict[str, int]) -> dict[str, int]:
    """Lines of what existed then, and of every newer capability, by the lines of each module."""
    totals = Counter[str](dict.fromkeys((THEN, *NEWER), 0))
    for module, size in sizes.items():
        (name,) = lines_of(module)
        totals[name] += size
    return dict(totals)
