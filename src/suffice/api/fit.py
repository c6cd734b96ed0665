"""Fit: one pass over the rows, and what was seen of them is a model."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from suffice.api.blocks import schema_of
from suffice.api.model import Model
from suffice.api.reading import reading_of
from suffice.api.seen import seen_model
from suffice.api.table import table_of
from suffice.errors import ParameterError
from suffice.models import ClassPrior

__all__ = ["fit"]


def fit(
    data: Any,
    target: Any,
    columns: Any = None,
    class_prior: Any = "empirical",
    estimate: str = "predictive",
    weights: npt.ArrayLike | None = None,
    like: Model | None = None,
) -> Model:
    """Return the model of these rows.

    Parameters
    ----------
    data : 2-D array, or scipy sparse matrix, of numbers
        NaN is missing, and left out. In a sparse matrix what is not stored is 0.
    target : array of labels
        The class of each row: text, whole numbers or bools. A row whose class is missing (None, NaN) is left out, and
        a warning counts such rows.
    columns : likelihood, or {position, range or tuple of positions: likelihood}
        How the columns are distributed within a class. A column that is not mentioned is not used.
    class_prior : "empirical", "uniform", probabilities, {class: probability}, DirichletMultinomial or ClassPrior
        Probabilities without names are in the order of the sorted classes.
    estimate : "mle", "smoothed", "map", "mean" or "predictive"
    weights : array of numbers ≥ 0, optional
        One for each row: a row of weight 2 counts as two, one of weight 0 was never seen.
    like : Model, optional
        Take columns, class prior and estimate from this model, so that the two can be added.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.likelihoods import Gaussian
    >>> model = fit(np.array([[1.0], [2.0], [8.0], [9.0]]), ["low", "low", "high", "high"], Gaussian())
    >>> model.predict(np.array([[1.4], [8.8]]))
    array(['low', 'high'], dtype='<U4')
    """
    if like is not None:
        _require_alone(columns, class_prior, estimate)
        known = like.naive_bayes
        return Model(seen_model(known.schema, known.reading, known.class_prior, data, target, weights))
    x = table_of(data)
    schema, reading = schema_of(columns, x.shape[1]), reading_of(estimate, None, x.shape[1])
    return Model(seen_model(schema, reading, ClassPrior.of(class_prior), x, target, weights))


def _require_alone(columns: Any, class_prior: Any, estimate: str) -> None:
    if columns is not None:
        raise ParameterError("like= takes the columns from the model: got columns= too. Leave one of them out.")
    if not isinstance(class_prior, str) or class_prior != "empirical" or estimate != "predictive":
        raise ParameterError(
            "like= takes class prior and estimate from the model: got others. Leave them out, and read the result with "
            ".read(estimate=…, class_prior=…)."
        )
