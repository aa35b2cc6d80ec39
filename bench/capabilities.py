"""Which modules belong to which capability that came after the move to rooms.

A module is named here if the old tree had no forerunner of it and it would go with its capability.
Every other module counts as what existed then, also where it has grown because of a newer capability
(classes in pools, risk in plans, surveys on pages): nobody could say by how much. The old tree is
commit 3e21ce22: `git ls-tree -r 3e21ce22 -- src`.

Patterns are those of `fnmatch`, relative to `src/assaymark`; `*` reaches into folders below.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache

from definitions import HEAD

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
        "cli/planning.py::typed_claim",
        "cli/planning.py::_without_sign",
        "cli/planning.py::_is_metric",
        "web/pages/claiming.py",
        "stats/rehearsal/courses.py",
        "stats/rehearsal/draws.py",
        "claims/claim.py::_refuse_other_classes",
        "cli/project.py::_with_names",
        "cli/sealed_plans.py::seal_several",
        "cli/sizing.py::_show_comparison",
        "cli/sizing.py::_show_parts",
        "files/spelling.py::Names._set",
        "labelling/blocking.py::open_claim",
        "ledger/events/plans.py::_cells_fault",
        "ledger/events/state.py::State.classes",
        "ledger/events/state.py::State.code",
        "ledger/events/state.py::State.tags",
        "overview/dossier.py::_composite_answer",
        "overview/status.py::_of_claim",
        "pool/sources.py::set_sql",
        "project/folder.py::_refuse_binary",
        "records/pool.py::Columns._refuse_two_verdicts",
        "records/pool.py::refuse_classes",
        "records/pool.py::refuse_tags",
        "records/value.py::class_code",
    ),
    "method 2: bets on rows, sealed renewal of chances, ceiling": (
        "claims/cells.py",
        "claims/linear.py",
        "claims/rows.py",
        "claims/sharing.py",
        "claims/weights.py",
        "stats/betting/*",
        "certification/planning/__init__.py::_cells_of_pool",
        "certification/planning/__init__.py::compiled",
        "certification/planning/__init__.py::constants_of",
        "certification/modes/guided_rows.py",
        "certification/modes/sealed_sample.py",
        "lab/side_by_side/*",
    ),
    "one risk for all plans about a claim": (
        "stats/risk_account.py",
        "certification/modes/account.py",
        "certification/modes/closed_rows.py",
        "certification/planning/stakes.py",
        "certification/certificate/checks.py::check_risk",
        "certification/certificate/checks.py::_asked",
        "certification/certificate/checks.py::_agree",
        "certification/certificate/checks.py::_equal",
        "certification/certificate/issue.py::_account",
        "certification/certificate/words.py::account_words",
        "certification/planning/request.py::RiskRequest*",
        "records/certificate.py::Account",
        "records/plan.py::Plan._risk",
        "records/plan.py::Plan.capped",
        "records/plan.py::Plan.earlier",
        "records/plan.py::Plan.level",
        "records/plan.py::Plan.refut*",
        "records/plan.py::Plan.tested_at",
        "records/plan.py::Stake*",
        "records/plan_shape.py::RiskShape",
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
        "cli/report.py::_review",
        "files/formats/reference_tables.py::_medline",
        "files/formats/reference_tables.py::read_references",
        "files/formats/reference_tables.py::reference_rows",
        "overview/status.py::_of_review",
        "web/pages/planning.py::_review",
    ),
    "claim files, locks, gate, score watch, sentinels, exports": (
        "monitoring/*",
        "api/gating.py",
        "ledger/events/monitored.py",
        "records/claim_terms.py",
        "certification/certificate/issue.py::lock_note",
    ),
    "audits of triage over time: three alarms": (
        "stats/sequential/item_weighted_mean.py",
        "stats/sequential/unit_alarm.py",
        "triaging/audit_account.py",
        "triaging/stats/unit_audit.py",
        "triaging/audit.py::AuditAnswer._deadline",
        "triaging/audit.py::AuditAnswer._other_accounts",
        "triaging/audit.py::_units",
        "triaging/audit_result.py::Account*",
        "triaging/audit_result.py::Seal",
        "triaging/cli/audit.py::_opening",
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
        "api/ask_tell.py::SurveyAskTell*",
        "api/sizing.py",
        "api/training.py",
        "api/triaging.py",
        "api/verification.py",
        "claims/pictures.py",
        "pool/memory.py",
        "triaging/sklearn_scorers.py",
        "claims/claim.py::Counts.from_confusion_matrix",
        "claims/claim.py::Counts.from_labels",
        "claims/results.py::Estimate.plot",
        "claims/results.py::Estimate.row",
        "claims/results.py::*.to_frame",
        "claims/results.py::*._repr_html_",
        "claims/results.py::Verdict.plot",
        "claims/results.py::Verdict.row",
        "estimation/estimate.py::Estimates._repr_html_",
        "estimation/estimate.py::Estimates.plot",
        "estimation/estimate.py::Estimates.to_frame",
        "pair_recall/recall.py::RecallAnswer._repr_html_",
        "pair_recall/recall.py::RecallAnswer.plot",
        "pair_recall/recall.py::RecallAnswer.to_frame",
        "records/certificate.py::Verification._repr_html_",
        "training/rounds.py::Trained._repr_html_",
        "triaging/triage.py::Triage._repr_html_",
        "triaging/triage_answer.py::TriageAnswer._repr_html_",
        "triaging/triage_answer.py::TriageAnswer.plot",
        "triaging/triage_answer.py::TriageAnswer.row",
        "triaging/triage_answer.py::TriageAnswer.to_frame",
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
        "api/certification.py::Certification.know",
        "certification/certificate/words.py::known_words",
        "certification/modes/score_guided.py::known_cells",
        "certification/modes/score_guided.py::cells_after",
        "cli/feeding.py::_take_known",
        "ledger/events/labels.py::LabelKnown",
        "records/plan.py::Plan.known_in_strata",
        "records/plan.py::Plan.to_buy",
        "records/plan.py::known_labels",
        "records/plan_shape.py::KnownShape",
    ),
    "estimates with renewed chances, and their verification": (
        "estimation/renewal.py",
        "estimation/stats/renewed_chances.py",
        "estimation/verification.py",
        "estimation/survey.py::_in_steps",
        "ledger/events/surveys.py::Renewed",
        "overview/check.py::_estimates",
    ),
    "joint seeds, beacons, reading again for the other side": (
        "certification/rereading.py",
        "certification/seeding.py",
        "cli/sealed_plans.py::advise_after_seal",
        "cli/sealed_plans.py::show_new_part",
        "cli/sealed_plans.py::show_revealed",
        "records/seeds.py",
        "terminal/seeds.py",
        "api/certification.py::Certification.new_part",
        "api/certification.py::Certification.reveal",
        "certification/certificate/draws.py::check_seed",
        "certification/drawing.py::refuse_unrevealed",
        "cli/verifying.py::_reread",
        "ledger/events/plans.py::SeedRevealed",
        "ledger/events/plans.py::_of_seeded",
        "ledger/events/plans.py::_revealed",
        "ledger/events/plans.py::_seed_revealed",
        "records/plan.py::Plan.revealed",
        "records/plan.py::Plan.seal",
        "records/plan_shape.py::SeedShape",
    ),
    "witnesses, time stamps, DSSE, heads of the ledger": (
        "certification/certificate/dsse.py",
        "certification/signatures/timestamp.py",
        "certification/signatures/witness.py",
        "ledger/events/witnesses.py",
        "ledger/head.py",
        "certification/certificate/issue.py::_witnesses",
        "certification/verification.py::_witnesses",
        "certification/verification.py::envelope_beside",
        "cli/sealed_plans.py::ledger_head",
        "cli/story.py::witness",
        "cli/verifying.py::_witnesses",
        "records/certificate.py::WitnessNote",
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
        "web/pages/attaching.py",
    ),
    "list of items, assignment, reviewers who are away, results of surveys on the page": (
        "labelling/overdue.py",
        "web/pages/absence.py",
        "web/pages/items.py",
        "web/pages/label_files.py",
        "web/pages/surveys.py",
        "cli/feeding.py::_count_overdue",
        "labelling/desk.py::Desk.assign",
        "labelling/desk.py::read_assignments",
        "labelling/desk.py::write_assignments",
    ),
    "programs: tokens, OpenAPI, hooks, Label Studio as front end": (
        "project/connections.py",
        "web/programs/*",
        "web/app.py::telling",
    ),
    "several servers on one ledger, proxies, signing out": (
        "ledger/leases.py",
        "web/access/proxy.py",
        "labelling/queue.py::Queue.adopt",
        "ledger/postgres.py::LeaseTable*",
        "ledger/postgres.py::PostgresLedger.leasing",
        "web/access/sessions.py::Ended*",
        "web/access/sessions.py::Sessions.end",
        "web/access/sessions.py::Sessions.named",
    ),
    "more files: judges' logs, Splink, alerts, Concordance, ASReview projects, RIS notes": (
        "cli/convert.py",
        "files/formats/asreview_project.py",
        "files/formats/concordance.py",
        "files/formats/ris_notes.py",
        "files/tool_output/*",
        "project/foreign_pools.py",
        "files/formats/ris.py::write_noted",
    ),
    "reports for courts and journals: protocols, the matter, the lead's own words": (
        "overview/answer_names.py",
        "overview/matter.py",
        "overview/protocols.py",
        "web/markdown.py",
    ),
    "plug-ins": (
        "plugins.py",
        "overview/check.py::_plugins",
    ),
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
    "what could still be claimed, claims that look false or point the wrong way": (
        "certification/forecasts/lesser_claim.py",
        "certification/planning/forecast_words.py::_ways_on",
        "certification/planning/forecast_words.py::false_words",
        "certification/planning/forecast_words.py::lesser_claim",
        "certification/planning/forecast_words.py::refuse_the_edge",
        "certification/planning/forecast_words.py::target_with_room",
        "claims/direction.py",
        "overview/status.py::_doubt",
        "overview/status.py::_lesser",
        "web/pages/planning.py::_doubt",
    ),
    "next steps in the words of the command line, of Python and of the page": (
        "hints.py",
        "web/wording.py",
    ),
    "files and readers that mean harm: workbooks, archives, ledgers, slow connections": (
        "files/formats/workbook_limits.py",
        "ledger/__init__.py::_refuse_path",
        "ledger/__init__.py::_refuse_secrets",
        "ledger/sqlite.py::_check_tables",
        "project/restore.py::_Bounded*",
        "project/restore.py::_Listed",
        "project/restore.py::_is_restorable",
        "project/restore.py::_member",
        "web/access/connections.py",
    ),
    "work kept between commands, so that a long ledger is not walked again": (
        "project/folder.py::Memory*",
        "project/folder.py::keep_*",
        "project/folder.py::kept_beside",
        "project/folder.py::resume_wealth",
        "project/kept_state.py",
    ),
}


def lines_of(module: str, name: str = HEAD) -> list[str]:
    """The lines of the table that a module, or a definition in it, belongs to."""
    whole = _lines(module)
    return whole or _lines(f"{module}::{name}") or [THEN]


@cache
def _lines(place: str) -> list[str]:
    return [
        name
        for name, patterns in NEWER.items()
        if any(_matches(place, pattern) for pattern in patterns)
    ]


def _matches(place: str, pattern: str) -> bool:
    """Whether a pattern of modules names this module, or one of definitions this definition."""
    return ("::" in place) == ("::" in pattern) and fnmatchcase(place, pattern)


def unused(modules: Mapping[str, Iterable[str]]) -> list[str]:
    """Patterns that no module and no definition matches: they name what is gone."""
    places = [
        *modules,
        *(f"{module}::{name}" for module, names in modules.items() for name in names),
    ]
    return [
        pattern
        for patterns in NEWER.values()
        for pattern in patterns
        if not any(_matches(place, pattern) for place in places)
    ]


def by_capability(modules: Mapping[str, Counter[str]]) -> dict[str, Counter[str]]:
    """What existed then and every newer capability: lines by the name of the definition."""
    totals = {name: Counter[str]() for name in (THEN, *NEWER)}
    for module, sizes in modules.items():
        for definition, size in sizes.items():
            (name,) = lines_of(module, definition)
            totals[name][definition] += size
    return totals
