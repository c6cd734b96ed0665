"""Probabilities of K outcomes, read from their counts: what Bernoulli, categorical and multinomial have in common.

Symbols: counts N_k and prior counts α_k along the last axis, n = Σ N_k, α₀ = Σ α_k.

    mle        N_k/n, and 1/K where n = 0
    smoothed   (N_k + λ_k)/(n + Σ λ), the mean under Dir(λ); λ = 0 is the mle
    map        (N_k + α_k − 1)/(n + α₀ − K), clipped at 0 and renormalised; the mean where all clip
    mean       (N_k + α_k)/(n + α₀)           predictive   of one draw: the mean

    prior counts by default   1 for mean, predictive and smoothed, 2 for map; mle reads none, its evidence takes 1
    evidence                  Σ ln B(α + N) − ln B(α), of the sequence of outcomes
"""

from __future__ import annotations

import numpy as np

from suffice.conjugate import DirichletMultinomial
from suffice.likelihoods.likelihood import Seen
from suffice.likelihoods.reading import Estimate
from suffice.statistics.frozen_arrays import FloatArray

__all__ = [
    "MOST_COUNT",
    "default_prior_count",
    "intervals",
    "log_evidence",
    "log_evidence_of_each",
    "log_probabilities",
    "probabilities",
    "smoothing",
]


MOST_COUNT = 1e290  # of which ln Γ is a float: the evidence of more is of no less than that


def default_prior_count(estimate: Estimate) -> float:
    """Return the prior count of each outcome where nobody gave one."""
    return 2.0 if estimate == "map" else 1.0


def smoothing(seen: Seen) -> FloatArray | None:
    """Return the λ that the reading asks for, or None where it leaves that to the likelihood."""
    return seen.reading.alpha if seen.reading.estimate == "smoothed" else None


def probabilities(counts: FloatArray, alpha: FloatArray, estimate: Estimate) -> FloatArray:
    """Return the probabilities of the outcomes, read from counts and prior counts of the same shape (…, K)."""
    if estimate == "mle" or not counts.size:
        return DirichletMultinomial.mle(counts=counts) if counts.size else counts
    if estimate == "smoothed":
        both = counts + alpha
        total = both.sum(axis=-1, keepdims=True)
        return np.where(total > 0, both / np.where(total > 0, total, 1.0), 1 / counts.shape[-1])
    posterior = DirichletMultinomial(counts + alpha)
    return posterior.map_estimate if estimate == "map" else posterior.mean


def log_probabilities(counts: FloatArray, alpha: FloatArray, estimate: Estimate) -> FloatArray:
    """Return the logs of the probabilities, −inf for what cannot be."""
    with np.errstate(divide="ignore"):
        return np.log(probabilities(counts, alpha, estimate))


def log_evidence(counts: FloatArray, alpha: FloatArray) -> float:
    """Return the log probability of the sequence of outcomes, summed over all leading positions.

    Where λ = 0 there is no prior to integrate over: the evidence is −inf as soon as something was seen.
    """
    if not counts.any():
        return 0.0
    if not (alpha > 0).all():
        return -np.inf
    return float(np.sum(DirichletMultinomial(alpha).log_evidence(counts=np.minimum(counts, MOST_COUNT))))


def log_evidence_of_each(counts: FloatArray, alpha: FloatArray) -> FloatArray:
    """Return the log probability of each sequence of outcomes, of shape (…) for counts of shape (…, K)."""
    if (alpha > 0).all():
        return np.asarray(DirichletMultinomial(alpha).log_evidence(counts=np.minimum(counts, MOST_COUNT)))
    return np.where(counts.any(axis=-1), -np.inf, 0.0)


def intervals(counts: FloatArray, alpha: FloatArray, credible: float) -> tuple[FloatArray, FloatArray]:
    """Return the equal-tailed interval of each probability by itself under the posterior Dir(N + α).

    With one outcome, or without a proper prior (λ = 0), there is none: NaN.
    """
    posterior = counts + alpha
    if counts.shape[-1] < 2 or not counts.size or not (alpha > 0).all():
        return np.full(counts.shape, np.nan), np.full(counts.shape, np.nan)
    found = DirichletMultinomial(posterior).interval(credible)
    return np.asarray(found.lower), np.asarray(found.upper)
