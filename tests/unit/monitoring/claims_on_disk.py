"""A folder with a small pool, a claim file and what it takes to decide it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from worlds_on_disk import Answer, World, write_labels, write_world

TEXT = """\
name = "toxicity"
claim = "f1 >= 0.8"
project = "../work"
confidence = 0.95
expires = 2099-06-30
owner = "trust and safety"
protocol = "guide, version 3"

[pool]
path = "../pool.csv"
id = "id"
score = "score"
threshold = 0.5
text = ["body"]

[classifier]
model = "sha256:11"
prompt = "sha256:22"
"""


@dataclass(frozen=True, kw_only=True)
class Folder:
    """The claim file, its project and the truth of its pool."""

    claim: Path
    project: Path
    world: World
    run: Callable[..., Answer]

    def edit(self, before: str, after: str) -> None:
        text = self.claim.read_text(encoding="utf-8")
        assert before in text
        self.claim.write_text(text.replace(before, after), encoding="utf-8")

    def lock(self) -> Answer:
        return self.run("lock", self.claim, "--seed", "s", "--json")

    def label(self, batches: int = 20) -> None:
        """Draw and label until the claim is decided, or so many batches are labelled."""
        place = self.claim.parent.parent
        for _ in range(batches):
            batch = place / f"batch-{len(list(place.glob('batch-*')))}.csv"
            drawn = self.run("draw", "-o", batch, "-p", self.project, "--json")
            assert drawn.code == 0, drawn.err
            answers = {item: self.world.truth[item] for item in drawn.json["items"]}
            assert self.run("label", write_labels(batch, answers), "-p", self.project).code == 0
            if self.run("look", "-p", self.project, "--json").json["decision"] != "continue":
                return

    def certify(self) -> None:
        self.label()
        done = self.run("certify", "-p", self.project)
        assert done.code == 0, done.err

    def gate(self, *options: object) -> Answer:
        return self.run("gate", self.claim.parent, "--today", "2027-01-01", *options, "--json")

    def only(self) -> dict[str, object]:
        """The one claim of the gate's answer."""
        (claim,) = self.gate().json["claims"]
        return claim


def existing_folder(place: Path, run: Callable[..., Answer]) -> Folder:
    file = place / "claims" / "toxicity.toml"
    world = write_world(place / "pool.csv")  # the same bytes again
    return Folder(claim=file, project=place / "work", world=world, run=run)


def write_folder(place: Path, run: Callable[..., Answer]) -> Folder:
    (place / "claims").mkdir()
    (place / "claims" / "toxicity.toml").write_text(TEXT, encoding="utf-8")
    return existing_folder(place, run)
