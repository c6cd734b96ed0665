"""The likelihood of a block in a model file: its name, and its parameters by kind.

    kind        parameters                              in the schema                in arrays
    plain       options, flags and single numbers       the value
    numbers     alpha, prior_maximum, prior_weight      true, or null for none       the numbers, in their shape
    labels      levels, columns, characters, stop words number of labels, or null    kinds, offsets, text
    conjugate   prior                                   its name, or null for none   each of its parameters, outcomes as
                                                                                     labels; none if it is chosen by the
                                                                                     evidence

A likelihood is looked up by name in the registry and created by its constructor, which validates the parameters. A new
likelihood can be stored if its parameters have one of these kinds; new parameter names are added to PARAMETERS.

A user-defined likelihood is stored under its import path, "package.module:Known", with each parameter as [kind, value],
where the kind follows from the value. The path is never imported: the class must be passed to `load`.
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
from suffice.likelihoods import LIKELIHOODS, Gaussian, Likelihood, MultivariateGaussian
from suffice.likelihoods.dirichlet import EvidenceAlpha
from suffice.likelihoods.tokens import EvidencePrior
from suffice.statistics.label_bytes import pack_labels
from suffice.storage.container import DAMAGED, Arrays, StoredFields, abbreviate

__all__ = ["PARAMETERS", "UserLikelihoods", "import_path", "pack_parameters", "unpack_likelihood"]


Kind: TypeAlias = Literal["plain", "numbers", "labels", "conjugate"]
UserLikelihoods: TypeAlias = "Mapping[str, type[Likelihood]]"
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
    "form": "plain",
    "hashed": "plain",
    "idf": "plain",
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
    "prior_maximum": "numbers",
    "prior_weight": "numbers",
    "shrinkage": "plain",
    "stop_words": "labels",
    "tf": "plain",
    "threshold": "plain",
    "toward": "plain",
    "unit_length": "plain",
    "unseen": "plain",
    "var_smoothing": "plain",
    "variance": "plain",
}
_CONJUGATE: dict[str, type[Any]] = {
    "BetaBinomial": BetaBinomial,
    "DirichletMultinomial": DirichletMultinomial,
    "GammaPoisson": GammaPoisson,
    "NormalInverseGamma": NormalInverseGamma,
    "NormalInverseWishart": NormalInverseWishart,
}
_OUTCOMES = "outcomes"  # of DirichletMultinomial: labels, where all other parameters of conjugate pairs are numbers
# Parameters of Gaussian in files of 0.1.0, which had one likelihood for independent and for jointly modelled columns.
_OLD_GAUSSIAN: dict[str, Any] = {"covariance": "diagonal", "joint": False, "shrinkage": None, "toward": "diagonal"}


def import_path(kind: type[Likelihood]) -> str:
    """Return the name of a user-defined likelihood in a model file."""
    return f"{kind.__module__}:{kind.__qualname__}"


def pack_parameters(likelihood: Likelihood, prefix: str) -> tuple[str, dict[str, Any], Stored]:
    """Return the name of a likelihood, its parameters in the schema, and their arrays."""
    name = type(likelihood).__name__
    user_defined = LIKELIHOODS.get(name) is not type(likelihood)
    schema: dict[str, Any] = {}
    arrays: Stored = {}
    for parameter, value in likelihood.stored_parameters().items():
        kind = _kind(likelihood, parameter, value) if user_defined else PARAMETERS[parameter]
        packed, value_arrays = _pack_value(kind, value, f"{prefix}.{parameter}")
        schema[parameter] = [kind, packed] if user_defined else packed
        arrays.update(value_arrays)
    return import_path(type(likelihood)) if user_defined else name, schema, arrays


def unpack_likelihood(
    name: str, given: StoredFields, arrays: Arrays, prefix: str, needs: str, own: UserLikelihoods
) -> Likelihood:
    """Return the likelihood of that name with the stored parameters; a parameter that is not stored has its default.

    `own` are the user-defined likelihoods that the caller passed, by import path.
    """
    if ":" in name:
        return _unpack_user_likelihood(name, given, arrays, prefix, needs, own)
    kind = LIKELIHOODS.get(name)
    if kind is None:
        raise ModelFileError(f"it has a block with the unknown likelihood {abbreviate(name)}. {needs}")
    old = name == "Gaussian" and "variance" not in given.unread()
    known = {*_parameter_names(kind), *(_OLD_GAUSSIAN if old else ())}
    unknown = next((key for key in given.unread() if key not in known), None)
    if unknown is not None:
        raise ModelFileError(f"{name} has the unknown parameter {abbreviate(unknown)}. {needs}")
    parameters = {
        key: _unpack_value(key, PARAMETERS.get(key, "plain"), given.value(key), arrays, f"{prefix}.{key}", needs)
        for key in given.unread()
    }
    if old:
        kind, parameters = _split_gaussian(parameters)
    try:
        return cast("Any", kind)(**parameters)
    except (ParameterError, DataError) as reason:
        raise ModelFileError.of(reason, problem=f"{given.where}: {reason.problem}") from None


def _split_gaussian(parameters: dict[str, Any]) -> tuple[type[Likelihood], dict[str, Any]]:
    # The Gaussian of 0.1.0, as Gaussian or MultivariateGaussian.
    covariance, joint, shrinkage, toward = (parameters.pop(key, default) for key, default in _OLD_GAUSSIAN.items())
    if covariance == "spherical":
        raise ModelFileError(
            "it has columns that share one variance (covariance='spherical'), which this version does not have",
            advice="Fit the model again with MultivariateGaussian(covariance='diagonal').",
        )
    if joint is True:
        parameters.pop("missing", None)
        return MultivariateGaussian, parameters | {"covariance": covariance, "shrinkage": shrinkage, "toward": toward}
    if joint is not False or covariance not in ("diagonal", "shared") or shrinkage is not None:
        raise ModelFileError(
            f"independent Gaussian columns have no such covariance: got joint={abbreviate(joint)}, "
            f"covariance={abbreviate(covariance)}, shrinkage={abbreviate(shrinkage)}. {DAMAGED}"
        )
    return Gaussian, parameters | {"variance": "shared" if covariance == "shared" else "own"}


def _unpack_user_likelihood(
    name: str, given: StoredFields, arrays: Arrays, prefix: str, needs: str, own: UserLikelihoods
) -> Likelihood:
    if name not in own:
        raise ModelFileError(
            f"it has a block with the user-defined likelihood {abbreviate(name)}. "
            "Load it in Python and pass the class: load(path, likelihoods=[…])."
        )
    parameters: dict[str, Any] = {}
    for key in given.unread():
        pair = given.list(key)
        if len(pair) != 2 or pair[0] not in get_args(Kind):
            raise ModelFileError(f"{key} must be a pair of kind and value: got {abbreviate(pair)}. {DAMAGED}")
        kind, value = pair
        unpacked = _unpack_value(key, kind, value, arrays, f"{prefix}.{key}", needs)
        parameters[key] = _to_tuples(unpacked) if kind == "plain" else unpacked
    try:
        return cast("Any", own[name])(**parameters)
    except (ParameterError, DataError) as reason:
        problem = f"{given.where}: {name} does not accept {abbreviate(parameters)}: {reason.problem}"
        raise ModelFileError.of(reason, problem=problem) from None
    except TypeError as reason:  # the parameters of its constructor have changed
        raise ModelFileError(f"{given.where}: {name} does not accept {abbreviate(parameters)}: {reason}.") from None


def _to_tuples(value: Any) -> Any:
    return tuple(map(_to_tuples, cast("list[Any]", value))) if isinstance(value, list) else value


def _kind(likelihood: Likelihood, parameter: str, value: Any) -> Kind:
    if type(value) is np.ndarray and value.dtype.kind in "biuf":
        return "numbers"
    if type(value) in _CONJUGATE.values():
        return "conjugate"
    if _is_plain_value(value):
        return "plain"
    raise ModelFileError(
        f"the parameter {parameter}={abbreviate(value)} of {abbreviate(likelihood)} cannot be stored in a model file. "
        "Use numbers, strings, tuples of these, arrays of numbers or conjugate pairs."
    )


def _is_plain_value(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain_value, cast("tuple[Any, ...]", value)))
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, (bool, int, str))


def _parameter_names(kind: type[Likelihood]) -> tuple[str, ...]:
    names = tuple(field.name for field in fields(cast("Any", kind)))
    unknown = [name for name in names if name not in PARAMETERS]
    assert not unknown, f"PARAMETERS has no entry for the parameters {unknown} of {kind.__name__}"
    return names


def _pack_value(kind: Kind, value: Any, prefix: str) -> tuple[Any, Stored]:
    if value is None or kind == "plain" or (isinstance(value, str) and kind != "labels"):
        return list(cast("Any", value)) if isinstance(value, tuple) else value, {}
    if kind == "numbers":
        return True, {prefix: np.asarray(value, dtype=np.float64)}
    if kind == "labels":
        return len(value), pack_labels(prefix, value)
    name = type(value).__name__
    assert _CONJUGATE[name] is type(value), "likelihoods accept only conjugate priors"
    arrays: Stored = {}
    for field in fields(cast("Any", value)):
        parameter, key = getattr(value, field.name), f"{prefix}.{field.name}"
        if field.name != _OUTCOMES:
            arrays[key] = np.asarray(parameter)
        elif parameter is not None:
            arrays.update(pack_labels(key, parameter))
    return name, arrays


def _unpack_value(parameter: str, kind: Kind, value: Any, arrays: Arrays, prefix: str, needs: str) -> Any:
    if value is None or kind == "plain":
        return value
    if kind == "numbers":
        if value is not True and not isinstance(value, str):
            raise ModelFileError(f"{parameter} must be null, true or a string: got {abbreviate(value)}. {DAMAGED}")
        return arrays.floats(prefix, None) if value is True else value
    if kind == "labels":
        if type(value) is not int:
            raise ModelFileError(f"{parameter} must be null or a number of labels: got {abbreviate(value)}. {DAMAGED}")
        return tuple(arrays.labels(prefix, value)[1])
    if value in (*get_args(EvidencePrior), *get_args(EvidenceAlpha)):
        return value  # the likelihood checks which of them it accepts
    model: Any = _CONJUGATE.get(value) if isinstance(value, str) else None
    if model is None:
        raise ModelFileError(f"it has the unknown prior {abbreviate(value)}. {needs}")
    parameters: dict[str, Any] = {
        field.name: arrays.floats(f"{prefix}.{field.name}", None) for field in fields(model) if field.name != _OUTCOMES
    }
    if f"{prefix}.{_OUTCOMES}.kinds" in arrays:
        parameters[_OUTCOMES] = arrays.labels(f"{prefix}.{_OUTCOMES}")[1]
    try:
        return model(**parameters)
    except ParameterError as reason:
        raise ModelFileError.of(reason, problem=f"prior {value}: {reason.problem}") from None
