"""Counts of eight integer levels per class and column, against categorical naive Bayes."""

from __future__ import annotations

import numpy as np
from sklearn.naive_bayes import CategoricalNB

from benchmarks.work import Size, Work, bench
from suffice.engines import arrays
from suffice.statistics import Counts

LEVELS = 8


@bench(peer="scikit-learn CategoricalNB.fit", peer_runs=3)
def levels(size: Size) -> Work:
    x, y = size.rng().integers(0, LEVELS, (size.rows, size.columns)), size.codes()
    x[:LEVELS] = np.arange(LEVELS)[: size.rows, None]  # every level occurs in every column

    def agree(ours: tuple[Counts, ...], theirs: CategoricalNB) -> None:
        for mine, counts in zip(ours, theirs.category_count_, strict=True):
            np.testing.assert_array_equal(mine.values, counts)

    return Work(
        ours=lambda threads: arrays.levels(x, y, size.labels(), levels=[range(LEVELS)] * size.columns, threads=threads),
        theirs=lambda: CategoricalNB().fit(x, y),
        input_bytes=x.nbytes,
        agree=agree,
    )
