"""The experiment `triage` in small, and the diffusion kernel machine."""

import numpy as np
import pytest

from assaymark.lab.experiments import run_experiment
from assaymark.lab.experiments.triage import experiment as triage
from assaymark.lab.experiments.triage.diffusion import kernel, roots, train_machine
from assaymark.lab.tasks import Order


def test_the_experiment_in_small(monkeypatch):
    monkeypatch.setattr(triage, "SKETCHES", triage.SKETCHES[:1])
    monkeypatch.setattr(triage, "SIZES", (200,))
    found = run_experiment("triage", Order(runs=3))
    assert [row["rule"] for row in found.tables["rules"]] == list(triage.RULES)
    assert all(0 <= row["broken"] <= 3 for row in found.tables["rules"])
    assert [row["on"] for row in found.tables["in-kind"]] == [
        "development", "test", "sample A", "sample B", "sample C",
    ]  # fmt: skip
    again = run_experiment("triage", Order(runs=3))
    assert again.tables == found.tables
    assert run_experiment("triage", Order(runs=3, seed=1)).tables != found.tables


def test_the_kernel_is_one_for_equal_documents_and_falls_with_the_angle():
    sparse = pytest.importorskip("scipy.sparse")
    points = roots(sparse.csr_matrix(np.array([[2, 2, 0], [1, 1, 0], [0, 0, 5], [1, 0, 1]])))
    found = kernel(points, points, 1.0)
    assert found[0, 1] == pytest.approx(1)
    assert found[0, 2] == pytest.approx(np.exp(-((np.pi / 2) ** 2)))
    assert found[0, 3] == pytest.approx(np.exp(-(np.arccos(0.5) ** 2)))


def test_the_machine_tells_two_vocabularies_apart():
    rng = np.random.default_rng(42)
    words = {True: ["win", "cash", "prize", "now"], False: ["meeting", "agenda", "minutes", "now"]}
    labels = np.tile([True, False], 40)
    texts = np.array([" ".join(rng.choice(words[bool(y)], 8)) for y in labels], dtype=object)
    machine = train_machine(texts[:40], labels[:40])
    assert ((machine.scores(texts[40:]) > 0) == labels[40:]).all()
