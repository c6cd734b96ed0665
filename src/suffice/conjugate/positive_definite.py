"""Symmetric positive-definite matrices over the last two axes: checked once, factored as A = L Lᵀ.

    ln|A| = 2 Σ ln L_jj        xᵀ A⁻¹ x = |L⁻¹ x|²        eigenvalues of B relative to A: those of L⁻¹ B L⁻ᵀ

A is factored after its rows and columns are divided by √A_jj, so that columns in unlike units do no harm.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from suffice.conjugate.arguments import FloatArray, argument, parameter
from suffice.errors import ParameterError

__all__ = ["checked", "cholesky", "diagonal", "eigenvalues_relative_to", "log_determinant", "solved"]

_SYMMETRIC_WITHIN = 1e-8


def checked(name: str, value: npt.ArrayLike, *, kept: bool = False) -> FloatArray:
    """Return the matrices, exactly symmetric and read-only where they are kept as a parameter."""
    matrix = parameter(name, value) if kept else argument(name, value)
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2] or matrix.shape[-1] == 0:
        raise ParameterError(
            f"{name} must be square, shape (…, D, D): got shape {matrix.shape}. Give a matrix for D columns."
        )
    flipped = np.swapaxes(matrix, -1, -2)
    with np.errstate(invalid="ignore"):
        uneven = ~(np.abs(matrix - flipped) <= _SYMMETRIC_WITHIN * (np.abs(matrix) + np.abs(flipped)))
    if uneven.any():
        at = tuple(int(i) for i in np.argwhere(uneven)[0])
        raise ParameterError(
            f"{name} must be symmetric: position {at} has {float(matrix[at])!r}, its mirror {float(flipped[at])!r}. "
            "Give (A + Aᵀ)/2."
        )
    matrix = (matrix + flipped) / 2
    cholesky(matrix, name)
    matrix.flags.writeable = False
    return matrix


def cholesky(matrix: FloatArray, name: str = "the matrix") -> FloatArray:
    """Return L with L Lᵀ = A, or say which eigenvalue is not positive."""
    spread = diagonal(matrix)
    if (spread > 0).all():
        root = np.sqrt(spread)
        try:
            factor: FloatArray = np.linalg.cholesky(matrix / root[..., :, None] / root[..., None, :]).astype(np.float64)
            return factor * root[..., :, None]
        except np.linalg.LinAlgError:
            pass
    least = float(np.linalg.eigvalsh(matrix).min())
    raise ParameterError(
        f"{name} must be positive definite: its smallest eigenvalue is {least:.6g}. "
        "Add a positive diagonal, or drop columns that depend on others."
    )


def diagonal(matrix: FloatArray) -> FloatArray:
    """Return A_jj, shape (…, D)."""
    return np.diagonal(matrix, axis1=-2, axis2=-1)


def log_determinant(factor: FloatArray) -> FloatArray:
    """Return ln|A| from its factor L."""
    return 2 * np.log(diagonal(factor)).sum(axis=-1)


def solved(factor: FloatArray, vector: FloatArray) -> FloatArray:
    """Return L⁻¹ x, over the last axis of x."""
    return np.asarray(np.linalg.solve(factor, vector[..., None])[..., 0], dtype=np.float64)


def eigenvalues_relative_to(factor: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return the eigenvalues of L⁻¹ B L⁻ᵀ, shape (…, D)."""
    half = np.linalg.solve(factor, matrix)
    inner = np.linalg.solve(factor, np.swapaxes(half, -1, -2))
    return np.asarray(np.linalg.eigvalsh((inner + np.swapaxes(inner, -1, -2)) / 2), dtype=np.float64)
