"""The frozen classifier is saved, and scores new files as it scored the collection."""

import csv

import duckdb
import numpy as np
import pytest

from assaymark.errors import InputError, PlanError
from assaymark.learners.documents import Weights
from assaymark.learners.features import WIDTH, vectorise
from assaymark.learners.saved_linear import read_saved, saved_linear
from assaymark.stats.calibration import Calibrator, Logistic
from assaymark.training.freeze import stop_training
from assaymark.training.rounds import train
from assaymark.training.scoring import model_file, score_file
from assaymark.training.settings import TrainingRequest
from training_worlds import answer_training, begun, write_texts


def test_a_frozen_classifier_scores_other_files(tmp_path, assaymark) -> None:
    world = write_texts(tmp_path / "texts.csv", items=500)
    project = begun(world, tmp_path / "work", batch=80)
    with pytest.raises(PlanError, match="No classifier is frozen yet"):
        score_file(project, str(world.path), output=tmp_path / "early.parquet")
    answer_training(project, world)
    train(project, TrainingRequest())
    answer_training(project, world)
    stop_training(project, seed="c")
    # the collection itself gets the very scores that were frozen
    done = assaymark("train", "--score", world.path, "-o", tmp_path / "again.parquet", "-p", project.folder, "--json").json  # fmt: skip
    assert done["items"] == 500
    frozen = project.folder / "scores" / "decisions-1.parquet"
    rows = duckdb.sql(
        f"SELECT max(abs(a.score - b.score)), count(*) FROM read_parquet('{tmp_path / 'again.parquet'}') a "
        f"JOIN read_parquet('{frozen}') b USING (id)"
    ).fetchall()[0]
    assert rows[1] == 500
    assert rows[0] < 1e-5, "float32 sums in another order"
    # and a new file is scored without the collection
    world.path.unlink()
    with (tmp_path / "new.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "title", "body"])
        writer.writerow(["a", "orbit rover", "crater lander probe comet"])
        writer.writerow(["b", "market budget", "tax invoice profit quarter"])
        writer.writerow(["c", "", ""])
    told = assaymark("train", "--score", tmp_path / "new.csv", "-o", tmp_path / "new.parquet", "-p", project.folder)  # fmt: skip
    assert "3 items scored by model 2" in told.out
    scored = dict(duckdb.sql(f"SELECT id, score FROM read_parquet('{tmp_path / 'new.parquet'}')").fetchall())  # fmt: skip
    assert scored["a"] > scored["b"]
    refused = assaymark("train", "--score", tmp_path / "new.csv", "-o", tmp_path / "new.parquet", "-p", project.folder)  # fmt: skip
    assert refused.code == 2
    path = model_file(project, 1)
    path.write_bytes(b"not a model")
    with pytest.raises(InputError, match="cannot be read"):
        read_saved(path)


def test_a_steep_calibration_is_saved_as_it_is(tmp_path) -> None:
    """At a score of 1 it is 1 to the last digit: measured there, its slope would be infinite."""
    texts = ["orbit rover", "market budget", "lander budget"] * 3
    features = vectorise([([str(n) for n in range(9)], texts)], tmp_path / "features", items=9)
    weights = np.random.default_rng(1).normal(0, 0.3, WIDTH).astype(np.float32)
    curve = Calibrator(name="platt", curve=Logistic(slope=3.0, shift=-1.0, centre=-0.6, scale=0.05))
    saved_linear(features, weights, -0.7, curve, 0.5).write(tmp_path / "model.npz")
    rows = Weights(features=features, weights=weights, intercept=-0.7).everywhere(lambda *_: None)
    scores = read_saved(tmp_path / "model.npz").scores(texts)
    assert np.allclose(scores, curve.at(rows), atol=1e-5)
    assert scores.std() > 0.01


def test_a_model_that_lost_its_calibration_is_refused(tmp_path) -> None:
    numbers = np.array([1, -0.7, np.inf, 14.2, 0.45])
    zeros = np.zeros(WIDTH, dtype=np.float32)
    np.savez_compressed(tmp_path / "old.npz", weights=zeros, importance=zeros, numbers=numbers)
    with pytest.raises(InputError, match="saved by an earlier version without its calibration"):
        read_saved(tmp_path / "old.npz")
