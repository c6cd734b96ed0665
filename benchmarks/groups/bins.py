"""Adaptive bins per class and column, against sixteen equal-mass bins by NumPy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from benchmarks.work import Size, Work, bench
from suffice.engines import arrays
from suffice.statistics import Bins

EDGES = np.linspace(0, 1, 17)


@bench(peer="np.quantile + np.histogram", peer_runs=1)
def bins(size: Size) -> Work:
    x, y = size.rng().standard_normal((size.rows, size.columns)), size.codes()

    def histograms() -> NDArray[np.int64]:
        """Return counts (classes, columns, 16) between the quantiles of each column."""
        of_class = [y == c for c in range(size.classes)]
        edges = [np.quantile(column, EDGES) for column in x.T]
        return np.array([[np.histogram(x[rows, j], edges[j])[0] for j in range(size.columns)] for rows in of_class])

    def agree(ours: Bins, theirs: NDArray[np.int64]) -> None:
        """Compare the total weight of each class and column, because the edges of the bins differ."""
        totals = [ours.counts[:, start:end].sum(axis=1) for start, end in pairwise(ours.offsets)]
        np.testing.assert_array_equal(np.transpose(totals), theirs.sum(axis=2))

    return Work(
        ours=lambda threads: arrays.bins(x, y, size.labels(), limit=4096, threads=threads),
        theirs=histograms,
        input_bytes=x.nbytes,
        agree=agree,
    )
