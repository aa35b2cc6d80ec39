"""Scored items whose texts give their labels away, for tests of triage."""

import numpy as np


def rows_of(first, size, *, seed, labels=True, blur=0.0):
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(first, first + size):
        yes = rng.random() < 0.4
        clear = rng.random() >= blur
        score = round(float(rng.beta(5, 2) if yes and clear else rng.beta(2, 5)), 4)
        row = {
            "id": f"i{number}",
            "text": f"{'yes' if yes else 'no'} {seed} {number}",
            "score": score,
        }
        rows.append({**row, "label": int(yes)} if labels else row)
    return rows
