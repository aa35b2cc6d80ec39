"""Reports: everything that matters is in them, at every stage, and project text stays text."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import click
import pytest

from assaymark.certification.view.dossier import SurveySeen
from assaymark.cli import cli
from assaymark.drawing.marks import Figure
from assaymark.overview.dossier import dossier
from assaymark.overview.report_content import report_of
from assaymark.overview.survey_sections import section_of, survey_section, with_section
from assaymark.project.folder import Project
from assaymark.records.survey_kinds import SURVEY_KINDS
from assaymark.reports.pdf import printed_figure, typeset, write_source
from assaymark.reports.section import Section
from worlds_on_disk import write_csv, write_labels

DATA = Path(__file__).parents[2] / "data"
HOSTILE = '<script>alert(1)</script> #panic() $x$ "]; {{ 7*7 }} \u202e ] #read("/etc/passwd")'


def test_a_certified_claim_is_handed_over(labelled, assaymark, tmp_path):
    assert assaymark("look", "-p", labelled).code == 0
    assert assaymark("certify", "-p", labelled).code == 0
    done = assaymark("report", "-o", tmp_path / "r.html", "-p", labelled, "--json")
    assert done.code == 0, done.err
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert done.json["tone"] == "pass"
    assert done.json["verdict"].split(". ", 1)[1] in text
    for wanted in (
        done.json["head"],
        done.json["certificate"],
        "Every look",
        "assaymark verify",
        "Elusion",
    ):
        assert wanted in text
    assert "<script" not in text
    assert not re.search(r"(?:src|href)=", text.replace("xlink:href", "")), "nothing is fetched"
    assert (tmp_path / "r.html").stat().st_size < 400_000


def test_an_existing_file_is_left_alone(labelled, assaymark, tmp_path):
    path = tmp_path / "r.html"
    path.write_text("mine")
    done = assaymark("report", "-o", path, "-p", labelled)
    assert done.code == 2
    assert "exists already" in done.err
    assert path.read_text() == "mine"
    assert (
        "written as .html or .pdf"
        in assaymark("report", "-o", tmp_path / "r.doc", "-p", labelled).err
    )
    assert "no folder" in assaymark("report", "-o", tmp_path / "no" / "r.html", "-p", labelled).err


def test_a_report_of_an_open_plan_is_a_look(assaymark, project, world, tmp_path):
    assert assaymark("plan", "f1 >= 0.9", "--seed", "s", "-p", project).code == 0
    drawn = assaymark("draw", 40, "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    labels = write_labels(tmp_path / "l.csv", {item: world.truth[item] for item in drawn})
    assert assaymark("label", labels, "-p", project).code == 0
    assert assaymark("report", "-o", tmp_path / "r.html", "-p", project).code == 0
    assert len(dossier(Project(folder=project)).looks) == 1


@pytest.mark.parametrize("stage", ["no plan", "sealed", "too early", "abandoned", "failed"])
def test_every_stage(stage, assaymark, project, world, tmp_path):
    plan = ("plan", "f1 >= 0.97", "--mode", "fixed", "--budget", 60, "--seed", "s", "-p", project)
    if stage != "no plan":
        assert assaymark(*plan).code == 0
    if stage in ("too early", "failed"):
        count = 20 if stage == "too early" else 60
        drawn = assaymark("draw", count, "-o", tmp_path / "b.csv", "-p", project, "--json").json[
            "items"
        ]
        answers = {item: 1 - world.truth[item] for item in drawn}
        assert (
            assaymark("label", write_labels(tmp_path / "l.csv", answers), "-p", project).code == 0
        )
    if stage == "abandoned":
        assert assaymark("plan", "--abandon", "no money", "-p", project).code == 0
    for form in ("html", "pdf"):
        done = assaymark("report", "-o", tmp_path / f"r.{form}", "-p", project, "--json")
        assert done.code == 0, done.err
    tones = {"no plan": "no plan", "abandoned": "abandoned", "failed": "fail"}
    assert done.json["tone"] == tones.get(stage, "too early")
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")


def test_hostile_text_stays_text(assaymark, tmp_path):
    """Names of files, annotators and items, and reasons, come from others: they are shown, never obeyed."""
    pool = tmp_path / "pool.csv"
    write_csv(pool, ["id", "score"], [[f"{HOSTILE} {n}", n / 100] for n in range(100)])
    project = tmp_path / "work"
    assert assaymark("init", project, "--pool", pool, "--id", "id", "--score", "score", "--threshold", 0.5).code == 0  # fmt: skip
    assert assaymark("plan", "f1 >= 0.5", "--seed", HOSTILE, "-p", project).code == 0
    assert assaymark("plan", "--abandon", HOSTILE, "-p", project).code == 0
    assert assaymark("plan", "f1 >= 0.5", "--design", "simple", "-p", project).code == 0
    drawn = assaymark("draw", 20, "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    labels = write_labels(tmp_path / "l.csv", dict.fromkeys(drawn, "?"))
    assert assaymark("label", labels, "--annotator", HOSTILE, "-p", project).code == 0
    assert assaymark("report", "-o", tmp_path / "r.html", "-p", project).code == 0
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "{{ 7*7 }}" in text
    pages = typeset(report_of(dossier(Project(folder=project))), form="png")
    assert all(page.startswith(b"\x89PNG") for page in pages)


def marks(report, folder, label: str) -> list:
    """What a mark of the PDF's template holds, at each of its places."""
    typst = pytest.importorskip("typst")
    folder.mkdir(exist_ok=True)
    source = write_source(report, folder)
    return json.loads(typst.query(source, label, field="value", root=folder, ignore_system_fonts=True))  # fmt: skip


def page_numbers(report, folder) -> list[list[int]]:
    """What stands at the foot of every page of the PDF: its number, and how many there are."""
    return marks(report, folder, "<page-number>")


def letter_points(figure: Figure) -> float:
    """How high the letters of the figure, 12 pixels, come out on A4 with margins of 20 mm, in points."""
    widths = [plot.width for plot in figure.plots]
    gaps = figure.gap * (len(widths) - 1)
    return 12 * 482.0 / (sum(widths) + gaps if figure.across else max(widths))


@pytest.mark.parametrize(
    "place", ["golden/betting-2", "golden_claims/groups", "golden_claims/comparison"]
)
def test_pages_are_numbered_and_letters_can_be_read_in_print(place, tmp_path):
    """Pages of a PDF were numbered 1/5, 4/5, 5/5, 1/5, 1/5, and the first chart had letters of 5.6 pt."""
    copy = shutil.copytree(DATA / place, tmp_path / "work")
    report = report_of(dossier(Project(folder=copy)))
    numbers = page_numbers(report, tmp_path / "out")
    assert len(numbers) > 1
    assert numbers == [[page + 1, len(numbers)] for page in range(len(numbers))]
    sections = [*report.record, *report.annex]
    charts = [report.chart, *(chart for part in sections for chart in part.charts)]
    sizes = [letter_points(printed_figure(chart.figure)) for chart in charts if chart]
    assert sizes
    assert min(sizes) >= 7.5


@pytest.mark.parametrize("more", [0, 4, 6])
def test_page_one_is_one_page(more, tmp_path):
    """With a matter, a classifier and disagreements, what the claim does not say ended on page two."""
    copy = shutil.copytree(DATA / "golden" / "betting-2", tmp_path / "work")
    report = report_of(dossier(Project(folder=copy)))
    facts = (*report.facts, *(("Matter", f"Roe v. Doe, No. {number}") for number in range(more)))
    assert report.chart
    assert marks(replace(report, facts=facts), tmp_path / "out", "<end-of-page-one>") == [1]


def test_a_page_is_not_left_nearly_empty(tmp_path):
    """Three sentences stood alone on a page before the annex."""
    copy = shutil.copytree(DATA / "golden" / "betting-2", tmp_path / "work")
    report = report_of(dossier(Project(folder=copy)))
    short = Section(title="Short", sentence="A sentence.")
    long = replace(short, paragraphs=("A line.",) * 70)
    small = replace(report, chart=None, assumptions=(), limits=(), annex=(short,))
    pages = [
        len(page_numbers(replace(small, record=(part,)), tmp_path / part.title))
        for part in (short, replace(long, title="Long"))
    ]
    assert pages == [1, 3]


def test_surveys_without_a_section_are_a_table(monkeypatch):
    plain = replace(SURVEY_KINDS["sentinel"], section=None)
    monkeypatch.setitem(SURVEY_KINDS, "sentinel", plain)
    seen = SurveySeen(number=2, purpose="sentinel", drawn=10, labelled=9, time="t", result=None)
    assert survey_section(seen).tables == ()
    assert survey_section(with_section(seen, {"a": {"recall": 0.5}})).tables[0].rows == (
        ("a recall", "0.5"),
    )


@pytest.mark.parametrize("purpose", SURVEY_KINDS)
def test_every_kind_of_survey_names_a_command_and_a_section_that_exist(purpose):
    kind, command = SURVEY_KINDS[purpose], cli
    for word in kind.answer.split():
        command = command.get_command(click.Context(command), word)
    assert command is not None
    assert kind.section is None or callable(section_of(purpose))
