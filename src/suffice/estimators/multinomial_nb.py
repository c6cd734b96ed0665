"""Counts, as of the words of a document: the scikit-learn face of the multinomial likelihood, smoothed."""

from __future__ import annotations

from typing import Any, final

from suffice.api import Model
from suffice.estimators.counting import CountingClassifier
from suffice.estimators.occurrences import seen_occurrences
from suffice.estimators.scores import Asked, scores_of
from suffice.models.column_counts import column_counts, column_logs
from suffice.sources.target import Target
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["MultinomialNB"]


@final
class MultinomialNB(CountingClassifier):
    """Multinomial naive Bayes with scikit-learn's interface.

    Parameters
    ----------
    alpha : float or array of shape (columns,) ≥ 0
        Pseudo-counts of each column.
    force_alpha : bool
        Whether an alpha below 1e-10 stays as it is.
    fit_prior : bool
        Learn the class prior; otherwise it is uniform.
    class_prior : array-like of one probability for each class, or {class: probability}, optional

    Attributes
    ----------
    model_ : Model
        What was seen, and all that can be asked of it.
    classes_, class_count_, class_log_prior_ : array (classes,)
    feature_count_, feature_log_prob_ : array (classes, columns)
        The sum of the column over the rows of the class, and the log of its probability.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[2, 1, 0], [1, 1, 0], [0, 1, 3]])
    >>> MultinomialNB().fit(x, ["ham", "ham", "spam"]).predict([[0, 0, 1]])
    array(['spam'], dtype='<U4')
    """

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    @property
    def feature_count_(self) -> FloatArray:
        """The sum of each column over the rows of each class."""
        return column_counts(self.model_.naive_bayes)

    @property
    def feature_log_prob_(self) -> FloatArray:
        """The log of the probability of each column."""
        return column_logs(self.model_.naive_bayes)

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # scikit-learn's tag: blobs of real numbers are no counts
        return tags

    @property
    def _frames(self) -> bool:
        return False

    @property
    def _sparse(self) -> bool:
        return True

    def _seen(self, x: Any, target: Target, weights: Any, _known: Model | None, /) -> Model:
        return seen_occurrences(self, x, target, weights)

    def _scores(self, x: Any, asked: Asked) -> FloatArray:
        return scores_of(self.model_, x, asked)
