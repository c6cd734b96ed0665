"""Metrics row by row, as their definitions read; and repeated rows in place of weights."""

from __future__ import annotations

import math

import numpy as np

NEVER = -math.log(np.finfo(float).eps)


def log_loss(codes, log_posterior, weights):
    total = sum(weights)
    return sum(w * min(-row[c], NEVER) for c, row, w in zip(codes, log_posterior, weights, strict=True)) / total


def brier(codes, log_posterior, weights):
    classes = len(log_posterior[0])
    found = 0.0
    for c, row, w in zip(codes, log_posterior, weights, strict=True):
        found += w * sum((math.exp(value) - (k == c)) ** 2 for k, value in enumerate(row))
    return found / sum(weights) / (2 if classes == 2 else 1)


def calibration_error(codes, log_posterior, weights, bins):
    """The bins one by one, each with its rows."""
    confidence = [math.exp(max(row)) for row in log_posterior]
    right = [float(int(np.argmax(row)) == c) for c, row in zip(codes, log_posterior, strict=True)]
    found = 0.0
    for b in range(bins):
        inside = [i for i, p in enumerate(confidence) if b <= p * bins < b + 1 or (b == bins - 1 and p >= 1)]
        held = sum(weights[i] for i in inside)
        if held:
            said = sum(weights[i] * confidence[i] for i in inside) / held
            kept = sum(weights[i] * right[i] for i in inside) / held
            found += held * abs(kept - said)
    return found / sum(weights)


def detection_cost(positive, llr, weights, prior, miss, false_alarm, threshold):
    """NIST's, normalised, of one threshold: decide for the class above it."""
    of_class = sum(w for y, w in zip(positive, weights, strict=True) if y)
    others = sum(w for y, w in zip(positive, weights, strict=True) if not y)
    missed = sum(w for y, s, w in zip(positive, llr, weights, strict=True) if y and not s > threshold)
    alarmed = sum(w for y, s, w in zip(positive, llr, weights, strict=True) if not y and s > threshold)
    cost = miss * prior * missed / of_class + false_alarm * (1 - prior) * alarmed / others
    return cost / min(miss * prior, false_alarm * (1 - prior))


def minimum_detection_cost(positive, llr, weights, prior, miss, false_alarm):
    """Every threshold: below all, and at each score. Above all of them at inf."""
    below = -math.inf
    thresholds = [*(score for score in llr), below]
    costs = [detection_cost(positive, llr, weights, prior, miss, false_alarm, t) for t in thresholds]
    # −inf itself is not above −inf, so "everything is of the class" is a threshold of its own.
    of_all = false_alarm * (1 - prior) / min(miss * prior, false_alarm * (1 - prior))
    return min([*costs, of_all])
