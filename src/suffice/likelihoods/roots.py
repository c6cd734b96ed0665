"""Where a function of one number is zero."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["root"]


def root(function: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """Return where the function is zero between two places at which its signs differ.

    Examples
    --------
    >>> round(root(lambda x: x * x - 2, 0.0, 2.0, 1e-14), 12)
    1.414213562373
    """
    # Not before it is needed: SciPy's optimizers take longer to load than many a command to end.
    from scipy.optimize import brentq  # pyright: ignore[reportMissingTypeStubs]

    return float(brentq(function, low, high, xtol=tolerance, rtol=1e-14))
