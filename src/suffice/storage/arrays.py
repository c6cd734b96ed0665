"""The arrays of a model file, taken one by one: each of the dtype and shape that the schema says, none left over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.errors import ModelFileError
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray, KeyArray, sealed
from suffice.statistics.label_bytes import labels_from_arrays, labels_to_arrays
from suffice.statistics.labels import Label, canonical
from suffice.storage.container import DAMAGED

__all__ = ["Arrays", "Shape", "labels_stored"]

Shape = tuple[int | None, ...]  # None: any length
Kinds = bytes


@final
class Arrays:
    """Arrays by name, each taken once.

    Examples
    --------
    >>> arrays = Arrays({"tally.weight": np.zeros(3)})
    >>> arrays.floats("tally.weight", (3,))
    array([0., 0., 0.])
    >>> arrays.done()
    """

    __slots__ = ("_left",)

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._left = dict(arrays)

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def floats(self, name: str, shape: Shape | None) -> FloatArray:
        """Return float64 of that shape; None allows any."""
        return self._take(name, np.float64, shape)

    def wholes(self, name: str, shape: Shape) -> IntArray:
        """Return int64 of that shape."""
        return self._take(name, np.int64, shape)

    def small_wholes(self, name: str, shape: Shape) -> npt.NDArray[np.int32]:
        """Return int32 of that shape."""
        return self._take(name, np.int32, shape)

    def bytes(self, name: str, shape: Shape) -> npt.NDArray[np.uint8]:
        """Return uint8 of that shape."""
        return self._take(name, np.uint8, shape)

    def keys(self, name: str, shape: Shape) -> KeyArray:
        """Return uint64 of that shape."""
        return self._take(name, np.uint64, shape)

    def flags(self, name: str, shape: Shape) -> BoolArray:
        """Return bools of that shape, stored as 0 and 1."""
        found = self._take(name, np.uint8, shape)
        if found.size and found.max() > 1:
            raise ModelFileError(f"array {name!r} must hold 0 and 1: got {found.max()}. {DAMAGED}")
        return sealed(found.astype(np.bool_))

    def some_flags(self, name: str, shape: tuple[int, ...], otherwise: bool) -> BoolArray:
        """Return bools that are stored only where one differs from the others."""
        return self.flags(name, shape) if name in self else sealed(np.full(shape, otherwise))

    def labels(self, prefix: str, number: int | None = None) -> tuple[Kinds, list[Label]]:
        """Return the kinds of labels, and the labels themselves (label_bytes.py)."""
        spelled = self._spelled(prefix, number)
        return spelled[f"{prefix}.kinds"].tobytes(), labels_from_arrays(spelled, prefix)

    def axis(self, prefix: str, number: int) -> Axis:
        """Return labels that are an axis: in its order, each once, some of them declared."""
        declared = self.flags(f"{prefix}.declared", (number,))
        return Axis.from_arrays({**self._spelled(prefix, number), f"{prefix}.declared": declared}, prefix)

    def done(self) -> None:
        """Raise ModelFileError where an array is left that nobody asked for."""
        if self._left:
            raise ModelFileError(
                f"it has an array {next(iter(self._left))!r} that its schema has no place for. {DAMAGED}"
            )

    def _spelled(self, prefix: str, number: int | None) -> dict[str, npt.NDArray[Any]]:
        kinds = self._take(f"{prefix}.kinds", np.uint8, (number,))
        offsets = self.wholes(f"{prefix}.offsets", (len(kinds) + 1,))
        text = self._take(f"{prefix}.text", np.uint8, (None,))
        return {f"{prefix}.kinds": kinds, f"{prefix}.offsets": offsets, f"{prefix}.text": text}

    def _take(self, name: str, dtype: npt.DTypeLike, shape: Shape | None) -> npt.NDArray[Any]:
        found = self._left.pop(name, None)
        if found is None:
            raise ModelFileError(f"it lacks the array {name!r}. {DAMAGED}")
        fits = shape is None or (
            len(shape) == found.ndim
            and all(want in (None, have) for want, have in zip(shape, found.shape, strict=True))
        )
        if found.dtype != dtype or not fits:
            wanted = (
                "any shape"
                if shape is None
                else f"shape ({', '.join('…' if each is None else str(each) for each in shape)})"
            )
            raise ModelFileError(
                f"array {name!r} must be {np.dtype(dtype)} of {wanted}: "
                f"got {found.dtype} of shape ({', '.join(map(str, found.shape))}). {DAMAGED}"
            )
        return found


def labels_stored(prefix: str, labels: Iterable[object]) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays that spell labels of any kinds."""
    pairs = [canonical(label) for label in labels]
    return labels_to_arrays(bytes(kind for kind, _ in pairs), [label for _, label in pairs], prefix)
