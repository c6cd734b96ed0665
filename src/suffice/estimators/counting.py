"""What the estimators that count have in common: alpha, fit_prior and class_prior, and what was counted."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.api import Model
from suffice.errors import ParameterError, SufficeWarning
from suffice.estimators.class_priors import class_prior_of
from suffice.estimators.classifier import Classifier
from suffice.statistics.frozen_arrays import FloatArray
from suffice.warnings import notify

__all__ = ["CountingClassifier"]

_LEAST_ALPHA = 1e-10


class CountingClassifier(Classifier):
    """A classifier that reads counts with pseudo-counts: the smoothed reading."""

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any

    @property
    @abstractmethod
    def feature_log_prob_(self) -> Any:
        """The logs of the probabilities, as they are read."""

    @property
    def class_count_(self) -> FloatArray:
        """The weight of the rows of each class."""
        return self.model_.naive_bayes.tally.weight

    @property
    def class_log_prior_(self) -> FloatArray:
        """The log of the probability of each class; −inf for a class that no row has had yet."""
        return self.model_.naive_bayes.log_prior

    def _read(self, model: Model) -> Model:
        otherwise = "empirical" if _flag("fit_prior", self.fit_prior) else "uniform"
        prior = class_prior_of("class_prior", self.class_prior, model.classes, otherwise)
        read = model.with_options(estimate="smoothed", class_prior=prior, alpha=self._pseudo_counts())
        _ = read.naive_bayes.log_prior  # refused here when it does not fit the classes
        return read

    def _pseudo_counts(self) -> npt.NDArray[Any]:
        given = self.alpha
        try:
            alpha: npt.NDArray[Any] = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            alpha = np.full((), np.nan)
        if not (np.isfinite(alpha) & (alpha >= 0)).all() or isinstance(given, (bool, str)):
            raise ParameterError(f"alpha must be one number ≥ 0, or one for each column: got {given!r}.")
        if _flag("force_alpha", self.force_alpha) or not (alpha < _LEAST_ALPHA).any():
            return alpha
        notify(
            SufficeWarning,
            f"alpha is below {_LEAST_ALPHA} and is read as that. Use force_alpha=True to keep it as it is.",
        )
        return np.maximum(alpha, _LEAST_ALPHA)


def _flag(name: str, given: Any) -> bool:
    if not isinstance(given, (bool, np.bool_)):
        raise ParameterError(f"{name} must be True or False: got {given!r}.")
    return bool(given)  # pyright: ignore[reportUnknownArgumentType]
