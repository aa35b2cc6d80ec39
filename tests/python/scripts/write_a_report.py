"""Prove a claim in a folder of its own, and write the report for whoever reads it."""

import tempfile
from pathlib import Path

import assaymark

with tempfile.TemporaryDirectory() as folder:
    scores = [i / 400 for i in range(400)]
    work = assaymark.certify(
        {"score": scores}, "accuracy >= 0.85", threshold=0.5, folder=Path(folder) / "work", seed=9
    )
    verdict = work.run(lambda item: bool(item.id >= 200))
    assert verdict.established
    report = work.report()
    print(report.name, report.stat().st_size > 10_000)
    picture = verdict.plot()
    (Path(folder) / "verdict.svg").write_text(picture.svg, encoding="utf-8")
    again = assaymark.Certification(work.folder)
    print(again.status().summary)
