"""Linear and quadratic discriminants against scikit-learn's: fit, and predict_proba on the rows that were fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

import suffice as sf
from benchmarks.groups.naive_bayes import fitting, predicting, real
from benchmarks.work import Size, Work, bench


def same_means(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a.means_, b.means_, rtol=1e-9, atol=1e-12)


@bench(peer="scikit-learn LDA (svd).fit", peer_runs=2, at_least=25)
def lda_fit(size: Size) -> Work:
    return fitting(real(size), size.codes(), sf.LinearDiscriminant, LinearDiscriminantAnalysis, same_means)


@bench(peer="scikit-learn LDA (lsqr).fit", peer_runs=3, at_least=4)
def lda_fit_lsqr(size: Size) -> Work:
    def peer() -> LinearDiscriminantAnalysis:
        return LinearDiscriminantAnalysis(solver="lsqr")

    return fitting(real(size), size.codes(), sf.LinearDiscriminant, peer, same_means)


@bench(peer="scikit-learn LDA.predict_proba", at_least=3)
def lda_predict(size: Size) -> Work:
    # Of lsqr, whose fit is quick; its predictions cost the same as those of svd.
    peer = LinearDiscriminantAnalysis(solver="lsqr")
    return predicting(real(size), size.codes(), sf.LinearDiscriminant(), peer)


@bench(peer="scikit-learn QDA.fit", peer_runs=2, at_least=8)
def qda_fit(size: Size) -> Work:
    return fitting(real(size), size.codes(), sf.QuadraticDiscriminant, QuadraticDiscriminantAnalysis, same_means)


@bench(peer="scikit-learn QDA.predict_proba", peer_runs=2, at_least=3)
def qda_predict(size: Size) -> Work:
    return predicting(
        real(size), size.codes(), sf.QuadraticDiscriminant(), QuadraticDiscriminantAnalysis(solver="eigen")
    )


@bench(peer="scikit-learn QDA.predict_proba", peer_runs=2)
def wishart_predict(size: Size) -> Work:
    """The multivariate t of the predictive reading."""
    ours = sf.NaiveBayes(sf.MultivariateGaussian(covariance="full"))
    return predicting(real(size), size.codes(), ours, QuadraticDiscriminantAnalysis(solver="eigen"), same=False)
