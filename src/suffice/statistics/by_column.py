"""Shared base of the statistics of numbers per class and column: slices, equality, storage and the zero."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from suffice.statistics.arrays import format_total, require_stored, seal
from suffice.statistics.axis import (
    Axis,
    Columns,
    columns_from_arrays,
    columns_of,
    columns_to_arrays,
    require_axis,
    require_complete,
)

__all__ = ["ColumnStatistic"]


class ColumnStatistic:
    """Arrays along the classes, and along the columns where they have more dimensions.

    A subclass is a frozen dataclass with `classes`, `columns` and the arrays of `_ARRAYS`, all of them arguments of its
    constructor, which validates them.
    """

    __slots__ = ()

    _ARRAYS: ClassVar[Mapping[str, int]]
    """The number of dimensions of each array."""
    _PRECISION: ClassVar[frozenset[str]] = frozenset()
    """The arrays that describe the precision of other arrays; `==` ignores them."""

    classes: Axis
    columns: Columns
    weight: npt.NDArray[np.float64]

    def __init__(self, classes: Axis, columns: int | Iterable[str | int], **arrays: npt.ArrayLike) -> None:
        raise NotImplementedError

    def _set(self, classes: Axis, columns: Columns, **arrays: npt.NDArray[np.float64]) -> None:
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "columns", columns)
        for name, array in arrays.items():
            object.__setattr__(self, name, array)

    @classmethod
    def zero(cls, columns: int | Iterable[str | int], classes: Axis | None = None) -> Self:
        """Return the statistic of no rows."""
        classes, columns = Axis() if classes is None else classes, columns_of(columns)
        require_axis("classes", classes)
        shape = len(classes), len(columns), len(columns)
        return cls(classes, columns, **{name: seal(np.zeros(shape[:ndim])) for name, ndim in cls._ARRAYS.items()})

    def take_classes(self, start: int, classes: Axis) -> Self:
        """Return `len(classes)` consecutive classes from position `start`, relabelled as `classes`."""
        chosen = slice(start, start + len(classes))
        return type(self)(classes, self.columns, **{name: getattr(self, name)[chosen] for name in self._ARRAYS})

    def take_columns(self, columns: Columns) -> Self:
        """Return the statistic of these columns."""
        positions = [self.columns.index(name) for name in columns]
        arrays = {name: getattr(self, name) for name in self._ARRAYS}
        for name, ndim in self._ARRAYS.items():
            for dimension in range(1, ndim):
                arrays[name] = np.take(arrays[name], positions, axis=dimension)
        return type(self)(self.classes, columns, **arrays)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_arrays, (self.to_arrays(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return (
            self.columns == other.columns
            and self.classes == other.classes
            and all(
                np.array_equal(getattr(self, name), getattr(other, name))
                for name in self._ARRAYS
                if name not in self._PRECISION
            )
        )

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        total = format_total(self.weight)
        return f"{type(self).__name__}({self.classes!r} × {len(self.columns)} columns, total weight {total})"

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the statistic as arrays."""
        return {
            **self.classes.to_arrays("classes"),
            **columns_to_arrays(self.columns, "columns"),
            **{name: getattr(self, name) for name in self._ARRAYS},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Return the statistic stored by `to_arrays`; raise DataError if the arrays are invalid."""
        classes, columns = Axis.from_arrays(arrays, "classes"), columns_from_arrays(arrays, "columns")
        stored = {name: require_stored(arrays, name, np.float64, ndim) for name, ndim in cls._ARRAYS.items()}
        statistic = cls(classes, columns, **stored)
        require_complete(arrays, statistic.to_arrays(), cls.__name__)
        return statistic
