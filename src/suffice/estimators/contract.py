"""The pieces of scikit-learn that its contract is made of, with types: the package itself has none.

Only the estimators import scikit-learn, and only here do they import it.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy.typing as npt
from sklearn import base
from sklearn.utils import multiclass, validation

__all__ = [
    "SklearnAxes",
    "SklearnClassifier",
    "assert_all_finite",
    "check_classification_targets",
    "check_consistent_length",
    "check_is_fitted",
    "column_or_1d",
    "validate_data",
]

assert_all_finite: Callable[..., None] = validation.assert_all_finite
check_classification_targets: Callable[[Any], None] = multiclass.check_classification_targets
check_consistent_length: Callable[..., None] = validation.check_consistent_length
check_is_fitted: Callable[[Any], None] = validation.check_is_fitted
column_or_1d: Callable[..., npt.NDArray[Any]] = validation.column_or_1d
validate_data: Callable[..., Any] = validation.validate_data


if TYPE_CHECKING:

    class SklearnClassifier:
        """What a type checker need know of scikit-learn's classifiers."""

        def __sklearn_tags__(self) -> Any: ...

    class SklearnAxes:
        """What a type checker need know of scikit-learn's transformers."""

else:

    class SklearnClassifier(base.ClassifierMixin, base.BaseEstimator):
        """A classifier that keeps scikit-learn's contract: parameters, clone, repr, routing, score."""

    class SklearnAxes(base.ClassNamePrefixFeaturesOutMixin, base.TransformerMixin):
        """A transformer onto axes that are numbered: fit_transform, set_output, get_feature_names_out."""
