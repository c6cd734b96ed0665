"""log p(x | c) of the predictive Gaussian of weighted rows, in 60 digits: from the rows and the weights themselves.

The prior is unit information: one pseudo-row at the mean of all rows, with their variances. Every form is a multivariate
t of ν degrees, location m and scale matrix S.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath as mp

DIGITS = 60


class Group:
    """Weight, mean and scatter of weighted rows."""

    def __init__(self, rows: Sequence[Sequence[Any]], weights: Sequence[Any]) -> None:
        size = len(rows[0])
        self.n = mp.fsum(weights)
        self.mean = [mp.fsum(w * row[j] for row, w in zip(rows, weights, strict=True)) / self.n for j in range(size)]
        self.scatter = mp.matrix(size, size)
        for row, w in zip(rows, weights, strict=True):
            d = mp.matrix([a - b for a, b in zip(row, self.mean, strict=True)])
            self.scatter += w * d * d.T


def log_t(x: Sequence[Any], nu: Any, m: Sequence[Any], s: Any) -> Any:
    """Return the log density of multivariate t."""
    size = len(x)
    d = mp.matrix([a - b for a, b in zip(x, m, strict=True)])
    square = (d.T * mp.lu_solve(s, d))[0]
    constant = mp.loggamma((nu + size) / 2) - mp.loggamma(nu / 2) - mp.mpf(size) / 2 * mp.log(nu * mp.pi)
    return constant - mp.log(mp.det(s)) / 2 - (nu + size) / 2 * mp.log1p(square / nu)


def log_densities(
    rows: Sequence[Sequence[float]], labels: Sequence[int], weights: Sequence[float], x: Sequence[float], form: str
) -> list[Any]:
    """Return log p(x | c) of every class. `form` is a covariance, or "variance": one that the classes share."""
    with mp.workdps(DIGITS):
        given = [[mp.mpf(cell) for cell in row] for row in rows]
        heavy = [mp.mpf(weight) for weight in weights]
        asked = [mp.mpf(cell) for cell in x]
        size, classes = len(asked), sorted(set(labels))
        every = Group(given, heavy)
        groups = []
        for c in classes:
            at = [i for i, label in enumerate(labels) if label == c]
            groups.append(Group([given[i] for i in at], [heavy[i] for i in at]))
        if form in ("diagonal", "variance"):
            found = [mp.mpf(0)] * len(classes)
            for j in range(size):
                for k, part in enumerate(_columns(every, groups, j, shared=form == "variance")):
                    found[k] += log_t([asked[j]], *part)
            return found
        return [log_t(asked, *part) for part in _together(every, groups, form)]


def _columns(every: Group, groups: Sequence[Group], j: int, *, shared: bool) -> list[tuple[Any, Any, Any]]:
    v = every.scatter[j, j] / every.n
    extra = [g.scatter[j, j] / 2 + g.n * (g.mean[j] - every.mean[j]) ** 2 / (2 * (1 + g.n)) for g in groups]
    parts = []
    for group, own in zip(groups, extra, strict=True):
        a = (1 + (every.n if shared else group.n)) / 2
        b = v / 2 + (mp.fsum(extra) if shared else own)
        kappa = 1 + group.n
        location = (every.mean[j] + group.n * group.mean[j]) / kappa
        parts.append((2 * a, [location], mp.matrix([[b * (kappa + 1) / (a * kappa)]])))
    return parts


def _together(every: Group, groups: Sequence[Group], form: str) -> list[tuple[Any, Any, Any]]:
    size = len(every.mean)
    psi = mp.diag([every.scatter[j, j] / every.n for j in range(size)])
    extra = []
    for group in groups:
        away = mp.matrix([a - b for a, b in zip(group.mean, every.mean, strict=True)])
        extra.append(group.scatter + group.n / (1 + group.n) * away * away.T)
    parts = []
    for group, own in zip(groups, extra, strict=True):
        kappa = 1 + group.n
        location = [(m + group.n * mean) / kappa for m, mean in zip(every.mean, group.mean, strict=True)]
        nu = size + (every.n if form == "shared" else group.n)
        whole = psi + (sum(extra, mp.zeros(size)) if form == "shared" else own)
        degrees = nu - size + 1
        parts.append((degrees, location, whole * ((kappa + 1) / (kappa * degrees))))
    return parts
