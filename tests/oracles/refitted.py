"""Held-out scores by fitting again without each fold, one fold after the other: slow, and nothing to get wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import suffice as sf

Array = Any


def refitted(
    data: Any,
    target: Array,
    weights: Array | None,
    folds: Array,
    taken: Callable[[Any, Array], Any],
    **options: Any,
) -> Array:
    """Return log p(x|c) of each row of fold 0, 1, … by the model of all rows outside the fold; NaN for rows of none (−1).

    `taken(data, rows)` gives some rows of the data. The class prior is uniform, and is taken away again.
    """
    classes = sorted(set(target.tolist()))
    found = np.full((len(folds), len(classes)), np.nan)
    for fold in range(int(folds.max()) + 1):
        here, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        if not len(here):
            continue
        heavy = None if weights is None else weights[rest]
        model = sf.fit(
            taken(data, rest), target[rest], weights=heavy, class_prior="uniform", calibrate=False, **options
        )
        assert list(model.classes) == classes
        found[here] = model.log_joint(taken(data, here)) + np.log(len(classes))
    return found


def loss(likelihood: Array, codes: Array, weights: Array, scale: float, offsets: Array) -> float:
    """Return the mean log loss of log π_c + b_c + w ll_c under the weighted class frequencies π, row by row."""
    total = sum(weights)
    share = [sum(w for w, c in zip(weights, codes, strict=True) if c == label) / total for label in range(len(offsets))]
    lost = 0.0
    for row, code, weight in zip(likelihood, codes, weights, strict=True):
        scores = [np.log(p) + b + scale * ll for p, b, ll in zip(share, offsets, row, strict=True) if p > 0]
        own = np.log(share[code]) + offsets[code] + scale * row[code]
        lost += weight * (np.logaddexp.reduce(scores) - own)
    return float(lost / total)
