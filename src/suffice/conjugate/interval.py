"""Intervals that hold a stated mass: equal-tailed, or of highest density.

With mass 1 − level outside, p of it below and the rest above:

    equal-tailed       p = (1 − level)/2
    highest-density    the shortest: f(lower) = f(upper) for a density with one peak inside, otherwise touching the end
                       at which the density is highest

    g(p) = ln f(Q(p)) − ln f(Q(p + level)) rises in p for such a density: its root, in [0, 1 − level], is found by
    Chandrupatla's method (Advances in Engineering Software 28, 1997): inverse quadratic steps where they are safe,
    halving elsewhere. The mass is right whatever p is; the root only decides where the interval lies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, final

import numpy as np

from suffice.conjugate.arguments import FloatArray, Reals, is_real, option, plain
from suffice.errors import ParameterError

__all__ = ["Interval", "IntervalKind", "asked", "interval", "log_quotient"]

IntervalKind: TypeAlias = Literal["equal-tailed", "highest-density"]
Quantile: TypeAlias = Callable[[FloatArray], FloatArray]

_STEPS = 100


@final
@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of a distribution: it unpacks as `lower, upper`.

    Parameters
    ----------
    lower, upper : float, or array of the model's shape
    level : float
        The mass between them.
    kind : "equal-tailed" or "highest-density"

    Examples
    --------
    >>> from suffice.conjugate import BetaBinomial
    >>> lower, upper = BetaBinomial(1, 1).interval(0.9)
    >>> print(round(lower, 6), round(upper, 6))
    0.05 0.95
    """

    lower: Reals
    upper: Reals
    level: float
    kind: str

    def __iter__(self) -> Iterator[Reals]:
        yield self.lower
        yield self.upper


def asked(level: float, kind: str) -> tuple[float, str]:
    """Return the checked level and kind."""
    option("kind", kind, ("equal-tailed", "highest-density"))
    if not is_real(level) or not 0 < level < 1:
        raise ParameterError(f"level must be a number between 0 and 1: got {level!r}. Give for example 0.95.")
    return float(level), kind


def interval(
    level: float,
    kind: str,
    shape: tuple[int, ...],
    below: Quantile,
    above: Quantile,
    log_density_gap: Callable[[FloatArray, FloatArray], FloatArray],
) -> Interval:
    """Return the interval of a distribution given by its quantiles from both sides.

    log_density_gap(x, y) is ln f(x) − ln f(y); it is 0 everywhere for a flat density, which gets the equal tails.
    """
    level, kind = asked(level, kind)
    outside = 1 - level
    low = np.full(shape, outside / 2)
    if kind == "highest-density":
        low = _root(lambda p: log_density_gap(below(p), above(outside - p)), low, outside)
    return Interval(plain(below(low)), plain(above(outside - low)), level, kind)


def log_quotient(x: FloatArray, y: FloatArray, difference: FloatArray) -> FloatArray:
    """Return ln(x/y) given x − y, which keeps the digits that x/y rounds off when it is multiplied by 10¹²."""
    return np.where(np.abs(difference) < 0.5 * y, np.log1p(difference / y), np.log(x) - np.log(y))


def _root(g: Quantile, start: FloatArray, outside: float) -> FloatArray:
    a, b = np.zeros_like(start), np.full_like(start, outside)
    with np.errstate(all="ignore"):
        fa, fb = g(a), g(b)
        # A density highest at an end: no sign change. A flat one: g = 0 at both, keep the middle.
        done = (fa >= 0) | (fb <= 0)
        found = np.where(fa > 0, a, np.where(fb < 0, b, np.where(fa == fb, start, np.where(fa == 0, a, b))))
        c, fc = a, fa
        fraction = np.full_like(start, 0.5)
        for _ in range(_STEPS):
            x = a + fraction * (b - a)
            fx = g(x)
            same = np.sign(fx) == np.sign(fa)
            c, fc, b, fb = np.where(same, a, b), np.where(same, fa, fb), np.where(same, b, a), np.where(same, fb, fa)
            a, fa = x, fx
            best = np.where(np.abs(fa) < np.abs(fb), a, b)
            found = np.where(done, found, best)
            tolerance = 2e-16 * np.abs(best) + 1e-300
            done = done | (fa == 0) | (np.abs(b - a) <= 2 * tolerance)
            if done.all():
                break
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            quadratic = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
            safe = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi) & np.isfinite(quadratic)
            margin = tolerance / np.abs(b - a)
            fraction = np.where(safe, np.clip(quadratic, margin, 1 - margin), 0.5)
    return found
