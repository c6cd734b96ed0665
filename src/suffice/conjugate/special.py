"""The special functions of SciPy that this room calls, with types: SciPy ships none.

gammaln(x) = ln Γ(x)                          xlogy(x, y) = x ln y, 0 where x = 0
betainc(a, b, x) = I_x(a, b)                  betaincinv(a, b, p), betainccinv(a, b, t): I_x = p, 1 − I_x = t
gammainc(a, x), gammaincc(a, x)               P(a, x) and Q(a, x) = 1 − P(a, x); the inverses in x likewise
stdtr(ν, t), stdtrit(ν, p), ndtri(p)          Student's t and its quantile; the quantile of the Gaussian
polygamma(k, x)                               the k-th derivative of digamma, digamma itself for k = 0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from scipy import special as _special  # pyright: ignore[reportMissingTypeStubs]

from suffice.conjugate.arguments import FloatArray

__all__ = [
    "betainc",
    "betaincc",
    "betainccinv",
    "betaincinv",
    "expit",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "ndtri",
    "polygamma",
    "stdtr",
    "stdtrit",
    "xlogy",
]

_One: TypeAlias = Callable[[FloatArray], FloatArray]
_Two: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
_Three: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]

_scipy: Any = _special

expit: _One = _scipy.expit
gammaln: _One = _scipy.gammaln
ndtri: _One = _scipy.ndtri
xlogy: _Two = _scipy.xlogy
gammainc: _Two = _scipy.gammainc
gammaincc: _Two = _scipy.gammaincc
gammaincinv: _Two = _scipy.gammaincinv
gammainccinv: _Two = _scipy.gammainccinv
stdtr: _Two = _scipy.stdtr
stdtrit: _Two = _scipy.stdtrit
betainc: _Three = _scipy.betainc
betaincc: _Three = _scipy.betaincc
betaincinv: _Three = _scipy.betaincinv
betainccinv: _Three = _scipy.betainccinv


_GREATEST = 1e100  # what is beyond says no more, and its products stay within the floats


def polygamma(order: int, x: FloatArray) -> FloatArray:
    """Return the derivative of digamma of that order, at most 1e100 in size (reached below x ≈ 1e-34)."""
    found: FloatArray = _scipy.psi(x) if order == 0 else _scipy.polygamma(order, x)
    return np.clip(found, -_GREATEST, _GREATEST)
