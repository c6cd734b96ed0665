"""Rows of counts in the native core against plain NumPy: every layout, missing cells, large counts, fractions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from suffice import _core
from suffice.errors import DataError
from suffice.likelihoods.multinomial import Coefficient, Polya
from suffice.likelihoods.poisson import CompoundCount, PoissonCount
from tests.models.scored import score
from tests.oracles.count_terms import joint

CLASSES, WIDTH = 3, 5
PRIOR = np.log([0.2, 0.3, 0.5])
ISAS = [name for name in ("plain", "avx2", "avx512") if _core.use_isa(name)]
COUNTS = st.one_of(
    st.integers(0, 4).map(float), st.integers(0, 2000).map(float), st.floats(0, 50), st.just(1e7), st.just(np.nan)
)
FORMS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "strided": lambda x: np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)[::2, ::2],
    "sparse": sparse.csr_matrix,
}


def positive(low: float, high: float):
    return hnp.arrays(np.float64, (WIDTH, CLASSES), elements=st.floats(low, high))


ALL = tuple(range(WIDTH))
TERMS = st.one_of(
    positive(1e-3, 1e5).map(lambda alpha: Polya(ALL, alpha)),
    positive(1e-3, 1e3).map(lambda rate: PoissonCount(ALL, rate)),
    st.tuples(positive(1e-2, 1e4), positive(1e-2, 1e4)).map(lambda both: CompoundCount(ALL, *both)),
    st.just(Coefficient(ALL)),
)


def assert_near(got, expected, x):
    # The oracle itself takes differences of logs as large as n ln n.
    n = np.nansum(x, axis=1)
    size = 1 + np.abs(expected) + (n * np.log(n + 2))[:, None]
    assert not np.isnan(got).any()
    assert (np.abs(got - expected) <= 1e-13 * size).all()


@pytest.mark.parametrize("form", FORMS)
@given(term=TERMS, x=hnp.arrays(np.float64, st.tuples(st.integers(0, 70), st.just(WIDTH)), elements=COUNTS))
def test_each_term_is_the_oracle(form, term, x):
    got = score([term], PRIOR, FORMS[form](x), "joint").values
    assert_near(got, joint(term, PRIOR, x), x)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64, np.uint64, np.float32, bool])
@pytest.mark.parametrize("form", FORMS)
def test_every_dtype(form, dtype):
    x = np.random.default_rng(1).poisson(2, (200, WIDTH)).astype(dtype)
    for term in terms(np.random.default_rng(2)):
        made = FORMS[form](x)
        np.testing.assert_array_equal(
            score([term], PRIOR, made, "posterior").values,
            score([term], PRIOR, made.astype(np.float64), "posterior").values,
        )


def test_totals_about_the_last_that_is_kept():
    alpha = np.random.default_rng(9).uniform(0.1, 9, (2, CLASSES))
    x = np.array([[n - 7.0, 7.0] for n in (1022, 1023, 1024, 1025)])
    expected = joint(Polya((0, 1), alpha), PRIOR, x)
    for form in (x, sparse.csr_matrix(x)):
        assert_near(score([Polya((0, 1), alpha)], PRIOR, form, "joint").values, expected, x)


def test_masked_cells_are_missing():
    rng = np.random.default_rng(3)
    x = rng.poisson(2, (300, WIDTH))
    mask = rng.random(x.shape) < 0.2
    holes = np.where(mask, np.nan, x)
    for term in terms(rng):
        got = score([term], PRIOR, np.ma.masked_array(x, mask), "joint").values
        np.testing.assert_array_equal(got, score([term], PRIOR, holes, "joint").values)


def terms(rng, width=WIDTH, classes=CLASSES):
    def table():
        return rng.uniform(0.1, 9, (width, classes))

    every = tuple(range(width))
    return (
        Polya(every, table()),
        PoissonCount(every, table()),
        CompoundCount(every, table(), table()),
        Coefficient(every),
    )


def test_same_bits_on_every_instruction_set_and_number_of_threads():
    rng = np.random.default_rng(4)
    x = rng.poisson(1.5, (20_000, 21)).astype(float)
    x[rng.random(x.shape) < 0.01] = np.nan
    x[rng.random(x.shape) < 0.01] = 400.5
    before = _core.isa()
    for term in terms(rng, 21):
        for form in (x, sparse.csr_matrix(x)):
            want = score([term], PRIOR, form, "joint", threads=1).values
            try:
                for isa in ISAS:
                    assert _core.use_isa(isa)
                    for threads in (1, 2, 5):
                        np.testing.assert_array_equal(score([term], PRIOR, form, "joint", threads=threads).values, want)
            finally:
                _core.use_isa(before)


def test_a_row_scores_alike_alone_and_among_many():
    rng = np.random.default_rng(5)
    x = rng.poisson(3, (30_000, WIDTH)).astype(float)
    for term in terms(rng):
        for form in (x, sparse.csr_matrix(x)):
            whole = score([term], PRIOR, form, "joint").values
            np.testing.assert_array_equal(score([term], PRIOR, form[500:501], "joint").values, whole[500:501])


def test_many_columns_and_classes():
    rng = np.random.default_rng(6)
    x = sparse.random(300, 20_000, 0.002, random_state=7, data_rvs=lambda n: rng.integers(1, 30, n)).tocsr()
    prior = np.log(rng.dirichlet(np.ones(37)))
    for term in terms(rng, 20_000, 37):
        expected = joint(term, prior, x)
        for form in (x, x.toarray()):
            assert_near(score([term], prior, form, "joint").values, expected, x.toarray())


def test_most_of_a_row_missing():
    alpha = np.array([[1e12, 1e9, 1.0], [0.5, 1e-3, 2.0]])
    term, x = Polya((0, 1), alpha), np.array([[np.nan, 7.0]])
    expected = score([Polya((0,), alpha[1:])], PRIOR, x[:, 1:], "joint").values
    for form in (x, sparse.csr_matrix(x)):
        np.testing.assert_allclose(score([term], PRIOR, form, "joint").values, expected, rtol=1e-14)


def test_a_rate_of_nothing():
    term = PoissonCount((0, 1), np.array([[0.0, 1.0, 1.0], [1.0, 1.0, 0.0]]))
    x = np.array([[1.0, 0.0], [0.0, 0.0], [300.0, 2.0]])
    for form in (x, sparse.csr_matrix(x)):
        values = score([term], PRIOR, form, "joint").values
        assert np.isneginf(values).tolist() == [[True, False, False], [False] * 3, [True, False, True]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("bad", [-1.0, -0.5, np.inf])
def test_what_is_no_count(form, bad):
    x = np.ones((200, WIDTH))
    x[150, 3] = bad
    kind = "infinite" if form == "sparse" and bad == np.inf else "bad_count"
    for term in terms(np.random.default_rng(8)):
        with pytest.raises(DataError) as caught:
            score([term], PRIOR, FORMS[form](x), "joint")
        assert (caught.value.kind, caught.value.row, caught.value.column, caught.value.got) == (kind, 150, 3, bad)
