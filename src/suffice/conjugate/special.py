"""Special functions of SciPy, imported when the first of them is called: SciPy takes longer to load than most commands.

gammaln(x) = ln Γ(x)                          xlogy(x, y) = x ln y, 0 where x = 0
betaincinv(a, b, p), betainccinv(a, b, t)     the x with I_x(a, b) = p, and with 1 − I_x(a, b) = t
gammaincc(a, x) = Q(a, x)                     gammaincinv(a, p), gammainccinv(a, t): the x with P(a, x) = p, Q(a, x) = t
stdtr(ν, t), stdtrit(ν, p)                    Student's t and its quantile
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeAlias

from suffice.conjugate.arguments import FloatArray

__all__ = [
    "betainccinv",
    "betaincinv",
    "digamma",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "preload_scipy",
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


def preload_scipy() -> None:
    """Start to import SciPy in a thread, for a caller that will need it later."""
    threading.Thread(target=_scipy, name="special-functions", daemon=True).start()


def _call(name: str, *x: FloatArray) -> FloatArray:
    return getattr(_scipy(), name)(*x)


digamma: _One = partial(_call, "digamma")
gammaln: _One = partial(_call, "gammaln")
xlogy: _Two = partial(_call, "xlogy")
gammaincc: _Two = partial(_call, "gammaincc")
gammaincinv: _Two = partial(_call, "gammaincinv")
gammainccinv: _Two = partial(_call, "gammainccinv")
stdtr: _Two = partial(_call, "stdtr")
stdtrit: _Two = partial(_call, "stdtrit")
betaincinv: _Three = partial(_call, "betaincinv")
betainccinv: _Three = partial(_call, "betainccinv")
