"""The factor by which a statistic is scaled (decay): a finite number ≥ 0."""

from __future__ import annotations

import math

from suffice.errors import ParameterError

__all__ = ["factor_of"]


def factor_of(w: float) -> float:
    """Return the factor as a float, or raise ParameterError when it is negative or not finite."""
    try:
        factor = float(w)
    except (TypeError, ValueError):
        raise ParameterError(f"a statistic is scaled by a number ≥ 0: got {w!r}.") from None
    if not (factor >= 0 and math.isfinite(factor)):
        raise ParameterError(
            f"a statistic is scaled by a finite number ≥ 0: got {factor!r}. To take data out, subtract its statistic."
        )
    return factor
