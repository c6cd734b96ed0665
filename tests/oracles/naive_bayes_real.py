"""Naive Bayes of real cells and of Poisson counts, slowly: fractions for the statistics, scipy.stats for the densities.

Rows are lists of numbers, None where missing. The prior of a Gaussian is (location, strength, shape, scale); without one
it is unit information, (m, 1, ½, v/2) with the column's mean and variance whatever the class.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from scipy import stats

from tests.oracles.naive_bayes_discrete import Cell, Rows, column_of


def moments(cells: Sequence[Cell]) -> tuple[int, Fraction, Fraction]:
    values = [Fraction(cell) for cell in cells]
    mean = sum(values, Fraction(0)) / max(len(values), 1)
    return len(values), mean, sum(((v - mean) ** 2 for v in values), Fraction(0))


def pooled(rows: Rows, j: int) -> tuple[Fraction, Fraction]:
    """Return the mean and variance of a column over all rows."""
    n, mean, dp = moments([row[j] for row in rows if row[j] is not None])
    return mean, dp / n if n else Fraction(0)


def posterior(cells: Sequence[Cell], prior: Sequence[Fraction]) -> tuple[Fraction, ...]:
    m, kappa, a, b = prior
    n, mean, dp = moments(cells)
    after = kappa + n
    return (
        (kappa * m + n * mean) / after,
        after,
        a + Fraction(n, 2),
        b + dp / 2 + kappa * n * (mean - m) ** 2 / (2 * after),
    )


def student(after: Sequence[Fraction]):
    m, kappa, a, b = after
    return stats.t(float(2 * a), float(m), math.sqrt(b * (kappa + 1) / (a * kappa)))


def gaussian(
    rows: Rows,
    labels: Sequence[object],
    label: object,
    x: Sequence[Cell],
    estimate: str,
    prior: Sequence[object] | None = None,
    lam: object = 1,
    floor: float = 1e-9,
) -> float:
    """Return log p(x | class) with a variance for each class."""
    total = 0.0
    for j, cell in enumerate(x):
        m, v = pooled(rows, j)
        if cell is None or (v == 0 and prior is None):
            continue
        seen = column_of(rows, labels, label, j)
        n, mean, dp = moments(seen)
        if estimate == "mle":
            mu, variance = (mean, max(dp / n, Fraction(floor) * v)) if n else (m, v)
        elif estimate == "smoothed":
            copies = Fraction(lam)
            mu = (n * mean + copies * m) / (n + copies)
            variance = (dp + n * (mean - mu) ** 2 + copies * (v + (m - mu) ** 2)) / (n + copies)
        else:
            given = (m, Fraction(1), Fraction(1, 2), v / 2) if prior is None else [Fraction(each) for each in prior]
            after = posterior(seen, given)
            if estimate == "predictive":
                total += student(after).logpdf(float(cell))
                continue
            mu, kappa, a, b = after
            variance = b / (a + Fraction(3, 2))
            if estimate == "mean":
                variance = b / (a - 1) if a > 1 else b * (kappa + 1) / (a * kappa)
        total += stats.norm.logpdf(float(Fraction(cell) - mu), 0, math.sqrt(variance))
    return total


def shared_gaussian(
    rows: Rows, labels: Sequence[object], classes: Sequence[object], label: object, x: Sequence[float], estimate: str
) -> float:
    """Return log p(x | class) with one variance for all classes; nothing missing."""
    total = 0.0
    for j, cell in enumerate(x):
        m, v = pooled(rows, j)
        each = {c: posterior(column_of(rows, labels, c, j), (m, Fraction(1), Fraction(1, 2), v / 2)) for c in classes}
        a = Fraction(1, 2) + Fraction(len(rows), 2)
        b = v / 2 + sum((after[3] - v / 2 for after in each.values()), Fraction(0))
        mu, kappa = each[label][0], each[label][1]
        if estimate == "mle":
            mu = moments(column_of(rows, labels, label, j))[1]
            variance = sum((moments(column_of(rows, labels, c, j))[2] for c in classes), Fraction(0)) / len(rows)
        elif estimate == "smoothed":
            variance = b / a
        elif estimate == "map":
            variance = b / (a + 1 + Fraction(len(classes), 2))
        elif estimate == "mean":
            variance = b / (a - 1)
        else:
            total += stats.t(float(2 * a), float(mu), math.sqrt(b * (kappa + 1) / (a * kappa))).logpdf(cell)
            continue
        total += stats.norm.logpdf(float(Fraction(cell) - mu), 0, math.sqrt(variance))
    return total


def evidence_of_values(cells: Sequence[Cell], prior: Sequence[Fraction]) -> float:
    """Return the log density of values, one after the other, each by Student-t."""
    return sum(student(posterior(cells[:i], prior)).logpdf(float(cell)) for i, cell in enumerate(cells))


def poisson(
    rows: Rows,
    labels: Sequence[object],
    label: object,
    x: Sequence[Cell],
    estimate: str,
    prior: tuple[object, object] | None = None,
    lam: object = 1,
) -> float:
    """Return log p(x | class)."""
    total = 0.0
    for j, cell in enumerate(x):
        if cell is None:
            continue
        everything = [row[j] for row in rows if row[j] is not None]
        m = Fraction(int(sum(everything)) + 1, len(everything) + 1)
        seen = column_of(rows, labels, label, j)
        t, n = int(sum(seen)), len(seen)
        r, beta = (m + (estimate == "map"), Fraction(1)) if prior is None else (Fraction(each) for each in prior)
        if estimate == "mle":
            rate = Fraction(t, n) if n else m
        elif estimate == "smoothed":
            rate = (t + Fraction(lam) * m) / (n + Fraction(lam))
        elif estimate == "map":
            rate = max(r + t - 1, Fraction(0)) / (beta + n)
        elif estimate == "mean":
            rate = (r + t) / (beta + n)
        else:
            total += stats.nbinom.logpmf(cell, float(r + t), float((beta + n) / (beta + n + 1)))
            continue
        total += stats.poisson.logpmf(cell, float(rate))
    return total


def evidence_of_counts(cells: Sequence[int], r: Fraction, beta: Fraction) -> float:
    """Return the log probability of counts, one after the other, each negative binomial."""
    total = 0.0
    for i, cell in enumerate(cells):
        after, rate = r + sum(cells[:i]), beta + i
        total += stats.nbinom.logpmf(cell, float(after), float(rate / (rate + 1)))
    return total
