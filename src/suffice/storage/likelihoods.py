"""The likelihood of a block in a model file: its name, and each of its parameters in the way of its kind.

    kind        parameters                             in the schema                  in arrays
    plain       options, flags and single numbers      the value itself
    numbers     alpha                                  true, or null for none         the numbers, of their shape
    labels      levels, columns, characters, stop words how many, or null for none     kinds, offsets, text
    conjugate   prior                                  its name, or null for none     each of its parameters; none where
                                                       it is chosen by the evidence

A likelihood is found by its name in the registry and made by its constructor, which checks what it is given. A new one
is stored at once if its parameters are of these kinds; a parameter with a new name takes its place in the table below.

A likelihood of a user's own is named by its import path, "package.module:Known", and each of its parameters stands as
[kind, value]. The kind follows from the value. Nothing is imported by such a path: the class must be given to `load`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
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
from suffice.likelihoods import Likelihood
from suffice.likelihoods.concentration import EvidenceAlpha
from suffice.likelihoods.registry import LIKELIHOODS
from suffice.likelihoods.token_reading import EvidencePrior
from suffice.storage.arrays import Arrays, labels_stored
from suffice.storage.container import DAMAGED, shown
from suffice.storage.fields import Fields

__all__ = ["PARAMETERS", "OwnLikelihoods", "import_path", "likelihood_of", "parameters_stored"]

Kind: TypeAlias = Literal["plain", "numbers", "labels", "conjugate"]
OwnLikelihoods: TypeAlias = "Mapping[str, type[Likelihood]]"
Stored: TypeAlias = "dict[str, npt.NDArray[Any]]"

PARAMETERS: dict[str, Kind] = {
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


def import_path(kind: type[Likelihood]) -> str:
    """Return how a model file names a likelihood of a user's own."""
    return f"{kind.__module__}:{kind.__qualname__}"


def parameters_stored(likelihood: Likelihood, prefix: str) -> tuple[str, dict[str, Any], Stored]:
    """Return the name of a likelihood, its parameters as they stand in the schema, and their arrays."""
    name = type(likelihood).__name__
    own = LIKELIHOODS.get(name) is not type(likelihood)
    schema: dict[str, Any] = {}
    arrays: Stored = {}
    for parameter, value in likelihood.stored_parameters().items():
        if not own and parameter in _BEFORE and value == _BEFORE[parameter]:
            continue
        kind = _kind(likelihood, parameter, value) if own else PARAMETERS[parameter]
        found, more = _stored(kind, value, f"{prefix}.{parameter}")
        schema[parameter] = [kind, found] if own else found
        arrays.update(more)
    return import_path(type(likelihood)) if own else name, schema, arrays


def likelihood_of(name: str, given: Fields, arrays: Arrays, prefix: str, needs: str, own: OwnLikelihoods) -> Likelihood:
    """Return the likelihood of that name, made of its parameters; one that an older version did not have is default.

    `own` are the likelihoods that the caller trusts, by their import paths.
    """
    if ":" in name:
        return _own_likelihood(name, given, arrays, prefix, needs, own)
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
    made |= {
        key: _made(key, PARAMETERS[key], given.value(key), arrays, f"{prefix}.{key}", needs) for key in given.left()
    }
    try:
        return cast("Any", kind)(**made)
    except (ParameterError, DataError) as reason:
        raise ModelFileError.of(reason, problem=f"{given.where}: {reason.problem}") from None


def _own_likelihood(
    name: str, given: Fields, arrays: Arrays, prefix: str, needs: str, own: OwnLikelihoods
) -> Likelihood:
    if name not in own:
        raise ModelFileError(
            f"it has a block of the likelihood {shown(name)}, which is not one of the package's. "
            "Load it in Python, with the class: load(path, likelihoods=[…])."
        )
    made: dict[str, Any] = {}
    for key in given.left():
        pair = given.list(key)
        if len(pair) != 2 or pair[0] not in get_args(Kind):
            raise ModelFileError(f"{key} must be a kind and a value: got {shown(pair)}. {DAMAGED}")
        kind, value = pair
        found = _made(key, kind, value, arrays, f"{prefix}.{key}", needs)
        made[key] = _tuples(found) if kind == "plain" else found
    try:
        return cast("Any", own[name])(**made)
    except (ParameterError, DataError) as reason:
        problem = f"{given.where}: {name} cannot be made of {shown(made)}: {reason.problem}"
        raise ModelFileError.of(reason, problem=problem) from None
    except TypeError as reason:  # its constructor has other parameters now
        raise ModelFileError(f"{given.where}: {name} cannot be made of {shown(made)}: {reason}.") from None


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, cast("list[Any]", value))) if isinstance(value, list) else value


def _kind(likelihood: Likelihood, parameter: str, value: Any) -> Kind:
    if type(value) is np.ndarray and value.dtype.kind in "biuf":
        return "numbers"
    if type(value) in _CONJUGATE.values():
        return "conjugate"
    if _is_plain(value):
        return "plain"
    raise ModelFileError(
        f"a model file has no place for the parameter {parameter}={shown(value)} of {shown(likelihood)}. "
        "Give numbers, text, tuples of those, arrays of numbers or conjugate pairs."
    )


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, cast("tuple[Any, ...]", value)))
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, (bool, int, str))


def _parameters(kind: type[Likelihood]) -> tuple[str, ...]:
    names = tuple(field.name for field in fields(cast("Any", kind)))
    strange = [name for name in names if name not in PARAMETERS]
    assert not strange, f"storage/likelihoods.py must say how the parameter {strange} of {kind.__name__} is stored"
    return names


def _stored(kind: Kind, value: Any, prefix: str) -> tuple[Any, Stored]:
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


def _made(parameter: str, kind: Kind, value: Any, arrays: Arrays, prefix: str, needs: str) -> Any:
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
        raise ModelFileError.of(reason, problem=f"prior {value}: {reason.problem}") from None
