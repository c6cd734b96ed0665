"""The special functions of SciPy that this room calls, with types: SciPy ships none.

gammaln(x) = ln Γ(x)                          xlogy(x, y) = x ln y, 0 where x = 0
betainc(a, b, x) = I_x(a, b)                  betaincinv(a, b, p), betainccinv(a, b, t): I_x = p, 1 − I_x = t
gammainc(a, x), gammaincc(a, x)               P(a, x) and Q(a, x) = 1 − P(a, x); the inverses in x likewise
stdtr(ν, t), stdtrit(ν, p), ndtri(p)          Student's t and its quantile; the quantile of the Gaussian
polygamma(k, x)                               the k-th derivative of digamma, digamma itself for k = 0

SciPy is loaded when the first of them is called: that takes longer than many a command, which never asks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np

from suffice.conjugate.arguments import FloatArray

__all__ = [
    "betainc",
    "betaincc",
    "betainccinv",
    "betaincinv",
    "digamma",
    "expit",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "load_beside",
    "ndtri",
    "polygamma",
    "stdtr",
    "stdtrit",
    "xlogy",
]

_One: TypeAlias = Callable[[FloatArray], FloatArray]
_Two: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
_Three: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]


@cache
def _scipy() -> Any:
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    return special


def load_beside() -> None:
    """Begin to load SciPy beside other work, for who knows that it will be asked for."""
    threading.Thread(target=_scipy, name="special-functions", daemon=True).start()


def _call(name: str, *x: FloatArray) -> FloatArray:
    return getattr(_scipy(), name)(*x)


digamma: _One = partial(_call, "digamma")
expit: _One = partial(_call, "expit")
gammaln: _One = partial(_call, "gammaln")
ndtri: _One = partial(_call, "ndtri")
xlogy: _Two = partial(_call, "xlogy")
gammainc: _Two = partial(_call, "gammainc")
gammaincc: _Two = partial(_call, "gammaincc")
gammaincinv: _Two = partial(_call, "gammaincinv")
gammainccinv: _Two = partial(_call, "gammainccinv")
stdtr: _Two = partial(_call, "stdtr")
stdtrit: _Two = partial(_call, "stdtrit")
betainc: _Three = partial(_call, "betainc")
betaincc: _Three = partial(_call, "betaincc")
betaincinv: _Three = partial(_call, "betaincinv")
betainccinv: _Three = partial(_call, "betainccinv")


_GREATEST = 1e100  # what is beyond says no more, and its products stay within the floats


def polygamma(order: int, x: FloatArray) -> FloatArray:
    """Return the derivative of digamma of that order, at most 1e100 in size (reached below x ≈ 1e-34)."""
    found: FloatArray = digamma(x) if order == 0 else _scipy().polygamma(order, x)
    return np.clip(found, -_GREATEST, _GREATEST)
