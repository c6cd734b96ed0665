"""Fit: collects the statistics of a model in one pass over the rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy.typing as npt

from suffice.api.calibrate import calibrate_kept
from suffice.api.counting import count_rows
from suffice.api.inference import schema_of
from suffice.api.model import Model, require_model
from suffice.api.options import declare_classes, reading_of, require_alone
from suffice.errors import DataError, ParameterError
from suffice.evidence.cross_fitting import CrossFitting
from suffice.models import ClassPrior, NaiveBayesModel
from suffice.sources import OnProgress, rows_from
from suffice.sources.in_memory import is_nothing
from suffice.statistics.labels import Label
from suffice.warnings import warn_many_classes, warn_one_class

__all__ = ["fit", "is_calibrated"]


def fit(
    data: Any,
    target: Any = None,
    *,
    columns: Any = None,
    classes: Iterable[Label] | None = None,
    class_prior: Any = "empirical",
    estimate: str = "predictive",
    alpha: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | str | None = None,
    like: Model | None = None,
    calibrate: Literal["auto"] | bool = "auto",
    max_levels: int = 10_000,
    progress: OnProgress | None = None,
) -> Model:
    """Fit a naive Bayes model.

    Parameters
    ----------
    data : frame, 2-D array, scipy sparse matrix, list of rows or records, mapping {name: column}, path, or Files
        A mapping {name: scalar} is read as a single row. An iterator of frames, such as ``pandas.read_csv(path,
        chunksize=…)``, or a lazy Polars frame is also accepted and consumed once. Frames may be pandas, Polars, PyArrow
        or any other frame supported by narwhals. Missing cells (NaN, None, null, masked) are ignored. Entries not
        stored in a sparse matrix are 0. A path may be a file, a directory or a glob such as "data/*.parquet"; use
        `Files` to specify the file format. Files may be larger than memory. Documents may be passed as a list, 1-D
        array or series of strings, or as a directory with one subdirectory of text files per class.
    target : array of labels, the name of a column, or a condition on a column such as "delay>15"
        Class label of each row: strings, integers or booleans; for a condition True or False. For files also the
        position of a column, −1 for the last. Rows without a class are dropped; a warning reports how many. For a
        directory of text files it may be omitted: the class is the name of the subdirectory.
    columns : None, likelihood, or {name, pattern, position, range or tuple of those: likelihood or None}
        Class-conditional distribution (likelihood) of each column, an instance or its name, such as "gaussian"; "date
        parts" models the hour, weekday and month of dates. Unspecified columns are inferred from the first 100,000 rows
        (see `suffice.api.inference`); `model.schema` shows the result. None excludes a column.
    classes : labels, optional
        Every class that rows may have, in any order. A class without rows stays in the model, and a row of another
        class is an error. By default the classes are those of the rows.
    class_prior : "empirical", "uniform", "dirichlet:1", probabilities, {class: probability} or ClassPrior
        A sequence of probabilities follows the sorted class order. "dirichlet:1" is the posterior mean under Dir(1),
        "dirichlet:2,map" is the posterior mode under Dir(2), "dirichlet:spam=2,ham=1" has an α for each class; a
        DirichletMultinomial or `ClassPrior.dirichlet` is equivalent. The class prior does not follow `estimate`.
    estimate : "mle", "smoothed", "map", "mean" or "predictive"
        How parameters are estimated from the counts. In the order of the list: maximum likelihood, relative frequency
        with pseudo-counts, posterior mode, posterior mean, or posterior predictive (parameters integrated out); see
        docs/readings.md. Case does not matter, and "maximum likelihood", "Laplace", "posterior mode", "posterior mean"
        and "posterior predictive" are understood.
    alpha : float or array ≥ 0, optional
        Pseudo-count λ. The prior is Dir(λ) for "smoothed", "mean" and "predictive", and Dir(1 + λ) for "map". For real
        and Poisson columns the prior has the weight of λ rows. A column with its own `prior=` keeps it, except under
        "smoothed". A scalar, one value per column, or an array of shape (classes, 1) or (classes, columns).
    weights : array of numbers ≥ 0, or the name of a column, optional
        Sample weights: a row with weight 2 counts as two rows, a row with weight 0 is ignored.
    like : Model, optional
        Use the columns, class prior and estimate of this model, so that the two models can be added.
    max_levels : int
        Text columns with more distinct values than this are excluded when column types are inferred.
    progress : function of Progress, optional
        Called after each batch of a file, and once at the end.
    calibrate : "auto" or False
        "auto" retains up to 100,000 rows during the pass, scores each of five folds with the model of all other rows,
        and selects the simplest calibration (none, a scale, a scale and offsets, or a weight for each column) that the
        log loss supports (`suffice.decisions.calibration`). The result is `model.calibration`. Small data sets and
        estimate="mle" are not calibrated. log p(x) of the retained rows is stored for `model.novelty`. False returns
        the uncalibrated posterior.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.likelihoods import Gaussian
    >>> model = fit(np.array([[1.0], [2.0], [8.0], [9.0]]), ["low", "low", "high", "high"], columns=Gaussian())
    >>> model.predict(np.array([[1.4], [8.8]]))
    array(['low', 'high'], dtype='<U4')
    """
    prior = ClassPrior.of(class_prior)
    if like is not None:
        require_alone(columns, class_prior, estimate, alpha)
        require_model(like)
    elif is_nothing(data):
        raise DataError(
            "data has no rows, and the columns of an empty list are unknown. Give rows, or an empty table with "
            "columns, such as numpy.empty((0, 3))."
        )
    declared = None if classes is None else declare_classes(classes)
    with rows_from(data, target, weights, like=None if like is None else like.like, progress=progress) as source:
        if like is None:
            schema = schema_of(columns, source.names, source.head, max_levels, source.texts)
            reading = reading_of(estimate, alpha, len(source.names))
        else:
            known = like.core
            schema, reading, prior = known.schema, known.reading, known.class_prior
        kept = CrossFitting() if is_calibrated(calibrate) else None
        model = Model(*count_rows(source, NaiveBayesModel.empty(schema, reading, prior, declared), kept))
    if like is None:
        warn_many_classes(model.core.tally, model.provenance.target)
        warn_one_class(model.core.tally)
    return model if kept is None else calibrate_kept(model, kept, forms=like is None)


def is_calibrated(calibrate: object) -> bool:
    """Return whether calibrate= requests a calibration, or raise ParameterError."""
    if calibrate is not False and calibrate is not True and calibrate != "auto":
        raise ParameterError(f"calibrate must be 'auto' or False: got {calibrate!r}.")
    return calibrate is not False
