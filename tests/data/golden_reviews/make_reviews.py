"""Writes the golden projects of reviews: ranked by texts, imported, and read by two people.

As with those beside it, a project is written once and never again: whatever later versions change,
`tests/replication/test_golden_reviews.py` has them verify it. `PYTHONPATH=tests python
tests/data/golden_reviews/make_reviews.py` writes those that are missing and leaves the others alone.
"""

import csv
import random
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from assaymark.certification.signatures.signing import load_signer, new_key
from assaymark.labelling.recording import label
from assaymark.ledger.head import settle_heads
from assaymark.project.folder import Project
from assaymark.reviewing.certificate import certify_review
from assaymark.reviewing.handing import next_items
from assaymark.reviewing.starting import Start, start
from assaymark.reviewing.status import review_status
from golden_writing import label_row, truth_in, write_missing

HERE = Path(__file__).parent
ITEMS, RELEVANT = 240, 50
PLAIN = ("river", "stone", "cloud", "paper", "glass", "metal", "sand", "leaf", "wind", "lamp")


@dataclass(frozen=True, kw_only=True)
class Golden:
    """How a review begins.

    `again`: it goes on after its first certificate, to a second one. `duplicate`: a record is in the
    pool twice, so that the project keeps a pool of its own.
    """

    options: dict[str, object] = field(default_factory=dict)
    readers: tuple[str, ...] = ("kim",)
    again: bool = False
    duplicate: bool = False


PROJECTS = {
    "ranked": Golden(options={"recall": "0.7", "terms": ("telescope",), "known": "r003,r004"}),
    "imported": Golden(
        options={"recall": "0.7", "confidence": "0.9", "screened": ("screened.csv",)}, again=True
    ),
    "two-readers": Golden(
        options={"recall": "0.6", "terms": ("telescope",), "twice": "0.5", "decisions": "open"},
        readers=("ann", "bob"),
        duplicate=True,
    ),
}


def write_pool(place: Path) -> None:
    """240 records, of which 50 mostly speak of telescopes; 60 were read before."""
    rng = random.Random(23)
    truth = {f"r{number:03d}": int(number < RELEVANT) for number in range(ITEMS)}
    names = rng.sample(sorted(truth), ITEMS)
    rows = []
    for name in names:
        words = rng.choices(PLAIN, k=5)
        if truth[name] and rng.random() < 0.9:
            words[rng.randrange(5)] = "telescope"
        rows.append((name, f"{' '.join(words)} {len(rows)}"))
    _table(place / "pool.csv", ("id", "title"), rows)
    _table(place / "truth.csv", ("id", "label"), sorted(truth.items()))
    _table(place / "screened.csv", ("id", "label"), [(name, truth[name]) for name in names[:60]])


def _table(path: Path, header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])


def write(place: Path, golden: Golden) -> dict[str, str]:
    """The project beside its pool; the head of its ledger and the public key come back."""
    for name in ("pool.csv", "screened.csv"):
        shutil.copy(HERE / name, place)
    if golden.duplicate:
        _repeat_first(place / "pool.csv")
    options = dict(golden.options)
    if "screened" in options:
        options["screened"] = (str(place / "screened.csv"),)
    wish = Start(pool=str(place / "pool.csv"), id="id", text=("title",), **options)  # type: ignore[arg-type]
    start(place / "work", wish)
    project = Project(folder=place / "work")
    public = new_key(place / "key.pem")  # thrown away: whoever verifies needs its public half alone
    signer = load_signer(place / "key.pem")
    while review_status(project).decision != "stop":
        _handout(project, golden.readers, count=20)
    certify_review(project, signer=signer)
    if golden.again:
        while len(project.state().reviews[0].commitments) == 1:  # a new secret draws
            _handout(project, golden.readers, count=5)
        certify_review(project, signer=signer)
    settle_heads()
    return {"head": project.ledger.entries()[-1].hash, "key": public}


def _repeat_first(pool: Path) -> None:
    with pool.open("a", encoding="utf-8", newline="") as stream:
        first = pool.read_text(encoding="utf-8").splitlines()[1]
        stream.write(f"r900,{first.partition(',')[2]}\r\n")


def _handout(project: Project, readers: tuple[str, ...], *, count: int) -> None:
    """Read a handout; every 37th record is unclear, every 19th is read wrongly first.

    Who read it alone corrects that; a second reader contradicts, and a third person decides.
    """
    truth = truth_in(HERE / "truth.csv")
    items = next_items(project, count=count, write=False).items
    unclear = [item for item in items if int(item[1:]) % 37 == 0]
    wrong = [item for item in items if int(item[1:]) % 19 == 0 and item not in unclear]
    right: dict[str, int | None] = truth | dict.fromkeys(unclear)
    first = right | {item: 1 - truth[item] for item in wrong}
    label(project, [label_row(item, first[item], readers[0]) for item in items])
    twice = [item for item in items if item in project.state().twice]
    alone = [item for item in wrong if item not in twice]
    label(project, [label_row(item, truth[item], readers[0]) for item in alone], correct=True)
    if not twice:
        return
    label(project, [label_row(item, right[item], readers[1]) for item in twice])
    disputed = [item for item in twice if project.state().disputed(item)]
    label(project, [label_row(item, truth[item], "chair") for item in disputed], adjudicate=True)


PASSING = ("review-secret-", "review-scores", "features")
"""Secrets (the ledger shows them) and what ranking remembers."""


def main() -> None:
    """Write what is missing."""
    if not (HERE / "pool.csv").exists():
        write_pool(HERE)
    write_missing(HERE, "witnesses.json", PROJECTS, write, passing=PASSING)


if __name__ == "__main__":
    main()
