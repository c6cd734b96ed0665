"""Discriminants, read from a model whose columns go together: weights, axes, and matrices in the unit of the data.

Symbols: μ_c the means and Σ the one covariance matrix as they are read; π the class prior; m = Σ_c π_c μ_c; WᵀW = Σ⁺,
the inverse, or the pseudo-inverse where a direction has no spread (whitening.py).

    weights        coef_c = Σ⁺ (μ_c − m),  intercept_c = ln π_c − ½ (μ_c − m)ᵀ coef_c − mᵀ coef_c;  the scores of the
                   classes differ as their log posteriors do
    axes           rows π_c^½ W (μ_c − m) = U S Vᵀ;  scalings = Wᵀ V, the directions in which the classes are furthest
                   apart beside their spread within, first the furthest; a row's place on them is (x − m) scalings
    explained      S²/Σ S², what each axis has of the spread between the classes

    missing        a cell that is missing counts as what the others of its row make of it,
                   Σ_c p(c | x_known) [μ_c + Σ_missing,known Σ_known⁺ (x_known − μ_c,known)]

A column that says nothing (constant, or without spread within the classes) has weight 0 and is on no axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from suffice.likelihoods import Gaussian
from suffice.likelihoods.aligned import by_class
from suffice.likelihoods.terms import FullQuadratic
from suffice.likelihoods.whitening import whitened
from suffice.models.naive_bayes import NaiveBayesModel
from suffice.statistics import Scatter
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["Axes", "Weights", "class_covariances", "class_means", "completed", "discriminant_axes", "linear_weights"]

_SMALLEST_AXIS = 1e-12


class Weights(NamedTuple):
    """The linear score of each class: coef (C, D) and intercept (C)."""

    coef: FloatArray
    intercept: FloatArray


class Axes(NamedTuple):
    """The centre m (D), the axes (D, R), and the share of the spread between the classes that each has (R)."""

    centre: FloatArray
    scalings: FloatArray
    explained: FloatArray


def class_means(known: NaiveBayesModel) -> FloatArray:
    """Return the mean of each class and column, of the rows that count; of a class without rows that of all (C, D)."""
    scatter = _scatter(known)
    seen = by_class(scatter.weight, scatter.classes, known.classes)[:, None]
    means = by_class(scatter.mean, scatter.classes, known.classes)
    total = seen.sum()
    pooled = (seen / total * means).sum(axis=0) if total > 0 else np.zeros(means.shape[1])
    return np.where(seen > 0, means, pooled)


def class_covariances(known: NaiveBayesModel) -> FloatArray:
    """Return the covariance matrices as they are read, in the unit of the data: (C, D, D), or (1, D, D) of one for all.

    What a matrix lacks in rank is not filled up here: a constant column has zeros.
    """
    (block,) = known.schema.blocks
    assert isinstance(block.likelihood, Gaussian)
    shared, width = block.likelihood.covariance == "shared", len(block.columns)
    found = np.zeros((1 if shared else len(known.classes), width, width))
    for term in known.terms:
        assert isinstance(term, FullQuadratic)
        place = {column: at for at, column in enumerate(block.columns)}
        at = np.array([place[column] for column in term.columns], dtype=np.int64)
        found[:, at[:, None], at] = term.matrices / term.scale[:, None] / term.scale
    return found


def linear_weights(known: NaiveBayesModel) -> Weights:
    """Return the weights of a model that is one Gaussian block with a shared matrix, its parameters plugged in."""
    away, rows = _whitened(known)
    prior = known.class_prior.probabilities(known.tally)
    coef = (away @ rows.T) @ rows
    with np.errstate(divide="ignore"):
        intercept = np.log(prior) - 0.5 * (away * coef).sum(axis=1)
    return Weights(coef, intercept - coef @ (prior @ class_means(known)))


def discriminant_axes(known: NaiveBayesModel) -> Axes:
    """Return the axes of such a model, C − 1 at most."""
    away, rows = _whitened(known)
    prior = known.class_prior.probabilities(known.tally)
    spread = np.sqrt(prior)[:, None] * (away @ rows.T)
    _, size, turned = np.linalg.svd(spread, full_matrices=False)
    most = min(len(prior) - 1, rows.shape[1])
    kept = size > _SMALLEST_AXIS * max(float(size.max(initial=0.0)), np.finfo(np.float64).tiny)
    kept[max(most, 0) :] = False
    share = size**2 / max(float((size**2).sum()), np.finfo(np.float64).tiny)
    return Axes(prior @ class_means(known), rows.T @ turned.T[:, kept], share[kept])


def completed(known: NaiveBayesModel, x: FloatArray, posterior: FloatArray) -> FloatArray:
    """Return rows (n, D) with their missing cells filled, given p(c | x) of the cells that are known (n, C)."""
    gaps = np.isnan(x)
    at = np.flatnonzero(gaps.any(axis=1))
    if not at.size:
        return x
    filled, means = x.copy(), class_means(known)
    matrix: FloatArray = class_covariances(known)[0]
    unit = np.sqrt(np.where(np.diagonal(matrix) > 0, np.diagonal(matrix), 1.0))
    matrix = matrix / unit[:, None] / unit
    patterns, group = np.unique(gaps[at], axis=0, return_inverse=True)
    for k, gap in enumerate(patterns):
        rows, there = at[group.ravel() == k], np.flatnonzero(~gap)
        lacking = np.flatnonzero(gap)
        part: FloatArray = matrix[np.ix_(there, there)]
        inverse = np.linalg.pinv(part, hermitian=True).astype(np.float64)
        slope = matrix[np.ix_(lacking, there)] @ inverse
        mean = posterior[rows] @ means
        away = (x[np.ix_(rows, there)] - mean[:, there]) / unit[there]
        filled[np.ix_(rows, lacking)] = mean[:, lacking] + away @ slope.T * unit[lacking]
    return filled


def _whitened(known: NaiveBayesModel) -> tuple[FloatArray, FloatArray]:
    # μ_c − m (C, D), and W (R, D) in the unit of the data.
    (block,) = known.schema.blocks
    means, prior = class_means(known), known.class_prior.probabilities(known.tally)
    rows = np.zeros((0, len(block.columns)))
    for term in known.terms:
        assert isinstance(term, FullQuadratic)
        place = {column: at for at, column in enumerate(block.columns)}
        at = np.array([place[column] for column in term.columns], dtype=np.int64)
        rows = np.zeros((len(at), len(block.columns)))
        rows[:, at] = whitened(term.matrices, term.least, drop=term.drop).rows[0] * term.scale
    return means - prior @ means, rows


def _scatter(known: NaiveBayesModel) -> Scatter:
    ((scatter,),) = known.parts
    assert isinstance(scatter, Scatter)
    return scatter
