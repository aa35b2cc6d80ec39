"""A collection that is named is used or refused; made worlds never stand in for it."""

from pathlib import Path

import pytest

from assaymark.pool.tables import write_table


@pytest.fixture
def emotions(tmp_path: Path) -> Path:
    columns = {"text": ["glad", "sad"] * 20, "labels": ["joy", "grief"] * 20, "split": ["a"] * 40}
    return write_table(tmp_path / "emotions.parquet", columns)


@pytest.mark.parametrize("name", ["triage", "stratified", "guarantee"])
def test_a_collection_that_gives_nothing_is_refused(assaymark, emotions, name) -> None:
    done = assaymark("lab", name, "--data", emotions, "--runs", 2)
    assert done.code == 2
    assert "emotions.parquet gives this experiment nothing to run on" in done.err


def test_full_is_refused_where_it_has_no_meaning(assaymark) -> None:
    done = assaymark("lab", "triage", "--full")
    assert done.code == 2
    assert "has no finer steps" in done.err
    assert "policies" in done.err
