"""Tiny changes of every kind that CONTRIBUTING lists: what is edited, and what must work then."""

from dataclasses import dataclass, field

PROJECT = """
from pathlib import Path
from assaymark.cli import cli
lines = [f"d{n},{n % 100 / 100},t" for n in range(900)]
Path("pool.csv").write_text("\\n".join(["id,score,body", *lines]) + "\\n")
def run(*words):
    cli.main([str(word) for word in words], standalone_mode=False)
INIT = ("init", "w", "--pool", "pool.csv", "--id", "id", "--score", "score", "--threshold", 0.5, "--text", "body")
"""
CELLS = """
from assaymark.claims.cells import Cell, Cells
from assaymark.claims.language.grammar import parse
from assaymark.claims.linear import compile_claim
from assaymark.claims.truth import part_holds
"""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A tiny change of its kind: in each file old text by new, files of its own, what must work then."""

    change: str
    edits: dict[str, dict[str, str]]
    works: str
    own: dict[str, str] = field(default_factory=dict)


TRIALS = (
    Trial(
        change="metric",
        edits={
            "claims/metrics.py": {
                '    "elusion": ((0': '    "fdr": ((0, 1, 0, 0), (1, 1, 0, 0)),\n    "elusion": ((0',
                'SMALL_IS_GOOD = ("elusion",': 'SMALL_IS_GOOD = ("elusion", "fdr",',
            }
        },
        works="""
import assaymark as am
from assaymark.claims.language.grammar import parse
assert str(parse("fdr <= 0.1")) == "fdr <= 0.1"
assert am.bound("fdr", am.Counts(tp=90, fp=10, fn=0, tn=0), sample="random").point == 0.1
""",
    ),
    Trial(
        change="bound",
        edits={
            "stats/binomial_bounds.py": {
                "METHODS = {\n    method.name: method\n    for method in (\n": "METHODS = {\n"
                "    method.name: method\n    for method in (\n"
                '        Method(name="nothing", title="what is true of every share", guaranteed=True,\n'
                "               binomial_only=False, ends=lambda ratio, counts, tail: (0.0, 1.0)),\n",
                '"exact", "midp"': '"exact", "nothing", "midp"',
            }
        },
        works="""
import typing
import assaymark as am
from assaymark.api.metrics import Method
interval = am.bound("f1", am.Counts(tp=9, fp=0, fn=0, tn=0), sample="random", method="nothing").interval
assert (interval.low, interval.method) == (0.0, "nothing")
assert "nothing" in typing.get_args(Method)
""",
    ),
    Trial(
        change="policy",
        edits={
            "training/stats/stopping_policy.py": {
                "POLICIES: Registry[": "def at_once(outlook: Outlook) -> Decision:\n"
                '    return Decision(action="certify", reason="at once")\n\n\nPOLICIES: Registry[',
                '{"split": split,': '{"at-once": at_once, "split": split,',
            }
        },
        works=PROJECT
        + """
run("init", "w", "--pool", "pool.csv", "--id", "id", "--text", "body")
run("train", "f1 >= 0.6", "--policy", "at-once", "--budget", 500, "--batch", 40, "-o", "batch.csv", "-p", "w")
from assaymark.ledger.events import training_of
from assaymark.project.folder import Project
work = training_of(Project(folder=Path("w")).state())
assert work.training.goal.policy == "at-once"
""",
    ),
    Trial(
        change="label format",
        edits={
            "files/tools.py": {
                "READ = {\n": "def _pipes(path, names):\n"
                "    from assaymark.files.answers import Answer\n"
                "    for number, line in enumerate(path.read_text().splitlines(), start=1):\n"
                '        item, _, label = line.partition("|")\n'
                '        yield Answer(place=f"line {number}", item=item, label=label)\n\n\n'
                'READ = {\n    "pipes": Reader(title="id|label", endings=(".pipes",),\n'
                "                    fits=lambda head: False, read=_pipes),\n"
            }
        },
        works=PROJECT
        + """
run(*INIT)
run("plan", "f1 >= 0.6", "-p", "w")
run("draw", 5, "-o", "batch.csv", "-p", "w")
ids = [line.split(",")[0].strip('"') for line in Path("batch.csv").read_text("utf-8-sig").splitlines()[1:]]
Path("l.pipes").write_text("".join(f"{item}|1\\n" for item in ids))
run("label", "l.pipes", "--format", "pipes", "-p", "w")
from assaymark.project.folder import Project
state = Project(folder=Path("w")).state()
assert all(state.label(item) for item in ids)
""",
    ),
    Trial(
        change="pool engine",
        edits={
            "pool/__init__.py": {
                "Engine = Callable[": "def _mine(source: str, columns: Columns, _connection: Any, flags: "
                "Sequence[str]) -> Pool:\n    from assaymark.pool.duckdb import DuckDBPool\n\n"
                "    return DuckDBPool(source.removeprefix('mine:'), columns, flags)\n\n\nEngine = Callable[",
                '"spark": _spark}': '"spark": _spark, "mine": _mine}',
            }
        },
        works=PROJECT
        + """
run(*INIT, "--engine", "mine")
run("plan", "f1 >= 0.6", "-p", "w")
run("draw", 5, "-o", "batch.csv", "-p", "w")
assert len(Path("batch.csv").read_text().splitlines()) == 6
from assaymark.pool import has_pool
assert has_pool("warehouse.table", engine="mine")
""",
    ),
    Trial(
        change="ledger",
        edits={
            "ledger/__init__.py": {
                "LEDGERS: Registry[": "def _beside(address: str, name: str) -> Ledger:\n"
                "    from assaymark.ledger.sqlite import SqliteLedger\n\n"
                "    class Beside(SqliteLedger):\n        address = property(lambda self: address)\n\n"
                '    return Beside(Path(address.removeprefix("beside://")))\n\n\nLEDGERS: Registry[',
                '"postgres": _postgres}': '"postgres": _postgres, "beside": _beside}',
            }
        },
        works=PROJECT
        + """
run(*INIT, "--ledger", "beside://elsewhere.sqlite")
run("plan", "f1 >= 0.6", "-p", "w")
assert Path("elsewhere.sqlite").is_file()
assert not Path("w/ledger.sqlite").exists()
""",
    ),
    Trial(
        change="event",
        edits={
            "ledger/events/witnesses.py": {
                "register(WitnessRecorded,": "@dataclass(frozen=True, kw_only=True)\n"
                "class BellRung(Event):\n    by: str\n\n\n"
                "def _fault(_state: State, event: BellRung) -> str | None:\n"
                '    return None if event.by else "nobody rang it"\n\n\n'
                "register(BellRung, follows=lambda state, event, entry: None, fault=_fault)\n"
                "register(WitnessRecorded,",
            }
        },
        works=PROJECT
        + """
run(*INIT)
from assaymark.errors import AssaymarkError
from assaymark.ledger.events import check_story
from assaymark.ledger.events.witnesses import BellRung
from assaymark.project.folder import Project
project = Project(folder=Path("w"))
with project.writing() as session:
    session.record(BellRung(by="kim"))
check_story(project.ledger.entries())
run("check", "-p", "w")
with project.writing() as session:
    session.record(BellRung(by=""))
try:
    check_story(project.ledger.entries())
except AssaymarkError as error:
    assert "nobody rang it" in str(error)
else:
    raise AssertionError
""",
    ),
    Trial(
        change="survey kind",
        edits={
            "records/survey_kinds.py": {
                '        SurveyKind(\n            name="estimate"': "        SurveyKind(\n"
                '            name="poll", title="Poll", answer="status", why="to ask around"\n        ),\n'
                '        SurveyKind(\n            name="estimate"',
            }
        },
        works=PROJECT
        + """
run(*INIT)
from assaymark.ledger.events import SurveyedItem, SurveyReported
from assaymark.project.folder import Project
from assaymark.sampling.surveys import hand_out, open_survey
project = Project(folder=Path("w"))
with project.writing() as session:
    work = open_survey(session, "poll", "s", cells=[("all", 900)], text=("body",), settings={})
    hand_out(project, session, work, [SurveyedItem(id="d1", cell=0)], {"d1": {"body": "t"}},
             output=Path("batch.csv"))
Path("l.csv").write_text("id,label\\nd1,1\\n")
run("label", "l.csv", "-p", "w")
with project.writing() as session:
    session.record(SurveyReported(survey=1, labels=1, result={"bells": 7}))
run("report", "-p", "w")
page = Path("w/report.html").read_text()
assert "Poll" in page and "bells" in page
""",
    ),
    Trial(
        change="chart",
        edits={
            "certification/report/annex.py": {
                "figures = tuple(made for made in (card, chart)": "import dataclasses\n"
                '    again = dataclasses.replace(chart, caption="Drawn again.") if chart else None\n'
                "    figures = tuple(made for made in (card, chart, again)"
            }
        },
        works=PROJECT
        + """
run(*INIT)
run("plan", "f1 >= 0.6", "-p", "w")
run("report", "-p", "w")
assert Path("w/report.html").read_text().count("<figcaption>Drawn again.") == 1
""",
    ),
    Trial(
        change="command",
        edits={
            "cli/commands.py": {
                '"Keep a project safe": dict': '"Ring": {"bell": "cli.bell"},\n    "Keep a project safe": dict'
            }
        },
        own={
            "cli/bell.py": "import click\n\n\n@click.command()\ndef bell() -> None:\n"
            '    """Ring the bell."""\n    click.echo("ding")\n'
        },
        works="""
from click.testing import CliRunner
from assaymark.cli import cli
assert CliRunner().invoke(cli, ["bell"]).output == "ding\\n"
help = CliRunner().invoke(cli, ["--help"]).output
assert "Ring:" in help and "Ring the bell." in help
""",
    ),
    Trial(
        change="class claim",
        edits={
            "claims/metrics.py": {
                '    "macro f1": "f1",': '    "macro specificity": "specificity",\n    "macro f1": "f1",'
            }
        },
        works=CELLS
        + """
cells = Cells(classifiers=("m",), classes=("a", "b"), cells=(
    Cell(predictions=("a",), items=60), Cell(predictions=("b",), items=40)))
claim = parse("macro specificity >= 0.6")
assert compile_claim(claim, cells).parts[0].rows
everything = {(0, 0): 50, (0, 1): 10, (1, 0): 10, (1, 1): 30}
assert part_holds(claim.parts[0], cells, cells.everywhere, everything)
assert not part_holds(parse("macro specificity >= 0.9").parts[0], cells, cells.everywhere, everything)
""",
    ),
    Trial(
        change="comparison",
        edits={
            "claims/language/tree.py": {
                "Part = Threshold | Comparison | Within | Gap\n": "@dataclass(frozen=True, kw_only=True)\n"
                "class Beside:\n    figure: Figure\n    other: str\n    factor: Fraction\n\n"
                "    def __str__(self) -> str:\n"
                '        return f"{self.figure} beside {quoted(self.other)} {decimal(self.factor)}"\n\n\n'
                "Part = Threshold | Comparison | Within | Gap | Beside\n",
                '    "gap": Gap,\n': '    "gap": Gap,\n    "beside": Beside,\n',
                '        "within",\n': '        "within",\n        "beside",\n',
            },
            "claims/language/grammar.py": {
                "import (\n    ClaimTree,": "import (\n    Beside,\n    ClaimTree,",
                '        if self.here.low == "gap":\n': '        if self.here.low == "beside":\n'
                "            self.take()\n            other = self.name('a classifier')\n"
                "            return Beside(figure=figure, other=other, factor=self.share('a factor'))\n"
                '        if self.here.low == "gap":\n',
            },
            "claims/linear.py": {
                "import (\n    ClaimTree,": "import (\n    Beside,\n    ClaimTree,",
                "    _no_average(leaf.figure)\n": "    if isinstance(leaf, Beside):\n"
                "        return (_beside(leaf, cells, scope),)\n    _no_average(leaf.figure)\n",
                "def both_ways(": "def _beside(leaf, cells, scope):\n"
                "    from assaymark.claims.weights import total\n"
                "    one = subjects(leaf.figure, cells)[0]\n"
                "    pair = (one, replace(one, classifier=cells.classifier(leaf.other)))\n"
                "    first, second = (weigh(each, cells, scope) for each in pair)\n"
                "    signed = total(first.combined(1, 0), second.combined(-leaf.factor, 0))\n"
                "    row = make_row(cells, signed, constant=Fraction(0), strict=False)\n"
                "    return RowPart(text=str(leaf), rows=(row,))\n\n\ndef both_ways(",
            },
            "claims/truth.py": {
                "    if isinstance(leaf, Within):\n": "    from assaymark.claims.language.tree import Beside\n\n"
                "    if isinstance(leaf, Beside):\n        one = subjects(leaf.figure, cells)[0]\n"
                "        two = replace(one, classifier=cells.classifier(leaf.other))\n"
                "        first, second = (figure_value(s, cells, scope, tally) for s in (one, two))\n"
                "        return first >= leaf.factor * second\n    if isinstance(leaf, Within):\n",
            },
        },
        works=CELLS
        + """
cells = Cells(classifiers=("a", "b"), classes=("0", "1"), positive="1", cells=tuple(
    Cell(predictions=(x, y), items=25) for x in "01" for y in "01"))
claim = parse("recall of b beside a 0.8")
assert str(claim) == "recall of b beside a 0.8"
tally = {(1, 1): 10, (2, 1): 13, (3, 1): 20}  # a finds 33, b 30
assert len(compile_claim(claim, cells).parts[0].rows) == 1
assert part_holds(claim.parts[0], cells, cells.everywhere, tally)
assert not part_holds(parse("recall of b beside a 0.95").parts[0], cells, cells.everywhere, tally)
""",
    ),
    Trial(
        change="plug-in",
        edits={},
        own={
            "../tiny_bell.py": "from assaymark.training.stats.stopping_policy import Decision\n\n\n"
            'def decide(outlook):\n    return Decision(action="certify", reason="ding")\n',
            "../tiny_bell-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny-bell\nVersion: 1\n",
            "../tiny_bell-1.dist-info/entry_points.txt": "[assaymark.policies]\nbell = tiny_bell:decide\n",
        },
        works="""
from assaymark.training.stats.stopping_policy import POLICIES
assert POLICIES.find("policy", "bell")(None).reason == "ding"
""",
    ),
    Trial(
        change="default power",
        edits={"claims/defaults.py": {"POWER = 0.93": "POWER = 0.71"}},
        works="""
import inspect
import assaymark as am
from click.testing import CliRunner
from assaymark.cli import cli
from assaymark.certification.planning.request import PlanRequest
for words in (["plan", "--help"], ["size", "--help"], ["train", "--help"]):
    shown = CliRunner().invoke(cli, words).output
    assert "0.71" in shown and "0.93" not in shown, words
assert PlanRequest.__dataclass_fields__["power"].default == 0.71
assert inspect.signature(am.size).parameters["power"].default == 0.71
""",
    ),
)
