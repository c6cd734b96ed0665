"""Some columns of a block: their statistics, and the likelihood with what a user gave for each of them.

Columns that are read by themselves (column_by_column) can be taken out of a block: what is left is the block as it
would have been collected without them. One exception: the logs of factorials beside sums belong to all columns of a
block; without some of them they are not known, and the block goes on without (factorials=False, coefficients=False).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from suffice.conjugate import BetaBinomial, DirichletMultinomial, GammaPoisson, NormalInverseGamma
from suffice.likelihoods.bernoulli import Bernoulli
from suffice.likelihoods.categorical import Categorical
from suffice.likelihoods.gaussian import Gaussian
from suffice.likelihoods.histogram import Histogram
from suffice.likelihoods.likelihood import Likelihood
from suffice.likelihoods.multinomial import Multinomial
from suffice.likelihoods.numeric import Numeric
from suffice.likelihoods.poisson import Poisson
from suffice.plan import Parts
from suffice.statistics import Bins, Counts, Moments
from suffice.statistics.bin_layout import columns_of_bins
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, sealed

__all__ = ["Narrowed", "narrowed", "narrowed_likelihood", "some_levels"]


class Narrowed(NamedTuple):
    """The columns that are left, how they are distributed, and what was seen of them."""

    columns: Columns
    likelihood: Likelihood
    parts: Parts


def narrowed(likelihood: Likelihood, columns: Columns, parts: Parts, stay: BoolArray) -> Narrowed:
    """Return the block of the columns where `stay` is true; the likelihood is one that is read column by column."""
    if stay.all():
        return Narrowed(columns, likelihood, parts)
    left = tuple(name for name, kept in zip(columns, stay, strict=True) if kept)
    what = likelihood.collect(columns).what
    if what in ("levels", "tokens"):
        some: Parts = tuple(part for part, kept in zip(parts, stay, strict=True) if kept)
    elif what in ("presence", "sums"):
        counts = parts[0]
        assert isinstance(counts, Counts)
        some = (some_levels(counts, np.isin(np.arange(len(counts.levels)), counts.levels.positions(left))),)
    else:
        some = tuple(_some_columns(part, left, stay) for part in parts)
    return Narrowed(left, narrowed_likelihood(likelihood, stay), some)


def narrowed_likelihood(likelihood: Likelihood, stay: BoolArray) -> Likelihood:
    """Return the likelihood of some of its columns: what was given per column goes with its column."""
    if isinstance(likelihood, Bernoulli):
        prior = likelihood.prior
        if prior is None or isinstance(prior, str):
            return likelihood
        return replace(likelihood, prior=BetaBinomial(*_some(stay, prior.a, prior.b)))
    if isinstance(likelihood, Poisson):
        prior = likelihood.prior
        if prior is not None:
            prior = GammaPoisson(*_some(stay, prior.shape, prior.rate))
        return Poisson(prior, factorials=False)
    if isinstance(likelihood, Gaussian):
        prior = likelihood.prior
        return (
            replace(likelihood, prior=_some_prior(prior, stay)) if isinstance(prior, NormalInverseGamma) else likelihood
        )
    if isinstance(likelihood, Numeric):
        prior = None if likelihood.prior is None else _some_prior(likelihood.prior, stay)
        return Numeric(likelihood.bins, prior, _some_alpha(likelihood.alpha, stay), likelihood.missing)
    if isinstance(likelihood, Histogram):  # its prior is one of cells
        given = likelihood.bins, likelihood.prior, _some_alpha(likelihood.alpha, stay), likelihood.missing
        return Histogram(*given)
    if isinstance(likelihood, Categorical):  # its prior is one of levels
        alpha = _some_alpha(likelihood.alpha, stay)
        return Categorical(likelihood.prior, alpha, likelihood.levels, likelihood.unseen, likelihood.missing)
    if isinstance(likelihood, Multinomial):
        prior = likelihood.prior
        if prior is not None and stay.any():
            prior = DirichletMultinomial(*_some(stay, prior.alpha))
        return Multinomial(prior, _some_alpha(likelihood.alpha, stay), coefficients=False)
    return likelihood


def some_levels(counts: Counts, stay: BoolArray) -> Counts:
    """Return the counts of some levels; without the others each class was observed as often as those say."""
    values = sealed(counts.values[:, stay])
    observed = counts.observed[:, stay] if counts.per_level else values.sum(axis=1, keepdims=True)
    return Counts(counts.classes, counts.levels.take(stay), values, sealed(observed), counts.per_level)


def _some_columns(part: Any, left: Columns, stay: BoolArray) -> Moments | Bins:
    if isinstance(part, Moments):
        arrays = part.weight, part.mean, part.dp, part.mean_low, part.dp_low, part.dp_blur
        return Moments(part.classes, left, *(array[:, stay] for array in arrays))
    assert isinstance(part, Bins)
    here = stay[columns_of_bins(part.offsets)]
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.diff(part.offsets)[stay])])
    return Bins(
        part.classes,
        left,
        part.limit,
        part.shift[stay],
        offsets,
        part.keys[here],
        part.counts[:, here],
        part.below[:, stay],
        part.above[:, stay],
    )


def _some_prior(prior: NormalInverseGamma, stay: BoolArray) -> NormalInverseGamma:
    return NormalInverseGamma(*_some(stay, prior.location, prior.strength, prior.shape, prior.scale))


def _some_alpha(alpha: Any, stay: BoolArray) -> Any:
    return alpha if alpha is None or isinstance(alpha, str) else _some(stay, np.asarray(alpha))[0]


def _some(stay: BoolArray, *given: FloatArray) -> list[FloatArray]:
    return [each[..., stay] if each.ndim and each.shape[-1] == len(stay) > 1 else each for each in given]
