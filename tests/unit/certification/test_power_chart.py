"""The chart of the chance to pass: no name lies under the curve."""

import pytest

from assaymark.certification.report.charts import power_chart
from assaymark.claims.results import ModeForecast, PowerCurve
from assaymark.drawing.marks import Line, Words


@pytest.mark.parametrize("floor", [5.0, 40.0, 150.0, 380.0])
def test_the_curve_does_not_cross_the_name_of_the_elusion_floor(floor) -> None:
    """The name is about a quarter of the picture wide and an eighth of it high."""
    sizes = tuple(range(0, 401, 10))
    power = tuple(0.0 if n <= floor else 1 / (1 + 2.0 ** ((floor + 40 - n) / 10)) for n in sizes)
    curve = PowerCurve(sizes=sizes, power=power)
    mode = ModeForecast(labels=400, expected=200.0, median=200, quantile=300)
    (plot,) = power_chart(curve, mode=mode, power=0.8, floor=floor).figure.plots
    (name,) = (m for m in plot.marks if isinstance(m, Words) and "elusion floor" in m.text)
    (line,) = (m for m in plot.marks if isinstance(m, Line))
    ends = (name.x - 110, name.x) if name.anchor == "end" else (name.x, name.x + 100)
    assert ends[1] <= 400
    under = [p for n, p in line.points if ends[0] < n < ends[1]]
    assert all(p > 0.1 for p in under) or all(p < 0.03 for p in under)
