"""Special functions: those of SciPy, imported on first use, log-gamma arithmetic without cancellation, and gamma draws.

Importing SciPy takes longer than most commands, so the functions below import it when they are first called.

    gammaln(x) = ln Γ(x)                          xlogy(x, y) = x ln y, xlog1py(x, y) = x ln(1 + y), 0 where x = 0
    betaincinv(a, b, p), betainccinv(a, b, t)     the x with I_x(a, b) = p, and with 1 − I_x(a, b) = t
    gammaincc(a, x) = Q(a, x)                     gammaincinv(a, p), gammainccinv(a, t): P(a, x) = p, Q(a, x) = t
    stdtr(ν, t), stdtrit(ν, p)                    distribution function and quantile of Student's t

**Log-gamma without cancellation.** lnΓ(a + n) − lnΓ(a) loses all digits where lnΓ is large: at 10¹² it is 2.7·10¹³,
whose last bit is 0.004. Here the terms x ln x − x of Stirling's formula are split off each lnΓ and combined
analytically; the remainders are small and smooth.

    h(x) = lnΓ(x + 1) − x ln x + x            h(0) = 0, h(x) → ½ ln 2πx + 1/(12x) − 1/(360x³) + …
    D(x, M) = x ln(x/M) − x + M ≥ 0           the deviance; with d = x − M and v = d/(x + M)
            = d v + 2x (v³/3 + v⁵/5 + …)      for small v (Loader 2000, Fast and accurate computation of binomials)

With counts y, N = Σ y, prior α, α₀ = Σ α, and the posterior mean m_k = (y_k + α_k)/(N + α₀), the pmf of the counts is
likelihood × prior / posterior at θ = m, so

    ln p(y) = h(N) − Σ h(y_k) + Σ [h(y_k + α_k) − h(α_k)] − h(N + α₀) + h(α₀)
              − Σ [D(y_k, N m_k) + D(α_k, α₀ m_k)] − Σ ln((α_k + y_k)/α_k) + ln((α₀ + N)/α₀)
    y_k − N m_k = d_k = (y_k ᾱ_k − ȳ_k α_k)/(N + α₀) = −(α_k − α₀ m_k),     ᾱ_k = α₀ − α_k, ȳ_k = N − y_k
    ln coefficient = ln N!/Πy_k! = h(N) − Σ h(y_k) + Σ y_k ln(1 + ȳ_k/y_k)
    ln p(y|θ) = h(N) − Σ [h(y_k) + D(y_k, N θ_k)],     y_k − N θ_k = y_k θ̄_k − ȳ_k θ_k,  θ̄_k = 1 − θ_k
    ln Dir(θ|α) = h(α₀) − Σ h(α_k) + Σ ln α_k − ln α₀ − Σ [ln θ_k + D(α_k, α₀ θ_k)]
    ln Γ(a + n) − ln Γ(a) = h(a + n) − h(a) + (a − 1) L + n ln(a + n) − n,     L = ln((a + n)/a)

The beta-binomial is the case K = 2.

**Gamma draws.** ln G with G ~ Gamma(shape, 1) is drawn instead of G, which underflows for small shapes:

    G(a) = G(a + 1) U^(1/a), so ln G(a) = ln G(a + 1) + ln(U)/a            (Marsaglia and Tsang 2000, §6)

Beta and Dirichlet draws are ratios of gammas, θ_k = exp(ln G_k − ln Σ G), and never 0/0.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from suffice.arguments import FloatArray

__all__ = [
    "betainccinv",
    "betaincinv",
    "deviance",
    "digamma",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "log_coefficient",
    "log_dirichlet_density",
    "log_dirichlet_multinomial",
    "log_gamma_draws",
    "log_multinomial",
    "log_ratio",
    "log_rising",
    "preload_scipy",
    "remainder",
    "rest",
    "simplex_draws",
    "stdtr",
    "stdtrit",
    "xlog1py",
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
    """Start to import SciPy in a thread, for a caller that needs it later."""
    threading.Thread(target=_scipy, name="special-functions", daemon=True).start()


def _call(name: str, *x: FloatArray) -> FloatArray:
    return getattr(_scipy(), name)(*x)


digamma: _One = partial(_call, "digamma")
gammaln: _One = partial(_call, "gammaln")
xlogy: _Two = partial(_call, "xlogy")
xlog1py: _Two = partial(_call, "xlog1py")
gammaincc: _Two = partial(_call, "gammaincc")
gammaincinv: _Two = partial(_call, "gammaincinv")
gammainccinv: _Two = partial(_call, "gammainccinv")
stdtr: _Two = partial(_call, "stdtr")
stdtrit: _Two = partial(_call, "stdtrit")
betaincinv: _Three = partial(_call, "betaincinv")
betainccinv: _Three = partial(_call, "betainccinv")


_STIRLING_FROM = 16.0
_SERIES_BELOW = 0.1
_SMALLEST = 5e-324


def remainder(x: FloatArray) -> FloatArray:
    """Return h(x) = lnΓ(x + 1) − x ln x + x for x ≥ 0."""
    large = np.maximum(x, _STIRLING_FROM)
    square = (1 / large) ** 2
    series = 1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))
    small = np.minimum(x, _STIRLING_FROM)
    return np.where(
        x >= _STIRLING_FROM,
        0.5 * np.log(2 * math.pi * large) + series / large,
        gammaln(small + 1) - xlogy(small, small) + small,
    )


def deviance(x: FloatArray, mean: FloatArray, difference: FloatArray) -> FloatArray:
    """Return D(x, M) = x ln(x/M) − x + M given d = x − M; 0 at x = M = 0, inf at M = 0 < x."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        v = np.where(difference == 0, 0.0, difference / (x + mean))
        square = v * v
        tail = np.zeros_like(v)
        for k in range(19, 1, -2):  # 0.1¹⁹/19 is below the last bit of 0.1³/3
            tail = square * (1 / k + tail)
        near = difference * v + 2 * x * v * tail
        ratio = x / mean
        logarithm = np.where(np.isfinite(ratio) & (ratio > 0), np.log(ratio), np.log(x) - np.log(mean))
        far = np.where(x == 0, mean, x * logarithm - difference)
    return np.where(np.abs(v) < _SERIES_BELOW, near, far)


def log_ratio(x: FloatArray, increment: FloatArray) -> FloatArray:
    """Return ln((x + increment)/x) for x > 0 and increment ≥ 0, however small or large their quotient."""
    with np.errstate(over="ignore"):
        quotient = increment / x
    return np.where(np.isfinite(quotient), np.log1p(quotient), np.log(x + increment) - np.log(x))


def log_rising(a: FloatArray, n: FloatArray) -> FloatArray:
    """Return ln Γ(a + n) − ln Γ(a), the log of the rising factorial a(a + 1)…(a + n − 1)."""
    return remainder(a + n) - remainder(a) + (a - 1) * log_ratio(a, n) + n * np.log(a + n) - n


def rest(parts: FloatArray) -> FloatArray:
    """Return, for each entry of the last axis, the sum of the others.

    The sum is the total minus the entry, except for the largest entry, where that would cancel. For two entries the
    result is the other entry exactly.
    """
    if parts.shape[-1] == 2:
        return parts[..., ::-1]
    largest: npt.NDArray[np.bool_] = np.arange(parts.shape[-1], dtype=np.int64) == np.argmax(parts, axis=-1)[..., None]
    others: FloatArray = np.where(largest, 0.0, parts).sum(axis=-1, keepdims=True)
    total: FloatArray = parts.sum(axis=-1, keepdims=True)
    return np.where(largest, others, total - parts)


def log_coefficient(counts: FloatArray) -> FloatArray:
    """Return ln N!/Πy_k! over the last axis."""
    total = counts.sum(axis=-1)
    spread = np.where(counts > 0, counts * log_ratio(np.where(counts > 0, counts, 1.0), rest(counts)), 0.0)
    return remainder(total) - remainder(counts).sum(axis=-1) + spread.sum(axis=-1)


def log_multinomial(counts: FloatArray, theta: FloatArray) -> FloatArray:
    """Return the log pmf of the counts over the last axis, N of them drawn with probabilities θ of the same shape."""
    total = counts.sum(axis=-1)
    difference = counts * rest(theta) - rest(counts) * theta
    terms = remainder(counts) + deviance(counts, total[..., None] * theta, difference)
    return remainder(total) - terms.sum(axis=-1)


def log_dirichlet_multinomial(counts: FloatArray, alpha: FloatArray) -> FloatArray:
    """Return the log pmf of the counts over the last axis, N of them drawn with θ ~ Dir(α)."""
    counts, alpha = np.broadcast_arrays(counts, alpha)
    total, strength = counts.sum(axis=-1), alpha.sum(axis=-1)
    both = (total + strength)[..., None]
    difference = counts * (rest(alpha) / both) - rest(counts) * (alpha / both)
    mean = (counts + alpha) / both
    terms = (
        remainder(counts + alpha)
        - remainder(counts)
        - remainder(alpha)
        - log_ratio(alpha, counts)
        - deviance(counts, total[..., None] * mean, difference)
        # α₀ m_k may underflow when both are tiny; D is then 0 and must not become inf
        - deviance(alpha, np.maximum(strength[..., None] * mean, _SMALLEST), -difference)
    )
    whole = remainder(total) + remainder(strength) - remainder(total + strength) + log_ratio(strength, total)
    return terms.sum(axis=-1) + whole


def log_dirichlet_density(theta: FloatArray, alpha: FloatArray) -> FloatArray:
    """Return the log density of Dir(α) at points of the simplex over the last axis.

    At θ_k = 0 it is inf for α_k < 1 and −inf for α_k > 1; where both meet it is −inf, the limit along the second face.
    """
    theta, alpha = np.broadcast_arrays(theta, alpha)
    strength = alpha.sum(axis=-1, keepdims=True)
    difference = alpha * rest(theta) - rest(alpha) * theta
    inside = np.where(theta > 0, theta, 1.0)
    terms = -np.log(inside) - deviance(alpha, strength * inside, np.where(theta > 0, difference, 0.0))
    # (α_k − 1) ln θ_k is 0 at α_k = 1: there −ln θ_k − D(1, α₀θ_k) → 1 + ln α₀.
    edge = np.where(alpha < 1, np.inf, 1 + np.log(strength))
    impossible = ((theta == 0) & (alpha > 1)).any(axis=-1)
    terms = np.where(theta > 0, terms, edge) + np.log(alpha) - remainder(alpha)
    return np.where(impossible, -np.inf, terms.sum(axis=-1) + (remainder(strength) - np.log(strength))[..., 0])


def log_gamma_draws(shape: FloatArray, size: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Return independent draws of ln G, of the given size, whose last axes are the shape's."""
    small = shape < 1
    drawn = np.log(rng.standard_gamma(np.where(small, shape + 1, shape), size=size))
    # −Exp(1) is ln U without ever drawing U = 0
    return np.where(small, drawn - rng.standard_exponential(size=size) / shape, drawn)


def simplex_draws(alpha: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    """Return n draws of Dir(α) over the last axis, shape (n, …, K)."""
    logs = log_gamma_draws(alpha, (n, *alpha.shape), rng)
    weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)
