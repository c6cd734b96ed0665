"""Total row weight per class.

Symbols: class c, row weight w.

    weight_c = Σ w over the rows of class c        a + b and a − b entry by entry, classes matched by label
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.arrays import (
    FloatArray,
    check_factor,
    freeze,
    name_entries,
    require_domain,
    require_stored,
    seal,
)
from suffice.statistics.axis import (
    Axis,
    align_for_difference,
    align_for_sum,
    entries_to_keep,
    require_axis,
    require_complete,
    subtract_weights,
)

__all__ = ["Tally"]


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Tally:
    """Total row weight per class.

    Parameters
    ----------
    classes : Axis
    weight : array of C floats ≥ 0, in the order of `classes`

    Examples
    --------
    >>> monday = Tally(Axis.of(["ham", "spam"]), [2, 1])
    >>> tuesday = Tally(Axis.of(["news"]), [4])
    >>> monday + tuesday
    Tally('ham': 2, 'news': 4, 'spam': 1)
    >>> monday + tuesday - monday == tuesday
    True
    """

    classes: Axis
    weight: FloatArray

    def __init__(self, classes: Axis, weight: npt.ArrayLike) -> None:
        require_axis("classes", classes)
        values: FloatArray = freeze("weight", weight, (len(classes),))
        require_domain(
            "weight", values, name_entries(("class", classes.labels)), "Pass a finite weight for every class."
        )
        with np.errstate(over="ignore"):
            if not np.isfinite(values.sum()):
                raise DataError("the sum of the class weights exceeds the largest float64. Scale them down.")
        keep = entries_to_keep(classes, values != 0)
        if keep is not None:
            classes, values = classes.take(keep), seal(values[keep])
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "weight", values)

    @classmethod
    def zero(cls, classes: Axis | None = None) -> Tally:
        """Return the tally of no rows."""
        classes = Axis() if classes is None else classes
        require_axis("classes", classes)
        return cls(classes, np.zeros(len(classes)))

    def __add__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        both = align_for_sum(self.classes, other.classes)
        with np.errstate(over="ignore"):
            return Tally(both.axis, seal(both.lay_left(self.weight) + both.lay_right(other.weight)))

    def __sub__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        both = align_for_difference(self.classes, other.classes)
        left, right = both.lay_left(self.weight), both.lay_right(other.weight)
        return Tally(
            both.axis, seal(subtract_weights("weight", left, right, name_entries(("class", both.axis.labels))))
        )

    def scale(self, w: float) -> Tally:
        """Return the tally with all row weights multiplied by w."""
        with np.errstate(over="ignore"):
            return Tally(self.classes, seal(self.weight * check_factor(w)))

    def take_classes(self, start: int, classes: Axis) -> Tally:
        """Return the weights of `len(classes)` consecutive classes from position `start`, relabelled as `classes`.

        Examples
        --------
        >>> both = Tally(Axis([0, 1, 2, 3], declared=True), [5.0, 1.0, 2.0, 4.0])
        >>> both.take_classes(2, Axis(["ham", "spam"]))
        Tally('ham': 2, 'spam': 4)
        """
        return Tally(classes, self.weight[start : start + len(classes)])

    def __reduce__(self) -> tuple[Any, ...]:
        return Tally.from_arrays, (self.to_arrays(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return self.classes == other.classes and np.array_equal(self.weight, other.weight)

    def __repr__(self) -> str:
        shown = [f"{label!r}: {weight:g}" for label, weight in zip(self.classes.labels[:12], self.weight, strict=False)]
        if len(self.classes) > len(shown):
            shown.append(f"... {len(self.classes)} classes")
        return f"Tally({', '.join(shown)})"

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the tally as arrays."""
        return {**self.classes.to_arrays("classes"), "weight": self.weight}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Tally:
        """Return the tally stored by `to_arrays`; raise DataError if the arrays are invalid."""
        tally = cls(Axis.from_arrays(arrays, "classes"), require_stored(arrays, "weight", np.float64, 1))
        require_complete(arrays, tally.to_arrays(), "a Tally")
        return tally
