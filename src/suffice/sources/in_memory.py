"""Rows in memory as a table: arrays, sparse matrices, frames, lists of rows, records or texts, mappings of columns.

Columns of a pandas frame are NumPy arrays, used without a copy, or categoricals, or masked arrays. Other libraries are
accessed through narwhals: their columns, and Arrow-backed columns of pandas, are passed as Arrow chunks, without
importing PyArrow or Polars. None of their thread pools is used, so that this module works after a fork.
"""

from __future__ import annotations

import datetime
import reprlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, counted
from suffice.machine import require_memory
from suffice.sources.column import (
    Codes,
    Column,
    Numbers,
    Objects,
    Times,
    Unread,
    arrow_column,
    bitmap_of,
    require_names,
    series_column,
)
from suffice.sources.sparse import sound_csr
from suffice.sources.table import Frame, Matrix, Table
from suffice.statistics.axis import Columns, columns_of

__all__ = ["column_of", "frame_table", "is_frame", "is_nothing", "is_series", "is_texts", "table_of", "weights_of"]

_NATIVE = frozenset("?bBhHiIlLqQfd")
_MANY_COLUMNS = 2**20
# Lists of one type: an array of mixed types would change values, such as True to 1, or 2⁵³ + 1 to a float.
_PLAIN: dict[frozenset[type], str] = {frozenset([int]): "int64", frozenset([float]): "float64", frozenset([bool]): "?"}


def table_of(data: Any) -> Table:
    """Return the table.

    Parameters
    ----------
    data : 2-D array, scipy sparse matrix, frame, list of rows, list of records {name: value}, mapping {name: column}
        or texts: a list, 1-D array or series of str, which are one column. A mapping {name: value} is one record.

    Examples
    --------
    >>> table_of([{"fur": "black", "age": 3}, {"fur": "white"}]).names
    ('fur', 'age')
    >>> table_of({"fur": "black", "age": 3}).rows
    1
    """
    if isinstance(data, Table):
        return data
    if _are_records(data):
        _require_records(data)
        return _records_table(data)
    _require_rows(data)
    if is_texts(data):
        return _texts_table(data)
    if is_nothing(data):
        return Frame((), (), 0)
    if isinstance(data, np.ndarray):
        return _array_table(cast("npt.NDArray[Any]", data))
    if hasattr(data, "tocsr"):
        return _sparse_table(data)
    if is_frame(data):
        return frame_table(data)
    if isinstance(data, Mapping):
        return _mapping_table(cast("Mapping[Any, Any]", data))
    if is_series(data):
        raise DataError(
            "data must be 2-D (rows × columns): got a series. Use df.iloc[[0]] for one row, df[['name']] for one "
            "column."
        )
    return _array_table(_array_of_rows(data))


def _require_rows(data: Any) -> None:
    # Reject input that can be read only once or has no rows.
    given: object = data
    kind = type(given).__name__
    once = isinstance(given, Iterator) or kind == "RecordBatchReader"
    rows = isinstance(given, (Sized, Iterable)) or hasattr(given, "__array__") or is_series(given) or is_frame(given)
    if once or not rows:
        do = "Give a table, for example list(data) or data.read_all()." if once else "Give rows × columns."
        raise DataError(
            f"data must be an array, a frame, a sparse matrix, a list of rows or records, or a mapping of columns: got "
            f"{reprlib.repr(cast('object', given))} ({kind}). {do}"
        )


def is_texts(data: Any) -> bool:
    """Return whether it is a list, a 1-D array or a series of texts, which is one column of documents."""
    if isinstance(data, (list, tuple)):
        first = next((item for item in cast("Sequence[Any]", data) if item is not None), None)
        return isinstance(first, str)
    if isinstance(data, np.ndarray):
        array = cast("npt.NDArray[Any]", data)
        return array.ndim == 1 and (array.dtype.kind in "UT" or (array.dtype.kind == "O" and is_texts(array.tolist())))
    return not is_frame(data) and is_series(data) and column_of(data).kind == "text"


def is_nothing(data: Any) -> bool:
    """Return whether it is an empty list or series, whose columns are unknown."""
    rows = isinstance(data, (list, tuple)) or (is_series(data) and not is_frame(data))
    return rows and isinstance(data, Sized) and not len(cast("Sized", data))


def weights_of(weights: Any, rows: int) -> npt.NDArray[Any] | None:
    """Return the weights, one per row, or None."""
    if weights is None:
        return None
    if isinstance(weights, str):
        raise DataError(
            f"weights={weights!r} is a column name, but arrays have no column names. Give the weights as an array."
        )
    if is_series(weights):
        try:
            column = column_of(weights).numbers()
        except DataError as reason:
            raise reason.located(problem="weights must be numbers", advice="Convert them first.") from None
        if column.valid is not None:
            raise DataError("weights must not be missing. Use 0 to ignore a row.")
        weights = column.values
    values = np.asarray(weights)
    if values.shape != (rows,):
        raise DataError(f"weights must have one number per row: got shape {values.shape} for {counted(rows, 'row')}.")
    if values.dtype.char in _NATIVE:
        return values
    if values.dtype.kind in "iufO":
        with suppress(TypeError, ValueError):
            return values.astype(np.float64)
    raise DataError(f"weights must be numbers: got dtype {values.dtype}. Convert them first.")


def _texts_table(data: Any) -> Frame:
    column = column_of(data) if is_series(data) else Objects(_object_array(data))
    return Frame((0,), (column,), len(data), named=False)


def _object_array(data: Any) -> npt.NDArray[Any]:
    if isinstance(data, np.ndarray):
        return cast("npt.NDArray[Any]", data).astype(object)
    array: npt.NDArray[Any] = np.empty(len(data), dtype=object)
    array[:] = data
    return array


def _sparse_table(data: Any) -> Matrix:
    x = sound_csr(data)
    if not x.has_canonical_format:
        x = x.copy()
        x.sum_duplicates()
    return Matrix(x, _places(x.shape[1]))


def _places(number: int) -> Columns:
    # A sparse matrix may have more columns than there is memory for names: each takes 5 words.
    if number > _MANY_COLUMNS:
        require_memory(f"the names of {number:,} columns", 5 * number)
    return columns_of(number)


def _array_of_rows(data: Any) -> npt.NDArray[Any]:
    try:
        x: npt.NDArray[Any] = np.asarray(data)
        # NumPy converts numbers to text if a list also has text.
        return np.array(data, dtype=object) if x.dtype.kind in "US" and isinstance(data, (list, tuple)) else x
    except ValueError:
        raise DataError("data must be 2-D: its rows have different lengths.") from None
    except MemoryError:
        raise
    except Exception as reason:  # raised by the library of the data
        raise DataError(f"data cannot be read as an array: {reason}. Give a frame, or a 2-D array.") from None


def _array_table(x: npt.NDArray[Any]) -> Table:
    if x.ndim == 2 and x.dtype.char in _NATIVE and x.dtype.isnative and not isinstance(x, np.ma.MaskedArray):
        return Matrix(x, _places(x.shape[1]))
    if x.ndim != 2:
        raise DataError(
            f"data must be 2-D, rows × columns: got an array of shape {x.shape}. "
            "Use data.reshape(-1, 1) for one column."
        )
    names = _places(x.shape[1])
    if isinstance(x, np.ma.MaskedArray):
        masked: Any = x  # pyright: ignore[reportUnknownVariableType]
        if x.dtype.kind == "f":
            return _array_table(masked.filled(np.nan))
        return Frame(names, tuple(_values_column(masked[:, j], j) for j in names), len(x), named=False)
    if x.dtype.kind in "iuf":
        return Matrix(x.astype(np.float64), names)
    if x.dtype.kind not in "OUT":
        raise DataError(f"data must be numbers, bools or text: got dtype {x.dtype}. Convert it first.")
    columns = tuple(Objects(x[:, j].astype(object)) for j in range(x.shape[1]))
    return Frame(names, columns, len(x), named=False)


def _mapping_table(data: Mapping[Any, Any]) -> Frame:
    cells = [name for name, values in data.items() if _is_cell(values)]
    if cells and len(cells) == len(data):
        return _records_table([{name: _plain_cell(value) for name, value in data.items()}])
    names = columns_of(list(data))
    if cells:
        other = next(name for name, values in data.items() if not _is_cell(values))
        raise DataError(
            f"a mapping must be one record {{name: value}} or columns {{name: list}}: {cells[0]!r} has the value "
            f"{reprlib.repr(data[cells[0]])}, but {other!r} has a {type(data[other]).__name__}. "
            "Give a list for each column."
        )
    columns = tuple(_values_column(values, name) for name, values in zip(names, data.values(), strict=True))
    lengths = {len(values) for values in data.values()}
    if len(lengths) > 1:
        raise DataError(f"all columns must have the same length: got {sorted(lengths)}.")
    return Frame(names, columns, lengths.pop() if lengths else 0)


def _is_cell(value: Any) -> bool:
    # A value of one row, not a column: a string is never a column of characters.
    if isinstance(value, (str, bytes, bytearray)):
        return True
    if isinstance(value, np.ndarray):
        return cast("npt.NDArray[Any]", value).ndim == 0
    return not isinstance(value, (Sized, Iterable))


def _plain_cell(value: Any) -> Any:
    return cast("npt.NDArray[Any]", value).item() if isinstance(value, np.ndarray) else value


def _values_column(values: Any, name: str | int) -> Column:
    if isinstance(values, (set, frozenset, Mapping, Iterator)) or hasattr(values, "tocsr") or is_frame(values):
        raise DataError(
            f"column {name!r} must be a list, an array or a series: got {type(cast('object', values)).__name__}. "
            "Give a list or a 1-D array."
        )
    if is_series(values):
        return column_of(values)
    array: npt.NDArray[Any]
    if isinstance(values, np.ndarray):
        array = cast("npt.NDArray[Any]", values)
    else:
        array = np.fromiter(values, dtype=object, count=len(values))
        plain = _PLAIN.get(frozenset(map(type, cast("list[Any]", array.tolist()))))
        if plain is not None:
            with suppress(OverflowError):  # an int longer than 64 bits
                array = array.astype(plain)
    if array.ndim != 1:
        raise DataError(f"column {name!r} must have one value per row: got an array of shape {array.shape}.")
    if array.dtype.kind in "Mm":
        return Unread("time", str(array.dtype), (lambda: array) if array.dtype.kind == "M" else None)
    if isinstance(values, np.ma.MaskedArray):
        return _masked(values)
    if array.dtype.kind in "iufb":
        native = array.dtype.char in _NATIVE and array.dtype.isnative
        return Numbers(array if native else array.astype(np.float64))
    return Objects(array.astype(object))


def _masked(values: Any) -> Column:
    gaps: npt.NDArray[np.bool_] = np.ma.getmaskarray(values)
    if values.dtype.char in _NATIVE and values.dtype.isnative:
        return Numbers(values.data, bitmap_of(gaps) if gaps.any() else None)
    objects = values.data.astype(object)
    objects[gaps] = None
    return Objects(objects)


def _are_records(data: Any) -> bool:
    return isinstance(data, (list, tuple)) and len(cast("Sized", data)) > 0 and isinstance(data[0], Mapping)


def _require_records(data: Sequence[object]) -> None:
    for row, record in enumerate(data):
        if not isinstance(record, Mapping):
            raise DataError(f"every row must be a record {{name: value}}: row {row} is {record!r}.")


def _records_table(data: Sequence[Mapping[Any, Any]]) -> Frame:
    names = columns_of(list(dict.fromkeys(chain.from_iterable(data))))
    cells = np.fromiter((row.get(name) for name in names for row in data), dtype=object, count=len(names) * len(data))
    return Frame(names, tuple(map(Objects, cells.reshape(len(names), len(data)))), len(data))


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
    if pandas is not None and isinstance(data, pandas.DataFrame):  # narwhals would wrap each column
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
        replace(column, times=lambda: _series_times(series))
        if isinstance(column, Unread) and column.kind == "time"
        else column
    )


def _series_times(series: Any) -> Times:
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
        raise DataError("must contain dates or times, but contains durations", kind="not_a_date")
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
        return Numbers(_readable(values), bitmap_of(missing) if missing.any() else None)
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
