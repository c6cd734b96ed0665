"""What the two discriminants do alike: columns that go together, read as the mle, and scores of their own."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.api import Model, fit
from suffice.conjugate.arguments import is_real
from suffice.errors import ParameterError
from suffice.estimators.class_priors import class_prior_of
from suffice.estimators.classifier import Classifier
from suffice.estimators.scores import Asked, scores_of
from suffice.estimators.tables import learnt_table
from suffice.likelihoods import Gaussian
from suffice.models.discriminant import class_means
from suffice.sources.target import Target
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["Discriminant", "checked_solver", "shrinkage_of"]


class Discriminant(Classifier):
    """A classifier of one Gaussian block. Subclasses are final and say which."""

    priors: Any

    @abstractmethod
    def _likelihood(self) -> Gaussian:
        """Return how the columns are distributed, by the parameters of the estimator, or raise ParameterError."""

    @property
    def means_(self) -> FloatArray:
        """The mean of each class and column."""
        return class_means(self.model_.naive_bayes)

    @property
    def priors_(self) -> FloatArray:
        """The probability of each class."""
        known = self.model_.naive_bayes
        return known.class_prior.probabilities(known.tally)

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return log p(c | x), rows × classes; of two classes log p(1 | x) − log p(0 | x), one number for each row.

        Of more than two classes scikit-learn leaves out what is the same for all classes of a row; so it may differ by
        that.
        """
        logs = self.predict_log_proba(X)
        if logs.shape[1] != 2:
            return logs
        return logs[:, 1] - logs[:, 0]

    @property
    def _frames(self) -> bool:
        return False

    @property
    def _sparse(self) -> bool:
        return False

    def _seen(self, x: Any, target: Target, weights: Any, _known: Model | None, /) -> Model:
        return fit(
            learnt_table(self, x), target, columns=self._likelihood(), estimate="mle", weights=weights, calibrate=False
        )

    def _read(self, model: Model) -> Model:
        read = model.with_options(estimate="mle", class_prior=class_prior_of("priors", self.priors, model.classes))
        _ = read.naive_bayes.log_prior  # refused here when it does not fit the classes
        return read

    def _scores(self, x: Any, asked: Asked) -> FloatArray:
        return scores_of(self.model_, x, asked)


def shrinkage_of(given: Any) -> Any:
    """Return the shrinkage as Gaussian takes it: scikit-learn's "auto" is "oas" here."""
    if isinstance(given, str) and given == "auto":
        return "oas"
    if given is None or (isinstance(given, str) and given in ("oas", "evidence")):
        return given
    if is_real(given) and 0 <= float(given) <= 1:
        return given
    raise ParameterError(f"shrinkage must be None, a number from 0 to 1, 'auto', 'oas' or 'evidence': got {given!r}.")


def checked_solver(given: Any, known: tuple[str, ...]) -> None:
    """Raise ParameterError where the solver is none of scikit-learn's: here they are all the same."""
    if given not in known:
        raise ParameterError(
            f"solver must be one of {', '.join(map(repr, known))}, which give the same here: got {given!r}."
        )
