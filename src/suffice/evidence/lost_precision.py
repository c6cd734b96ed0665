"""Which statistics of a difference of two models are no longer known well enough to be used.

Symbols: one class and column; n, m, dp weight, mean and squared deviations of what is left, blur the bound on the error
of dp (deviations.py), v = dp/weight of what is left of the column over all classes; left − taken = rest a sum.

    variance   blur > TOLERANCE (dp + v)     dp + v is what the default prior makes of dp (it adds one observation of
                                             variance v), so a class whose own rows are constant is not reported
    sum        left ≥ 2⁵³ and 2⁻⁵³ left > TOLERANCE rest: beyond 2⁵³ whole numbers do not add exactly

TOLERANCE = 1e-4 is below the sampling error √(2/n) of a variance of up to 2 · 10⁸ rows. The bound is cautious: an
outlier of 1e12 in a hundred rows of variance 1 stays within it, and dp is then right to about 1e-11.

Where the whole column has become constant there is no v to compare with. Then a deviation is reported that may be more
than a hundredth of the mean, blur > TOLERANCE n m², and any where dp was beyond 2¹⁰⁶: that of a value beyond 2⁵³. What
is left of whole weights with a weight of 1 is one row, whose dp is 0; only its mean may be lost, to such a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from suffice.likelihoods.aligned import by_class, by_column
from suffice.models import NaiveBayesModel
from suffice.statistics import Axis, Counts, Moments, Scatter
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray
from suffice.statistics.labels import Label

__all__ = ["LostPrecision", "lost_precision"]

TOLERANCE = 1e-4
_EXACT = 2.0**53
_CONSTANT = 2.0**-80  # of m²: what two means of the same constant may differ by


class LostPrecision(NamedTuple):
    """A number that is not known any more: "variance" or "sum" of a column, or "weight" of a class."""

    what: str
    label: Label
    column: str | int | None


def lost_precision(before: NaiveBayesModel, taken: NaiveBayesModel, rest: NaiveBayesModel) -> list[LostPrecision]:
    """Return what rest = before − taken does not know any more."""
    classes = before.classes
    gone = by_class(taken.tally.weight, taken.classes, classes) > 0
    weight = by_class(rest.tally.weight, rest.classes, classes)
    found = [
        LostPrecision("weight", classes.labels[c], None)
        for c in np.flatnonzero(gone & _lost_sum(before.tally.weight, weight)).tolist()
    ]
    blocks = zip(before.schema.blocks, before.parts, taken.parts, rest.parts, strict=True)
    for block, *parts in blocks:
        sums = block.likelihood.collect(block.columns).what == "sums"
        for whole, other, left in zip(*parts, strict=True):
            if isinstance(whole, Moments | Scatter):
                lost = _lost_spread(whole, other, left, classes)
                found += _named("variance", lost, classes, whole.columns)
            elif sums and isinstance(whole, Counts) and whole is parts[0][0]:
                total, removed, kept = (by_column(each, block.columns, classes)[0] for each in (whole, other, left))
                found += _named("sum", (removed > 0) & _lost_sum(total, kept), classes, block.columns)
    return found


def _named(what: str, lost: BoolArray, classes: Axis, columns: Columns) -> Iterator[LostPrecision]:
    for c, j in zip(*(at.tolist() for at in np.nonzero(lost)), strict=True):
        yield LostPrecision(what, classes.labels[c], columns[j])


def _lost_sum(before: FloatArray, rest: FloatArray) -> BoolArray:
    return (before >= _EXACT) & (before / _EXACT > TOLERANCE * rest)


def _lost_spread(
    before: Moments | Scatter, taken: Moments | Scatter, rest: Moments | Scatter, classes: Axis
) -> BoolArray:
    def laid(of: Moments | Scatter) -> tuple[FloatArray, ...]:
        if isinstance(of, Moments):
            each = of.weight, of.mean, of.dp, of.dp_blur
        else:
            dp = np.diagonal(of.scatter, axis1=1, axis2=2)
            each = np.broadcast_to(of.weight[:, None], of.mean.shape), of.mean, dp, of.diagonal_blur
        return tuple(by_class(values, of.classes, classes) for values in each)

    n, m, dp, blur = laid(rest)
    weight, _, squares, _ = laid(before)
    with np.errstate(over="ignore", invalid="ignore"):
        shares = n / np.maximum(n.sum(axis=0), np.finfo(np.float64).tiny)
        between = (m - (shares * m).sum(axis=0)) ** 2
        v = (shares * (np.divide(dp, n, out=np.zeros_like(dp), where=n > 0) + between)).sum(axis=0)
        size = m * m
        constant = dp + v <= _CONSTANT * n * size.max(axis=0, initial=0.0)
        lost = blur > TOLERANCE * np.where(constant, n * size, dp + v)
        huge = (blur > 0) & (squares >= _EXACT**2)
        lost = np.where(constant, (lost & (size > 0)) | huge, lost)
        one_row = (n == 1) & (weight == np.floor(weight)) & ~huge
        return (n > 0) & (laid(taken)[0] > 0) & lost & ~one_row
