"""The public methods of the estimators against scikit-learn's: fit, and predict_proba on the training rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn import naive_bayes as peers

import suffice as sf
from benchmarks.work import Size, Work, bench, limited

LEVELS = 8


def real(size: Size) -> np.ndarray:
    """Return normal columns with class means that differ, so that the posteriors differ too."""
    rng = size.rng()
    x = rng.standard_normal((size.rows, size.columns))
    x += rng.standard_normal((size.classes, size.columns))[size.codes()] * 0.3
    return x


def levels(size: Size) -> np.ndarray:
    return (size.rng().integers(0, LEVELS, (size.rows, size.columns)) + size.codes()[:, None]) % LEVELS


def counts(size: Size) -> np.ndarray:
    return size.rng().poisson(1.0, (size.rows, size.columns)).astype(np.float64)


def words(size: Size) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Return a fifth of the rows, 2,000 times the columns, 50 stored cells per row, 20 classes."""
    rng, rows, columns = size.rng(), max(size.rows // 5, 20), size.columns * 2000
    kept = min(50, columns)
    indices = rng.integers(0, columns, (rows, kept)).ravel()
    starts = np.arange(0, rows * kept + 1, kept)
    x = sparse.csr_matrix((rng.integers(1, 4, rows * kept).astype(np.float64), indices, starts), (rows, columns))
    x.sum_duplicates()
    y = rng.integers(0, 20, rows)
    y[:20] = np.arange(20)
    return x, y


def csr_bytes(x: sparse.csr_matrix) -> int:
    return x.data.nbytes + x.indices.nbytes + x.indptr.nbytes


def fitting(
    x: Any, y: np.ndarray, ours: Any, theirs: Any, agree: Callable[[Any, Any], None], nbytes: int | None = None
) -> Work:
    return Work(
        ours=lambda threads: limited(threads, lambda: ours().fit(x, y)),
        theirs=lambda: theirs().fit(x, y),
        input_bytes=x.nbytes if nbytes is None else nbytes,
        agree=agree,
    )


def predicting(
    x: Any, y: np.ndarray, ours: Any, theirs: Any, nbytes: int | None = None, *, same: bool = True, data: Any = None
) -> Work:
    """Compare suffice, fitted on `data` if given, with the peer fitted on x; `same`: the results must be equal."""
    mine, peer = ours.fit(x if data is None else data, y), theirs.fit(x, y)

    def agree(a: np.ndarray, b: np.ndarray) -> None:
        assert a.shape == b.shape
        np.testing.assert_allclose(a.sum(axis=1), 1, atol=1e-9)
        if same:
            np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)

    return Work(
        ours=lambda threads: limited(threads, lambda: mine.predict_proba(x if data is None else data)),
        theirs=lambda: peer.predict_proba(x),
        input_bytes=x.nbytes if nbytes is None else nbytes,
        agree=agree,
    )


def same_gaussian(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a.theta_, b.theta_, rtol=1e-9, atol=1e-12)


def same_logs(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a.feature_log_prob_, b.feature_log_prob_, rtol=1e-9)


@bench(peer="scikit-learn GaussianNB.fit", at_least=30)
def gaussian_fit(size: Size) -> Work:
    return fitting(real(size), size.codes(), sf.GaussianNB, peers.GaussianNB, same_gaussian)


@bench(peer="scikit-learn GaussianNB.fit, y as text")
def gaussian_fit_text(size: Size) -> Work:
    y = np.array(size.labels())[size.codes()]
    return fitting(real(size), y, sf.GaussianNB, peers.GaussianNB, same_gaussian)


@bench(peer="scikit-learn GaussianNB.predict_proba", at_least=20)
def gaussian_predict(size: Size) -> Work:
    return predicting(real(size), size.codes(), sf.GaussianNB(), peers.GaussianNB())


@bench(peer="scikit-learn GaussianNB.predict_proba", at_least=12)
def student_predict(size: Size) -> Work:
    ours = sf.NaiveBayes(sf.Gaussian())
    return predicting(real(size), size.codes(), ours, peers.GaussianNB(), same=False)


@bench(peer="scikit-learn GaussianNB.predict_proba", at_least=10)
def histogram_predict(size: Size) -> Work:
    ours = sf.NaiveBayes(sf.Histogram())
    return predicting(real(size), size.codes(), ours, peers.GaussianNB(), same=False)


@bench(peer="scikit-learn GaussianNB.predict_proba", at_least=10)
def mixed_predict(size: Size) -> Work:
    """Half of the columns real and half text with eight levels, in a frame; all columns of the peer are real."""
    x, codes = real(size), levels(size)
    half = size.columns // 2
    names = np.array([f"level {k}" for k in range(LEVELS)], dtype=object)
    columns = {f"x{j}": x[:, j] for j in range(half)}
    columns |= {f"c{j}": pd.Categorical.from_codes(codes[:, j], names) for j in range(half, size.columns)}
    return predicting(x, size.codes(), sf.NaiveBayes(), peers.GaussianNB(), same=False, data=pd.DataFrame(columns))


@bench(peer="scikit-learn CategoricalNB.fit", peer_runs=3, at_least=60)
def categorical_fit(size: Size) -> Work:
    def agree(a: Any, b: Any) -> None:
        for mine, theirs in zip(a.category_count_, b.category_count_, strict=True):
            np.testing.assert_allclose(mine, theirs)

    return fitting(levels(size), size.codes(), sf.CategoricalNB, peers.CategoricalNB, agree)


@bench(peer="scikit-learn CategoricalNB.predict_proba", peer_runs=3, at_least=12)
def categorical_predict(size: Size) -> Work:
    return predicting(levels(size), size.codes(), sf.CategoricalNB(), peers.CategoricalNB())


@bench(peer="scikit-learn MultinomialNB.fit", at_least=15)
def multinomial_fit(size: Size) -> Work:
    return fitting(counts(size), size.codes(), sf.MultinomialNB, peers.MultinomialNB, same_logs)


@bench(peer="scikit-learn MultinomialNB.predict_proba", at_least=6)
def multinomial_predict(size: Size) -> Work:
    return predicting(counts(size), size.codes(), sf.MultinomialNB(), peers.MultinomialNB())


@bench(peer="scikit-learn BernoulliNB.fit", at_least=40)
def bernoulli_fit(size: Size) -> Work:
    return fitting(counts(size), size.codes(), sf.BernoulliNB, peers.BernoulliNB, same_logs)


@bench(peer="scikit-learn BernoulliNB.predict_proba", at_least=20)
def bernoulli_predict(size: Size) -> Work:
    return predicting(counts(size), size.codes(), sf.BernoulliNB(), peers.BernoulliNB())


@bench(peer="scikit-learn MultinomialNB.fit, CSR", at_least=5)
def words_fit(size: Size) -> Work:
    x, y = words(size)
    return fitting(x, y, sf.MultinomialNB, peers.MultinomialNB, same_logs, csr_bytes(x))


@bench(peer="scikit-learn MultinomialNB.predict_proba, CSR", at_least=3)
def words_predict(size: Size) -> Work:
    x, y = words(size)
    return predicting(x, y, sf.MultinomialNB(), peers.MultinomialNB(), csr_bytes(x))


@bench(peer="scikit-learn GaussianNB.predict_proba of one row", at_least=10)
def one_row(size: Size) -> Work:
    """A thousand calls with one row each."""
    x, y = real(size)[:2000], size.codes()[:2000]
    mine, peer, row = sf.GaussianNB().fit(x, y), peers.GaussianNB().fit(x, y), x[:1]

    def agree(a: np.ndarray, b: np.ndarray) -> None:
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)

    def often(estimator: Any) -> np.ndarray:
        for _ in range(999):
            estimator.predict_proba(row)
        return estimator.predict_proba(row)

    return Work(
        ours=lambda threads: limited(threads, lambda: often(mine)),
        theirs=lambda: often(peer),
        input_bytes=1000 * row.nbytes,
        agree=agree,
    )
