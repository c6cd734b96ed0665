"""What was seen, as immutable values that add and subtract: zero, +, −, scale, ==, to and from arrays.

    Axis      labels of classes or levels          Moments   weight, mean and squared deviations of real columns
    Tally     weight of rows per class             Bins      a histogram of real columns that merges
    Counts    weighted counts of levels or columns Scatter   weight, mean vector and scatter matrix
    Tokens    counts of tokens, mostly zero

No prior, no smoothing, no rows and no model in here; NumPy only, but for the union of two vocabularies.
"""

from suffice.statistics.axis import Axis
from suffice.statistics.bins import Bins
from suffice.statistics.counts import Counts
from suffice.statistics.moments import Moments
from suffice.statistics.scatter import Scatter
from suffice.statistics.tally import Tally
from suffice.statistics.tokens import Tokens

__all__ = ["Axis", "Bins", "Counts", "Moments", "Scatter", "Tally", "Tokens"]
