"""Decisions by brute force: every action, every threshold, one step of EM after the other, in exact or long arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath


def expected_costs(matrix, posterior):
    """Return Σ_c L[a, c] p_c of every action for each row, exactly."""
    return [
        [sum((Fraction(cost) * Fraction(p) for cost, p in zip(row, each, strict=True)), Fraction(0)) for row in matrix]
        for each in posterior
    ]


def cheapest(matrix, posterior):
    """Return the first action with the least expected cost for each row, exactly."""
    return [costs.index(min(costs)) for costs in expected_costs(matrix, posterior)]


def llr(row, prior):
    """Return log p(x | c) − log p(x | not c) of every class, in fifty digits."""
    with mpmath.workdps(50):
        likelihood = [mpmath.exp(mpmath.mpf(value)) for value in row]
        found = []
        for c, own in enumerate(likelihood):
            others = [k for k in range(len(row)) if k != c]
            weights = [mpmath.mpf(prior[k]) for k in others]
            if not any(weights):
                weights = [mpmath.mpf(1)] * len(others)
            if not others:
                found.append(0.0)
                continue
            rest = mpmath.fsum(w * likelihood[k] for w, k in zip(weights, others, strict=True)) / mpmath.fsum(weights)
            if own == 0 and rest == 0:
                found.append(0.0)
            elif own == 0:
                found.append(-math.inf)
            else:
                found.append(math.inf if rest == 0 else float(mpmath.log(own) - mpmath.log(rest)))
        return found


def log_likelihood(likelihood, prior, weights):
    """Return Σ_i w_i log Σ_c π_c l_ic."""
    return math.fsum(
        w * math.log(math.fsum(p * each for p, each in zip(prior, row, strict=True)))
        for row, w in zip(likelihood, weights, strict=True)
    )


def em(likelihood, prior, weights, steps):
    """Return the prior after so many steps of plain EM: the mean of the posteriors under the last one."""
    prior = list(prior)
    total = math.fsum(weights)
    for _ in range(steps):
        sums = [[] for _ in prior]
        for row, w in zip(likelihood, weights, strict=True):
            mixed = math.fsum(p * each for p, each in zip(prior, row, strict=True))
            for c, each in enumerate(row):
                sums[c].append(w * prior[c] * each / mixed)
        prior = [math.fsum(each) / total for each in sums]
    return prior


def thresholds(scores, positive, weights):
    """Return (alerts, found) above every threshold that makes a difference, from none to all, exactly."""
    rows = [(s, p, Fraction(w)) for s, p, w in zip(scores, positive, weights, strict=True)]
    found = [(Fraction(0), Fraction(0))]
    for step in sorted({s for s in scores if s > -math.inf}, reverse=True):
        alerts = sum((w for s, _, w in rows if s >= step), Fraction(0))
        hits = sum((w for s, p, w in rows if s >= step and p), Fraction(0))
        found.append((alerts, hits))
    return found


def above(scores, positive, weights, value):
    """Return (alerts, found) above a threshold, exactly."""
    rows = list(zip(scores, positive, map(Fraction, weights), strict=True))
    return (
        sum((w for s, _, w in rows if s > value), Fraction(0)),
        sum((w for s, p, w in rows if s > value and p), Fraction(0)),
    )
