"""Columns of every kind: the scikit-learn face of `fit` itself, for frames as they are and for arrays."""

from __future__ import annotations

from typing import Any, Self, final

from suffice.api import Model, fit
from suffice.api.fit import is_calibrated
from suffice.errors import DataError
from suffice.estimators.class_labels import coded
from suffice.estimators.classifier import Classifier
from suffice.estimators.scores import Asked, scores_of
from suffice.estimators.tables import learnt_table
from suffice.estimators.validation import labels, row_weights
from suffice.sources.target import Target
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["NaiveBayes"]


@final
class NaiveBayes(Classifier):
    """Naive Bayes of mixed columns with scikit-learn's interface.

    Parameters
    ----------
    columns : None, likelihood, or {name, pattern, position, range or tuple of those: likelihood or None}
        How the columns are distributed within a class, as in `suffice.fit`. What nobody says is inferred from the first
        rows, and `model_.schema` shows it.
    class_prior : "empirical", "uniform", probabilities, {class: probability}, DirichletMultinomial or ClassPrior
    estimate : "predictive", "mean", "map", "smoothed" or "mle"
    alpha : float or array ≥ 0, optional
        λ of the smoothed reading.
    max_levels : int
        A column of text with more distinct values than this is left out where it is inferred.
    calibrate : "auto" or False
        "auto" calibrates the probabilities in `fit`, as `suffice.fit` does. `partial_fit` drops it.

    Attributes
    ----------
    model_ : Model
        What was seen, and all that can be asked of it.
    classes_, class_count_, class_prior_ : array (classes,)
    n_features_in_, feature_names_in_

    Notes
    -----
    A frame is read as it is: text, categories, bools, missing cells. At predict its columns are found by name, whatever
    their order; one that is not there counts as missing, and a warning says so.

    Examples
    --------
    >>> import pandas as pd
    >>> x = pd.DataFrame({"fur": ["black", "white", "white", "black"], "weight": [4.1, 3.2, 3.0, 4.4]})
    >>> model = NaiveBayes().fit(x, ["tom", "cat", "cat", "tom"])
    >>> model.predict(pd.DataFrame({"weight": [None], "fur": ["black"]}))
    array(['tom'], dtype='<U3')
    """

    def __init__(
        self,
        columns: Any = None,
        *,
        class_prior: Any = "empirical",
        estimate: str = "predictive",
        alpha: Any = None,
        max_levels: int = 10_000,
        calibrate: Any = False,
    ) -> None:
        self.columns = columns
        self.class_prior = class_prior
        self.estimate = estimate
        self.alpha = alpha
        self.max_levels = max_levels
        self.calibrate = calibrate

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn these rows, and forget what was learnt before; with `calibrate`, what the scores are worth too."""
        super().fit(X, y, sample_weight)
        if is_calibrated(self.calibrate):
            x = self._rows(X)
            target, weights = coded(labels(y, x), None), row_weights(sample_weight, x)
            try:
                self.model_ = self.model_.calibrate(learnt_table(self, x), target, weights=weights)
            except DataError as reason:
                raise reason.located(problem=f"n_samples={len(target.codes)}: {reason.problem}") from None
        return self

    @property
    def class_count_(self) -> FloatArray:
        """The weight of the rows of each class."""
        return self.model_.naive_bayes.tally.weight

    @property
    def class_prior_(self) -> FloatArray:
        """The probability of each class."""
        known = self.model_.naive_bayes
        return known.class_prior.probabilities(known.tally)

    @property
    def _frames(self) -> bool:
        return True

    @property
    def _sparse(self) -> bool:
        return True

    def _seen(self, x: Any, target: Target, weights: Any, known: Model | None, /) -> Model:
        rows = learnt_table(self, x)
        if known is not None:  # what the columns are was settled by the first batch
            return fit(rows, target, weights=weights, like=known, calibrate=False)
        return fit(rows, target, columns=self.columns, weights=weights, max_levels=self.max_levels, calibrate=False)

    def _read(self, model: Model) -> Model:
        read = model.with_options(estimate=self.estimate, class_prior=self.class_prior, alpha=self.alpha)
        _ = read.naive_bayes.log_prior  # refused here when it does not fit the classes
        return read

    def _scores(self, x: Any, asked: Asked) -> FloatArray:
        return scores_of(self.model_, x, asked)
