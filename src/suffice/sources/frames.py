"""Frames of pandas, Polars, PyArrow and their kin as tables: columns by name, without a copy where the library allows.

Columns of pandas are NumPy arrays, taken as they are, or categoricals, or arrays with a mask. narwhals knows the other
libraries: their columns, and those of pandas that Arrow backs, are handed over as Arrow chunks (arrow_column.py), for
which neither PyArrow nor Polars has to be imported. Nothing here uses a thread pool of theirs, so it works after a
fork.
"""

from __future__ import annotations

import datetime
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from suffice.errors import DataError
from suffice.sources.arrow_column import arrow_column, require_names, series_column
from suffice.sources.column import Bitmap, Codes, Column, Numbers, Objects, Times, Unread
from suffice.sources.table import Frame
from suffice.statistics.columns import Columns, columns_of

__all__ = ["column_of", "frame_table", "is_frame", "is_series"]

_NATIVE = frozenset("?bBhHiIlLqQfd")


def is_frame(data: Any) -> bool:
    """Return whether it is a frame: an object with named columns that is not an array."""
    return not isinstance(data, np.ndarray) and (
        hasattr(data, "__dataframe__")
        or hasattr(data, "__narwhals_dataframe__")
        or hasattr(data, "__narwhals_lazyframe__")
        or type(data).__name__ in ("DataFrame", "LazyFrame", "Table", "RecordBatch", "DuckDBPyRelation")
    )


def is_series(data: Any) -> bool:
    """Return whether it is a column of a frame library."""
    return not isinstance(data, np.ndarray) and (
        hasattr(data, "__arrow_c_stream__")
        or hasattr(data, "__arrow_c_array__")
        or hasattr(data, "__narwhals_series__")
        or type(data).__module__.partition(".")[0] in ("pandas", "modin", "cudf")
    )


def frame_table(data: Any) -> Frame:
    """Return the table of a frame."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):  # whose columns narwhals would wrap one by one
        names = _column_names(data.columns.tolist())
        return Frame(names, tuple(_pandas_column(series) for _, series in data.items()), len(data))
    frame = _narwhals(data)
    names = _column_names(frame.columns)
    return Frame(names, tuple(column_of(frame.get_column(name).to_native()) for name in frame.columns), len(frame))


def column_of(series: Any) -> Column:
    """Return the column of a series of any frame library."""
    if hasattr(series, "__narwhals_series__"):
        series = series.to_native()
    if hasattr(series, "iloc"):  # pandas and libraries with its interface
        return _pandas_column(series)
    if not hasattr(series, "__arrow_c_stream__"):  # a PyArrow array
        series = sys.modules["pyarrow"].chunked_array([series])
    column = series_column(series)
    return (
        replace(column, times=lambda: _times(series))
        if isinstance(column, Unread) and column.kind == "time"
        else column
    )


def _times(series: Any) -> Times:
    import narwhals.stable.v2 as nw

    column = nw.from_native(series, series_only=True)
    if column.dtype == nw.Time:
        column = nw.new_series(
            "",
            [datetime.datetime.combine(datetime.date(1970, 1, 1), each) if each else None for each in column.to_list()],
            nw.Datetime,
            backend=column.implementation,
        )
    elif column.dtype == nw.Datetime:
        column = column.dt.replace_time_zone(None)
    elif column.dtype != nw.Date:
        raise DataError("must hold dates or times, and holds durations", kind="not_a_date")
    return column.to_numpy().astype("datetime64[m]")


def _narwhals(data: Any) -> Any:
    import narwhals.stable.v2 as nw

    if type(data).__name__ == "RecordBatch" and "pyarrow" in sys.modules:
        data = sys.modules["pyarrow"].Table.from_batches([data])
    try:
        return nw.from_native(data, eager_only=True)
    except nw.exceptions.DuplicateError:
        _column_names(list(data.column_names if hasattr(data, "column_names") else data.columns))
        raise
    except TypeError:
        what = f"{type(data).__module__.partition('.')[0]}.{type(data).__name__}"
        raise DataError(
            f"data must be a frame in memory: got {what}. Convert it first, for example with "
            f"data.{_materialise(what)}()."
        ) from None


def _column_names(given: list[Any]) -> Columns:
    names = columns_of([name if isinstance(name, (str, int)) else str(name) for name in given])
    require_names((name, None) for name in names)
    return names


def _materialise(what: str) -> str:
    return "arrow" if what.startswith("duckdb") else "collect"


def _pandas_column(series: Any) -> Column:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return _numpy_column(series.to_numpy())
    if hasattr(series, "cat") and hasattr(dtype, "categories"):
        return Codes(series.cat.codes.to_numpy(), series.cat.categories.to_numpy(dtype=object))
    kind = getattr(dtype, "kind", "O")
    if _is_arrow_backed(dtype):
        require_names([(None, dtype)])
        return arrow_column(series.array.__arrow_array__().__arrow_c_stream__())
    if kind in "biuf" and hasattr(dtype, "numpy_dtype"):
        missing = series.isna().to_numpy()
        values = series.to_numpy(dtype=dtype.numpy_dtype, na_value=0) if missing.any() else series.to_numpy()
        return Numbers(_readable(values), _bitmap(missing) if missing.any() else None)
    if type(dtype).__name__ == "PeriodDtype":
        return Unread("time", str(dtype), lambda: series.dt.to_timestamp().to_numpy())
    if kind in "Mm":
        return Unread("time", str(dtype), (lambda: series.dt.tz_localize(None).to_numpy()) if kind == "M" else None)
    return _numpy_column(series.to_numpy(dtype=None if kind in "biuf" else object))


def _is_arrow_backed(dtype: Any) -> bool:
    return type(dtype).__name__ == "ArrowDtype" or getattr(dtype, "storage", None) == "pyarrow"


def _numpy_column(values: Any) -> Column:
    kind = values.dtype.kind
    if kind in "biuf":
        return Numbers(_readable(values))
    if kind in "Mm":
        return Unread("time", str(values.dtype), (lambda: values) if kind == "M" else None)
    if kind == "c":
        return Unread("nested", "complex numbers")
    return Objects(values.astype(object, copy=False))


def _readable(values: Any) -> Any:
    # The core does not read float16 and long doubles.
    return values if values.dtype.char in _NATIVE and values.dtype.isnative else values.astype(np.float64)


def _bitmap(missing: Any) -> Bitmap:
    return np.packbits(~missing, bitorder="little")
