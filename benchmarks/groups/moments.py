"""Weight, mean and squared deviations per class and column, against Gaussian naive Bayes."""

from __future__ import annotations

import numpy as np
from sklearn.naive_bayes import GaussianNB

from benchmarks.work import Size, Work, bench
from suffice.engines import arrays
from suffice.statistics import Moments


@bench(peer="scikit-learn GaussianNB.fit")
def moments(size: Size) -> Work:
    x, y = size.rng().standard_normal((size.rows, size.columns)), size.codes()

    def agree(ours: Moments, theirs: GaussianNB) -> None:
        np.testing.assert_allclose(ours.mean, theirs.theta_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(ours.dp / ours.weight, theirs.var_ - theirs.epsilon_, rtol=1e-9)

    return Work(
        ours=lambda threads: arrays.moments(x, y, size.labels(), threads=threads),
        theirs=lambda: GaussianNB().fit(x, y),
        input_bytes=x.nbytes,
        agree=agree,
    )
