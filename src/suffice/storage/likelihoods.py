"""The likelihood of a block in a model file: its name, and each of its parameters in the way of its kind.

    kind        parameters                             in the schema                  in arrays
    plain       options, flags and single numbers      the value itself
    numbers     alpha                                  true, or null for none         the numbers, of their shape
    labels      levels, columns, characters, stop words how many, or null for none     kinds, offsets, text
    conjugate   prior                                  its name, or null for none     each of its parameters; none where
                                                       it is chosen by the evidence

A likelihood is found by its name in the registry and made by its constructor, which checks what it is given. A new one
is stored at once if its parameters are of these kinds; a parameter with a new name takes its place in the table below.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt

from suffice.conjugate import (
    BetaBinomial,
    DirichletMultinomial,
    GammaPoisson,
    NormalInverseGamma,
    NormalInverseWishart,
)
from suffice.errors import DataError, ModelFileError, ParameterError
from suffice.likelihoods import Gaussian, Likelihood
from suffice.likelihoods.concentration import EvidenceAlpha
from suffice.likelihoods.registry import LIKELIHOODS
from suffice.likelihoods.token_reading import EvidencePrior
from suffice.storage.arrays import Arrays, labels_stored
from suffice.storage.container import DAMAGED, shown
from suffice.storage.fields import Fields

__all__ = ["PARAMETERS", "likelihood_of", "parameters_stored"]

Stored: TypeAlias = "dict[str, npt.NDArray[Any]]"

PARAMETERS: dict[str, Literal["plain", "numbers", "labels", "conjugate"]] = {
    "accents": "plain",
    "across": "plain",
    "alpha": "numbers",
    "binary": "plain",
    "bins": "plain",
    "characters": "labels",
    "coefficients": "plain",
    "columns": "labels",
    "covariance": "plain",
    "factorials": "plain",
    "hashed": "plain",
    "idf": "plain",
    "joint": "plain",
    "levels": "labels",
    "lowercase": "plain",
    "max_df": "plain",
    "max_features": "plain",
    "max_length": "plain",
    "min_count": "plain",
    "min_df": "plain",
    "min_length": "plain",
    "missing": "plain",
    "model": "plain",
    "ngrams": "plain",
    "prior": "conjugate",
    "shrinkage": "plain",
    "stop_words": "labels",
    "tf": "plain",
    "threshold": "plain",
    "toward": "plain",
    "unit_length": "plain",
    "unseen": "plain",
    "var_smoothing": "plain",
}
_CONJUGATE: dict[str, type[Any]] = {
    "BetaBinomial": BetaBinomial,
    "DirichletMultinomial": DirichletMultinomial,
    "GammaPoisson": GammaPoisson,
    "NormalInverseGamma": NormalInverseGamma,
    "NormalInverseWishart": NormalInverseWishart,
}
# Parameters that came later stand in a file only where they are not these: older versions go on reading the others.
_BEFORE: dict[str, Any] = {"joint": False, "shrinkage": None, "toward": "diagonal"}
_DO = "Save a model of the package's own likelihoods, or add this one to likelihoods/registry.py."


def parameters_stored(likelihood: Likelihood, prefix: str) -> tuple[str, dict[str, Any], Stored]:
    """Return the name of a likelihood, its parameters as they stand in the schema, and their arrays."""
    name = type(likelihood).__name__
    if LIKELIHOODS.get(name) is not type(likelihood):
        raise ModelFileError(f"a model file has no place for the likelihood {shown(likelihood)}. {_DO}")
    schema: dict[str, Any] = {}
    arrays: Stored = {}
    for parameter in _parameters(type(likelihood)):
        value = _value(likelihood, parameter)
        if parameter in _BEFORE and value == _BEFORE[parameter]:
            continue
        schema[parameter], more = _stored(parameter, value, f"{prefix}.{parameter}")
        arrays.update(more)
    return name, schema, arrays


def likelihood_of(name: str, given: Fields, arrays: Arrays, prefix: str, needs: str) -> Likelihood:
    """Return the likelihood of that name, made of its parameters; one that an older version did not have is default."""
    kind = LIKELIHOODS.get(name)
    if kind is None:
        raise ModelFileError(f"it has a block of kind {shown(name)}, which this version does not know. {needs}")
    known = _parameters(kind)
    unknown = next((key for key in given.left() if key not in known), None)
    if unknown is not None:
        raise ModelFileError(
            f"{name} has a parameter {shown(unknown)} in it, which this version does not know. {needs}"
        )
    made = {key: value for key, value in _BEFORE.items() if key in known}
    made |= {key: _made(key, given.value(key), arrays, f"{prefix}.{key}", needs) for key in given.left()}
    try:
        return cast("Any", kind)(**made)
    except (ParameterError, DataError) as reason:
        raise ModelFileError(f"{given.where}: {reason}") from None


def _value(likelihood: Likelihood, parameter: str) -> Any:
    if parameter == "joint" and isinstance(likelihood, Gaussian):
        return likelihood.together  # as it is, not as it was said
    return getattr(likelihood, parameter)


def _parameters(kind: type[Likelihood]) -> tuple[str, ...]:
    names = tuple(field.name for field in fields(cast("Any", kind)))
    strange = [name for name in names if name not in PARAMETERS]
    assert not strange, f"storage/likelihoods.py must say how the parameter {strange} of {kind.__name__} is stored"
    return names


def _stored(parameter: str, value: Any, prefix: str) -> tuple[Any, Stored]:
    kind = PARAMETERS[parameter]
    if value is None or kind == "plain" or (isinstance(value, str) and kind != "labels"):
        return list(cast("Any", value)) if isinstance(value, tuple) else value, {}
    if kind == "numbers":
        return True, {prefix: np.asarray(value, dtype=np.float64)}
    if kind == "labels":
        return len(value), labels_stored(prefix, value)
    name = type(value).__name__
    assert _CONJUGATE[name] is type(value), "a likelihood takes no other prior"
    return name, {
        f"{prefix}.{field.name}": np.asarray(getattr(value, field.name)) for field in fields(cast("Any", value))
    }


def _made(parameter: str, value: Any, arrays: Arrays, prefix: str, needs: str) -> Any:
    kind = PARAMETERS[parameter]
    if value is None or kind == "plain":
        return value
    if kind == "numbers":
        if value is not True and not isinstance(value, str):
            raise ModelFileError(f"{parameter} must be null, true or text: got {shown(value)}. {DAMAGED}")
        return arrays.floats(prefix, None) if value is True else value
    if kind == "labels":
        if type(value) is not int:
            raise ModelFileError(f"{parameter} must be null or a number of labels: got {shown(value)}. {DAMAGED}")
        return tuple(arrays.labels(prefix, value)[1])
    if value in (*get_args(EvidencePrior), *get_args(EvidenceAlpha)):
        return value  # which of them it takes the likelihood knows
    model: Any = _CONJUGATE.get(value) if isinstance(value, str) else None
    if model is None:
        raise ModelFileError(f"it has a prior {shown(value)}, which this version does not know. {needs}")
    try:
        return model(*(arrays.floats(f"{prefix}.{field.name}", None) for field in fields(model)))
    except ParameterError as reason:
        raise ModelFileError(f"prior {value}: {reason}") from None
