"""Gaussian naive Bayes: the scikit-learn estimator of Gaussian columns, with mle parameters."""

from __future__ import annotations

from typing import Any, final

from suffice.arguments import is_real
from suffice.errors import ParameterError
from suffice.estimators.classifier import GaussianClassifier
from suffice.likelihoods import Gaussian
from suffice.models.gaussian_parameters import gaussian_moments
from suffice.statistics.arrays import FloatArray

__all__ = ["GaussianNB"]

_LEAST_SMOOTHING = 1e-12


@final
class GaussianNB(GaussianClassifier):
    """Gaussian naive Bayes with scikit-learn's interface.

    Parameters
    ----------
    priors : array-like of one probability for each class, or {class: probability}, optional
        By default the class frequencies.
    var_smoothing : float from 0 to 1
        Lower bound on the variance of a class in a column, as a fraction of that column's variance over all rows, so
        that the result does not depend on the units. Values below 1e-12 count as 1e-12.

    Attributes
    ----------
    model_ : Model
        The fitted model.
    classes_, class_count_, class_prior_ : array (classes,)
    theta_, var_ : array (classes, columns)
        Mean and variance. A constant column has variance 0 and contributes nothing.
    epsilon_ : array (columns,)
        Lower bound on the variance of each column.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[-1.0, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> GaussianNB().fit(x, ["low", "low", "low", "high", "high", "high"]).predict([[-0.8, -1]])
    array(['low'], dtype='<U4')
    """

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    @property
    def class_prior_(self) -> FloatArray:
        """The probability of each class."""
        return self._prior_probabilities()

    @property
    def theta_(self) -> FloatArray:
        """The mean of each class and column."""
        return gaussian_moments(self.model_.core).mean

    @property
    def var_(self) -> FloatArray:
        """The variance of each class and column."""
        return gaussian_moments(self.model_.core).variance

    @property
    def epsilon_(self) -> FloatArray:
        """Lower bound on the variance of each column."""
        return gaussian_moments(self.model_.core).floor

    def _likelihood(self) -> Gaussian:
        given = self.var_smoothing
        if not is_real(given) or not 0 <= given <= 1:
            raise ParameterError(
                "var_smoothing must be a fraction of a column's variance, from 0 to 1",
                parameter="var_smoothing",
                got=given,
            )
        return Gaussian(var_smoothing=max(float(given), _LEAST_SMOOTHING))
