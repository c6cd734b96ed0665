"""The prior of hypotheses: weights ≥ 0 in any form, as logs of probabilities.

    ln p(h) = ln w_h − ln Σ_h' w_h'

A weight of 0 rules a hypothesis out. Weights of any size will do: they are divided by the greatest before they are
added up, so that neither 1e300 nor 1e-300 is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np

from suffice.conjugate.arguments import is_real
from suffice.errors import ParameterError
from suffice.models.concepts.space import HypothesisSpace
from suffice.statistics.frozen_arrays import FloatArray, sealed

__all__ = ["log_prior_of"]


def log_prior_of(prior: Any, space: HypothesisSpace) -> FloatArray:
    """Return ln p(h) of each hypothesis.

    Parameters
    ----------
    prior : None (uniform), mapping {name: weight}, array of weights, or function of a Hypothesis

    Examples
    --------
    >>> space = HypothesisSpace.of({"even": {2, 4}, "odd": {1, 3}})
    >>> np.exp(log_prior_of({"even": 3, "odd": 1}, space))
    array([0.75, 0.25])
    """
    weights = _weights(prior, space)
    greatest = weights.max()
    if greatest == 0:
        raise ParameterError("prior must give at least one hypothesis a weight above 0: got 0 for all of them.")
    # A quotient of what is not 0 may still be: then the weight says no more than 0 does.
    shares = weights / greatest
    with np.errstate(divide="ignore"):
        return sealed(np.log(shares) - np.log(shares.sum()))


def _weights(prior: Any, space: HypothesisSpace) -> FloatArray:
    if prior is None:
        return np.ones(len(space))
    if isinstance(prior, Mapping):
        return _checked(_named(cast("Mapping[Any, Any]", prior), space), space)
    if callable(prior):
        return _checked([prior(space[at]) for at in range(len(space))], space)
    if isinstance(prior, (str, bytes)) or not isinstance(cast("object", prior), Iterable):
        raise ParameterError(
            "prior must be a mapping {name: weight}, an array of weights or a function of a hypothesis: "
            f"got {prior!r}."
        )
    each = list(prior)
    if len(each) != len(space):
        raise ParameterError(f"prior must have a weight for each of the {len(space):,} hypotheses: got {len(each):,}.")
    return _checked(each, space)


def _named(prior: Mapping[Any, Any], space: HypothesisSpace) -> list[Any]:
    known = set(space.names)
    for name in prior:
        if name not in known:
            raise ParameterError(f"prior has a weight for {name!r}, which is no hypothesis. {space.hint(name)}")
    for name in space.names:
        if name not in prior:
            raise ParameterError(f"prior has no weight for hypothesis {name!r}. Give it one; 0 rules it out.")
    return [prior[name] for name in space.names]


def _checked(weights: list[Any], space: HypothesisSpace) -> FloatArray:
    found = np.empty(len(weights))
    for at, weight in enumerate(weights):
        if not is_real(weight) or not 0 <= weight < np.inf:
            got = weight.item() if isinstance(cast("object", weight), np.generic) else weight
            raise ParameterError(f"prior must have finite weights ≥ 0: hypothesis {space.names[at]!r} has {got!r}.")
        found[at] = weight
    return found
