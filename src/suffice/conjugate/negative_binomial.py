"""The total of n Poisson counts when their rate is Gamma(r, β): negative binomial.

With p = β/(β + n) and q = n/(β + n):

    pmf    Γ(y + r)/(Γ(r) y!) · p^r q^y
    ln     h(y + r) − h(r) − h(y) − ln((y + r)/r) − D(y, (y + r)q) − D(r, (y + r)p)      h, D as in log_gamma.py
    mean   r n/β            variance   r (n/β)(1 + n/β)            P(Y ≤ y) = I_p(r, y + 1)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate.arguments import (
    FloatArray,
    Reals,
    broadcast,
    counting,
    generator,
    parameter,
    plain,
    positive,
    require,
    whole,
)
from suffice.conjugate.beta_mass import beta_mass_above, beta_mass_below
from suffice.conjugate.gamma_draws import log_gamma_draws
from suffice.conjugate.log_gamma import deviance, log_ratio, remainder
from suffice.conjugate.shown import shown
from suffice.conjugate.values import made_again, same_values
from suffice.errors import ParameterError

__all__ = ["NegativeBinomial"]

_NORMAL = 1e-290  # below it p has lost digits, and ln p is taken from β and n
_LARGEST_RATE = 9.2e18  # of NumPy's Poisson draws, which are int64


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class NegativeBinomial:
    """The negative binomial distribution of a total of Poisson counts.

    Parameters
    ----------
    shape, rate : float or array > 0
        r and β of the gamma distribution of the Poisson rate.
    n : float or array ≥ 0
        How many counts are added up (or how long one is exposed). All three broadcast.

    Examples
    --------
    >>> NegativeBinomial(1, 1).pmf([0, 1, 2])
    array([0.5  , 0.25 , 0.125])
    """

    shape: FloatArray
    rate: FloatArray
    n: FloatArray

    def __init__(self, shape: npt.ArrayLike, rate: npt.ArrayLike, n: npt.ArrayLike = 1) -> None:
        exposure = parameter("n", n)
        require(exposure >= 0, exposure, "n must be ≥ 0", "Give the number of counts that are added up.")
        r, beta, exposure = broadcast(
            ("shape", "rate", "n"), (positive("shape", shape), positive("rate", rate), exposure), ParameterError
        )
        object.__setattr__(self, "shape", r)
        object.__setattr__(self, "rate", beta)
        object.__setattr__(self, "n", exposure)

    def log_pmf(self, total: npt.ArrayLike) -> Reals:
        """Return ln p(y).

        Examples
        --------
        >>> round(float(NegativeBinomial(2, 1).log_pmf(0)), 6)  # ln ¼
        -1.386294
        """
        y, r, beta, n = self._at(total)
        p, q = beta / (beta + n), n / (beta + n)
        difference = y * p - r * q
        of_r = np.where(
            p > _NORMAL,
            deviance(r, (y + r) * p, -difference),
            difference - r * (log_ratio(r, y) - log_ratio(beta, n)),
        )
        terms = remainder(y + r) - remainder(r) - remainder(y) - log_ratio(r, y)
        return plain(terms - deviance(y, (y + r) * q, difference) - of_r)

    def pmf(self, total: npt.ArrayLike) -> Reals:
        """Return p(y)."""
        return plain(np.exp(self.log_pmf(total)))

    def cdf(self, total: npt.ArrayLike) -> Reals:
        """Return P(Y ≤ y) = I_p(r, y + 1).

        Examples
        --------
        >>> NegativeBinomial(1, 1).cdf([0, 1, 2])
        array([0.5  , 0.75 , 0.875])
        """
        y, r, beta, n = self._at(total)
        p, q = beta / (beta + n), n / (beta + n)
        # the smaller of p and q is the exact one
        return plain(np.where(p <= q, beta_mass_below(r, y + 1, p), beta_mass_above(y + 1, r, q)))

    @property
    def mean(self) -> Reals:
        """E Y = r n/β."""
        with np.errstate(over="ignore"):
            return plain(self.shape * (self.n / self.rate))

    @property
    def variance(self) -> Reals:
        """Var Y = r (n/β)(1 + n/β)."""
        with np.errstate(over="ignore"):
            return plain(self.shape * (self.n / self.rate) * (1 + self.n / self.rate))

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> npt.NDArray[np.int64]:
        """Return n draws of the total, shape (n, …)."""
        source = generator(rng)
        draws = log_gamma_draws(self.shape, (whole("n", n, 0), *self.shape.shape), source)
        with np.errstate(over="ignore", divide="ignore"):
            rates = np.exp(draws + (np.log(self.n) - np.log(self.rate)))
        require(
            rates <= _LARGEST_RATE,
            rates,
            "draws must fit int64, so their Poisson rate must be ≤ 9.2e18",
            "Measure the counts in larger units.",
        )
        return np.asarray(source.poisson(rates), dtype=np.int64)

    def _at(self, total: npt.ArrayLike) -> tuple[FloatArray, ...]:
        y = counting("total", total)
        return broadcast(("total", "shape", "rate", "n"), (y, self.shape, self.rate, self.n), ParameterError)

    def __eq__(self, other: object) -> bool:
        return same_values(self, other) if isinstance(other, NegativeBinomial) else NotImplemented

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        return made_again(self)

    def __repr__(self) -> str:
        return shown(self, shape=self.shape, rate=self.rate, n=self.n)
