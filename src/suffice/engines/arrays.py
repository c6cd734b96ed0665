"""Statistics of rows in memory, one pass each.

Every function takes the rows `x` (a 2-D array, a sparse matrix, or a list of 1-D columns; see rows.py), the class
`codes` of the rows (0 … C−1, −1 leaves a row out), and `classes`, which names them: labels in the order of the codes,
or an Axis. `weights` are one number ≥ 0 per row; a row of weight 0 was never seen. NaN is missing and skipped, and so
is what is masked. A class that no row has vanishes, unless the Axis declares it. `threads` changes the speed and not
one bit of the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice.engines.rows import (
    ClassView,
    Rows,
    Valid,
    axis_of,
    columns_for,
    dense_of,
    translate_invalid_input,
    view_classes,
    view_numbers,
)
from suffice.errors import DataError, ParameterError
from suffice.machine import require_memory, thread_count
from suffice.sources.sparse import sound_csr
from suffice.statistics import Axis, Bins, Counts, Maxima, Moments, Scatter, Tally
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.axis import Columns, columns_of
from suffice.statistics.moments import PASS

__all__ = [
    "Placed",
    "bins",
    "count_logs",
    "levels",
    "maxima",
    "moments",
    "moments_and_bins",
    "presence",
    "scatter",
    "sums",
    "tally",
]

Classes = Axis | Iterable[object]
Names = Iterable[str | int] | None

DEFAULT_BINS = 4096


class Placed(NamedTuple):
    """The levels of a column, and where each of the codes 0, 1, … stands among them."""

    axis: Axis
    positions: IntArray


Levels: TypeAlias = Axis | Sequence[object] | int | Placed


def tally(
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    *,
    weights: npt.ArrayLike | None = None,
    threads: int | None = None,
) -> Tally:
    """Return the weight of each class.

    Examples
    --------
    >>> tally([0, 1, 1], ["ham", "spam"]).weight
    array([1., 2.])
    """
    target = view_classes(codes, classes, weights, None)
    with translate_invalid_input(0, target.size):
        weight = _core.tally(target.labels, thread_count(threads))
    return Tally(target.classes, _own(target.ordered(weight)))


def moments(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    *,
    columns: Names = None,
    weights: npt.ArrayLike | None = None,
    valid: Valid = None,
    threads: int | None = None,
) -> Moments:
    """Return weight, mean and Σ w (x − mean)² per class and column.

    Parameters
    ----------
    valid : sequence of uint8 arrays or None
        For separate columns: Arrow validity bitmaps, least significant bit first; a 0 bit is a missing cell.

    Examples
    --------
    >>> moments([[1.0], [3.0], [10.0]], [0, 0, 1], ["a", "b"]).mean
    array([[ 2.],
           [10.]])
    """
    view, rows, cols = view_numbers(x, valid)
    names = columns_for(columns, cols)
    target = view_classes(codes, classes, weights, rows)
    _require_moments(target, cols)
    with translate_invalid_input(names, target.size):
        found = _core.moments(view, target.labels, thread_count(threads))
    return _moments(target, names, *found)


def sums(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    *,
    columns: Names = None,
    weights: npt.ArrayLike | None = None,
    valid: Valid = None,
    threads: int | None = None,
) -> Counts:
    """Return Σ w x per class and column for counts x ≥ 0, and the weight of the observed cells.

    Examples
    --------
    >>> sums([[1, 0], [2, 5]], [0, 0], ["a"]).values
    array([[3., 5.]])
    """
    view, rows, cols = view_numbers(x, valid)
    names = columns_for(columns, cols)
    target = view_classes(codes, classes, weights, rows)
    require_memory(f"the sums of {target.size:,} classes × {cols:,} columns", 4 * target.size * cols + 16 * cols)
    with translate_invalid_input(names, target.size):
        counted = _core.sums(view, target.labels, thread_count(threads))
    return _by_column(target, names, *counted)


def count_logs(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    *,
    logs: Literal["cells", "rows"],
    columns: Names = None,
    weights: npt.ArrayLike | None = None,
    valid: Valid = None,
    threads: int | None = None,
) -> Counts:
    """Return the logs that sums of counts do not know, added up per class: of cells Σ w ln x!, of rows Σ w ln(n!/Π x!).

    n is the total of the row. Each row's log is split into whole numbers, coarse · 2⁻²⁰ + fine · 2⁻⁴³, which add and
    subtract exactly while the coarse sum is below 2⁵³: they are the entries "coarse" and "fine" of the result.

    Parameters
    ----------
    logs : "cells" or "rows"
        Cells must be whole numbers; rows may have fractions.

    Examples
    --------
    >>> logs = count_logs([[1, 2], [2, 0]], [0, 0], ["a"], logs="rows")
    >>> bool(abs(logs.values @ [2**-20, 2**-43] - np.log(3)) < 1e-12)
    True
    """
    view, rows, cols = view_numbers(x, valid)
    names = columns_for(columns, cols)
    target = view_classes(codes, classes, weights, rows)
    if logs not in ("cells", "rows"):
        raise ParameterError(f"logs must be 'cells' or 'rows': got {logs!r}.")
    with translate_invalid_input(names, target.size):
        values = target.ordered(_core.count_logs(view, target.labels, logs, thread_count(threads)))
    axis = Axis(["coarse", "fine"], declared=True)
    return Counts(target.classes, axis, _own(values), np.zeros((target.size, 1)))


def presence(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    *,
    threshold: float = 0.0,
    columns: Names = None,
    weights: npt.ArrayLike | None = None,
    valid: Valid = None,
    threads: int | None = None,
) -> Counts:
    """Return the weight of the cells with x > threshold per class and column, and that of the observed cells.

    Examples
    --------
    >>> presence([[1, 0], [2, 5]], [0, 0], ["a"]).values
    array([[2., 1.]])
    """
    view, rows, cols = view_numbers(x, valid)
    names = columns_for(columns, cols)
    target = view_classes(codes, classes, weights, rows)
    if not isinstance(threshold, Real) or not np.isfinite(float(threshold)):
        raise ParameterError(
            f"threshold must be a finite number: got {threshold!r}. Use 0 to treat positive values as present."
        )
    require_memory(
        f"the presence counts of {target.size:,} classes × {cols:,} columns",
        4 * target.size * cols + 16 * cols,
    )
    with translate_invalid_input(names, target.size):
        counted = _core.presence(view, target.labels, float(threshold), thread_count(threads))
    return _by_column(target, names, *counted)


def maxima(
    x: Rows,
    codes: npt.ArrayLike,
    classes: Classes,
    *,
    columns: Names = None,
    weights: npt.ArrayLike | None = None,
    valid: Valid = None,
    threads: int | None = None,
) -> Maxima:
    """Return the largest value per class and column of numbers ≥ 0, and the weight of the observed cells.

    Examples
    --------
    >>> maxima([[1.0, 0.5], [3.0, 2.0], [4.0, np.nan]], [0, 0, 1], ["a", "b"]).maximum
    array([[3., 2.],
           [4., 0.]])
    """
    view, rows, cols = view_numbers(x, valid)
    names = columns_for(columns, cols)
    target = view_classes(codes, classes, weights, rows)
    require_memory(f"the maxima of {target.size:,} classes × {cols:,} columns", 4 * target.size * cols + 16 * cols)
    with translate_invalid_input(names, target.size):  # which also refuses infinite cells
        _, weight = map(target.ordered, _core.presence(view, target.labels, 0.0, thread_count(threads)))
    # The rows of each class one after the other, without those that were never seen.
    code: npt.NDArray[Any] = np.ma.filled(np.ma.asarray(codes), -1)
    seen = code >= 0 if weights is None else (code >= 0) & (np.asarray(weights) > 0)
    by_class = np.flatnonzero(seen)
    by_class = by_class[np.argsort(code[by_class], kind="stable")]
    present, starts = np.unique(code[by_class], return_index=True)
    largest = np.zeros((target.size, cols))
    for j, column in enumerate(_dense_columns(x, valid)):
        values = column[by_class]
        if (values < 0).any():
            at = int(by_class[np.argmax(values < 0)])
            raise DataError(
                "values of a Uniform column must be ≥ 0",
                kind="negative",
                row=at,
                column=j if isinstance(names, int) else names[j],
                got=float(column[at]),
                advice="Give the column the likelihood Gaussian() or Histogram().",
            )
        if len(starts):
            largest[present, j] = np.nan_to_num(np.fmax.reduceat(values, starts), nan=0.0)
    observed = np.ascontiguousarray(np.broadcast_to(weight, largest.shape))
    return Maxima(target.classes, names, _own(observed), _own(target.ordered(largest)))


def _dense_columns(x: Any, valid: Valid) -> Iterator[FloatArray]:
    # Each column as float64, NaN where it is missing.
    if hasattr(x, "tocsr"):
        by_column = sound_csr(x).tocsc()
        for j in range(by_column.shape[1]):
            yield by_column[:, [j]].toarray()[:, 0].astype(np.float64)
        return
    given: Any = x
    separate = isinstance(x, (list, tuple)) and any(isinstance(each, np.ndarray) for each in cast("list[Any]", x))
    columns: list[Any] = list(given if separate else cast("Any", np.ma.asarray(given)).T)
    for column, bits in zip(columns, valid or [None] * len(columns), strict=True):
        values = np.ma.filled(np.ma.asarray(column).astype(np.float64), np.nan)
        if bits is not None:
            values = np.where(np.unpackbits(bits, count=len(values), bitorder="little").view(np.bool_), values, np.nan)
        yield values


def levels(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    *,
    levels: Sequence[Levels],
    weights: npt.ArrayLike | None = None,
    valid: Valid = None,
    threads: int | None = None,
) -> tuple[Counts, ...]:
    """Return the weight of each level per class, one statistic for each column of level codes.

    Parameters
    ----------
    x : rows of integers
        The level of each cell as a code 0 … L−1; −1 is missing.
    levels : sequence, one entry per column
        The levels of the column: labels in the order of the codes, an Axis, their number L, for 0 … L−1, or `Placed`.

    Examples
    --------
    >>> fur, = levels([[0], [1], [1]], [0, 0, 1], ["female", "male"], levels=[["black", "white"]])
    >>> fur.values
    array([[1., 1.],
           [0., 1.]])
    """
    view, rows, cols = dense_of(x, "level counts", valid)
    _require_one_each(levels, cols)
    _require_level_codes(x)
    target = view_classes(codes, classes, weights, rows)
    sizes = [_number_of_levels(given, j) for j, given in enumerate(levels)]
    require_memory(
        f"the counts of {target.size:,} classes × {sum(sizes):,} levels",
        (2 * target.size + 16) * sum(sizes),
    )
    axes = [_level_axis(given) for given in levels]
    with translate_invalid_input(cols, target.size, sizes):
        counted = _core.levels(view, target.labels, sizes, thread_count(threads))
    table = target.ordered(counted.reshape(target.size, sum(sizes)))
    counts: list[Counts] = []
    ends = np.cumsum(sizes).tolist()
    for (axis, positions), size, end in zip(axes, sizes, ends, strict=True):
        part = table[:, end - size : end]
        if positions is not None:
            part = part[:, np.argsort(positions)]
        with np.errstate(over="ignore"):  # an infinite sum is refused by Counts, in words
            observed = part.sum(axis=1, keepdims=True)
        counts.append(Counts(target.classes, axis, _own(np.ascontiguousarray(part)), _own(observed)))
    return tuple(counts)


def bins(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    *,
    limit: int = DEFAULT_BINS,
    columns: Names = None,
    weights: npt.ArrayLike | None = None,
    valid: Valid = None,
    threads: int | None = None,
) -> Bins:
    """Return the mergeable histogram of each column, with at most `limit` bins in use.

    Examples
    --------
    >>> bins([[1.0], [2.0], [2.0]], [0, 0, 0], ["a"]).counts
    array([[1., 2.]])
    """
    view, rows, cols = dense_of(x, "bins", valid)
    names = columns_for(columns, cols)
    target = view_classes(codes, classes, weights, rows)
    limit = _limit_of(limit)
    _require_bins(target, rows, cols, limit)
    with translate_invalid_input(names, target.size):
        found = _core.bins(view, target.labels, limit, thread_count(threads))
    return _bins(target, names, limit, *found)


def moments_and_bins(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    *,
    limit: int = DEFAULT_BINS,
    columns: Names = None,
    weights: npt.ArrayLike | None = None,
    valid: Valid = None,
    threads: int | None = None,
) -> tuple[Moments, Bins]:
    """Return what `moments` and `bins` return, bit for bit; separate columns are read once.

    Examples
    --------
    >>> both = moments_and_bins([[1.0], [2.0], [2.0]], [0, 0, 0], ["a"])
    >>> both[0].weight, both[1].counts
    (array([[3.]]), array([[1., 2.]]))
    """
    view, rows, cols = dense_of(x, "bins", valid)
    names = columns_for(columns, cols)
    target = view_classes(codes, classes, weights, rows)
    limit = _limit_of(limit)
    _require_moments(target, cols)
    _require_bins(target, rows, cols, limit)
    with translate_invalid_input(names, target.size):
        of_moments, of_bins = _core.moments_and_bins(view, target.labels, limit, thread_count(threads))
    return _moments(target, names, *of_moments), _bins(target, names, limit, *of_bins)


def scatter(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    *,
    columns: Names = None,
    weights: npt.ArrayLike | None = None,
    valid: Valid = None,
    threads: int | None = None,
) -> Scatter:
    """Return weight, mean vector and Σ w (x − m)(x − m)ᵀ per class; a row with a missing cell is left out and counted.

    Examples
    --------
    >>> scatter([[1.0, 2.0], [3.0, 6.0]], [0, 0], ["a"]).scatter
    array([[[2., 4.],
            [4., 8.]]])
    """
    view, rows, cols = dense_of(x, "scatter matrices", valid)
    names = columns_for(columns, cols)
    target = view_classes(codes, classes, weights, rows)
    c = target.size
    require_memory(f"the scatter matrices of {c:,} classes × {cols:,} columns", 3 * c * cols * cols)
    with translate_invalid_input(names, c):
        weight, mean, low, products, left_out = map(
            _own, map(target.ordered, _core.scatter(view, target.labels, thread_count(threads)))
        )
    blur = _own(np.diagonal(products, axis1=1, axis2=2) * PASS)
    return Scatter(target.classes, names, weight, mean, products, left_out, mean_low=low, diagonal_blur=blur)


def _require_moments(target: ClassView, cols: int) -> None:
    require_memory(f"the moments of {target.size:,} classes × {cols:,} columns", 8 * target.size * cols + 16 * cols)


def _require_bins(target: ClassView, rows: int, cols: int, limit: int) -> None:
    floats = target.size * cols * min(limit, max(rows, 1)) // 2
    require_memory(f"bins of {target.size:,} classes × {cols:,} columns", floats)


def _moments(target: ClassView, names: Columns | int, *by_class: FloatArray) -> Moments:
    weight, mean, low, dp = map(_own, map(target.ordered, by_class))
    return Moments(target.classes, names, weight, mean, dp, mean_low=low, dp_blur=_own(dp * PASS))


def _bins(
    target: ClassView,
    names: Columns | int,
    limit: int,
    shift: npt.NDArray[Any],
    offsets: npt.NDArray[Any],
    keys: npt.NDArray[Any],
    *by_class: FloatArray,
) -> Bins:
    return Bins(target.classes, names, limit, *map(_own, (shift, offsets, keys, *map(target.ordered, by_class))))


def _own(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Seal an array that nobody else holds, so that a statistic keeps it without a copy."""
    array.flags.writeable = False
    return array


def _by_column(
    target: ClassView, names: Sequence[str | int] | int, values: npt.NDArray[Any], observed: npt.NDArray[Any]
) -> Counts:
    # A column stays although nothing in it was counted: it is declared. And what was observed of it is known per
    # column, also where nothing was missing: a column that is not here was not observed, unlike a word in a text.
    values, observed = target.ordered(values), np.broadcast_to(target.ordered(observed), values.shape)
    axis = _numbered_axis(names) if isinstance(names, int) else Axis.of(columns_of(names), declared=True)
    if not isinstance(names, int):
        order = np.argsort(axis.positions(names))
        if (order != np.arange(len(names))).any():
            values, observed = values[:, order], observed[:, order]
    values, observed = _own(np.ascontiguousarray(values)), _own(np.ascontiguousarray(observed))
    return Counts(target.classes, axis, values, observed, per_level=True)


@lru_cache(maxsize=8)
def _numbered_axis(columns: int) -> Axis:
    return Axis.of(range(columns), declared=True)


def _number_of_levels(given: Levels, j: int) -> int:
    if isinstance(given, Placed):
        return len(given.axis.labels)
    if isinstance(given, (Axis, list, tuple, range)):
        return len(given)
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool) and given >= 0:
        return int(given)
    raise DataError(
        f"the levels of column {j} must be labels in the order of the codes, an Axis, or their number: got {given!r}."
    )


def _level_axis(given: Levels) -> tuple[Axis, npt.NDArray[np.int64] | None]:
    if isinstance(given, Placed):
        return given
    return axis_of(range(int(given)) if isinstance(given, (int, np.integer)) else given, "levels")


def _limit_of(limit: object) -> int:
    if isinstance(limit, bool) or not isinstance(limit, (int, np.integer)) or not 2 <= limit <= 2**30:
        raise ParameterError(
            f"limit must be a whole number from 2 to 2**30: got {limit!r}. {DEFAULT_BINS} suits most uses."
        )
    return int(cast("int", limit))


def _require_one_each(levels: object, cols: int) -> None:
    entries = len(cast("list[object]", levels)) if isinstance(levels, (list, tuple)) else None
    if entries != cols:
        got = repr(cast("object", levels)) if entries is None else entries
        raise DataError(f"levels must have one entry for each of the {cols} columns of x: got {got}.")


def _require_level_codes(x: Any) -> None:
    separate = isinstance(x, (list, tuple)) and any(isinstance(column, np.ndarray) for column in cast("list[Any]", x))
    columns = cast("list[npt.NDArray[Any]]", x if separate else [np.asarray(cast("Any", x))])
    for j, column in enumerate(columns):
        if column.dtype.kind not in "iub":
            where = f"column {j}" if separate else "x"
            raise DataError(
                f"level codes must be integers, -1 where missing: {where} has dtype {column.dtype}. "
                "Code its values first."
            )
