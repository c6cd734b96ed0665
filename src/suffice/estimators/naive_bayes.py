"""Naive Bayes for data frames and arrays with columns of any type, with the interface of scikit-learn."""

from __future__ import annotations

from typing import Any, Self, final

from suffice.api import Model, fit
from suffice.api.fit import is_calibrated
from suffice.errors import DataError
from suffice.estimators.classifier import Classifier, check_labels, encode_labels, row_weights, training_table
from suffice.sources.target import Target
from suffice.statistics.arrays import FloatArray

__all__ = ["NaiveBayes"]


@final
class NaiveBayes(Classifier):
    """Naive Bayes for columns of mixed types with scikit-learn's interface.

    Parameters
    ----------
    columns : None, likelihood, or {name, pattern, position, range or tuple of those: likelihood or None}
        Class-conditional distribution of each column, as in `suffice.fit`. Unspecified columns are inferred from the
        first rows; `model_.schema` shows the result.
    class_prior : "empirical", "uniform", probabilities, {class: probability}, DirichletMultinomial or ClassPrior
    estimate : "predictive", "mean", "map", "smoothed" or "mle"
    alpha : float or array ≥ 0, optional
        Pseudo-count λ, as in `suffice.fit`.
    max_levels : int
        Text columns with more distinct values than this are excluded when column types are inferred.
    calibrate : "auto" or False
        "auto" calibrates the probabilities in `fit`, as `suffice.fit` does. `partial_fit` drops the calibration.

    Attributes
    ----------
    model_ : Model
        The fitted model.
    classes_, class_count_, class_prior_ : array (classes,)
    n_features_in_, feature_names_in_

    Notes
    -----
    Data frames may contain text, categories, booleans and missing cells. In `predict`, columns are matched by name in
    any order; an absent column is treated as missing, with a warning.

    Examples
    --------
    >>> import pandas as pd
    >>> x = pd.DataFrame({"fur": ["black", "white", "white", "black"], "weight": [4.1, 3.2, 3.0, 4.4]})
    >>> model = NaiveBayes().fit(x, ["tom", "cat", "cat", "tom"])
    >>> model.predict(pd.DataFrame({"weight": [None], "fur": ["black"]}))
    array(['tom'], dtype='<U3')
    """

    _frames = True

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
        """Fit the model from scratch, and calibrate it if `calibrate` is "auto"."""
        super().fit(X, y, sample_weight)
        if is_calibrated(self.calibrate):
            x = self._rows(X)
            target, weights = encode_labels(check_labels(y, x), None), row_weights(sample_weight, x)
            try:
                self.model_ = self.model_.calibrate(training_table(self, x), target, weights=weights)
            except DataError as reason:
                raise reason.located(problem=f"n_samples={len(target.codes)}: {reason.problem}") from None
        return self

    @property
    def class_prior_(self) -> FloatArray:
        """Prior probability of each class, shape (classes,)."""
        return self._prior_probabilities()

    def _fit_batch(self, x: Any, target: Target, weights: Any, known: Model | None, /) -> Model:
        rows = training_table(self, x)
        if known is not None:  # the first batch has determined the likelihoods
            return fit(rows, target, weights=weights, like=known, calibrate=False)
        return fit(rows, target, columns=self.columns, weights=weights, max_levels=self.max_levels, calibrate=False)

    def _estimate(self, model: Model) -> Model:
        return model.with_options(estimate=self.estimate, class_prior=self.class_prior, alpha=self.alpha)
