"""Bernoulli naive Bayes (presence and absence) with the interface of scikit-learn."""

from __future__ import annotations

from typing import Any, final

from suffice.api import Model, fit
from suffice.arguments import is_real
from suffice.errors import ParameterError
from suffice.estimators.classifier import CountingClassifier, ScoreName, require_finite, score_rows, training_table
from suffice.likelihoods import Bernoulli
from suffice.models.estimator_arrays import column_counts, column_logs
from suffice.sources.target import Target
from suffice.statistics.arrays import FloatArray

__all__ = ["BernoulliNB"]


@final
class BernoulliNB(CountingClassifier):
    """Bernoulli naive Bayes with scikit-learn's interface.

    Parameters
    ----------
    alpha : float or array of shape (columns,) ≥ 0
        Pseudo-counts of presence and of absence.
    force_alpha : bool
        If False, an alpha below 1e-10 is raised to 1e-10.
    binarize : float or None
        A cell counts as present if it exceeds this threshold. None is for cells that are 0 or 1 and means 0.
    fit_prior : bool
        Estimate the class prior; if False, it is uniform.
    class_prior : array-like with one probability per class, or {class: probability}, optional

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
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

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

    @property
    def _frames(self) -> bool:
        return False

    @property
    def _sparse(self) -> bool:
        return True

    def _fit_batch(self, x: Any, target: Target, weights: Any, _known: Model | None, /) -> Model:
        if self.binarize is not None and not is_real(self.binarize):
            raise ParameterError(
                f"binarize must be a number, or None for cells that are 0 or 1: got {self.binarize!r}."
            )
        columns = Bernoulli(threshold=0.0 if self.binarize is None else self.binarize)
        return fit(training_table(self, x), target, columns=columns, estimate="mle", weights=weights, calibrate=False)

    def _scores(self, x: Any, asked: ScoreName) -> FloatArray:
        if hasattr(x, "tocsr"):
            require_finite(x)
        return score_rows(self.model_, x, asked, finite=True)
