"""Screening, slowly: similarities as fractions and roots, curves by fitting again for every fold and threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, balanced_accuracy_score, log_loss

import suffice as sf
from tests.oracles.naive_bayes_histogram import cell_of, edges_of


def outcomes(values: Sequence[Any], kind: str, bins: int) -> list[Any]:
    """Return the outcome of each cell, None where it is missing."""
    if kind == "levels":
        return list(values)
    if kind == "presence":
        return [None if value is None else value > 0 for value in values]
    edges = edges_of([[value] for value in values], 0, bins)
    if not edges:
        return [None if value is None else 0 for value in values]
    return [cell_of(edges, value) for value in values]


def similarity(values: Sequence[Any], labels: Sequence[Any], kind: str, bins: int = 16) -> tuple[float, float, float]:
    """Return mean and least cosine over the pairs of classes, and the mean product, under Dir(1)."""
    found = outcomes(values, kind, bins)
    if kind == "presence":
        support = [True, False]
    elif kind == "cells":
        edges = edges_of([[value] for value in values], 0, bins)
        support = list(range(max(len(edges) - 1, 1)))
    else:
        support = sorted({each for each in found if each is not None}) or ["nothing"]
    d = []
    for label in sorted(set(labels)):
        own = [each for each, y in zip(found, labels, strict=True) if y == label and each is not None]
        d.append([Fraction(own.count(k) + 1, len(own) + len(support)) for k in support])
    cosines, products = [], []
    for a, b in combinations(d, 2):
        product = sum(p * q for p, q in zip(a, b, strict=True))
        squares = sum(p * p for p in a) * sum(q * q for q in b)
        products.append(float(product))
        cosines.append(float(product) / math.sqrt(squares))
    return sum(cosines) / len(cosines), min(cosines), sum(products) / len(products)


def curve(
    data: Mapping[str, Sequence[Any]],
    labels: Sequence[Any],
    kinds: Mapping[str, tuple[Any, str]],
    folds: Sequence[int],
    metric: str,
    positive: Any,
    thresholds: Sequence[float],
    bins: int = 16,
) -> list[float]:
    """Return the mean metric over the folds at each threshold, a fit for each fold and threshold."""
    y, folds = np.array(labels), np.array(folds)
    values: list[list[float]] = []
    for f in sorted(set(folds.tolist())):
        train, test = folds != f, folds == f

        def some(rows, names):
            return {name: [v for v, it in zip(data[name], rows, strict=True) if it] for name in names}

        alike = {
            name: similarity(some(train, [name])[name], y[train].tolist(), kind, bins)[0]
            for name, (_, kind) in kinds.items()
        }
        row = []
        for threshold in thresholds:
            kept = [name for name in kinds if alike[name] < threshold]
            # Without columns there is the class prior alone: a column that is the same in every row says nothing.
            names = [*kept, "constant"]
            own, later = ({**some(rows, kept), "constant": np.zeros(rows.sum())} for rows in (train, test))
            model = sf.fit(
                {n: own[n] for n in names},
                y[train],
                columns={n: dict(kinds, constant=(sf.Gaussian(), ""))[n][0] for n in names},
                calibrate=False,
            )
            log = model.predict_log_proba({n: later[n] for n in names})
            row.append(measured(metric, log, y[test], list(model.classes), positive))
        values.append(row)
    return np.mean(values, axis=0).tolist()


def measured(metric: str, log: Any, truth: Any, classes: list[Any], positive: Any) -> float:
    """Return the metric by scikit-learn."""
    if metric == "log_loss":
        return float(log_loss(truth, np.exp(log), labels=classes))
    if metric == "balanced_accuracy":
        return float(balanced_accuracy_score(truth, np.array(classes)[log.argmax(axis=1)]))
    at = classes.index(positive)
    rest = np.logaddexp.reduce(np.delete(log, at, axis=1), axis=1)
    return float(average_precision_score(truth == positive, log[:, at] - rest))


def correlation(said: Any, codes: Sequence[int], weights: Sequence[float], j: int, k: int) -> float:
    """Return r of columns j and k, given contributions rows × columns × classes."""
    rows, _, classes = said.shape

    def centred(column: int) -> list[list[float]]:
        off = [[v - math.fsum(said[i, column]) / classes for v in said[i, column]] for i in range(rows)]
        mean = {}
        for code in set(codes):
            own = [i for i in range(rows) if codes[i] == code]
            total = math.fsum(weights[i] for i in own)
            mean[code] = [math.fsum(weights[i] * off[i][c] for i in own) / total for c in range(classes)]
        return [[off[i][c] - mean[codes[i]][c] for c in range(classes)] for i in range(rows)]

    a, b = centred(j), centred(k)

    def product(p, q):
        return math.fsum(weights[i] * p[i][c] * q[i][c] for i in range(rows) for c in range(classes))

    return product(a, b) / math.sqrt(product(a, a) * product(b, b))
