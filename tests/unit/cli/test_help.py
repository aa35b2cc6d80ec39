"""The help of the whole program leaves nothing out."""

from assaymark.cli import PARTS, cli


def test_every_command_stands_in_one_part_of_the_help() -> None:
    listed = [name for names in PARTS.values() for name in names]
    assert sorted(listed) == sorted(cli.commands)


def test_no_sentence_of_the_help_is_cut_off(assaymark) -> None:
    assert "..." not in assaymark("--help").out.split("Options:")[1]
