"""Weight, mean and squared deviations of real values, from whichever form the caller has.

    weight n = Σ w      mean x̄ = Σ w x/n      dp = Σ w (x − x̄)²        scatter S = Σ w (x − x̄)(x − x̄)ᵀ

Two passes, never Σ x². Weight 0: no deviations, and whatever mean is given says nothing. NaN is missing; of a row of
several columns with a missing cell nothing is used, because its part of the posterior has no closed form.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from suffice.conjugate.arguments import FloatArray, broadcast, nonnegative, observations, one_form, require
from suffice.errors import DataError
from suffice.statistics import Moments, Scatter

__all__ = ["seen_moments", "seen_scatter"]

_RESCALE = "Rescale the column."


def seen_moments(
    model: str,
    data: npt.ArrayLike | Moments | None,
    weights: npt.ArrayLike | None,
    weight: npt.ArrayLike | None,
    mean: npt.ArrayLike | None,
    dp: npt.ArrayLike | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (weight, mean, dp) at their common shape."""
    form = one_form(model, "raw values, weight= with mean= and dp=, or Moments", _forms(data, weight, mean, dp))
    _weights_need_values(data, weights, Moments)
    if isinstance(data, Moments):
        return nonnegative("weight", data.weight), data.mean, data.dp
    if form == 1:
        given = {"weight": weight, "mean": mean, "dp": dp}
        _all_given(given)
        assert weight is not None
        assert mean is not None
        assert dp is not None
        n, squares = nonnegative("weight", weight), nonnegative("dp", dp, "Give Σ w (x − x̄)².")
        n, centre, squares = broadcast(tuple(given), (n, _finite("mean", mean), squares), DataError)
        _nothing_without_weight("dp", n, squares)
        return n, centre, squares
    assert data is not None
    x = observations("data", data)
    there = ~np.isnan(x)
    w = _row_weights(weights, x.shape) * there
    n, share = _shares(w)
    x = np.where(there, x, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        centre = (share * x).sum(axis=-1)
        away = np.where(there, x - centre[..., None], 0.0)
        left = (share * away).sum(axis=-1)  # what the rounding of the mean left over: nearly 0
        centre, squares = centre + left, (w * (away - left[..., None]) ** 2).sum(axis=-1)
    require(np.isfinite(squares), squares, "the sum of squares must be finite", _RESCALE, DataError)
    return n, np.asarray(centre), np.asarray(squares)


def seen_scatter(
    model: str,
    data: npt.ArrayLike | Scatter | None,
    weights: npt.ArrayLike | None,
    weight: npt.ArrayLike | None,
    mean: npt.ArrayLike | None,
    scatter: npt.ArrayLike | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return weight (…), mean (…, D) and scatter (…, D, D)."""
    form = one_form(model, "raw rows, weight= with mean= and scatter=, or Scatter", _forms(data, weight, mean, scatter))
    _weights_need_values(data, weights, Scatter)
    if isinstance(data, Scatter):
        return nonnegative("weight", data.weight), data.mean, data.scatter
    if form == 1:
        _all_given({"weight": weight, "mean": mean, "scatter": scatter})
        assert weight is not None
        assert mean is not None
        assert scatter is not None
        n, centre, table = nonnegative("weight", weight), _finite("mean", mean), _scatter_matrix(scatter)
        _nothing_without_weight("scatter", *broadcast(("weight", "scatter"), (n[..., None, None], table), DataError))
        return n, centre, table
    assert data is not None
    x = observations("data", data, axes=2)
    there = np.asarray(~np.isnan(x).any(axis=-1))
    w = _row_weights(weights, x.shape[:-1]) * there
    n, share = _shares(w)
    x = np.where(there[..., None], x, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        centre = (share[..., None] * x).sum(axis=-2)
        away = np.where(there[..., None], x - centre[..., None, :], 0.0)
        left = (share[..., None] * away).sum(axis=-2)
        centre, away = centre + left, away - left[..., None, :]
        table = np.swapaxes(w[..., None] * away, -1, -2) @ away
        table = (table + np.swapaxes(table, -1, -2)) / 2
    require(np.isfinite(table), table, "the scatter must be finite", _RESCALE, DataError)
    return n, centre, table


def _forms(data: object, *named: object) -> tuple[bool, bool]:
    return data is not None, any(value is not None for value in named)


def _weights_need_values(data: object, weights: object, statistic: type) -> None:
    if weights is not None and (data is None or isinstance(data, statistic)):
        raise DataError("weights= goes with raw values: got it with a statistic, whose weight is in it. Drop weights=.")


def _all_given(given: dict[str, npt.ArrayLike | None]) -> None:
    lacking = [name for name, value in given.items() if value is None]
    if lacking:
        raise DataError(f"{lacking[0]}= is missing: got only some of {', '.join(given)}. Give them together.")


def _nothing_without_weight(name: str, weight: FloatArray, values: FloatArray) -> None:
    do = "Give 0, or the weight of what was seen."
    require((values == 0) | (weight > 0), values, f"{name} must be 0 where the weight is 0", do, DataError)


def _finite(name: str, value: npt.ArrayLike) -> FloatArray:
    array = observations(name, value, axes=0)
    require(np.isfinite(array), array, f"{name} must be finite", "Give 0 where the weight is 0.", DataError)
    return array


def _scatter_matrix(scatter: npt.ArrayLike) -> FloatArray:
    table = _finite("scatter", scatter)
    if table.ndim < 2 or table.shape[-1] != table.shape[-2]:
        raise DataError(f"scatter must be square, shape (…, D, D): got shape {table.shape}. Give Σ w (x − x̄)(x − x̄)ᵀ.")
    flipped = np.swapaxes(table, -1, -2)
    require(
        np.abs(table - flipped) <= 1e-8 * (np.abs(table) + np.abs(flipped)),
        table,
        "scatter must be symmetric",
        "Give Σ w (x − x̄)(x − x̄)ᵀ.",
        DataError,
    )
    diagonal = np.diagonal(table, axis1=-2, axis2=-1)
    require(diagonal >= 0, diagonal, "the diagonal of scatter must be ≥ 0", "Give Σ w (x − x̄)(x − x̄)ᵀ.", DataError)
    return (table + flipped) / 2


def _row_weights(weights: npt.ArrayLike | None, shape: tuple[int, ...]) -> FloatArray:
    if weights is None:
        return np.ones(shape)
    w = nonnegative("weights", weights)
    try:
        return np.broadcast_to(w, shape)
    except ValueError:
        raise DataError(
            f"weights must have one entry for each value or row, shape {shape}: got shape {w.shape}. Give as many."
        ) from None


def _shares(w: FloatArray) -> tuple[FloatArray, FloatArray]:
    # Shares first, then Σ share·x: a sum of w x could overflow where the mean does not.
    n = np.asarray(w.sum(axis=-1))
    return n, w / np.where(n > 0, n, 1.0)[..., None]
