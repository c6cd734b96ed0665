"""The textbook formulas of the conjugate pairs in 60 digits: slow, and right where floats cancel."""

from __future__ import annotations

from collections.abc import Sequence

import mpmath as mp

DIGITS = 60


def _numbers(values: Sequence[float]) -> list[mp.mpf]:
    return [mp.mpf(float(value)) for value in values]


def log_rising(a: float, n: float) -> mp.mpf:
    with mp.workdps(DIGITS):
        return mp.loggamma(mp.mpf(a) + mp.mpf(n)) - mp.loggamma(mp.mpf(a))


def log_sequence(counts: Sequence[float], alpha: Sequence[float]) -> mp.mpf:
    """ln B(α + counts) − ln B(α)."""
    with mp.workdps(DIGITS):
        y, a = _numbers(counts), _numbers(alpha)
        together = mp.loggamma(sum(a)) - mp.loggamma(sum(y) + sum(a))
        return together + sum(mp.loggamma(yk + ak) - mp.loggamma(ak) for yk, ak in zip(y, a, strict=True))


def log_coefficient(counts: Sequence[float]) -> mp.mpf:
    """ln N!/Πy_k!."""
    with mp.workdps(DIGITS):
        y = _numbers(counts)
        return mp.loggamma(sum(y) + 1) - sum(mp.loggamma(yk + 1) for yk in y)


def log_beta_density(theta: float, a: float, b: float) -> mp.mpf:
    with mp.workdps(DIGITS):
        x, p, q = _numbers((theta, a, b))
        log_beta = mp.loggamma(p) + mp.loggamma(q) - mp.loggamma(p + q)
        return (p - 1) * mp.log(x) + (q - 1) * mp.log1p(-x) - log_beta


def beta_mass(a: float, b: float, lower: float, upper: float) -> mp.mpf:
    """The mass of Beta(a, b), a and b > 1, between two points: the density summed panel by panel."""
    with mp.workdps(30):
        p, q = _numbers((a, b))
        m = p / (p + q)
        s = mp.sqrt(m * (1 - m) / (p + q + 1))
        start, stop = max(mp.mpf(lower), m - 16 * s), min(mp.mpf(upper), m + 16 * s)
        log_beta = mp.loggamma(p) + mp.loggamma(q) - mp.loggamma(p + q)
        panels = [start + (stop - start) * i / 16 for i in range(17)]
        return mp.quad(lambda x: mp.exp((p - 1) * mp.log(x) + (q - 1) * mp.log1p(-x) - log_beta), panels)


def log_negative_binomial(y: float, shape: float, rate: float, n: float) -> mp.mpf:
    with mp.workdps(DIGITS):
        y_, r, beta, e = _numbers((y, shape, rate, n))
        coefficient = mp.loggamma(y_ + r) - mp.loggamma(r) - mp.loggamma(y_ + 1)
        return coefficient + r * mp.log(beta / (beta + e)) + (y_ * mp.log(e / (beta + e)) if y else mp.mpf(0))


def log_gamma_density(theta: float, shape: float, rate: float) -> mp.mpf:
    with mp.workdps(DIGITS):
        x, r, beta = _numbers((theta, shape, rate))
        return r * mp.log(beta) + (r - 1) * mp.log(x) - beta * x - mp.loggamma(r)


def normal_inverse_gamma_evidence(prior: Sequence[float], n: float, mean: float, dp: float) -> mp.mpf:
    with mp.workdps(DIGITS):
        m, kappa, a, b = _numbers(prior)
        n_, x, squares = _numbers((n, mean, dp))
        after_kappa, after_a = kappa + n_, a + n_ / 2
        after_b = b + squares / 2 + kappa * n_ * (x - m) ** 2 / (2 * after_kappa)
        return (
            mp.loggamma(after_a)
            - mp.loggamma(a)
            + a * mp.log(b)
            - after_a * mp.log(after_b)
            + mp.log(kappa / after_kappa) / 2
            - n_ / 2 * mp.log(2 * mp.pi)
        )


def normal_inverse_wishart_evidence(
    prior: tuple[Sequence[float], float, float, Sequence[Sequence[float]]],
    n: float,
    mean: Sequence[float],
    scatter: Sequence[Sequence[float]],
) -> mp.mpf:
    with mp.workdps(DIGITS):
        m, x = mp.matrix(_numbers(prior[0])), mp.matrix(_numbers(mean))
        kappa, nu, n_ = _numbers((prior[1], prior[2], n))
        psi, s = mp.matrix([_numbers(row) for row in prior[3]]), mp.matrix([_numbers(row) for row in scatter])
        d = len(prior[0])
        after = psi + s + (x - m) * (x - m).T * (kappa * n_ / (kappa + n_))
        gammas = sum(mp.loggamma((nu + n_ - i) / 2) - mp.loggamma((nu - i) / 2) for i in range(d))
        return (
            gammas
            + nu / 2 * mp.log(mp.det(psi))
            - (nu + n_) / 2 * mp.log(mp.det(after))
            + mp.mpf(d) / 2 * mp.log(kappa / (kappa + n_))
            - n_ * d / 2 * mp.log(mp.pi)
        )


def log_student_t(x: float, degrees: float, location: float, scale: float) -> mp.mpf:
    with mp.workdps(DIGITS):
        x_, nu, m, s = _numbers((x, degrees, location, scale))
        constant = mp.loggamma((nu + 1) / 2) - mp.loggamma(nu / 2) - mp.log(nu * mp.pi) / 2 - mp.log(s)
        return constant - (nu + 1) / 2 * mp.log1p(((x_ - m) / s) ** 2 / nu)
