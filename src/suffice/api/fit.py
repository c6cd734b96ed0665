"""Fit: one pass over the rows, and what was seen of them is a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy.typing as npt

from suffice.api.blocks import schema_of
from suffice.api.calibrate import calibrated_files, calibrated_model
from suffice.api.files import OnProgress, fit_files, seen_files
from suffice.api.inference import HEAD
from suffice.api.model import Model
from suffice.api.notices import number_of_classes
from suffice.api.reading import reading_of
from suffice.api.seen import Rows, rows_of, seen_model
from suffice.api.table import is_nothing
from suffice.engines.files import Files
from suffice.engines.table import Table
from suffice.errors import DataError, ParameterError
from suffice.models import ClassPrior, NaiveBayesModel, Provenance, Schema
from suffice.plan import Reading
from suffice.statistics.columns import Columns

__all__ = ["fit", "require_alone", "require_model"]


def fit(
    data: Any,
    target: Any = None,
    columns: Any = None,
    class_prior: Any = "empirical",
    estimate: str = "predictive",
    weights: npt.ArrayLike | None = None,
    like: Model | None = None,
    max_levels: int = 10_000,
    progress: OnProgress | None = None,
    calibrate: Literal["loo"] | int | None = None,
) -> Model:
    """Return the model of these rows.

    Parameters
    ----------
    data : frame, 2-D array, scipy sparse matrix, list of rows or records, mapping {name: column}, path, or Files
        A mapping {name: value} is one record.
        A frame is one of pandas, Polars, PyArrow, or another that narwhals knows. What is missing (NaN, None, null,
        masked) is left out. In a sparse matrix what is not stored is 0. A path is that of a file, a folder, or a glob
        such as "data/*.parquet"; `Files` says more about how files are written. They may be larger than memory.
        Texts are a column by themselves: a list, 1-D array or series of them, or a folder with a folder of text files
        for each class.
    target : array of labels, or the name of a column; of files also its place, −1 for the last
        The class of each row: text, whole numbers or bools. A row whose class is missing is left out, and a warning
        counts such rows. Of a folder of texts it is the folder that each lies in, and need not be given.
    columns : None, likelihood, or {name, pattern, position, range or tuple of those: likelihood or None}
        How the columns are distributed within a class. What nobody says is inferred from the first 100,000 rows, as
        `suffice.api.inference` documents, and `model.schema` shows it. None leaves a column out.
    class_prior : "empirical", "uniform", probabilities, {class: probability}, DirichletMultinomial or ClassPrior
        Probabilities without names are in the order of the sorted classes.
    estimate : "mle", "smoothed", "map", "mean" or "predictive"
    weights : array of numbers ≥ 0, or the name of a column, optional
        One for each row: a row of weight 2 counts as two, one of weight 0 was never seen.
    like : Model, optional
        Take columns, class prior and estimate from this model, so that the two can be added.
    max_levels : int
        A column of text with more distinct values than this is left out where it is inferred.
    progress : function of Progress, optional
        Called after each batch of a file, and once at the end.
    calibrate : "loo" or a number of folds, optional
        Calibrate the probabilities too, on the same rows: each scored without itself, or by the model of the other
        folds (`suffice.calibrate`), and keep their log p(x) for `model.novelty`. By default none: one pass, and merges
        are exact. Files are read a second time.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.likelihoods import Gaussian
    >>> model = fit(np.array([[1.0], [2.0], [8.0], [9.0]]), ["low", "low", "high", "high"], Gaussian())
    >>> model.predict(np.array([[1.4], [8.8]]))
    array(['low', 'high'], dtype='<U4')
    """
    files = Files.of(data)
    if like is not None:
        require_alone(columns, class_prior, estimate)
        require_model(like)
        known = like.naive_bayes
        if files is not None:
            model = Model(*seen_files(like, files, target, weights, progress))
            return _calibrated(model, files, calibrate, progress)
        _require_target(target)
        rows = rows_of(data, target, weights)
        seen = seen_model(known.schema, known.reading, known.class_prior, rows)
        return _model(seen, rows, target, weights, calibrate)
    prior = ClassPrior.of(class_prior)
    if files is not None:

        def schema_of_head(names: Columns, head: Callable[[], Table], texts: Columns) -> Schema:
            return schema_of(columns, names, head, max_levels, texts)

        def reading(width: int) -> Reading:
            return reading_of(estimate, None, width)

        model = Model(*fit_files(files, target, weights, schema_of_head, reading, prior, progress))
        number_of_classes(model.naive_bayes.tally, model.provenance.target)
        return _calibrated(model, files, calibrate, progress)
    _require_target(target)
    if is_nothing(data):
        raise DataError(
            "data has no rows, and an empty list does not say which columns there are. Give rows, or an empty table "
            "with its columns, as numpy.empty((0, 3))."
        )
    rows = rows_of(data, target, weights)
    names = rows.table.names
    schema = schema_of(columns, names, lambda: rows.table.head(HEAD), max_levels)
    seen = seen_model(schema, reading_of(estimate, None, len(names)), prior, rows)
    number_of_classes(seen.tally, target)
    return _model(seen, rows, target, weights, calibrate)


def _require_target(target: Any) -> None:
    if target is None:
        raise DataError("the class of each row is not known. Give target=: an array, or the name of a column.")


def _model(
    seen: NaiveBayesModel, rows: Rows, target: Any, weights: Any, calibrate: Literal["loo"] | int | None
) -> Model:
    label, weight = (name if isinstance(name, str) else None for name in (target, weights))
    model = Model(seen, Provenance(rows.known, target=label, weights=weight).at())
    return model if calibrate is None else calibrated_model(model, rows, calibrate, "auto")


def _calibrated(
    model: Model, files: Files, calibrate: Literal["loo"] | int | None, progress: OnProgress | None
) -> Model:
    # Target and weights are the columns that they were when it was fitted.
    if calibrate is None:
        return model
    return calibrated_files(model, files, None, None, calibrate, progress=progress, again=True)


def require_model(like: object) -> None:
    """Raise ParameterError where like= is no model."""
    if not isinstance(like, Model):
        raise ParameterError(f"like must be a model: got {like!r}. Give one that fit, load or a Collector returned.")


def require_alone(columns: Any, class_prior: Any, estimate: str) -> None:
    """Raise ParameterError where something is given that like= takes from the model."""
    if columns is not None:
        raise ParameterError("like= takes the columns from the model: got columns= too. Leave one of them out.")
    if not isinstance(class_prior, str) or class_prior != "empirical" or estimate != "predictive":
        raise ParameterError(
            "like= takes class prior and estimate from the model: got others. Leave them out, and read the result with "
            ".read(estimate=…, class_prior=…)."
        )
