"""Models whose log p(c, x) is linear in the cells, or in whether a cell has a level: weights and intercepts.

    log p(c, x) = a_c + Σ_k w_kc f_k(x) + (a constant common to all classes)          rows without missing cells
    llr(x)      = log p(x | 1) − log p(x | 0) = b_0 + Σ_k b_k f_k(x),    b_k = w_k1 − w_k0

    Bernoulli                    f = [x_j present]       w = ln θ/(1 − θ)
    categorical                  f = [x_j = k]           w = ln θ_k
    multinomial, words           f = x_j                 w = ln θ_j                (point estimates)
    Poisson                      f = x_j                 w = ln θ_j                (point estimates)
    Gaussian, shared variance    f = x_j                 w = μ_j/σ_j²              (point estimates)
    LDA                          f = x                   w = Σ⁻¹ μ                 (point estimates)

With parameters integrated out (the predictive estimate) counts and real columns are not linear; nor is a Gaussian with
a variance for each class, nor a histogram.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from suffice.models.naive_bayes import NaiveBayesModel
from suffice.statistics.arrays import FloatArray
from suffice.statistics.axis import Columns
from suffice.statistics.labels import Label

__all__ = ["LinearScore", "linear_score"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class LinearScore:
    """w (K, C) of the features, which are (column, level), and Σ start_c (C) without the class prior."""

    features: tuple[tuple[str | int, Label], ...]
    weight: FloatArray
    start: FloatArray

    def by_column(self, columns: Columns) -> FloatArray | None:
        """Return w as (columns, C), 0 for columns without a feature; None if a column has several features."""
        place = {column: at for at, column in enumerate(columns)}
        weight = np.zeros((len(columns), self.weight.shape[1]))
        seen: set[str | int] = set()
        for (column, _), of_feature in zip(self.features, self.weight, strict=True):
            if column in seen:
                return None
            seen.add(column)
            weight[place[column]] = of_feature
        return weight


def linear_score(model: NaiveBayesModel) -> LinearScore | None:
    """Return the weights of a model, or None if it is not linear."""
    classes = len(model.classes)
    features: list[tuple[str | int, Label]] = []
    weights: list[FloatArray] = [np.zeros((0, classes))]
    start = np.zeros(classes)
    for term in model.terms:
        if term.cancels:
            continue
        form = term.linear_form()
        if form is None:
            return None
        features += form.features
        weights.append(form.weight)
        start = start + form.start
    return LinearScore(tuple(features), np.concatenate(weights), start)
