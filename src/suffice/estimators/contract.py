"""The parts of scikit-learn that the estimators use, with type annotations, which scikit-learn itself does not have.

This is the only module that imports scikit-learn.
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
        """The part of scikit-learn's classifiers that a type checker needs."""

        def __sklearn_tags__(self) -> Any: ...

    class SklearnAxes:
        """The part of scikit-learn's transformers that a type checker needs."""

else:

    class SklearnClassifier(base.ClassifierMixin, base.BaseEstimator):
        """A classifier with scikit-learn's interface: parameters, clone, repr, metadata routing, score."""

    class SklearnAxes(base.ClassNamePrefixFeaturesOutMixin, base.TransformerMixin):
        """A transformer onto numbered axes: fit_transform, set_output, get_feature_names_out."""
