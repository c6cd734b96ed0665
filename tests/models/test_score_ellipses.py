"""Densities of several columns in the core: the same bits everywhere, any pattern of gaps, any way the columns come."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice import _core
from suffice.likelihoods.multivariate_gaussian import FullQuadratic, FullStudent
from suffice.models.score import Scorer
from suffice.sources.column import Numbers
from suffice.sources.table import Frame, Matrix

ISAS = [name for name in ("plain", "avx2", "avx512") if _core.use_isa(name)]
WIDTH, CLASSES = 12, 3


def rows(count=30_000, gaps=0.02, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, WIDTH)) * np.geomspace(1e-3, 1e3, WIDTH) + 5
    x[rng.random(x.shape) < gaps] = np.nan
    return x


def term(kind, seed=1, shared=False):
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(1 if shared else CLASSES, WIDTH, 2 * WIDTH))
    matrices = half @ half.swapaxes(1, 2) / (2 * WIDTH)
    start = (
        tuple(range(WIDTH)),
        np.full(WIDTH, 5.0),
        1 / np.geomspace(1e-3, 1e3, WIDTH),
        rng.normal(size=(CLASSES, WIDTH)),
    )
    if kind == "student":
        return FullStudent(*start, matrices, np.array([2.5, 30.0, 4e5]))
    return FullQuadratic(*start, matrices, 1e-9, drop=kind == "dropped")


KINDS = {
    "full": term("full"),
    "shared": term("dropped", shared=True),
    "student": term("student"),
}
WANTED = ["joint", "posterior", "log_posterior", "density"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wanted", WANTED)
def test_the_same_bits_on_any_instruction_set_and_number_of_threads(kind, wanted):
    scorer = Scorer((KINDS[kind],), np.log([0.5, 0.25, 0.25]), tuple(range(WIDTH)))
    table = Matrix(rows(), tuple(range(WIDTH)))
    before = _core.isa()
    try:
        expected = scorer.score(table, wanted, threads=1).values.tobytes()
        for isa in ISAS:
            assert _core.use_isa(isa)
            for threads in (1, 2, 5):
                assert scorer.score(table, wanted, threads=threads).values.tobytes() == expected, (isa, threads)
    finally:
        _core.use_isa(before)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_scores_the_same_alone_and_among_others_however_its_columns_come(kind):
    names = tuple(range(WIDTH))
    scorer = Scorer((KINDS[kind],), np.zeros(CLASSES), names)
    x = rows(300, 0.2)
    whole = scorer.score(Matrix(x, names), "joint").values
    alone = np.concatenate([scorer.score(Matrix(x[k : k + 1], names), "joint").values for k in range(len(x))])
    np.testing.assert_array_equal(alone, whole)
    apart = Frame(names, tuple(Numbers(np.ascontiguousarray(x[:, j])) for j in names), len(x), named=False)
    np.testing.assert_array_equal(scorer.score(apart, "joint").values, whole)
    np.testing.assert_array_equal(scorer.score(Matrix(np.asfortranarray(x), names), "joint").values, whole)
    strided = np.zeros((300, 2 * WIDTH))
    strided[:, ::2] = x
    np.testing.assert_array_equal(scorer.score(Matrix(strided[:, ::2], names), "joint").values, whole)


def test_more_patterns_than_are_kept_change_nothing():
    width = 60
    rng = np.random.default_rng(2)
    half = rng.normal(size=(2, width, 2 * width))
    matrices = half @ half.swapaxes(1, 2) / width
    given = FullQuadratic(tuple(range(width)), np.zeros(width), np.ones(width), np.zeros((2, width)), matrices, 1e-9)
    scorer = Scorer((given,), np.zeros(2), tuple(range(width)))
    x = rng.normal(size=(700, width))
    x[rng.random(x.shape) < 0.4] = np.nan
    both = np.concatenate([x, x[::-1]])
    found = scorer.score(Matrix(both, tuple(range(width))), "joint").values
    np.testing.assert_array_equal(found[:700], found[700:][::-1])


@pytest.mark.parametrize("bad", ["mean", "matrix", "whitening", "degrees"])
def test_the_door_checks_shapes(bad):
    size = 2
    given = {
        "columns": [0, 1],
        "centre": np.zeros(size),
        "scale": np.ones(size),
        "log_scale": np.zeros(size),
        "mean": np.zeros((CLASSES, size)),
        "matrix": np.stack([np.eye(size)] * CLASSES),
        "whitening": np.stack([np.eye(size)] * CLASSES),
        "log_determinant": np.zeros(CLASSES),
        "rank": np.full(CLASSES, 2.0),
        "least": 0.0,
        "drop": False,
        "degrees": np.empty(0),
        "norming": np.empty((0, 0)),
        "linear": False,
    }
    tables = _core.ScoreTables(np.zeros(CLASSES))
    tables.add_ellipse(**given)
    wrong = {"mean": np.zeros((2, size)), "matrix": np.zeros((2, size, size)), "degrees": np.ones(1)}
    wrong["whitening"] = np.zeros((CLASSES, size, size + 1))
    with pytest.raises(ValueError, match=r"wrong|one matrix"):
        tables.add_ellipse(**{**given, bad: wrong[bad]})
    with pytest.raises(ValueError, match="linear is of one matrix, and normal"):
        tables.add_ellipse(**{**given, "linear": True})


def test_more_than_a_few_columns_and_classes():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2000, 90)), rng.integers(0, 11, 2000)
    for covariance in ("full", "shared"):
        model = sf.fit(x, y, columns=sf.MultivariateGaussian(covariance=covariance), estimate="mle", calibrate=False)
        expected = model.log_joint(x)
        np.testing.assert_allclose(
            model.predict_proba(x), np.exp(expected - np.logaddexp.reduce(expected, axis=1, keepdims=True)), atol=1e-10
        )
