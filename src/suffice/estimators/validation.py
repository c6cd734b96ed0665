"""What scikit-learn's contract asks of X, y and sample_weight, at no cost for plain arrays.

A NumPy array or CSR matrix of numbers goes to the core as it is: the core finds what is infinite or negative in the
pass that it makes anyway, and names row and column. Everything else (frames, lists, objects, column vectors, wrong
widths) takes scikit-learn's own helpers, with their checks, conversions and messages.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.estimators.contract import (
    assert_all_finite,
    check_classification_targets,
    check_consistent_length,
    column_or_1d,
    validate_data,
)
from suffice.sources.arrays import is_texts, table_of
from suffice.sources.frames import is_frame
from suffice.sources.sparse import sound_csr
from suffice.statistics.counted import counted

__all__ = ["fitted_rows", "labels", "require_not_negative", "row_weights", "rows_like_fitted"]

_NUMBERS = frozenset("?bBhHiIlLqQfd")


def fitted_rows(estimator: Any, x: Any, y: Any, *, sparse: bool, frames: bool) -> Any:
    """Return the rows to fit on, and note their width and names on the estimator.

    They come back as an array or CSR matrix; where `frames` are read, a frame or a matrix with text as a table.
    """
    if y is None:
        name = type(estimator).__name__
        raise DataError(f"This {name} estimator requires y to be passed, but the target y is None.")
    if hasattr(x, "tocsr"):
        x = sound_csr(x)  # before scikit-learn looks at it
    if _is_plain(x, sparse=sparse):
        estimator.n_features_in_ = x.shape[1]
        estimator.__dict__.pop("feature_names_in_", None)
        return x
    if frames and _has_columns(x):
        table = table_of(x)
        estimator.n_features_in_ = table.width
        estimator.__dict__.pop("feature_names_in_", None)
        if table.width and all(isinstance(name, str) for name in table.names):
            estimator.feature_names_in_ = np.array(table.names, dtype=object)
        return table
    return _checked(estimator, x, sparse=sparse, reset=True)


def rows_like_fitted(estimator: Any, x: Any, *, sparse: bool, frames: bool) -> Any:
    """Return rows of the width, and under the names, that the estimator was fitted on; a table is matched by name."""
    known: dict[str, Any] = estimator.__dict__
    if hasattr(x, "tocsr"):
        x = sound_csr(x)
    if _is_plain(x, sparse=sparse) and x.shape[1] == known["n_features_in_"] and "feature_names_in_" not in known:
        return x
    if frames and _has_columns(x):
        return table_of(x)
    return _checked(estimator, x, sparse=sparse, reset=False)


def labels(y: Any, x: Any) -> npt.NDArray[Any]:
    """Return the class of each row as a 1-D array of labels, none of them missing."""
    rows = x.shape[0]
    if not _are_labels(y, rows):
        y = column_or_1d(y, warn=True)
    if not _are_labels(y, rows):
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        check_consistent_length(x, y)
    return cast("npt.NDArray[Any]", y)


def _are_labels(y: Any, rows: int) -> bool:
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iubU" and len(y) == rows


def row_weights(sample_weight: Any, x: Any) -> npt.NDArray[Any] | None:
    """Return one weight for each row, or None; one number stands for all."""
    if sample_weight is None:
        return None
    weights: npt.NDArray[Any] = np.asarray(sample_weight)
    if not weights.ndim:
        return np.full(int(x.shape[0]), float(weights))
    if weights.shape != (x.shape[0],):
        raise DataError(
            f"sample_weight must have one number for each row: got shape {weights.shape} for "
            f"{counted(x.shape[0], 'row')}. Give shape ({x.shape[0]},), or one number for all."
        )
    return weights


def require_not_negative(name: str, x: Any, error: DataError) -> None:
    """Raise the error when a cell is negative, in scikit-learn's words, which its users' tests look for, and more."""
    values = x.data if hasattr(x, "tocsr") else x
    if (values < 0).any():
        problem = f"Negative values in data passed to {name} (input X): {error.problem}"
        raise error.located(problem=problem) from None


def _is_plain(x: Any, *, sparse: bool) -> bool:
    if type(x) is not np.ndarray and not (sparse and getattr(x, "format", "") == "csr"):
        return False
    return x.ndim == 2 and x.dtype.char in _NUMBERS and x.dtype.isnative and 0 not in x.shape


def _has_columns(x: Any) -> bool:
    # A frame, texts, or a matrix in which there is text: scikit-learn would make numbers of it, or refuse it.
    if is_texts(x):
        return True
    if isinstance(x, np.ndarray):
        matrix = cast("npt.NDArray[Any]", x)
        return matrix.ndim == 2 and matrix.dtype.kind in "OU" and any(isinstance(cell, str) for cell in matrix.flat)
    return is_frame(x)


def _checked(estimator: Any, x: Any, *, sparse: bool, reset: bool) -> Any:
    if isinstance(x, np.ma.MaskedArray):  # what is masked is missing; scikit-learn would read what is under the mask
        masked: Any = x  # pyright: ignore[reportUnknownVariableType]
        x = masked.astype(np.float64).filled(np.nan)
    accepted = "csr" if sparse else False
    rows = validate_data(estimator, x, reset=reset, accept_sparse=accepted, ensure_all_finite="allow-nan")
    return rows if _is_plain(rows, sparse=sparse) else rows.astype(np.float64)  # float16, longdouble, foreign bytes
