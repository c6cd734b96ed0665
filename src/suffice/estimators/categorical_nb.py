"""Categorical naive Bayes over level codes with the interface of scikit-learn.

Like scikit-learn, it truncates cells to integers; NaN is missing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.api import Model
from suffice.errors import DataError, ParameterError
from suffice.estimators.classifier import CountingClassifier, ScoreName, require_finite, score_rows
from suffice.likelihoods import Categorical
from suffice.models.estimator_arrays import declare_levels, level_counts, level_logs
from suffice.sources.target import Target
from suffice.statistics import Axis, Counts
from suffice.statistics.arrays import FloatArray, IntArray

__all__ = ["CategoricalNB", "level_codes"]


_ROWS = 65_536
_HIGHEST = 2.0**62


def level_codes(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return level codes: integers unchanged, booleans as 0 and 1, floats truncated (to integers unless one is NaN).

    Examples
    --------
    >>> level_codes(np.array([[2.0, 1.7], [3.0, 0.0]]))
    array([[2, 1],
           [3, 0]])
    >>> level_codes(np.array([[2.0, 1.7], [np.nan, 0.0]]))
    array([[ 2.,  1.],
           [nan,  0.]])
    """
    if x.dtype.kind == "b":
        return x.view(np.uint8)
    if x.dtype.kind != "f":
        return x
    require_finite(x)
    if np.isnan(np.add.reduce(x, axis=None)):
        return np.trunc(x)
    codes = np.empty(x.shape, dtype=np.int64)
    for first in range(0, len(x), _ROWS):
        codes[first : first + _ROWS] = np.clip(x[first : first + _ROWS], -_HIGHEST, _HIGHEST)
    return codes


_MOST_LEVELS = 2**22


@final
class CategoricalNB(CountingClassifier):
    """Categorical naive Bayes with scikit-learn's interface.

    The cells of X are level codes 0, 1, …; codes that did not occur in `fit` are treated as missing in `predict`.

    Parameters
    ----------
    alpha : float or array of shape (columns,) ≥ 0
        Pseudo-count of each level.
    force_alpha, fit_prior, class_prior
        As in `MultinomialNB`.
    min_categories : int or array of shape (columns,), optional
        Minimum number of levels of each column. Default: one more than the greatest code.

    Attributes
    ----------
    model_ : Model
        The fitted model.
    classes_, class_count_, class_log_prior_ : array (classes,)
    category_count_, feature_log_prob_ : list of arrays (classes, levels), one per column
        The weight and the log probability of each level.
    n_categories_ : array (columns,)
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0, 2], [1, 2], [1, 0]])
    >>> CategoricalNB().fit(x, ["cat", "dog", "dog"]).predict([[1, 2]])
    array(['dog'], dtype='<U3')
    """

    _sparse = False

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.min_categories = min_categories

    @property
    def category_count_(self) -> list[FloatArray]:
        """Weight of the levels of each column, a list of arrays (classes, levels)."""
        return level_counts(self.model_.core)

    @property
    def feature_log_prob_(self) -> list[FloatArray]:
        """Log probabilities of the levels of each column, a list of arrays (classes, levels)."""
        return level_logs(self.model_.core)

    @property
    def n_categories_(self) -> IntArray:
        """Number of levels of each column."""
        return np.array([counts.shape[1] for counts in self.category_count_], dtype=np.int64)

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True
        return tags

    def _likelihood(self) -> Categorical:
        return Categorical()

    def _fit_batch(self, x: Any, target: Target, weights: Any, known: Model | None, /) -> Model:
        model = super()._fit_batch(level_codes(x), target, weights, known)
        for column, counts in zip(model.schema.names, model.core.parts[0], strict=True):
            assert isinstance(counts, Counts)
            _require_codes(column, counts.levels)
        return model

    def _estimate(self, model: Model) -> Model:
        least = self._least(model.schema.width)
        return super()._estimate(replace(model, core=declare_levels(model.core, least.tolist())))

    def _scores(self, x: Any, asked: ScoreName) -> FloatArray:
        return score_rows(self.model_, level_codes(x), asked)

    def _least(self, width: int) -> npt.NDArray[np.int64]:
        given = self.min_categories
        least: npt.NDArray[Any] = np.asarray(0 if given is None else given)
        if least.dtype.kind not in "iu" or least.ndim > 1 or least.shape not in ((), (width,)) or (least < 0).any():
            raise ParameterError(
                f"min_categories must be an integer ≥ 0, or one for each of the {width} columns: got {given!r}."
            )
        return np.broadcast_to(least.astype(np.int64), (width,))


def _require_codes(column: str | int, levels: Axis) -> None:
    # The axis is sorted: its ends are the smallest and the greatest code.
    for label in levels.labels[:1] + levels.labels[-1:]:
        assert isinstance(label, int)
        if label < 0:
            raise DataError(
                f"Negative values in data passed to CategoricalNB (input X): column {column!r} has {label}. "
                "Encode the levels of each column as 0, 1, …, with NaN for missing cells."
            )
        if label >= _MOST_LEVELS:
            raise DataError(
                f"level codes must be below {_MOST_LEVELS}: column {column!r} has {label}. "
                "Encode the levels of each column as 0, 1, …, with NaN for missing cells."
            )
