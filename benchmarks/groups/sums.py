"""Sums of dense counts per class and column, against multinomial naive Bayes."""

from __future__ import annotations

import numpy as np
from sklearn.naive_bayes import MultinomialNB

from benchmarks.work import Size, Work, bench
from suffice.engines import arrays
from suffice.statistics import Counts


@bench(peer="scikit-learn MultinomialNB.fit")
def sums(size: Size) -> Work:
    x, y = size.rng().integers(0, 10, (size.rows, size.columns)).astype(np.float64), size.codes()

    def agree(ours: Counts, theirs: MultinomialNB) -> None:
        np.testing.assert_array_equal(ours.values, theirs.feature_count_)

    return Work(
        ours=lambda threads: arrays.sums(x, y, size.labels(), threads=threads),
        theirs=lambda: MultinomialNB().fit(x, y),
        input_bytes=x.nbytes,
        agree=agree,
    )
