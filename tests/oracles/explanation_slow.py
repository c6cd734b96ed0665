"""What a cell adds to the log-odds, slowly: the score with it less the score without it, or, of draws, over all orders.

For likelihoods that read column by column, log p(c, x) of a row less that of the row with the cell missing is what the
cell adds, because a missing cell is marginalised. Of a row of draws (Dirichlet-multinomial) each draw adds the log of its
share so far, and every order of the draws is gone through.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations

import numpy as np


def added_by_cell(model, row: dict, column: str) -> np.ndarray:
    """Return what a cell adds to log p(c, x) of each class: to a row that has no other, so that −inf is told too."""
    nothing = {name: [None if isinstance(value, str) else math.nan] for name, value in row.items()}
    return (model.log_joint({**nothing, column: [row[column]]}) - model.log_joint(nothing))[0]


def added_by_draws(alpha: Sequence[float], counts: Sequence[int]) -> list[float]:
    """Return what the draws of each outcome add to the log probability of a sequence, on average over its orders."""
    draws = [k for k, number in enumerate(counts) for _ in range(number)]
    total = math.fsum(alpha)
    added: list[list[float]] = [[] for _ in alpha]
    orders = list(permutations(draws))
    for order in orders:
        seen = [0] * len(alpha)
        for drawn, k in enumerate(order):
            added[k].append(math.log((alpha[k] + seen[k]) / (total + drawn)))
            seen[k] += 1
    return [math.fsum(each) / len(orders) for each in added]
