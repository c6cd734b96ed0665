"""Codes of levels: the scikit-learn face of the categorical likelihood, smoothed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.api import Model, fit
from suffice.errors import DataError, ParameterError
from suffice.estimators.counting import CountingClassifier
from suffice.estimators.level_codes import level_codes
from suffice.estimators.scores import Asked, scores_of
from suffice.estimators.tables import learnt_table
from suffice.likelihoods import Categorical
from suffice.models.column_counts import level_counts, level_logs
from suffice.models.declared_levels import declare_levels
from suffice.sources.target import Target
from suffice.statistics import Axis, Counts
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["CategoricalNB"]

_MOST_LEVELS = 2**22


@final
class CategoricalNB(CountingClassifier):
    """Categorical naive Bayes with scikit-learn's interface.

    The cells of X are codes 0, 1, …; a code that was not seen by `fit` is missing, and left out.

    Parameters
    ----------
    alpha : float or array of shape (columns,) ≥ 0
        Pseudo-counts of each level.
    force_alpha : bool
        Whether an alpha below 1e-10 stays as it is.
    fit_prior : bool
        Learn the class prior; otherwise it is uniform.
    class_prior : array-like of one probability for each class, or {class: probability}, optional
    min_categories : int or array of shape (columns,), optional
        The least number of levels of each column. By default there are as many as the greatest code says.

    Attributes
    ----------
    model_ : Model
        What was seen, and all that can be asked of it.
    classes_, class_count_, class_log_prior_ : array (classes,)
    category_count_, feature_log_prob_ : list of arrays (classes, levels), one for each column
        The weight of each level, and the log of its probability.
    n_categories_ : array (columns,)
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0, 2], [1, 2], [1, 0]])
    >>> CategoricalNB().fit(x, ["cat", "dog", "dog"]).predict([[1, 2]])
    array(['dog'], dtype='<U3')
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    @property
    def category_count_(self) -> list[FloatArray]:
        """For each column, the weight of its levels: classes × levels."""
        return level_counts(self.model_.naive_bayes)

    @property
    def feature_log_prob_(self) -> list[FloatArray]:
        """For each column, the logs of the probabilities of its levels: classes × levels."""
        return level_logs(self.model_.naive_bayes)

    @property
    def n_categories_(self) -> IntArray:
        """The number of levels of each column."""
        return np.array([counts.shape[1] for counts in self.category_count_], dtype=np.int64)

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True
        return tags

    @property
    def _frames(self) -> bool:
        return False

    @property
    def _sparse(self) -> bool:
        return False

    def _seen(self, x: Any, target: Target, weights: Any, _known: Model | None, /) -> Model:
        model = fit(
            learnt_table(self, level_codes(x)),
            target,
            columns=Categorical(),
            estimate="mle",
            weights=weights,
            calibrate=False,
        )
        for column, counts in zip(model.schema.names, model.naive_bayes.parts[0], strict=True):
            assert isinstance(counts, Counts)
            _require_codes(column, counts.levels)
        return model

    def _read(self, model: Model) -> Model:
        least = self._least(model.schema.width)
        return super()._read(replace(model, naive_bayes=declare_levels(model.naive_bayes, least.tolist())))

    def _scores(self, x: Any, asked: Asked) -> FloatArray:
        return scores_of(self.model_, level_codes(x), asked)

    def _least(self, width: int) -> npt.NDArray[np.int64]:
        given = self.min_categories
        least: npt.NDArray[Any] = np.asarray(0 if given is None else given)
        if least.dtype.kind not in "iu" or least.ndim > 1 or least.shape not in ((), (width,)) or (least < 0).any():
            raise ParameterError(
                f"min_categories must be a whole number ≥ 0, or one for each of the {width} columns: got {given!r}."
            )
        return np.broadcast_to(least.astype(np.int64), (width,))


def _require_codes(column: str | int, levels: Axis) -> None:
    # The axis is sorted: its ends are the least and the greatest code.
    for label in levels.labels[:1] + levels.labels[-1:]:
        assert isinstance(label, int)
        if label < 0:
            raise DataError(
                f"Negative values in data passed to CategoricalNB (input X): column {column!r} has {label}. "
                "Code the levels of each column 0, 1, …, and put NaN where a cell is missing."
            )
        if label >= _MOST_LEVELS:
            raise DataError(
                f"codes of levels must be below {_MOST_LEVELS}: column {column!r} has {label}. "
                "Code the levels of each column 0, 1, …, and put NaN where a cell is missing."
            )
