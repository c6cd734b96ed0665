"""How sure p(c | x) itself is: its interval under the posterior of all parameters, class prior included.

    delta    from the cumulants of log p(c, x), in closed form (uncertainty_delta.py): a few passes over the rows
    draws    parameters drawn from their posterior (uncertainty_draws.py): a pass for each, right however few the rows
    auto     draws where a class has fewer than 30 rows by weight or a block has no closed form (columns together, one
             variance for all classes), and for rows that are crooked; delta for the others

The prior is the one that the reading uses; "mle", which uses none, takes that of "mean". What was chosen by the data
stays as it is: levels, vocabulary, cells of histograms, pooled priors, concentrations chosen by evidence, a
calibration. Of a calibrated model the interval is that of its calibrated probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, final

import numpy as np

from suffice.decisions.calibration import Calibration
from suffice.engines.table import Table
from suffice.errors import ParameterError
from suffice.evidence.uncertainty_delta import delta_interval
from suffice.evidence.uncertainty_draws import drawn_interval
from suffice.evidence.uncertainty_moments import closed_form, joint_moments, uncertain_terms
from suffice.models import NaiveBayesModel
from suffice.statistics.frozen_arrays import BoolArray, FloatArray

__all__ = ["CredibleInterval", "IntervalMethod", "credible_interval"]

IntervalMethod: TypeAlias = Literal["auto", "delta", "draws"]

_FEW_ROWS = 30
_NUMBERS_AT_ONCE = 2**21


@final
@dataclass(frozen=True, slots=True, eq=False)
class CredibleInterval:
    """Between what p(c | x) lies with a stated probability, for every row and class.

    Parameters
    ----------
    lower, upper : arrays, rows × classes
        The ends, equal-tailed, of each class by itself.
    probability : array, rows × classes
        p(c | x) as the model reads it. It lies between the ends but where few rows were seen: a reading that integrates
        its parameters out weighs them by how well they explain the row, "mle" and "map" may stand at an end of the
        range, and the mean of a skewed posterior may lie beyond its quantiles.
    level : float
    drawn : array of bool
        The rows whose interval is that of draws; of the others it is that of the delta method.
    """

    lower: FloatArray
    upper: FloatArray
    probability: FloatArray
    level: float
    drawn: BoolArray


def credible_interval(
    model: NaiveBayesModel,
    table: Table,
    probability: FloatArray,
    level: float,
    method: IntervalMethod,
    draws: int,
    seed: int,
    calibration: Calibration | None = None,
) -> CredibleInterval:
    """Return the interval of every row of a table with the columns of the schema, given p(c | x) as it is read."""
    terms = uncertain_terms(model)
    kind = "none" if calibration is None else calibration.kind
    bent = kind in ("beta", "isotonic")
    closed = all(closed_form(term) for term in terms) and not bent
    if method == "delta" and bent:
        raise ParameterError(
            f"method='delta' needs probabilities that are linear in their scores, and {kind!r} calibration is not. "
            "Use method='draws', or leave it to 'auto'."
        )
    if method == "delta" and not closed:
        raise ParameterError(
            "method='delta' needs the variance of each term in closed form, and columns that go together or share one "
            "variance have none. Use method='draws', or leave it to 'auto'."
        )
    few = bool((model.tally.weight < _FEW_ROWS).any())
    shape = table.rows, len(model.classes)
    lower, upper = np.zeros(shape), np.ones(shape)
    drawn: BoolArray = np.ones(table.rows, dtype=np.bool_)
    if method == "delta" or (method == "auto" and closed and not few):
        step = max(1, _NUMBERS_AT_ONCE // max(1, shape[1]))
        rows = table if table.rows <= step else table.take(slice(None))
        for start in range(0, table.rows, step):
            some = slice(start, min(start + step, table.rows))
            part = rows if table.rows <= step else rows.take(some)
            lower[some], upper[some], drawn[some] = delta_interval(
                joint_moments(model, part, terms, calibration), level
            )
        if method == "delta":
            drawn[:] = False
    if drawn.any():
        some = table if drawn.all() else table.take(np.flatnonzero(drawn))
        lower[drawn], upper[drawn] = drawn_interval(model, some, terms, level, draws, seed, calibration)
    return CredibleInterval(lower, upper, probability, level, drawn)
