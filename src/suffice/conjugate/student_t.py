"""Student's t with ν degrees of freedom, location m and scale s: z = (x − m)/s.

ln f   ln Γ((ν+1)/2) − ln Γ(ν/2) − ½ ln νπ − ln s − ½(ν + 1) ln(1 + z²/ν)
mean   m for ν > 1 (for ν ≤ 1 it does not exist; m is the centre of symmetry)
variance   s² ν/(ν − 2) for ν > 2, else inf
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
from suffice.conjugate.shown import shown
from suffice.conjugate.special import stdtr
from suffice.conjugate.values import made_again, same_values
from suffice.errors import ParameterError

__all__ = ["StudentT", "log_one_plus_square"]

_SQUARES_BELOW = 1e150


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class StudentT:
    """Student's t distribution.

    Parameters
    ----------
    degrees : float or array > 0
    location : float or array
        In the unit of x.
    scale : float or array > 0
        In the unit of x; not the standard deviation. All three broadcast.

    Examples
    --------
    >>> StudentT(1, 0, 1).cdf([-1, 0, 1])
    array([0.25, 0.5 , 0.75])
    """

    degrees: FloatArray
    location: FloatArray
    scale: FloatArray

    def __init__(self, degrees: npt.ArrayLike, location: npt.ArrayLike, scale: npt.ArrayLike) -> None:
        names = ("degrees", "location", "scale")
        values = (positive("degrees", degrees), parameter("location", location), positive("scale", scale))
        for name, value in zip(names, broadcast(names, values, ParameterError), strict=True):
            object.__setattr__(self, name, value)

    def log_pdf(self, x: npt.ArrayLike) -> Reals:
        """Return the log density; −inf at ±inf.

        Examples
        --------
        >>> round(float(StudentT(1, 0, 1).log_pdf(0)), 6)  # −ln π
        -1.14473
        """
        away, nu, scale = self._at(x)
        constant = log_rising(nu / 2, np.asarray(0.5)) - 0.5 * np.log(nu * math.pi) - np.log(scale)
        return plain(constant - 0.5 * (nu + 1) * log_one_plus_square(away, scale, nu))

    def pdf(self, x: npt.ArrayLike) -> Reals:
        """Return the density."""
        with np.errstate(over="ignore"):
            return plain(np.exp(self.log_pdf(x)))

    def cdf(self, x: npt.ArrayLike) -> Reals:
        """Return P(X ≤ x)."""
        away, nu, scale = self._at(x)
        with np.errstate(over="ignore"):
            z = away / scale
        tail = stdtr(nu, -np.abs(z))  # the lower tail is exact also where the upper is 1 to the last bit
        return plain(np.where(z < 0, tail, 1 - tail))

    @property
    def mean(self) -> Reals:
        """The location: the mean where ν > 1, the centre of symmetry otherwise."""
        return plain(self.location)

    @property
    def variance(self) -> Reals:
        """s² ν/(ν − 2), inf where ν ≤ 2."""
        finite = self.degrees > 2
        with np.errstate(over="ignore"):
            value = self.scale**2 * (self.degrees / np.where(finite, self.degrees - 2, 1.0))
        return plain(np.where(finite, value, np.inf))

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> FloatArray:
        """Return n draws, shape (n, …)."""
        source, size = generator(rng), (whole("n", n, 0), *self.degrees.shape)
        half = self.degrees / 2
        logs = log_gamma_draws(half, size, source)
        with np.errstate(over="ignore"):
            return self.location + self.scale * source.standard_normal(size) * np.exp(0.5 * (np.log(half) - logs))

    def _at(self, x: npt.ArrayLike) -> tuple[FloatArray, ...]:
        names = ("x", "degrees", "location", "scale")
        values = (argument("x", x), self.degrees, self.location, self.scale)
        x, nu, location, scale = broadcast(names, values, ParameterError)
        with np.errstate(over="ignore"):
            return x - location, nu, scale

    def __eq__(self, other: object) -> bool:
        return same_values(self, other) if isinstance(other, StudentT) else NotImplemented

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        return made_again(self)

    def __repr__(self) -> str:
        return shown(self, degrees=self.degrees, location=self.location, scale=self.scale)


def log_one_plus_square(away: FloatArray, scale: FloatArray, nu: FloatArray) -> FloatArray:
    """Return ln(1 + r²) for r = |away|/(scale √ν), also where r or r² is beyond all floats."""
    size = np.abs(away)
    with np.errstate(over="ignore", divide="ignore"):
        r = size / scale / np.sqrt(nu)
        log_r = np.log(size) - np.log(scale) - 0.5 * np.log(nu)
    return np.where(r < _SQUARES_BELOW, np.log1p(np.minimum(r, _SQUARES_BELOW) ** 2), 2 * log_r)
