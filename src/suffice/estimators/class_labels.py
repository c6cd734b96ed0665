"""The classes of an estimator: labels of y as codes on an axis, and back as an array of y's own type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.sources.target import Target, target_of
from suffice.statistics import Axis

__all__ = ["as_array", "coded"]

_KINDS = {"b": "bools", "i": "numbers", "u": "numbers", "f": "numbers", "U": "text", "S": "bytes", "O": "objects"}


def coded(y: npt.NDArray[Any], classes: npt.NDArray[Any] | None) -> Target:
    """Return the code of each row's class; every class of y and of `classes` is declared, so that it stays.

    scikit-learn keeps a class whose rows all have weight 0.
    """
    target = target_of(y, len(y))
    axis = target.classes.declare()
    if classes is None:
        return target._replace(classes=axis)
    named = Axis.of(dict.fromkeys(classes.tolist()), declared=True)
    axis, places, _ = axis.union(named)
    return Target(places[target.codes], axis, target.missing)


def as_array(names: Sequence[Any], *types: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return the labels as an array of the one type that holds all of the given ones, or raise DataError."""
    kinds = list(dict.fromkeys(_KINDS.get(each.kind, each.kind) for each in types))
    if len(kinds) > 1 and set(kinds) != {"text", "objects"}:
        raise DataError(
            f"the classes of every batch must be of one kind: got {kinds[1]} after {kinds[0]}. Convert y, "
            "for example with y.astype(str)."
        )
    if kinds[0] in ("text", "objects"):
        return np.array(names)  # no wider than the longest, also of objects that are text: as scikit-learn has them
    return np.array(names, dtype=np.result_type(*types))
