"""Which readings to compare, as a user says it: estimates × λ × class priors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from suffice.api.reading import reading_of
from suffice.errors import ParameterError
from suffice.models import ClassPrior, NaiveBayesModel
from suffice.plan import Reading

__all__ = ["Readings", "readings_of"]

_KEYS = ("estimate", "alpha", "class_prior")
_ESTIMATES = ("mle", "map", "mean", "predictive", "smoothed")
_ALPHAS = (0.01, 0.1, 0.5, 1.0, 2.0, 10.0)
_PRIORS = ("empirical", "uniform")


class Readings(NamedTuple):
    """What is compared: each reading under each class prior."""

    readings: tuple[Reading, ...] = ()
    class_priors: tuple[ClassPrior, ...] = ()


def readings_of(given: Any, model: NaiveBayesModel) -> Readings:
    """Return what to compare.

    Parameters
    ----------
    given : None, bool, or mapping
        True compares mle, map, mean, predictive and smoothed with λ from 0.01 to 10, each under the empirical and a
        uniform class prior. A mapping {"estimate": […], "alpha": […], "class_prior": […]} says which instead; `alpha`
        are the λ of "smoothed".
    model : NaiveBayesModel
        What is not said is as it is read.
    """
    if given is None or given is False:
        return Readings()
    if given is True:
        given = {"estimate": _ESTIMATES, "alpha": _ALPHAS, "class_prior": _PRIORS}
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"readings must be True or a mapping with lists for {', '.join(map(repr, _KEYS))}: got {given!r}."
        )
    asked = cast("Mapping[Any, Any]", given)
    for key in asked:
        if key not in _KEYS:
            raise ParameterError(f"readings has {key!r}: there are {', '.join(map(repr, _KEYS))}. Leave it out.")
    alphas = _several(asked.get("alpha"), None)
    default = "smoothed" if alphas != [None] else model.reading.estimate
    estimates = _several(asked.get("estimate"), default)
    if alphas != [None] and "smoothed" not in estimates:
        raise ParameterError(
            f"alpha is λ of the smoothed reading: got readings of {', '.join(map(repr, estimates))}. "
            "Add 'smoothed' to them, or leave alpha out."
        )
    width = model.schema.width
    readings = tuple(
        reading_of(estimate, alpha, width)
        for estimate in estimates
        for alpha in (alphas if estimate == "smoothed" else [None])
    )
    return Readings(readings, tuple(map(ClassPrior.of, _several(asked.get("class_prior"), model.class_prior))))


def _several(given: Any, default: Any) -> list[Any]:
    if given is None:
        return [default]
    if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence):
        return [cast("Any", given)]
    return list(cast("Sequence[Any]", given)) or [default]
