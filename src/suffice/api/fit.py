"""Fit: one pass over the rows, and what was seen of them is a model."""

from __future__ import annotations

from typing import Any, Literal

import numpy.typing as npt

from suffice.api.blocks import schema_of
from suffice.api.calibrate import calibrate_kept
from suffice.api.counting import count_rows
from suffice.api.model import Model
from suffice.api.options import reading_of
from suffice.errors import DataError, ParameterError
from suffice.evidence.cross_fitting import CrossFitting
from suffice.models import ClassPrior
from suffice.sources import OnProgress, rows_from
from suffice.sources.arrays import is_nothing
from suffice.warnings import number_of_classes

__all__ = ["fit", "is_calibrated", "require_alone", "require_model"]


def fit(
    data: Any,
    target: Any = None,
    *,
    columns: Any = None,
    class_prior: Any = "empirical",
    estimate: str = "predictive",
    alpha: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | str | None = None,
    like: Model | None = None,
    calibrate: Literal["auto"] | bool = "auto",
    max_levels: int = 10_000,
    progress: OnProgress | None = None,
) -> Model:
    """Return the model of these rows.

    Parameters
    ----------
    data : frame, 2-D array, scipy sparse matrix, list of rows or records, mapping {name: column}, path, or Files
        A mapping {name: value} is one record. Frames may also come one after the other, from an iterator such as
        ``pandas.read_csv(path, chunksize=…)``, or as a lazy Polars frame; they are read once.
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
    alpha : float or array ≥ 0, optional
        λ of the smoothed estimate: one number, one per column, or of shape (classes, 1) or (classes, columns).
    weights : array of numbers ≥ 0, or the name of a column, optional
        One for each row: a row of weight 2 counts as two, one of weight 0 was never seen.
    like : Model, optional
        Take columns, class prior and estimate from this model, so that the two can be added.
    max_levels : int
        A column of text with more distinct values than this is left out where it is inferred.
    progress : function of Progress, optional
        Called after each batch of a file, and once at the end.
    calibrate : "auto" or False
        "auto" keeps up to 100,000 rows beside the pass, scores each of five folds of them by the model of all other
        rows, and takes the simplest of none, a scale, a scale and offsets that the log loss supports
        (`suffice.decisions.calibration`). `model.calibration` shows it. Few rows end with none, and so does
        estimate="mle". The log p(x) of kept rows is stored for `model.novelty`. False gives the textbook posterior, and
        models that merge without a word.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.likelihoods import Gaussian
    >>> model = fit(np.array([[1.0], [2.0], [8.0], [9.0]]), ["low", "low", "high", "high"], columns=Gaussian())
    >>> model.predict(np.array([[1.4], [8.8]]))
    array(['low', 'high'], dtype='<U4')
    """
    if like is not None:
        require_alone(columns, class_prior, estimate, alpha)
        require_model(like)
    elif is_nothing(data):
        raise DataError(
            "data has no rows, and an empty list does not say which columns there are. Give rows, or an empty table "
            "with its columns, as numpy.empty((0, 3))."
        )
    prior = ClassPrior.of(class_prior)
    with rows_from(data, target, weights, like=None if like is None else like.like, progress=progress) as source:
        if like is None:
            schema = schema_of(columns, source.names, source.head, max_levels, source.texts)
            reading = reading_of(estimate, alpha, len(source.names))
        else:
            known = like.naive_bayes
            schema, reading, prior = known.schema, known.reading, known.class_prior
        kept = CrossFitting() if is_calibrated(calibrate) else None
        model = Model(*count_rows(source, schema, reading, prior, kept))
    if like is None:
        number_of_classes(model.naive_bayes.tally, model.provenance.target)
    return model if kept is None else calibrate_kept(model, kept)


def is_calibrated(calibrate: object) -> bool:
    """Return whether calibrate= asks for it, or raise ParameterError."""
    if calibrate is not False and calibrate is not True and calibrate != "auto":
        raise ParameterError(f"calibrate must be 'auto' or False: got {calibrate!r}.")
    return calibrate is not False


def require_model(like: object) -> None:
    """Raise ParameterError if like= is not a model."""
    if not isinstance(like, Model):
        raise ParameterError(f"like must be a model: got {like!r}. Give one that fit, load or a Collector returned.")


def require_alone(columns: Any, class_prior: Any, estimate: str, alpha: Any = None) -> None:
    """Raise ParameterError where something is given that like= takes from the model."""
    if columns is not None:
        raise ParameterError(
            "columns are taken from the other model: they cannot be given too",
            parameter="columns",
            advice=lambda words: f"Leave out {words.option('columns')} or {words.option('like')}.",
        )
    if not isinstance(class_prior, str) or class_prior != "empirical" or estimate != "predictive" or alpha is not None:
        raise ParameterError(
            "class prior and estimate are taken from the other model: they cannot be given too",
            parameter="like",
            advice=lambda words: f"Leave them out, and change them afterwards with {words.verb('with_options')}.",
        )
