"""Bernoulli naive Bayes (presence and absence) with the interface of scikit-learn."""

from __future__ import annotations

from typing import Any, final

from suffice.arguments import is_real
from suffice.errors import ParameterError
from suffice.estimators.classifier import CountingClassifier, ScoreName, require_finite, score_rows
from suffice.likelihoods import Bernoulli
from suffice.models.estimator_arrays import column_counts, column_logs
from suffice.statistics.arrays import FloatArray

__all__ = ["BernoulliNB"]


@final
class BernoulliNB(CountingClassifier):
    """Bernoulli naive Bayes with scikit-learn's interface.

    Parameters
    ----------
    alpha : float or array of shape (columns,) ≥ 0
        Pseudo-counts of presence and of absence.
    force_alpha, fit_prior, class_prior
        As in `MultinomialNB`.
    binarize : float or None
        A cell counts as present if it exceeds this threshold. None is for cells that are 0 or 1 and means 0.

    Attributes
    ----------
    model_ : Model
        The fitted model.
    classes_, class_count_, class_log_prior_ : array (classes,)
    feature_count_, feature_log_prob_ : array (classes, columns)
        The weight of the rows in which the column is present, and the log probability of presence.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1, 0, 1], [1, 1, 0], [0, 0, 1]])
    >>> BernoulliNB().fit(x, ["spam", "spam", "ham"]).predict([[1, 1, 0]])
    array(['spam'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.binarize = binarize

    @property
    def feature_count_(self) -> FloatArray:
        """Weight of the rows of each class in which a column is present, shape (classes, columns)."""
        return column_counts(self.model_.core)

    @property
    def feature_log_prob_(self) -> FloatArray:
        """Log probability that a column is present, shape (classes, columns)."""
        return column_logs(self.model_.core)

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()
        # scikit-learn's checks use Gaussian blobs, which one threshold separates poorly.
        tags.classifier_tags.poor_score = True
        return tags

    def _likelihood(self) -> Bernoulli:
        if self.binarize is not None and not is_real(self.binarize):
            raise ParameterError(
                f"binarize must be a number, or None for cells that are 0 or 1: got {self.binarize!r}."
            )
        return Bernoulli(threshold=0.0 if self.binarize is None else self.binarize)

    def _scores(self, x: Any, asked: ScoreName) -> FloatArray:
        if hasattr(x, "tocsr"):
            require_finite(x)
        return score_rows(self.model_, x, asked, finite=True)
