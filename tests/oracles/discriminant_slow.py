"""Gaussian columns together, slowly: from the rows themselves, in their own units, by scipy.stats.

Rows have every cell; a row that is asked about has NaN where one is missing, and its density is that of the others. The
prior is (location, strength, degrees, scale_matrix); without one it is unit information, (m, 1, D, diag v) with the mean
and the variances of all rows whatever their class. `lam` pseudo-rows make it (m, λ, λ + D − 1, λ diag v).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

Array = Any


def unit_information(rows: Array, lam: float = 1.0) -> tuple[Array, float, float, Array]:
    size = rows.shape[1]
    return rows.mean(axis=0), lam, lam + size - 1, lam * np.diag(rows.var(axis=0))


def scatter(rows: Array) -> tuple[int, Array, Array]:
    mean = rows.mean(axis=0) if len(rows) else np.zeros(rows.shape[1])
    return len(rows), mean, sum((np.outer(row - mean, row - mean) for row in rows), np.zeros((rows.shape[1],) * 2))


def posteriors(rows: Array, labels: Sequence[Any], prior: Any, *, shared: bool) -> dict[Any, Any]:
    """Return (m', κ', ν', Ψ') of every class."""
    y = np.array(labels)
    found = {}
    for label in sorted(set(labels)):
        m, kappa, nu, psi = prior
        n, mean, s = scatter(rows[y == label])
        after = kappa + n
        extra = s + kappa * n / after * np.outer(mean - m, mean - m)
        found[label] = [(kappa * m + n * mean) / after, after, nu + n, psi + extra, extra]
    if shared:
        nu, psi = prior[2] + len(rows), prior[3] + sum(each[4] for each in found.values())
        for each in found.values():
            each[2], each[3] = nu, psi
    return {label: each[:4] for label, each in found.items()}


def read(
    rows: Array, labels: Sequence[Any], label: Any, covariance: str, estimate: str, prior: Any = None, lam: float = 1.0
):
    """Return the distribution of x in that class: ("normal", μ, Σ) or ("t", location, scale matrix, degrees)."""
    size, shared = rows.shape[1], covariance == "shared"
    y = np.array(labels)
    if estimate == "mle":
        _, mean, s = scatter(rows[y == label])
        if shared:
            within = sum(scatter(rows[y == each])[2] for each in sorted(set(labels)))
            return "normal", mean, within / len(rows)
        return "normal", mean, s / (y == label).sum()
    if prior is None or estimate == "smoothed":
        prior = unit_information(rows, lam if estimate == "smoothed" else 1.0)
    m, kappa, nu, psi = posteriors(rows, labels, prior, shared=shared)[label]
    scale = psi * (kappa + 1) / (kappa * (nu - size + 1))
    if estimate == "predictive":
        return "t", m, scale, nu - size + 1
    if estimate == "smoothed":
        return "normal", m, psi / (nu - size + 1)
    if estimate == "map":
        return "normal", m, psi / (nu + size + 1 + (len(set(labels)) if shared else 1))
    return "normal", m, psi / (nu - size - 1) if nu > size + 1 else scale


def log_density(found: Any, x: Array) -> float:
    """Return the log density of the cells of x that are known."""
    known = np.flatnonzero(~np.isnan(x))
    if not len(known):
        return 0.0
    kind, location, matrix, *degrees = found
    unit = np.sqrt(np.diag(matrix)[known])  # scipy.stats would lose digits where units differ
    part = matrix[np.ix_(known, known)] / unit / unit[:, None]
    z, size = (x - location)[known] / unit, len(known)
    square, log_unit = float(z @ np.linalg.solve(part, z)), float(np.log(unit).sum())
    half = 0.5 * float(np.linalg.slogdet(part)[1]) + log_unit
    if kind == "normal":
        return -0.5 * square - half - 0.5 * size * math.log(2 * math.pi)
    nu = float(degrees[0])
    constant = math.lgamma((nu + size) / 2) - math.lgamma(nu / 2) - 0.5 * size * math.log(nu * math.pi)
    return constant - half - 0.5 * (nu + size) * math.log1p(square / nu)


def joint(rows: Array, labels: Sequence[Any], asked: Array, covariance: str, estimate: str, **given: Any) -> Array:
    """Return log p(c, x) of every row that is asked about, with the empirical class prior."""
    classes = sorted(set(labels))
    each = {c: read(rows, labels, c, covariance, estimate, **given) for c in classes}
    prior = {c: np.log(np.mean([label == c for label in labels])) for c in classes}
    return np.array([[prior[c] + log_density(each[c], x) for c in classes] for x in asked])


def evidence(rows: Array, labels: Sequence[Any], covariance: str, prior: Any = None) -> float:
    """Return the log density of the rows one after the other, each by the multivariate t of those before it."""
    size = rows.shape[1]
    m, kappa, nu, psi = unit_information(rows) if prior is None else prior
    means = dict.fromkeys(labels, (m, kappa))
    matrices = {label: [nu, psi] for label in labels}
    total = 0.0
    for x, label in zip(rows, labels, strict=True):
        place, k = means[label]
        own = matrices[labels[0] if covariance == "shared" else label]  # one for all is anybody's
        degrees = own[0] - size + 1
        total += stats.multivariate_t(place, own[1] * (k + 1) / (k * degrees), degrees).logpdf(x)
        own[0] += 1
        own[1] = own[1] + k / (k + 1) * np.outer(x - place, x - place)
        means[label] = (k * place + x) / (k + 1), k + 1
    return total
