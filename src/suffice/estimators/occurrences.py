"""The rows of MultinomialNB and ComplementNB: counts that are draws from one distribution over the columns."""

from __future__ import annotations

from typing import Any

from suffice.api import Model, fit
from suffice.errors import DataError
from suffice.estimators.tables import learnt_table
from suffice.estimators.validation import require_not_negative
from suffice.likelihoods import Multinomial
from suffice.sources.target import Target

__all__ = ["seen_occurrences"]


def seen_occurrences(estimator: Any, x: Any, target: Target, weights: Any) -> Model:
    """Return the model of rows of counts."""
    columns = Multinomial(coefficients=False)  # which are the same for every class, and which scikit-learn leaves out
    try:
        return fit(
            learnt_table(estimator, x), target, columns=columns, estimate="mle", weights=weights, calibrate=False
        )
    except DataError as error:
        require_not_negative(type(estimator).__name__, x, error)
        raise
