"""Real numbers: the scikit-learn face of the Gaussian likelihood, read as the mle."""

from __future__ import annotations

from typing import Any, final

from suffice.api import Model, fit
from suffice.conjugate.arguments import is_real
from suffice.errors import ParameterError
from suffice.estimators.class_priors import class_prior_of
from suffice.estimators.classifier import Classifier
from suffice.estimators.scores import Asked, scores_of
from suffice.estimators.tables import learnt_table
from suffice.likelihoods import Gaussian
from suffice.models.gaussian_arrays import gaussian_arrays
from suffice.sources.target import Target
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["GaussianNB"]

_LEAST_SHARE = 1e-12


@final
class GaussianNB(Classifier):
    """Gaussian naive Bayes with scikit-learn's interface.

    Parameters
    ----------
    priors : array-like of one probability for each class, or {class: probability}, optional
        By default how often each class was seen.
    var_smoothing : float from 0 to 1
        The least variance of a class in a column, as a share of that column's own variance: rescaling a column changes
        nothing. Below 1e-12, also 0, it is 1e-12.

    Attributes
    ----------
    model_ : Model
        What was seen, and all that can be asked of it.
    classes_, class_count_, class_prior_ : array (classes,)
    theta_, var_ : array (classes, columns)
        Mean and variance. A constant column has variance 0 and says nothing.
    epsilon_ : array (columns,)
        The least variance of each column.
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
    def class_count_(self) -> FloatArray:
        """The weight of the rows of each class."""
        return self.model_.naive_bayes.tally.weight

    @property
    def class_prior_(self) -> FloatArray:
        """The probability of each class."""
        known = self.model_.naive_bayes
        return known.class_prior.probabilities(known.tally)

    @property
    def theta_(self) -> FloatArray:
        """The mean of each class and column."""
        return gaussian_arrays(self.model_.naive_bayes).mean

    @property
    def var_(self) -> FloatArray:
        """The variance of each class and column."""
        return gaussian_arrays(self.model_.naive_bayes).variance

    @property
    def epsilon_(self) -> FloatArray:
        """The least variance of each column."""
        return gaussian_arrays(self.model_.naive_bayes).floor

    @property
    def _frames(self) -> bool:
        return False

    @property
    def _sparse(self) -> bool:
        return True

    def _seen(self, x: Any, target: Target, weights: Any, _known: Model | None, /) -> Model:
        share = self.var_smoothing
        if not is_real(share) or not 0 <= share <= 1:
            raise ParameterError(f"var_smoothing must be a share of a column's variance from 0 to 1: got {share!r}.")
        columns = Gaussian(var_smoothing=max(float(share), _LEAST_SHARE))
        return fit(learnt_table(self, x), target, columns=columns, estimate="mle", weights=weights, calibrate=False)

    def _read(self, model: Model) -> Model:
        read = model.with_options(estimate="mle", class_prior=class_prior_of("priors", self.priors, model.classes))
        _ = read.naive_bayes.log_prior  # refused here when it does not fit the classes
        return read

    def _scores(self, x: Any, asked: Asked) -> FloatArray:
        return scores_of(self.model_, x, asked)
