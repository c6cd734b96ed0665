"""The rows as a matrix of numbers that the core reads: dense or CSR, copied only where the type is foreign to it."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError

__all__ = ["table_of", "weights_of"]

_NATIVE = frozenset("?bBhHiIlLqQfd")


def table_of(data: Any, width: int | None = None) -> Any:
    """Return a 2-D array or a CSR matrix, of that many columns where a model expects them.

    Parameters
    ----------
    data : 2-D array, list of rows, or scipy sparse matrix
    """
    if hasattr(data, "tocsr"):
        x = data.tocsr()
        if not x.has_canonical_format:
            x = x.copy()
            x.sum_duplicates()
        if x.dtype.char not in _NATIVE:
            x = x.astype(np.float64)
    else:
        x = _dense(data)
    if width is not None and x.shape[1] != width:
        raise DataError(
            f"data has shape {x.shape}, and the model was fitted on rows of width {width}. "
            "Give the same columns in the same order."
        )
    return x


def weights_of(weights: Any, rows: int) -> npt.NDArray[Any] | None:
    """Return the weights, one per row, or None."""
    if weights is None:
        return None
    values = np.asarray(weights)
    if values.shape != (rows,):
        raise DataError(f"weights must have one number per row: got shape {values.shape} for {rows} rows.")
    return values if values.dtype.char in _NATIVE else _numbers(values, "weights")


def _dense(data: Any) -> npt.NDArray[Any]:
    if not isinstance(data, (np.ndarray, list, tuple)) and (hasattr(data, "columns") or hasattr(data, "__dataframe__")):
        raise DataError(
            f"data must be a 2-D array or a sparse matrix: got a frame ({type(data).__module__.split('.')[0]}). "
            "Give frame.to_numpy(); frames are read by a later version."
        )
    if isinstance(data, np.ma.MaskedArray):
        masked: Any = data  # pyright: ignore[reportUnknownVariableType]
        data = masked.astype(np.float64).filled(np.nan)
    try:
        x: npt.NDArray[Any] = np.asarray(cast("Any", data))
    except ValueError:
        raise DataError(
            "data must be a 2-D array of numbers: its rows differ in length. Give every row each column."
        ) from None
    if x.ndim != 2:
        raise DataError(
            f"data must be 2-D, rows × columns: got an array of shape {x.shape}. "
            "Use data.reshape(-1, 1) for one column."
        )
    return x if x.dtype.char in _NATIVE and x.dtype.isnative else _numbers(x, "data")


def _numbers(values: npt.NDArray[Any], what: str) -> npt.NDArray[Any]:
    if values.dtype.kind in "iufbO":
        try:
            return values.astype(np.float64)  # None becomes NaN: missing
        except (TypeError, ValueError):
            pass
    raise DataError(f"{what} must be numbers: got dtype {values.dtype}. Code its values as integers first.")
