"""Statistics of rows in memory, one pass each.

Every function takes the rows `x` (a 2-D array, a sparse matrix, or a list of 1-D columns; see rows.py), the class
`codes` of the rows (0 … C−1, −1 leaves a row out), and `classes`, which names them: labels in the order of the codes,
or an Axis. `weights` are one number ≥ 0 per row; a row of weight 0 is ignored. NaN and masked cells are missing and
skipped. A class without rows is dropped, unless the Axis declares it. The result is bit-identical for any number of
`threads`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, Unpack, cast

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
from suffice.statistics.arrays import FloatArray, IntArray, seal
from suffice.statistics.axis import columns_of
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


class PassOptions(TypedDict, total=False):
    """The options of a pass over rows.

    `columns` are the names of the columns, `weights` those of the rows, and `valid` are the Arrow validity bitmaps of
    separate columns, least significant bit first: a 0 bit is a missing cell.
    """

    columns: Names
    weights: npt.ArrayLike | None
    valid: Valid
    threads: int | None


class _RowsToCount(NamedTuple):
    # Rows in the form that the core accepts, the names of their columns, and their classes.
    view: Any
    rows: int
    cols: int
    names: tuple[str | int, ...] | int
    target: ClassView
    threads: int

    def require_memory(self, what: str, floats: int) -> None:
        require_memory(f"{what} of {self.target.size:,} classes × {self.cols:,} columns", floats)

    def require_tables(self, what: str, tables: int) -> None:
        # Tables of classes × columns, including those of the threads.
        self.require_memory(what, (tables * self.target.size + 16) * self.cols)

    def translated(self) -> translate_invalid_input:
        return translate_invalid_input(self.names, self.target.size)

    def counts(self, values: npt.NDArray[Any], observed: npt.NDArray[Any]) -> Counts:
        # Columns are declared, so a column without counts is kept. Observed weights are stored per column even if no
        # cell is missing: a column that is not in the statistic was not observed, unlike a word that is not in a text.
        values, observed = self.target.ordered(values), np.broadcast_to(self.target.ordered(observed), values.shape)
        if isinstance(self.names, int):
            axis = _numbered_axis(self.names)
        else:
            axis = Axis.of(columns_of(self.names), declared=True)
            order = np.argsort(axis.positions(self.names))
            if (order != np.arange(self.cols)).any():
                values, observed = values[:, order], observed[:, order]
        values, observed = seal(np.ascontiguousarray(values)), seal(np.ascontiguousarray(observed))
        return Counts(self.target.classes, axis, values, observed, per_level=True)


def _rows_of(
    x: Rows, codes: npt.ArrayLike | ClassView, classes: Classes, *, dense: str = "", **how: Unpack[PassOptions]
) -> _RowsToCount:
    # `dense` names a statistic that requires dense rows.
    valid = how.get("valid")
    view, rows, cols = dense_of(x, dense, valid) if dense else view_numbers(x, valid)
    names = columns_for(how.get("columns"), cols)
    target = view_classes(codes, classes, how.get("weights"), rows)
    return _RowsToCount(view, rows, cols, names, target, thread_count(how.get("threads")))


class Placed(NamedTuple):
    """The levels of a column, and the position of each code 0, 1, … among them."""

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
    return Tally(target.classes, seal(target.ordered(weight)))


def moments(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    **how: Unpack[PassOptions],
) -> Moments:
    """Return weight, mean and Σ w (x − mean)² per class and column.

    Examples
    --------
    >>> moments([[1.0], [3.0], [10.0]], [0, 0, 1], ["a", "b"]).mean
    array([[ 2.],
           [10.]])
    """
    rows = _rows_of(x, codes, classes, **how)
    rows.require_tables("the moments", 8)
    with rows.translated():
        found = _core.moments(rows.view, rows.target.labels, rows.threads)
    return _make_moments(rows, found)


def sums(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    **how: Unpack[PassOptions],
) -> Counts:
    """Return Σ w x per class and column for counts x ≥ 0, and the weight of the observed cells.

    Examples
    --------
    >>> sums([[1, 0], [2, 5]], [0, 0], ["a"]).values
    array([[3., 5.]])
    """
    rows = _rows_of(x, codes, classes, **how)
    rows.require_tables("the sums", 4)
    with rows.translated():
        counted = _core.sums(rows.view, rows.target.labels, rows.threads)
    return rows.counts(*counted)


def count_logs(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    *,
    logs: Literal["cells", "rows"],
    **how: Unpack[PassOptions],
) -> Counts:
    """Return the sums of logs that cannot be derived from sums of counts, per class.

    "cells" sums Σ w ln x!, "rows" Σ w ln(n!/Π x!), where n is the total of the row. Each row's log is split into
    whole numbers, coarse · 2⁻²⁰ + fine · 2⁻⁴³, which add and subtract exactly while the coarse sum is below 2⁵³: they
    are the entries "coarse" and "fine" of the result.

    Parameters
    ----------
    logs : "cells" or "rows"
        Counts must be whole numbers for "cells"; they may be fractional for "rows".

    Examples
    --------
    >>> logs = count_logs([[1, 2], [2, 0]], [0, 0], ["a"], logs="rows")
    >>> bool(abs(logs.values @ [2**-20, 2**-43] - np.log(3)) < 1e-12)
    True
    """
    rows = _rows_of(x, codes, classes, **how)
    if logs not in ("cells", "rows"):
        raise ParameterError(f"logs must be 'cells' or 'rows': got {logs!r}.")
    with rows.translated():
        found = _core.count_logs(rows.view, rows.target.labels, logs, rows.threads)
    values = rows.target.ordered(found)
    axis = Axis(["coarse", "fine"], declared=True)
    return Counts(rows.target.classes, axis, seal(values), seal(np.zeros((rows.target.size, 1))))


def presence(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    *,
    threshold: float = 0.0,
    **how: Unpack[PassOptions],
) -> Counts:
    """Return the weight of the cells with x > threshold per class and column, and that of the observed cells.

    Examples
    --------
    >>> presence([[1, 0], [2, 5]], [0, 0], ["a"]).values
    array([[2., 1.]])
    """
    rows = _rows_of(x, codes, classes, **how)
    if not isinstance(threshold, Real) or not np.isfinite(float(threshold)):
        raise ParameterError(
            f"threshold must be a finite number: got {threshold!r}. Use 0 to treat positive values as present."
        )
    rows.require_tables("the presence counts", 4)
    with rows.translated():
        counted = _core.presence(rows.view, rows.target.labels, float(threshold), rows.threads)
    return rows.counts(*counted)


def maxima(
    x: Rows,
    codes: npt.ArrayLike,
    classes: Classes,
    **how: Unpack[PassOptions],
) -> Maxima:
    """Return the largest value per class and column of numbers ≥ 0, and the weight of the observed cells.

    Examples
    --------
    >>> maxima([[1.0, 0.5], [3.0, 2.0], [4.0, np.nan]], [0, 0, 1], ["a", "b"]).maximum
    array([[3., 2.],
           [4., 0.]])
    """
    rows = _rows_of(x, codes, classes, **how)
    target = rows.target
    rows.require_tables("the maxima", 4)
    with rows.translated():  # also rejects infinite cells
        _, weight = map(target.ordered, _core.presence(rows.view, target.labels, 0.0, rows.threads))
    # The rows sorted by class, without rows that are excluded or have weight 0.
    code: npt.NDArray[Any] = np.ma.filled(np.ma.asarray(codes), -1)
    weights = how.get("weights")
    seen = code >= 0 if weights is None else (code >= 0) & (np.asarray(weights) > 0)
    by_class = np.flatnonzero(seen)
    by_class = by_class[np.argsort(code[by_class], kind="stable")]
    present, starts = np.unique(code[by_class], return_index=True)
    largest = np.zeros((target.size, rows.cols))
    for j, column in enumerate(_dense_columns(x, how.get("valid"))):
        values = column[by_class]
        if (values < 0).any():
            at = int(by_class[np.argmax(values < 0)])
            raise DataError(
                "values of a Uniform column must be ≥ 0",
                kind="negative",
                row=at,
                column=j if isinstance(rows.names, int) else rows.names[j],
                got=float(column[at]),
                advice="Give the column the likelihood Gaussian() or Histogram().",
            )
        if len(starts):
            largest[present, j] = np.nan_to_num(np.fmax.reduceat(values, starts), nan=0.0)
    observed = np.ascontiguousarray(np.broadcast_to(weight, largest.shape))
    return Maxima(target.classes, rows.names, seal(observed), seal(target.ordered(largest)))


def _dense_columns(x: Any, valid: Valid) -> Iterator[FloatArray]:
    # Each column as float64, NaN for missing cells.
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
    **how: Unpack[PassOptions],
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
    rows = _rows_of(x, codes, classes, dense="level counts", **how)
    _require_one_each(levels, rows.cols)
    _require_level_codes(x)
    target = rows.target
    sizes = [_number_of_levels(given, j) for j, given in enumerate(levels)]
    require_memory(
        f"the counts of {target.size:,} classes × {sum(sizes):,} levels",
        (2 * target.size + 16) * sum(sizes),
    )
    axes = [_level_axis(given) for given in levels]
    with translate_invalid_input(rows.names, target.size, sizes):
        counted = _core.levels(rows.view, target.labels, sizes, rows.threads)
    table = target.ordered(counted.reshape(target.size, sum(sizes)))
    counts: list[Counts] = []
    ends = np.cumsum(sizes).tolist()
    for (axis, positions), size, end in zip(axes, sizes, ends, strict=True):
        part = table[:, end - size : end]
        if positions is not None:
            part = part[:, np.argsort(positions)]
        with np.errstate(over="ignore"):  # Counts raises an error for an infinite sum
            observed = part.sum(axis=1, keepdims=True)
        counts.append(Counts(target.classes, axis, seal(np.ascontiguousarray(part)), seal(observed)))
    return tuple(counts)


def bins(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    *,
    limit: int = DEFAULT_BINS,
    **how: Unpack[PassOptions],
) -> Bins:
    """Return the mergeable histogram of each column, with at most `limit` bins in use.

    Examples
    --------
    >>> bins([[1.0], [2.0], [2.0]], [0, 0, 0], ["a"]).counts
    array([[1., 2.]])
    """
    rows = _rows_of(x, codes, classes, dense="bins", **how)
    limit = _check_limit(limit)
    _require_bins(rows, limit)
    with rows.translated():
        found = _core.bins(rows.view, rows.target.labels, limit, rows.threads)
    return _make_bins(rows, limit, found)


def moments_and_bins(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    *,
    limit: int = DEFAULT_BINS,
    **how: Unpack[PassOptions],
) -> tuple[Moments, Bins]:
    """Return the results of `moments` and `bins`, bit for bit; separate columns are read only once.

    Examples
    --------
    >>> both = moments_and_bins([[1.0], [2.0], [2.0]], [0, 0, 0], ["a"])
    >>> both[0].weight, both[1].counts
    (array([[3.]]), array([[1., 2.]]))
    """
    rows = _rows_of(x, codes, classes, dense="bins", **how)
    limit = _check_limit(limit)
    rows.require_tables("the moments", 8)
    _require_bins(rows, limit)
    with rows.translated():
        of_moments, found = _core.moments_and_bins(rows.view, rows.target.labels, limit, rows.threads)
    return _make_moments(rows, of_moments), _make_bins(rows, limit, found)


def scatter(
    x: Rows,
    codes: npt.ArrayLike | ClassView,
    classes: Classes,
    **how: Unpack[PassOptions],
) -> Scatter:
    """Return weight, mean vector and Σ w (x − m)(x − m)ᵀ per class; a row with a missing cell is left out and counted.

    Examples
    --------
    >>> scatter([[1.0, 2.0], [3.0, 6.0]], [0, 0], ["a"]).scatter
    array([[[2., 4.],
            [4., 8.]]])
    """
    rows = _rows_of(x, codes, classes, dense="scatter matrices", **how)
    target = rows.target
    rows.require_memory("the scatter matrices", 3 * target.size * rows.cols * rows.cols)
    with rows.translated():
        found = _core.scatter(rows.view, target.labels, rows.threads)
    weight, mean, low, products, left_out = map(seal, [target.ordered(each) for each in found])
    blur = seal(np.diagonal(products, axis1=1, axis2=2) * PASS)
    return Scatter(target.classes, rows.names, weight, mean, products, left_out, mean_low=low, diagonal_blur=blur)


def _require_bins(rows: _RowsToCount, limit: int) -> None:
    rows.require_memory("bins", rows.target.size * rows.cols * min(limit, max(rows.rows, 1)) // 2)


def _make_moments(rows: _RowsToCount, by_class: Iterable[FloatArray]) -> Moments:
    weight, mean, low, dp = map(seal, [rows.target.ordered(each) for each in by_class])
    return Moments(rows.target.classes, rows.names, weight, mean, dp, mean_low=low, dp_blur=seal(dp * PASS))


def _make_bins(rows: _RowsToCount, limit: int, found: Iterable[npt.NDArray[Any]]) -> Bins:
    shift, offsets, keys, *by_class = found
    arrays = [shift, offsets, keys, *map(rows.target.ordered, by_class)]
    return Bins(rows.target.classes, rows.names, limit, *map(seal, arrays))


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


def _check_limit(limit: object) -> int:
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
