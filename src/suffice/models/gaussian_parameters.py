"""Parameters of fitted Gaussian models in the unit of the data: moments, covariance matrices, and discriminants.

Symbols: μ_c the class means, Σ the covariance matrix that the classes share, π the class prior, m = Σ_c π_c μ_c, and W
with WᵀW = Σ⁺, the inverse, or the pseudo-inverse if a direction has no spread (covariance.py).

    linear weights    coef_c = Σ⁺ (μ_c − m),  intercept_c = ln π_c − ½ (μ_c − m)ᵀ coef_c − mᵀ coef_c; the
                      difference between the scores of two classes is that of their log posteriors
    axes              rows π_c^½ W (μ_c − m) = U S Vᵀ;  scalings = Wᵀ V, the directions that separate the classes best,
                      relative to the spread within classes, in descending order; a row is projected to (x − m) scalings
    explained         S²/Σ S², the fraction of the variance between classes along each axis
    missing cells     are replaced by their conditional expectation,
                      Σ_c p(c | x_observed) [μ_c + Σ_missing,observed Σ_observed⁺ (x_observed − μ_c,observed)]

A column that is constant, or has no spread within the classes, has weight 0 and is on no axis.

A term of gaussian.py is c − s (z − m)², z = (x − centre) · scale, so that

    mean = centre + m/scale          variance = 1/(2 s scale²)          floor = var_smoothing/scale²

A constant column has no term: its mean is its value, its variance and floor are 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from suffice.likelihoods import Gaussian, MultivariateGaussian
from suffice.likelihoods.block_statistics import align_classes
from suffice.likelihoods.covariance import whiten
from suffice.likelihoods.gaussian import Quadratic
from suffice.likelihoods.multivariate_gaussian import FullQuadratic
from suffice.models.naive_bayes import NaiveBayesModel
from suffice.statistics import Moments, Scatter
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.axis import Columns

__all__ = [
    "DiscriminantAxes",
    "GaussianMoments",
    "LinearWeights",
    "class_covariances",
    "class_means",
    "discriminant_axes",
    "gaussian_moments",
    "impute_missing",
    "linear_weights",
]

_SMALLEST_AXIS = 1e-12


class GaussianMoments(NamedTuple):
    """Mean and variance (classes × columns), and the lower bound on the variance of each column."""

    mean: FloatArray
    variance: FloatArray
    floor: FloatArray


class LinearWeights(NamedTuple):
    """The linear score of each class: coef (C, D) and intercept (C)."""

    coef: FloatArray
    intercept: FloatArray


class DiscriminantAxes(NamedTuple):
    """The centre m (D), the axes (D, R), and the fraction of the variance between classes along each (R)."""

    centre: FloatArray
    scalings: FloatArray
    explained: FloatArray


def gaussian_moments(model: NaiveBayesModel) -> GaussianMoments:
    """Return the moments of a model that is one Gaussian block with plug-in parameters."""
    (block,) = model.schema.blocks
    ((moments,),) = model.parts
    assert isinstance(moments, Moments)
    assert isinstance(block.likelihood, Gaussian)
    seen = align_classes(moments.weight, moments.classes, model.classes) > 0
    mean = align_classes(moments.mean, moments.classes, model.classes).copy()
    variance, floor = np.zeros(mean.shape), np.zeros(mean.shape[1])
    for term in model.terms:
        assert isinstance(term, Quadratic)
        at = _positions(term.columns, block.columns)
        # The collected mean is exact; a class without rows has the mean of the estimate.
        mean[:, at] = np.where(seen[:, at], mean[:, at], term.centre + term.m.T / term.scale)
        variance[:, at] = 0.5 / term.s.T / term.scale**2
        floor[at] = block.likelihood.var_smoothing / term.scale**2
    return GaussianMoments(mean, variance, floor)


def class_means(model: NaiveBayesModel) -> FloatArray:
    """Return the mean of each class and column (C, D) over complete rows; that of all rows for a class without any."""
    ((scatter,),) = model.parts
    assert isinstance(scatter, Scatter)
    weight = align_classes(scatter.weight, scatter.classes, model.classes)[:, None]
    means = align_classes(scatter.mean, scatter.classes, model.classes)
    total = weight.sum()
    pooled = (weight / total * means).sum(axis=0) if total > 0 else np.zeros(means.shape[1])
    return np.where(weight > 0, means, pooled)


def class_covariances(model: NaiveBayesModel) -> FloatArray:
    """Return the estimated covariance matrices: (C, D, D), or (1, D, D) if the classes share one.

    A rank-deficient matrix is returned unchanged: a constant column has zeros.
    """
    (block,) = model.schema.blocks
    assert isinstance(block.likelihood, MultivariateGaussian)
    shared, width = block.likelihood.covariance == "shared", len(block.columns)
    matrices = np.zeros((1 if shared else len(model.classes), width, width))
    for term in model.terms:
        assert isinstance(term, FullQuadratic)
        at = _positions(term.columns, block.columns)
        matrices[:, at[:, None], at] = term.matrices / term.scale[:, None] / term.scale
    return matrices


def linear_weights(model: NaiveBayesModel) -> LinearWeights:
    """Return the weights of a model that is one MultivariateGaussian block with a shared, plug-in covariance."""
    deviation, rows = _whiten_means(model)
    prior = model.class_prior.probabilities(model.tally)
    coef = (deviation @ rows.T) @ rows
    with np.errstate(divide="ignore"):
        intercept = np.log(prior) - 0.5 * (deviation * coef).sum(axis=1)
    return LinearWeights(coef, intercept - coef @ (prior @ class_means(model)))


def discriminant_axes(model: NaiveBayesModel) -> DiscriminantAxes:
    """Return the axes of such a model, at most C − 1."""
    deviation, rows = _whiten_means(model)
    prior = model.class_prior.probabilities(model.tally)
    _, size, directions = np.linalg.svd(np.sqrt(prior)[:, None] * (deviation @ rows.T), full_matrices=False)
    kept = size > _SMALLEST_AXIS * max(float(size.max(initial=0.0)), np.finfo(np.float64).tiny)
    kept[max(min(len(prior) - 1, rows.shape[1]), 0) :] = False
    explained = size**2 / max(float((size**2).sum()), np.finfo(np.float64).tiny)
    return DiscriminantAxes(prior @ class_means(model), rows.T @ directions.T[:, kept], explained[kept])


def impute_missing(model: NaiveBayesModel, x: FloatArray, posterior: FloatArray) -> FloatArray:
    """Return rows (n, D) with missing cells imputed, given the posterior p(c | x_observed) of each row (n, C)."""
    gaps = np.isnan(x)
    incomplete = np.flatnonzero(gaps.any(axis=1))
    if not incomplete.size:
        return x
    imputed, means = x.copy(), class_means(model)
    matrix: FloatArray = class_covariances(model)[0]
    unit = np.sqrt(np.where(np.diagonal(matrix) > 0, np.diagonal(matrix), 1.0))
    matrix = matrix / unit[:, None] / unit
    patterns, group = np.unique(gaps[incomplete], axis=0, return_inverse=True)
    for k, gap in enumerate(patterns):
        rows, observed, missing = incomplete[group.ravel() == k], np.flatnonzero(~gap), np.flatnonzero(gap)
        part: FloatArray = matrix[np.ix_(observed, observed)]
        slope = matrix[np.ix_(missing, observed)] @ np.linalg.pinv(part, hermitian=True).astype(np.float64)
        mean = posterior[rows] @ means
        deviation = (x[np.ix_(rows, observed)] - mean[:, observed]) / unit[observed]
        imputed[np.ix_(rows, missing)] = mean[:, missing] + deviation @ slope.T * unit[missing]
    return imputed


def _whiten_means(model: NaiveBayesModel) -> tuple[FloatArray, FloatArray]:
    # μ_c − m (C, D), and W (R, D).
    (block,) = model.schema.blocks
    means, prior = class_means(model), model.class_prior.probabilities(model.tally)
    rows = np.zeros((0, len(block.columns)))
    for term in model.terms:
        assert isinstance(term, FullQuadratic)
        rows = np.zeros((len(term.columns), len(block.columns)))
        factors = whiten(term.matrices, term.floor, drop=term.drop).rows[0]
        rows[:, _positions(term.columns, block.columns)] = factors * term.scale
    return means - prior @ means, rows


def _positions(columns: Columns, among: Columns) -> IntArray:
    place = {column: at for at, column in enumerate(among)}
    return np.array([place[column] for column in columns], dtype=np.int64)
