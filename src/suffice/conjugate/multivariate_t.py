"""Multivariate t in D dimensions: ν degrees of freedom, location m, scale matrix S. q = (x − m)ᵀ S⁻¹ (x − m).

ln f         ln Γ((ν + D)/2) − ln Γ(ν/2) − (D/2) ln νπ − ½ ln|S| − ½(ν + D) ln(1 + q/ν)
mean         m for ν > 1 (otherwise the centre of symmetry)          covariance   S ν/(ν − 2) for ν > 2, else inf
component    x_j alone is Student-t: ν degrees, location m_j, scale √S_jj
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate.arguments import (
    FloatArray,
    Reals,
    argument,
    broadcast,
    generator,
    parameter,
    plain,
    positive,
    whole,
)
from suffice.conjugate.gamma_draws import log_gamma_draws
from suffice.conjugate.log_gamma import log_rising
from suffice.conjugate.positive_definite import checked, cholesky, diagonal, log_determinant, solved
from suffice.conjugate.shown import shown
from suffice.conjugate.student_t import StudentT, log_one_plus_square
from suffice.conjugate.values import made_again, same_values
from suffice.errors import ParameterError

__all__ = ["MultivariateT"]

_FAR = 1e200


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class MultivariateT:
    """The multivariate t distribution.

    Parameters
    ----------
    degrees : float or array > 0, shape (…)
    location : array, shape (…, D)
    scale_matrix : array, symmetric positive definite, shape (…, D, D)

    Examples
    --------
    >>> t = MultivariateT(3, [0, 0], [[1, 0], [0, 4]])
    >>> round(float(t.log_pdf([0, 0])), 6)  # −ln 4π
    -2.531024
    >>> t.component(1)
    StudentT(degrees=3.0, location=0.0, scale=2.0)
    """

    degrees: FloatArray
    location: FloatArray
    scale_matrix: FloatArray

    def __init__(self, degrees: npt.ArrayLike, location: npt.ArrayLike, scale_matrix: npt.ArrayLike) -> None:
        nu, m = positive("degrees", degrees), parameter("location", location)
        matrix = checked("scale_matrix", scale_matrix, kept=True)
        names = ("degrees", "location", "scale_matrix")
        if m.ndim == 0 or m.shape[-1] != matrix.shape[-1]:
            raise ParameterError(
                f"location must have {matrix.shape[-1]} entries along the last axis: got shape {m.shape}. Give D."
            )
        nu, m, matrix = broadcast(names, (nu[..., None, None], m[..., :, None], matrix), ParameterError)
        object.__setattr__(self, "degrees", nu[..., 0, 0])
        object.__setattr__(self, "location", m[..., 0])
        object.__setattr__(self, "scale_matrix", matrix)

    def log_pdf(self, x: npt.ArrayLike) -> Reals:
        """Return the joint log density at x, shape (…, D); −inf where an entry is ±inf."""
        x, nu, size = self._at(x), self.degrees, self.location.shape[-1]
        factor = cholesky(self.scale_matrix)
        endless = np.asarray(np.isinf(x).any(axis=-1))
        root = np.sqrt(diagonal(self.scale_matrix))
        with np.errstate(over="ignore"):
            away = np.where(endless[..., None], 0.0, x - self.location)
            far = (np.abs(away) / root).max(axis=-1) > _FAR
        shrunk = np.where(far, 2.0**-700, 1.0)  # so that nothing overflows on the way to the length
        away = away * shrunk[..., None] / root
        away, factor_there = np.broadcast_arrays(away[..., None], factor / root[..., :, None])
        z = solved(factor_there, away[..., 0])
        longest = np.maximum(np.abs(z).max(axis=-1), 1e-300)
        length = longest * np.sqrt(((z / longest[..., None]) ** 2).sum(axis=-1))
        constant = (
            log_rising(nu / 2, np.asarray(size / 2)) - size / 2 * np.log(nu * math.pi) - log_determinant(factor) / 2
        )
        density = constant - 0.5 * (nu + size) * log_one_plus_square(length, shrunk, nu)
        return plain(np.where(endless, -np.inf, density))

    def pdf(self, x: npt.ArrayLike) -> Reals:
        """Return the joint density at x, shape (…, D)."""
        with np.errstate(over="ignore"):
            return plain(np.exp(self.log_pdf(x)))

    def cdf(self, x: npt.ArrayLike) -> Reals:
        """Return P(X_j ≤ x_j) of each component by itself, shape (…, D); the joint one has no closed form."""
        scale = np.sqrt(diagonal(self.scale_matrix))
        return StudentT(self.degrees[..., None], self.location, scale).cdf(self._at(x))

    def component(self, j: int) -> StudentT:
        """Return the distribution of x_j alone."""
        size = self.location.shape[-1]
        if whole("j", j, 0) >= size:
            raise ParameterError(f"j must be below the number of components {size}: got {j!r}. Components start at 0.")
        return StudentT(self.degrees, self.location[..., int(j)], np.sqrt(diagonal(self.scale_matrix)[..., int(j)]))

    @property
    def mean(self) -> FloatArray:
        """The location, shape (…, D): the mean where ν > 1, the centre of symmetry otherwise."""
        return self.location

    @property
    def variance(self) -> FloatArray:
        """The variance of each component, shape (…, D); inf where ν ≤ 2."""
        return diagonal(self.covariance)

    @property
    def covariance(self) -> FloatArray:
        """S ν/(ν − 2), shape (…, D, D); inf in every entry where ν ≤ 2, for it does not exist there."""
        nu = self.degrees[..., None, None]
        finite = nu > 2
        return np.where(finite, self.scale_matrix * (nu / np.where(finite, nu - 2, 1.0)), np.inf)

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> FloatArray:
        """Return n draws, shape (n, …, D)."""
        source, count, half = generator(rng), whole("n", n, 0), self.degrees / 2
        logs = log_gamma_draws(half, (count, *half.shape), source)
        normal = source.standard_normal((count, *self.location.shape))
        turned = (cholesky(self.scale_matrix) @ normal[..., None])[..., 0]
        with np.errstate(over="ignore"):
            return self.location + turned * np.exp(0.5 * (np.log(half) - logs))[..., None]

    def _at(self, x: npt.ArrayLike) -> FloatArray:
        point, size = argument("x", x), self.location.shape[-1]
        if point.ndim == 0 or point.shape[-1] != size:
            raise ParameterError(
                f"x must have {size} entries along the last axis: got shape {point.shape}. Give one a column."
            )
        return broadcast(("x", "location"), (point, self.location), ParameterError)[0]

    def __eq__(self, other: object) -> bool:
        return same_values(self, other) if isinstance(other, MultivariateT) else NotImplemented

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        return made_again(self)

    def __repr__(self) -> str:
        return shown(self, degrees=self.degrees, location=self.location, scale_matrix=self.scale_matrix)
