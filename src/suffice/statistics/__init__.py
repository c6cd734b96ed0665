"""Sufficient statistics: immutable values with zero, +, −, scale, == and conversion to and from arrays.

    Axis      labels of classes or levels          Moments   weight, mean and sum of squared deviations of columns
    Tally     row weight per class                 Bins      mergeable histograms of real columns
    Counts    weighted counts of levels or columns Scatter   weight, mean vector and scatter matrix
    Tokens    sparse token counts                  Maxima    weight and maximum of columns; adds, does not subtract

Nothing here depends on a prior, on rows or on a model. The package needs NumPy only, except that the native core
computes the union of two vocabularies. docs/mathematics.md §1 has the formulas.
"""

from suffice.statistics.axis import Axis
from suffice.statistics.bins import Bins
from suffice.statistics.counts import Counts
from suffice.statistics.maxima import Maxima
from suffice.statistics.moments import Moments
from suffice.statistics.scatter import Scatter
from suffice.statistics.tally import Tally
from suffice.statistics.tokens import Tokens

__all__ = ["Axis", "Bins", "Counts", "Maxima", "Moments", "Scatter", "Tally", "Tokens"]
