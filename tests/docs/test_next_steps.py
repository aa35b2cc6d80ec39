"""What a page shows after "Next:" can be pasted: nothing but commands follows its first command."""

import re
import shlex
from collections.abc import Iterator

from pages import DOCS

NEXT = re.compile(r"^Next: (?:.*?[,:;] (?:then:? )?)??(assaymark .*)$", re.MULTILINE)


def unpasteable(text: str) -> Iterator[str]:
    """Next steps in which words of a sentence stand behind a command."""
    for step in NEXT.findall(text):
        words = [shlex.split(part) for part in step.split("; ")]
        if any(part[0] != "assaymark" or any(w.endswith(",") for w in part) for part in words):
            yield step


def test_words_behind_a_command_are_noticed() -> None:
    """A folder called `work,` is none that anybody has."""
    pasted = 'Next: fill it in, then: assaymark label "a b.csv" -p work; assaymark train -p work\n'
    assert not list(unpasteable(pasted))
    for step in ("look -p work, and assaymark draw", "draw -p work; or stop", "look, if you like"):
        assert list(unpasteable(f"Next: assaymark {step}\n"))


def test_every_next_step_of_the_pages_can_be_pasted() -> None:
    """`assaymark plan "f1 >= 0.75" -p work, with the claim you want to prove` ended in an error."""
    steps = [step for page in DOCS.rglob("*.md") for step in unpasteable(page.read_text("utf-8"))]
    assert not steps
