"""What every scikit-learn face does alike: learn rows into a Model, and ask it.

`fit` is one call of `suffice.fit`, `partial_fit` adds the model of the batch to the one it has, and every prediction is
one call of the model. An estimator says how its columns are distributed, how its parameters read what was seen, and
which scores it gives; nothing else.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from suffice.api import Model
from suffice.errors import DataError, MergeError
from suffice.estimators.class_labels import as_array, coded
from suffice.estimators.contract import SklearnClassifier, check_is_fitted, column_or_1d
from suffice.estimators.scores import Asked
from suffice.estimators.validation import fitted_rows, labels, row_weights, rows_like_fitted
from suffice.sources.target import Target
from suffice.statistics.frozen_arrays import FloatArray
from suffice.warnings import batch_of_more

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Classifier"]


class Classifier(SklearnClassifier, metaclass=ABCMeta):
    """A scikit-learn classifier over a Model. Subclasses are final and give the abstract methods."""

    model_: Model
    classes_: npt.NDArray[Any]
    n_features_in_: int

    @abstractmethod
    def _seen(self, x: Any, target: Target, weights: Any, known: Model | None, /) -> Model:
        """Return the model of these rows alone, not yet read: one call of `suffice.fit`.

        `known` is the model that it will be added to, where there is one.
        """

    @abstractmethod
    def _read(self, model: Model) -> Model:
        """Return the model as the parameters of the estimator read it, or raise ParameterError. Nothing fails later."""

    @abstractmethod
    def _scores(self, x: Any, asked: Asked) -> FloatArray:
        """Return scores, log posterior or posterior of rows that were checked: rows × classes."""

    @property
    @abstractmethod
    def _frames(self) -> bool:
        """Whether frames and text are read as they are, column by column."""

    @property
    @abstractmethod
    def _sparse(self) -> bool:
        """Whether sparse matrices are read."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn these rows, and forget what was learnt before.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (rows, columns)
            NaN is missing and left out. Plain arrays and CSR matrices are read where they lie, without a copy.
        y : array-like of shape (rows,)
            The class of each row.
        sample_weight : array-like of shape (rows,) or number, optional
            Weights ≥ 0; a row of weight 2 counts as two.
        """
        x = fitted_rows(self, X, y, sparse=self._sparse, frames=self._frames)
        return self._learn(x, y, None, sample_weight, None)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn these rows beside those learnt before: batches in any split and order give what one `fit` gives.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like, optional
            Classes that may come later, so that `predict_proba` has a column for them now. A class that is not among
            them, or was in no batch before, may appear all the same.
        """
        known = vars(self).get("model_")
        if known is None:
            x = fitted_rows(self, X, y, sparse=self._sparse, frames=self._frames)
        else:
            x = rows_like_fitted(self, X, sparse=self._sparse, frames=self._frames)
        with batch_of_more():
            return self._learn(x, y, classes, sample_weight, known)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row; of equals the first."""
        most = np.argmax(self._scores(self._rows(X), "log_posterior"), axis=1)
        return self.classes_[most]

    def predict_proba(self, X: Any) -> FloatArray:
        """Return p(c | x), rows × classes in the order of `classes_`."""
        return self._scores(self._rows(X), "posterior")

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return log p(c | x), rows × classes in the order of `classes_`."""
        return self._scores(self._rows(X), "log_posterior")

    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """Return log p(c, x), rows × classes, up to what is the same for every class of a row."""
        return self._scores(self._rows(X), "joint")

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._sparse
        return tags

    def _rows(self, x: Any) -> Any:
        if "model_" not in vars(self):
            check_is_fitted(self)
        return rows_like_fitted(self, x, sparse=self._sparse, frames=self._frames)

    def _learn(self, x: Any, y: Any, classes: Any, sample_weight: Any, known: Model | None) -> Self:
        y = labels(y, x)
        weights = row_weights(sample_weight, x)
        may_come = None if classes is None else column_or_1d(classes)
        types = [
            each.dtype for each in (vars(self).get("classes_") if known else None, y, may_come) if each is not None
        ]
        batch = self._seen(x, coded(y, may_come), weights, known)
        model = batch if known is None else _together(known, batch)
        if not model.naive_bayes.tally.weight.any():
            raise DataError("all weights are zero, so nothing was seen. Give some row a sample_weight above 0.")
        found = as_array(model.classes, *types)
        self.model_, self.classes_ = self._read(model), found
        return self


def _together(known: Model, batch: Model) -> Model:
    # Parameters may have changed since the last batch: what was seen is the same as long as the same was collected.
    before, now = known.naive_bayes, batch.naive_bayes
    if before.schema.plan() != now.schema.plan():
        raise MergeError(
            "partial_fit cannot go on with parameters that count other things than before.\n"
            f"before: {before.schema!r}\nnow:    {now.schema!r}\nCall fit, or set the parameters back."
        )
    alike = replace(before, schema=now.schema, reading=now.reading, class_prior=now.class_prior)
    return replace(known, naive_bayes=alike) + batch
