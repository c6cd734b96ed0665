"""Mean vector and scatter matrix per class, against linear discriminant analysis."""

from __future__ import annotations

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from benchmarks.work import Size, Work, bench
from suffice.engines import arrays
from suffice.statistics import Scatter


@bench(peer="scikit-learn LDA (lsqr).fit", peer_runs=3)
def scatter(size: Size) -> Work:
    x, y = size.rng().standard_normal((size.rows, size.columns)), size.codes()

    def agree(ours: Scatter, theirs: LinearDiscriminantAnalysis) -> None:
        np.testing.assert_allclose(ours.mean, theirs.means_, rtol=1e-9, atol=1e-12)

    return Work(
        ours=lambda threads: arrays.scatter(x, y, size.labels(), threads=threads),
        theirs=lambda: LinearDiscriminantAnalysis(solver="lsqr").fit(x, y),
        input_bytes=x.nbytes,
        agree=agree,
    )
