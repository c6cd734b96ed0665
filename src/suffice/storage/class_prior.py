"""The class prior in a model file: its kind and estimate, and its numbers and their classes in arrays."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, ModelFileError, ParameterError
from suffice.models import ClassPrior
from suffice.statistics.labels import Label
from suffice.storage.arrays import Arrays, labels_stored
from suffice.storage.container import DAMAGED, shown
from suffice.storage.fields import Fields

__all__ = ["class_prior_of", "class_prior_stored"]


def class_prior_stored(prior: ClassPrior) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the prior as it stands in the schema, and its arrays."""
    _checked(prior.kind, prior.values, prior.labels, prior.estimate)
    schema: dict[str, Any] = {"kind": prior.kind, "estimate": prior.estimate, "labels": prior.labels is not None}
    arrays: dict[str, npt.NDArray[Any]] = {"class_prior.values": np.array(prior.values, dtype=np.float64)}
    if prior.labels is not None:
        arrays.update(labels_stored("class_prior.labels", prior.labels))
    return schema, arrays


def class_prior_of(schema: Fields, arrays: Arrays) -> ClassPrior:
    """Return the prior, checked as one that a user gives."""
    kind = schema.option("kind", ("empirical", "uniform", "given", "dirichlet"))
    estimate = schema.option("estimate", ("mean", "map", "mle"))
    values = tuple(arrays.floats("class_prior.values", (None,)).tolist())
    labels = tuple(arrays.labels("class_prior.labels", len(values))[1]) if schema.flag("labels") else None
    schema.done()
    return _checked(kind, values, labels, estimate)


def _checked(kind: str, values: tuple[float, ...], labels: tuple[Label, ...] | None, estimate: str) -> ClassPrior:
    asked = ClassPrior(cast("Any", kind), values, labels, cast("Any", estimate))
    try:
        if kind == "given":
            made = ClassPrior.of(list(values) if labels is None else dict(zip(labels, values, strict=True)))
        elif kind == "dirichlet" and values:
            made = ClassPrior.dirichlet(values, cast("Any", estimate))
        else:
            made = ClassPrior.of(kind)  # "dirichlet" without a number is none of the kinds that it knows
    except (ParameterError, DataError) as reason:
        raise ModelFileError.of(reason, problem=f"class prior: {reason.problem}") from None
    if made != asked:
        raise ModelFileError(f"a class prior must be one that ClassPrior.of makes: got {shown(asked)}. {DAMAGED}")
    return made
