"""Counts, judged by the counts of all other classes: the scikit-learn face of complement naive Bayes."""

from __future__ import annotations

from typing import Any, final

from suffice.api import Model
from suffice.errors import ParameterError
from suffice.estimators.counting import CountingClassifier
from suffice.estimators.occurrences import seen_occurrences
from suffice.estimators.scores import Asked
from suffice.estimators.tables import asked_table
from suffice.models.column_counts import column_counts
from suffice.models.complement import ComplementModel
from suffice.sources.target import Target
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["ComplementNB"]


@final
class ComplementNB(CountingClassifier):
    """Complement naive Bayes (Rennie and others, 2003) with scikit-learn's interface.

    Parameters
    ----------
    alpha : float or array of shape (columns,) ≥ 0
        Pseudo-counts of each column.
    force_alpha : bool
        Whether an alpha below 1e-10 stays as it is.
    fit_prior : bool
        Learn the class prior, which enters only where there is one class; otherwise it is uniform.
    class_prior : array-like of one probability for each class, or {class: probability}, optional
    norm : bool
        Divide the weights of each class by their sum.

    Attributes
    ----------
    model_ : Model
        What was seen. Its own predictions are multinomial: the complement's scores are no likelihood, and this
        estimator gives them.
    classes_, class_count_, class_log_prior_ : array (classes,)
    feature_count_, feature_log_prob_ : array (classes, columns)
        The sum of the column over the rows of the class, and the weight of the column.
    feature_all_ : array (columns,)
        The sum of each column.
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
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm

    @property
    def feature_count_(self) -> FloatArray:
        """The sum of each column over the rows of each class."""
        return column_counts(self.model_.naive_bayes)

    @property
    def feature_all_(self) -> FloatArray:
        """The sum of each column over all rows."""
        return self.feature_count_.sum(axis=0)

    @property
    def feature_log_prob_(self) -> FloatArray:
        """The weight of each class and column."""
        _ = self.model_  # not fitted: no such attribute
        return self._complement.weights

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
        if not isinstance(self.norm, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(f"norm must be True or False: got {self.norm!r}.")
        return seen_occurrences(self, x, target, weights)

    def _read(self, model: Model) -> Model:
        read = super()._read(model)
        self._complement = ComplementModel(read.naive_bayes, self.norm)
        return read

    def _scores(self, x: Any, asked: Asked) -> FloatArray:
        return self._complement.score(asked_table(self.model_, x), asked).values
