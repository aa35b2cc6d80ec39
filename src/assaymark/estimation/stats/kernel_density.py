"""A smooth density of the axis: a Gaussian kernel on a thousand points, from bins alone."""

import numpy as np

from assaymark.estimation.stats.confidence_axis import Axis, Floats

POINTS = 1000


def kernel_density(axis: Axis) -> Floats:
    """The density of z at each bin, up to a constant; Silverman's bandwidth, one point at least.

    Items of a bin are spread evenly over its range, so that wide bins do not look like spikes.
    """
    low, high = float(axis.low.min()), float(axis.high.max())
    if high <= low:
        return np.ones(len(axis.z))
    density = density_on(axis, low, high)
    width = (high - low) / POINTS
    middles = low + width * (np.arange(POINTS) + 0.5)
    return np.asarray(np.interp(axis.z, middles, density), dtype=np.float64)


def density_on(axis: Axis, low: float, high: float) -> Floats:
    """The density at the middles of a thousand equal intervals from low to high."""
    edges = np.linspace(low, high, POINTS + 1)
    mass = np.zeros(POINTS)
    # the cumulative count rises straight within a bin; its ends are shared by whole arrays at once
    for group in np.unique(axis.group):
        mine = axis.group == group
        ends = np.stack([axis.low[mine], np.maximum(axis.high[mine], axis.low[mine])], axis=1)
        order = np.argsort(ends[:, 0], kind="stable")
        done = np.cumsum(axis.counts[mine][order])
        heights = np.stack([done - axis.counts[mine][order], done], axis=1).ravel()
        places = np.maximum.accumulate(ends[order].ravel())
        mass += np.diff(np.interp(edges, places, heights, left=0.0, right=float(done[-1])))
        mass[0] += float(np.interp(edges[0], places, heights, left=0.0))
    band = max(_silverman(axis), (high - low) / POINTS)
    steps = np.arange(-POINTS, POINTS + 1) * (high - low) / POINTS / band
    near = np.abs(steps) <= 8
    kernel = np.exp(-0.5 * steps[near] ** 2)
    half = len(kernel) // 2
    smooth = np.convolve(mass, kernel / kernel.sum())[half : half + POINTS]
    return np.asarray(np.maximum(smooth, 1e-9 * smooth.max()), dtype=np.float64)


def _silverman(axis: Axis) -> float:
    share = axis.counts / axis.counts.sum()
    mean = float((share * axis.z).sum())
    spread = float(np.sqrt((share * (axis.z - mean) ** 2).sum()))
    below = np.cumsum(share)
    quarter, three = np.interp([0.25, 0.75], below, axis.z)
    middle = (three - quarter) / 1.34
    scale = min(spread, middle) if middle > 0 else spread
    return float(0.9 * scale * axis.items**-0.2)
