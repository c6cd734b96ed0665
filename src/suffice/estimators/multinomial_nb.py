"""Multinomial and complement naive Bayes over counts with the interface of scikit-learn."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from suffice.api import Model
from suffice.errors import DataError, ParameterError
from suffice.estimators.classifier import (
    CountingClassifier,
    ScoreName,
    prediction_table,
    require_not_negative,
)
from suffice.likelihoods import Multinomial
from suffice.models.complement import ComplementModel
from suffice.models.estimator_arrays import column_counts, column_logs
from suffice.models.linear import LinearScore
from suffice.sources.target import Target
from suffice.statistics.arrays import FloatArray

__all__ = ["ComplementNB", "MultinomialNB"]


class MultinomialClassifier(CountingClassifier):
    """A classifier over rows of non-negative counts."""

    @property
    def feature_count_(self) -> FloatArray:
        """Sum of each column over the rows of each class, shape (classes, columns)."""
        return column_counts(self.model_.core)

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # scikit-learn's checks use Gaussian blobs, not counts
        return tags

    def _likelihood(self) -> Multinomial:
        return Multinomial(coefficients=False)  # they are equal for all classes, and scikit-learn omits them

    def _fit_batch(self, x: Any, target: Target, weights: Any, known: Model | None, /) -> Model:
        try:
            return super()._fit_batch(x, target, weights, known)
        except DataError as error:
            require_not_negative(type(self).__name__, x, error)
            raise


@final
class MultinomialNB(MultinomialClassifier):
    """Multinomial naive Bayes with scikit-learn's interface.

    Parameters
    ----------
    alpha : float or array of shape (columns,) ≥ 0
        Pseudo-count of each column.
    force_alpha : bool
        If False, an alpha below 1e-10 is raised to 1e-10.
    fit_prior : bool
        Estimate the class prior; if False, it is uniform.
    class_prior : array-like with one probability per class, or {class: probability}, optional

    Attributes
    ----------
    model_ : Model
        The fitted model.
    classes_, class_count_, class_log_prior_ : array (classes,)
    feature_count_, feature_log_prob_ : array (classes, columns)
        The sum of the column over the rows of the class, and its log probability.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[2, 1, 0], [1, 1, 0], [0, 1, 3]])
    >>> MultinomialNB().fit(x, ["ham", "ham", "spam"]).predict([[0, 0, 1]])
    array(['spam'], dtype='<U4')
    """

    @property
    def feature_log_prob_(self) -> FloatArray:
        """Log probability of each column, shape (classes, columns)."""
        return column_logs(self.model_.core)


@final
class ComplementNB(MultinomialClassifier):
    """Complement naive Bayes (Rennie et al. 2003) with scikit-learn's interface.

    Parameters
    ----------
    alpha : float or array of shape (columns,) ≥ 0
        Pseudo-count of each column.
    force_alpha, fit_prior, class_prior
        As in `MultinomialNB`; the class prior is used only if there is a single class.
    norm : bool
        Divide the weights of each class by their sum.

    Attributes
    ----------
    model_ : Model
        The fitted multinomial model. Complement scores are not likelihoods; only this estimator computes them.
    classes_, class_count_, class_log_prior_ : array (classes,)
    feature_count_, feature_log_prob_ : array (classes, columns)
        The sum of the column over the rows of the class, and its complement weight.
    feature_all_ : array (columns,)
        The sum of each column over all rows.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[2, 1, 0], [1, 1, 0], [0, 1, 3]])
    >>> ComplementNB().fit(x, ["ham", "ham", "spam"]).predict([[0, 0, 1]])
    array(['spam'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.norm = norm

    @property
    def feature_all_(self) -> FloatArray:
        """Sum of each column over all rows, shape (columns,)."""
        return self.feature_count_.sum(axis=0)

    @property
    def feature_log_prob_(self) -> FloatArray:
        """Complement weight of each column, shape (classes, columns)."""
        _ = self.model_  # AttributeError if not fitted
        return self._complement.weights

    def _likelihood(self) -> Multinomial:
        if not isinstance(self.norm, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(f"norm must be True or False: got {self.norm!r}.")
        return super()._likelihood()

    def _estimate(self, model: Model) -> Model:
        estimated = super()._estimate(model)
        self._complement = ComplementModel(estimated.core, self.norm)
        return estimated

    def _linear_score(self) -> LinearScore:
        weights = self.feature_log_prob_
        features = tuple((name, None) for name in self.model_.schema.names)
        start = np.zeros(len(weights)) if len(weights) > 1 else self.class_log_prior_
        return LinearScore(features, weights.T, start)

    def _scores(self, x: Any, asked: ScoreName) -> FloatArray:
        return self._complement.score(prediction_table(self.model_, x), asked).values
