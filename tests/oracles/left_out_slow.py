"""One row left out at a time, slowly: what is read of the other rows, in their own units, one density after the other.

`held` are m, v and T: mean, variances and covariance matrix of all rows whatever their class, the row itself among them.
They stay while a row is left out. Of columns together, only rows that have every cell count.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
import numpy as np

from tests.oracles.discriminant_slow import log_density

Array = Any


class Held(NamedTuple):
    m: Array
    v: Array
    total: Array


class Rows(NamedTuple):
    x: Array
    codes: Array
    weights: Array
    classes: int


def held(x: Array, weights: Array) -> Held:
    """Return m, v and T of whole rows, or m and v of what is known of each column (and the T of no correlation)."""
    known = ~np.isnan(x)
    each = weights[:, None] * known
    m = (each * np.nan_to_num(x)).sum(axis=0) / each.sum(axis=0)
    away = np.where(known, x - m, 0.0)
    v = (each * away**2).sum(axis=0) / each.sum(axis=0)
    return Held(m, v, (weights[:, None] * away).T @ away / weights.sum() if known.all() else np.diag(v))


def left_out(rows: Rows, density: Callable[[Rows, Array], Array], prior: Array | None = None) -> Array:
    """Return log p(c, x) of every row without one unit of its weight; `density` gives log p(x|c) of a row."""
    found = np.empty((len(rows.x), rows.classes))
    for i in range(len(rows.x)):
        less = rows.weights.copy()
        less[i] -= min(less[i], 1.0)
        tally = np.bincount(rows.codes, less, minlength=rows.classes)
        with np.errstate(divide="ignore"):
            logs = np.log(tally / tally.sum()) if prior is None else np.log(prior)
        found[i] = logs + density(rows._replace(weights=less), rows.x[i])
    return found


def scatter(rows: Rows, c: int) -> tuple[float, Array, Array]:
    """Return n, x̄ and S of a class, of its whole rows; x̄ = 0 where there are none."""
    own = np.where((rows.codes == c) & ~np.isnan(rows.x).any(axis=1), rows.weights, 0.0)
    n, x = own.sum(), np.where(own[:, None] > 0, rows.x, 0.0)
    if not n:
        return 0.0, np.zeros(x.shape[1]), np.zeros((x.shape[1],) * 2)
    mean = own @ x / n
    return n, mean, (own[:, None] * (x - mean)).T @ (x - mean)


def shared_columns(rows: Rows, x: Array, estimate: str, fixed: Held, lam: float = 1.0, least: float = 1e-9) -> Array:
    """Return log p(x|c) with one variance of each column for all classes, under unit information worth λ rows."""
    found = np.zeros(rows.classes)
    for j in np.flatnonzero(~np.isnan(x)):
        m, v = fixed.m[j], fixed.v[j]
        column = Rows(rows.x[:, [j]], rows.codes, rows.weights, rows.classes)
        each = [scatter(column, c) for c in range(rows.classes)]
        kappa = [(0.0 if estimate == "mle" else lam) + n for n, _, _ in each]
        place = [(n * a[0] + (k - n) * m) / k if k else m for (n, a, _), k in zip(each, kappa, strict=True)]
        a = 0.5 * (0.0 if estimate == "mle" else lam) + 0.5 * sum(n for n, _, _ in each)
        b = (0.0 if estimate == "mle" else 0.5 * lam * v) + 0.5 * sum(
            s[0, 0] + ((k - n) * n / k * (mean[0] - m) ** 2 if k else 0.0)
            for (n, mean, s), k in zip(each, kappa, strict=True)
        )
        for c in range(rows.classes):
            wide = b / a * (kappa[c] + 1) / kappa[c] if kappa[c] else math.nan
            if estimate == "predictive":
                law: Any = ("t", np.array([place[c]]), np.array([[wide]]), 2 * a)
            elif estimate in ("mle", "smoothed"):
                law = ("normal", np.array([place[c]]), np.array([[max(b / a, least * v) if a else v]]))
            elif estimate == "map":
                law = ("normal", np.array([place[c]]), np.array([[b / (a + 1 + rows.classes / 2)]]))
            else:
                law = ("normal", np.array([place[c]]), np.array([[b / (a - 1) if a > 1 else wide]]))
            found[c] += log_density(law, x[[j]])
    return found


def spherical(rows: Rows, x: Array, estimate: str, fixed: Held, lam: float = 1.0) -> Array:
    """Return log p(x|c) with one variance for all columns of a class, in units of their spread within the classes."""
    each = [scatter(rows, c) for c in range(rows.classes)]
    size, total = rows.x.shape[1], sum(n for n, _, _ in each)
    square = np.maximum(np.diag(sum(s for _, _, s in each)) / (total or 1.0), 1e-9 * fixed.v)
    found = np.empty(rows.classes)
    for c, (n, mean, s) in enumerate(each):
        kappa = (0.0 if estimate == "mle" else lam) + n
        place = (n * mean + (kappa - n) * fixed.m) / kappa if kappa else fixed.m
        squares = (np.diag(s) / square).sum()
        if estimate == "mle":
            level = max(squares / (n * size), 1e-9) if n else 1.0
            law: Any = ("normal", place, np.diag(level * square))
        else:
            b = lam / 2 + 0.5 * (squares + lam * n / kappa * ((mean - fixed.m) ** 2 / square).sum())
            a = (lam + n * size) / 2
            wide = b * (kappa + 1) / (a * kappa)
            if estimate == "predictive":
                law = ("t", place, np.diag(wide * square), 2 * a)
            else:
                level = {"smoothed": b / a, "map": b / (a + 1 + size / 2), "mean": b / (a - 1) if a > 1 else wide}
                law = ("normal", place, np.diag(level[estimate] * square))
        found[c] = log_density(law, x)
    return found


def pulled(each: list[Any], share: Array, toward: str, fixed: Held, *, shared: bool) -> list[Array]:
    """Return the scatter of each class, pulled by its share toward what shrinkage.py says."""
    total = sum(n for n, _, _ in each)
    within = sum(s for _, _, s in each) / total
    u = np.diag(within)
    found = []
    for (n, _, s), by in zip(each, share, strict=True):
        if toward == "total":
            goal = n * np.diag(fixed.v)
        elif shared or toward == "diagonal":
            goal = np.diag(np.diag(s))
        elif toward == "shared":
            goal = n * within
        else:
            goal = np.mean(np.diag(s) / u) * np.diag(u)
        found.append((1 - by) * s + by * goal)
    return found


def matrices(
    rows: Rows, x: Array, covariance: str, estimate: str, share: Array, toward: str, fixed: Held, lam: float = 1.0
) -> Array:
    """Return log p(x|c) of columns together, their matrices pulled."""
    shared, size = covariance == "shared", rows.x.shape[1]
    each = [scatter(rows, c) for c in range(rows.classes)]
    found = np.empty(rows.classes)
    scatters = pulled(each, share, toward, fixed, shared=shared)
    rows_of_prior = 0.0 if estimate == "mle" else lam
    extra, kappa = [], []
    for (n, mean, _), s in zip(each, scatters, strict=True):
        kappa.append(rows_of_prior + n)
        outer = np.outer(mean - fixed.m, mean - fixed.m) if n else np.zeros((size, size))
        extra.append(s + (rows_of_prior * n / kappa[-1] if kappa[-1] else 0.0) * outer)
    for c, (n, mean, _) in enumerate(each):
        place = (n * mean + rows_of_prior * fixed.m) / kappa[c] if kappa[c] else fixed.m
        seen = sum(each_n for each_n, _, _ in each) if shared else n
        around = sum(extra) if shared else extra[c]
        if estimate == "mle":
            law: Any = ("normal", place, around / seen if seen else fixed.total)
        else:
            nu, psi = lam + size - 1 + seen, lam * np.diag(fixed.v) + around
            degrees = nu - size + 1
            wide = psi * (kappa[c] + 1) / (kappa[c] * degrees)
            if estimate == "predictive":
                law = ("t", place, wide, degrees)
            else:
                means = rows.classes if shared else 1
                law = (
                    "normal",
                    place,
                    {
                        "smoothed": psi / degrees,
                        "map": psi / (nu + size + 1 + means),
                        "mean": psi / (degrees - 2) if degrees > 2 else wide,
                    }[estimate],
                )
        found[c] = log_density(law, x)
    return found


def floored(rows: Rows, x: Array, fixed: Held, least: float = 1e-9) -> Array:
    """Return log p(x|c) of the mle of a matrix for each class, eigenvalues at least `least` in units of √v: mpmath."""
    mpmath.mp.dps = 40
    size = rows.x.shape[1]
    unit = [mpmath.sqrt(mpmath.mpf(each)) for each in fixed.v]
    found = np.empty(rows.classes)
    for c in range(rows.classes):
        own = [i for i in range(len(rows.x)) if rows.codes[i] == c and rows.weights[i] > 0]
        w = [mpmath.mpf(rows.weights[i]) for i in own]
        z = [[mpmath.mpf(rows.x[i, j]) / unit[j] for j in range(size)] for i in own]
        asked = [mpmath.mpf(x[j]) / unit[j] for j in range(size)]
        n = mpmath.fsum(w)
        if n:
            mean = [mpmath.fsum(a * b[j] for a, b in zip(w, z, strict=True)) / n for j in range(size)]
            sigma = mpmath.matrix(size, size)
            for a, b in zip(w, z, strict=True):
                d = mpmath.matrix([b[j] - mean[j] for j in range(size)])
                sigma += a / n * (d * d.T)
        else:
            mean = [mpmath.mpf(fixed.m[j]) / unit[j] for j in range(size)]
            sigma = mpmath.matrix(
                [[mpmath.mpf(fixed.total[j, k]) / unit[j] / unit[k] for k in range(size)] for j in range(size)]
            )
        values, vectors = mpmath.eigsy(sigma)
        quadratic = logs = mpmath.mpf(0)
        for k in range(size):
            value = max(values[k], mpmath.mpf(least))
            along = mpmath.fsum(vectors[j, k] * (asked[j] - mean[j]) for j in range(size))
            quadratic += along**2 / value
            logs += mpmath.log(value)
        logs += 2 * mpmath.fsum(mpmath.log(each) for each in unit)
        found[c] = float(-(size * mpmath.log(2 * mpmath.pi) + logs + quadratic) / 2)
    return found


def complement(counted: Array, codes: Array, weights: Array, classes: int, i: int, alpha: float) -> Array:
    """Return the scores of document i, given what its tokens and those of all others count (documents × tokens)."""
    less = weights.copy()
    less[i] -= min(less[i], 1.0)
    found = np.empty(classes)
    for c in range(classes):
        others = (np.where(codes == c, 0.0, less)[:, None] * counted).sum(axis=0) + alpha
        theta = others / others.sum() if others.sum() else np.full(len(others), 1 / len(others))
        found[c] = -sum(
            each * math.log(max(share, np.finfo(np.float64).tiny))
            for each, share in zip(counted[i].tolist(), theta.tolist(), strict=True)
        )
    return found
