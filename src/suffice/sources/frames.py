"""Frames of pandas, Polars, PyArrow and their kin as tables: columns by name, without a copy where the library allows.

narwhals knows the libraries. Columns of pandas are NumPy arrays, taken as they are, or categoricals, or arrays with a
mask; all others, and those of pandas that Arrow backs, are handed over as Arrow chunks (arrow_column.py), for which
neither PyArrow nor Polars has to be imported. Nothing here uses a thread pool of theirs, so it works after a fork.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from suffice.errors import DataError
from suffice.sources.arrow_column import arrow_column, require_names, series_column
from suffice.sources.column import Bitmap, Codes, Column, Numbers, Objects, Unread
from suffice.sources.table import Frame
from suffice.statistics.columns import columns_of

__all__ = ["column_of", "frame_table", "is_frame", "is_series"]

_NATIVE = frozenset("?bBhHiIlLqQfd")


def is_frame(data: Any) -> bool:
    """Say whether it is a frame: something with named columns that is no array."""
    return not isinstance(data, np.ndarray) and (
        hasattr(data, "__dataframe__")
        or hasattr(data, "__narwhals_dataframe__")
        or hasattr(data, "__narwhals_lazyframe__")
        or type(data).__name__ in ("DataFrame", "LazyFrame", "Table", "RecordBatch", "DuckDBPyRelation")
    )


def is_series(data: Any) -> bool:
    """Say whether it is one column of a frame library."""
    return not isinstance(data, np.ndarray) and (
        hasattr(data, "__arrow_c_stream__")
        or hasattr(data, "__arrow_c_array__")
        or hasattr(data, "__narwhals_series__")
        or type(data).__module__.partition(".")[0] in ("pandas", "modin", "cudf")
    )


def frame_table(data: Any) -> Frame:
    """Return the table of a frame."""
    frame = _narwhals(data)
    names = columns_of(_names(frame.columns))
    require_names((name, None) for name in names)
    columns = tuple(column_of(frame.get_column(name).to_native()) for name in frame.columns)
    return Frame(names, columns, len(frame))


def column_of(series: Any) -> Column:
    """Return the column of a series of any frame library."""
    if hasattr(series, "__narwhals_series__"):
        series = series.to_native()
    if hasattr(series, "iloc"):  # pandas and those who speak like it
        return _pandas_column(series)
    if not hasattr(series, "__arrow_c_stream__"):  # one chunk of PyArrow's
        series = sys.modules["pyarrow"].chunked_array([series])
    return series_column(series)


def _narwhals(data: Any) -> Any:
    import narwhals.stable.v2 as nw

    if type(data).__name__ == "RecordBatch" and "pyarrow" in sys.modules:
        data = sys.modules["pyarrow"].Table.from_batches([data])
    try:
        return nw.from_native(data, eager_only=True)
    except nw.exceptions.DuplicateError:
        columns_of(_names(list(data.column_names if hasattr(data, "column_names") else data.columns)))
        raise
    except TypeError:
        what = f"{type(data).__module__.partition('.')[0]}.{type(data).__name__}"
        raise DataError(
            f"data must be a frame in memory: got {what}. Collect it first, for example with data.collect()."
        ) from None


def _names(names: list[Any]) -> list[str | int]:
    return [name if isinstance(name, (str, int)) else str(name) for name in names]


def _pandas_column(series: Any) -> Column:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return _numpy_column(series.to_numpy())
    if hasattr(series, "cat") and hasattr(dtype, "categories"):
        return Codes(series.cat.codes.to_numpy(), series.cat.categories.to_numpy(dtype=object))
    kind = getattr(dtype, "kind", "O")
    if _is_arrow_backed(dtype):
        require_names([(None, dtype)])
        return arrow_column(series.__arrow_c_stream__())
    if kind in "biuf" and hasattr(dtype, "numpy_dtype"):
        missing = series.isna().to_numpy()
        values = series.to_numpy(dtype=dtype.numpy_dtype, na_value=0) if missing.any() else series.to_numpy()
        return Numbers(_readable(values), _bitmap(missing) if missing.any() else None)
    if kind in "Mm" or type(dtype).__name__ == "PeriodDtype":
        return Unread("time", str(dtype))
    return _numpy_column(series.to_numpy(dtype=None if kind in "biuf" else object))


def _is_arrow_backed(dtype: Any) -> bool:
    return type(dtype).__name__ == "ArrowDtype" or getattr(dtype, "storage", None) == "pyarrow"


def _numpy_column(values: Any) -> Column:
    kind = values.dtype.kind
    if kind in "biuf":
        return Numbers(_readable(values))
    if kind in "Mm":
        return Unread("time", str(values.dtype))
    if kind == "c":
        return Unread("nested", "complex numbers")
    return Objects(values.astype(object, copy=False))


def _readable(values: Any) -> Any:
    # float16 and long doubles are foreign to the core.
    return values if values.dtype.char in _NATIVE and values.dtype.isnative else values.astype(np.float64)


def _bitmap(missing: Any) -> Bitmap:
    return np.packbits(~missing, bitorder="little")
