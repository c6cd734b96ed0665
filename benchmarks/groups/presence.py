"""Number of positive counts per class and column, against Bernoulli naive Bayes."""

from __future__ import annotations

import numpy as np
from sklearn.naive_bayes import BernoulliNB

from benchmarks.work import Size, Work, bench
from suffice.engines import arrays
from suffice.statistics import Counts


@bench(peer="scikit-learn BernoulliNB.fit")
def presence(size: Size) -> Work:
    x, y = size.rng().integers(0, 3, (size.rows, size.columns)).astype(np.float64), size.codes()

    def agree(ours: Counts, theirs: BernoulliNB) -> None:
        np.testing.assert_array_equal(ours.values, theirs.feature_count_)

    return Work(
        ours=lambda threads: arrays.presence(x, y, size.labels(), threshold=0.0, threads=threads),
        theirs=lambda: BernoulliNB(binarize=0.0).fit(x, y),
        input_bytes=x.nbytes,
        agree=agree,
    )
