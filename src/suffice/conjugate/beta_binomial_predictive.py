"""The number of successes in n trials when θ ~ Beta(a, b) is integrated out.

pmf        p(y) = C(n, y) B(y + a, n − y + b) / B(a, b),   y = 0 … n
mean       n a/(a + b)                 variance   n ab (a + b + n) / ((a + b)² (a + b + 1))
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
    plain,
    positive,
    require,
    whole,
)
from suffice.conjugate.beta_binomial_cdf import beta_binomial_cdf
from suffice.conjugate.gamma_draws import simplex_draws
from suffice.conjugate.log_gamma import log_dirichlet_multinomial
from suffice.conjugate.shown import shown
from suffice.conjugate.values import made_again, same_values
from suffice.errors import ParameterError

__all__ = ["BetaBinomialPredictive"]

_EXACT = 2.0**53


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class BetaBinomialPredictive:
    """The beta-binomial distribution of successes in n trials.

    Parameters
    ----------
    n : int or array of whole numbers ≥ 0
        Trials.
    a, b : float or array > 0
        Of the beta distribution of the success probability. n, a and b broadcast.

    Examples
    --------
    >>> two = BetaBinomialPredictive(2, 1, 1)
    >>> two.pmf([0, 1, 2, 3]).round(6)
    array([0.333333, 0.333333, 0.333333, 0.      ])
    >>> float(two.mean)
    1.0
    """

    n: FloatArray
    a: FloatArray
    b: FloatArray

    def __init__(self, n: npt.ArrayLike, a: npt.ArrayLike, b: npt.ArrayLike) -> None:
        trials = counting("n", n)
        require(
            trials <= _EXACT, trials, "n must be at most 2⁵³, up to which every count is a float", "Give fewer trials."
        )
        trials, a, b = broadcast(("n", "a", "b"), (trials, positive("a", a), positive("b", b)), ParameterError)
        object.__setattr__(self, "n", trials)
        object.__setattr__(self, "a", a)
        object.__setattr__(self, "b", b)

    def log_pmf(self, successes: npt.ArrayLike) -> Reals:
        """Return ln p(y); −inf where y > n.

        Examples
        --------
        >>> round(float(BetaBinomialPredictive(1, 3, 1).log_pmf(1)), 6)  # ln ¾
        -0.287682
        """
        y, n, a, b = self._at(successes)
        possible = y <= n
        counts = np.stack([np.where(possible, y, 0.0), np.where(possible, n - y, n)], axis=-1)
        return plain(np.where(possible, log_dirichlet_multinomial(counts, np.stack([a, b], axis=-1)), -np.inf))

    def pmf(self, successes: npt.ArrayLike) -> Reals:
        """Return p(y); 0 where y > n."""
        return plain(np.exp(self.log_pmf(successes)))

    def cdf(self, successes: npt.ArrayLike) -> Reals:
        """Return P(Y ≤ y): the sum of the pmf up to n = 1000, an integral good to 1e-11 beyond.

        Examples
        --------
        >>> BetaBinomialPredictive(3, 1, 1).cdf([0, 1, 2, 3])
        array([0.25, 0.5 , 0.75, 1.  ])
        """
        return plain(beta_binomial_cdf(*self._at(successes)))

    @property
    def mean(self) -> Reals:
        """E Y = n a/(a + b)."""
        return plain(self.n * (self.a / (self.a + self.b)))

    @property
    def variance(self) -> Reals:
        """Var Y = n ab (a + b + n) / ((a + b)² (a + b + 1))."""
        total = self.a + self.b
        return plain(self.n * (self.a / total) * (self.b / total) * ((total + self.n) / (total + 1)))

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> npt.NDArray[np.int64]:
        """Return n draws of the number of successes, shape (n, …)."""
        source = generator(rng)
        theta = simplex_draws(np.stack([self.a, self.b], axis=-1), whole("n", n, 0), source)[..., 0]
        return np.asarray(source.binomial(self.n.astype(np.int64), theta), dtype=np.int64)

    def _at(self, successes: npt.ArrayLike) -> tuple[FloatArray, ...]:
        y = counting("successes", successes)
        return broadcast(("successes", "n", "a", "b"), (y, self.n, self.a, self.b), ParameterError)

    def __eq__(self, other: object) -> bool:
        return same_values(self, other) if isinstance(other, BetaBinomialPredictive) else NotImplemented

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        return made_again(self)

    def __repr__(self) -> str:
        return shown(self, n=self.n, a=self.a, b=self.b)
