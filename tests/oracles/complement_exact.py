"""Complement naive Bayes in exact fractions and long floats: the page of models/complement.py, cell by cell."""

from __future__ import annotations

from fractions import Fraction

import mpmath

mpmath.mp.dps = 50


def weights(counts, alpha, norm):
    """Return w as a list of lists of mpf, given lists of rows of whole or rational counts and pseudo-counts > 0."""
    columns = range(len(counts[0]))
    totals = [sum((Fraction(row[j]) for row in counts), Fraction(0)) for j in columns]
    found = []
    for row, added in zip(counts, alpha, strict=True):
        others = [totals[j] - Fraction(row[j]) + Fraction(added[j]) for j in columns]
        whole = sum(others)
        logs = [mpmath.log(mpmath.mpf(each.numerator) / each.denominator / _real(whole)) for each in others]
        total = mpmath.fsum(logs)
        found.append([log / total if norm else -log for log in logs])
    return found


def scores(x, weight):
    """Return Σ_j x_j w_cj of one row for each class."""
    return [mpmath.fsum(_real(Fraction(cell)) * each for cell, each in zip(x, row, strict=True)) for row in weight]


def posterior(scored):
    """Return the scores as a distribution."""
    highest = max(scored)
    powers = [mpmath.exp(each - highest) for each in scored]
    return [power / mpmath.fsum(powers) for power in powers]


def _real(value):
    return mpmath.mpf(value.numerator) / value.denominator
