"""The scorer by itself: each term against its formula, blocks of rows, what cannot be, and what was asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse
from scipy.special import gammaln

from suffice.errors import ParameterError
from suffice.likelihoods.bernoulli import Presence
from suffice.likelihoods.categorical import Levels
from suffice.likelihoods.gaussian import Quadratic, Student
from suffice.likelihoods.multinomial import Coefficient, Linear, Polya
from suffice.likelihoods.poisson import CompoundCount, PoissonCount
from suffice.statistics import Axis
from tests.models.scored import score

NAN, INF = math.nan, math.inf
RNG = np.random.default_rng(7)
PRIOR = np.log([0.25, 0.75])


def table(rows=2, low=-1.0, high=1.0):
    return RNG.uniform(low, high, (rows, 2))


A, B, C = table(high=-0.1), table(), table()
M, S, K = table(), table(low=0.1), table()
E = np.array([1.5, 4.0])
CENTRE, SCALE = np.array([1.0, -2.0]), np.array([0.5, 3.0])
WEIGHT = np.log([[0.5, 0.2], [0.5, 0.8]])
POSITIVE = table(low=0.5, high=4)
LEVELS = table(5)


def z(x, j):
    return (x[j] - CENTRE[j]) * SCALE[j]


def polya(x, c):
    here = [j for j in range(2) if not math.isnan(x[j])]
    total, n = sum(POSITIVE[j, c] for j in here), sum(x[j] for j in here)
    if n == 0:
        return 0.0
    return (
        gammaln(total)
        - gammaln(total + n)
        + sum(gammaln(POSITIVE[j, c] + x[j]) - gammaln(POSITIVE[j, c]) for j in here)
    )


def each(formula):
    return lambda x, c: sum(formula(x, j, c) for j in range(2) if not math.isnan(x[j]))


def linear(x, c):
    here = [j for j in range(2) if not math.isnan(x[j])]
    among = sum(math.exp(WEIGHT[j, c]) for j in here)
    return sum(x[j] * (WEIGHT[j, c] - math.log(among)) for j in here)


def coefficient(x, c):
    counts = [each for each in x if not math.isnan(each)]
    return gammaln(sum(counts) + 1) - sum(gammaln(count + 1) for count in counts)


def level(x, j, c):
    known = 0 <= x[j] < (2, 3)[j]
    return LEVELS[2 * j + int(x[j]), c] if known else 0.0


TERMS = [
    (
        Quadratic((0, 1), CENTRE, SCALE, M, S, C),
        each(lambda x, j, c: C[j, c] - S[j, c] * (z(x, j) - M[j, c]) ** 2),
    ),
    (
        Student((0, 1), CENTRE, SCALE, M, S, K, E),
        each(lambda x, j, c: K[j, c] - E[c] * math.log1p((z(x, j) - M[j, c]) ** 2 * S[j, c])),
    ),
    (Levels((0, 1), (Axis(range(2)), Axis(range(3))), LEVELS), each(level)),
    (Presence((0, 1), 1.0, A, B), each(lambda x, j, c: A[j, c] if x[j] > 1 else B[j, c])),
    (Linear((0, 1), WEIGHT), linear),
    (Linear((0, 1), WEIGHT, distribution=False), each(lambda x, j, c: x[j] * WEIGHT[j, c])),
    (Polya((0, 1), POSITIVE), polya),
    (Coefficient((0, 1)), coefficient),
    (
        PoissonCount((0, 1), POSITIVE),
        each(lambda x, j, c: x[j] * math.log(POSITIVE[j, c]) - POSITIVE[j, c] - gammaln(x[j] + 1)),
    ),
    (
        CompoundCount((0, 1), POSITIVE, S),
        each(
            lambda x, j, c: (
                gammaln(POSITIVE[j, c] + x[j])
                - gammaln(POSITIVE[j, c])
                - gammaln(x[j] + 1)
                + POSITIVE[j, c] * math.log(S[j, c] / (S[j, c] + 1))
                - x[j] * math.log1p(S[j, c])
            )
        ),
    ),
]
ROWS = np.array([[0, 1], [2, 0], [1, 1], [NAN, 2], [3, NAN], [NAN, NAN], [0, 0], [7, 300], [2.5, 1]])


@pytest.mark.parametrize(("term", "formula"), TERMS)
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_matrix])
def test_each_term_is_its_formula(term, formula, form):
    rows = ROWS[:-1] if isinstance(term, Levels) else ROWS
    expected = [[PRIOR[c] + formula(row, c) for c in range(2)] for row in rows.tolist()]
    joint = score([term], PRIOR, form(rows), "joint")
    np.testing.assert_allclose(joint.values, expected, rtol=1e-12, atol=1e-12)
    assert joint.impossible == 0


@pytest.mark.parametrize(("term", "formula"), TERMS)
def test_columns_are_found_where_they_are(term, formula):
    columns = tuple({0: 3, 1: 1}[j] for j in term.columns)
    moved = type(term)(columns, *(getattr(term, name) for name in term.__slots__ if name != "columns"))
    wide = np.full((len(ROWS), 5), 9.0)
    wide[:, [3, 1]] = ROWS
    expected = score([term], PRIOR, ROWS, "joint").values
    for rows in (wide, sparse.csr_matrix(wide)):
        np.testing.assert_allclose(score([moved], PRIOR, rows, "joint").values, expected, rtol=1e-12)


def test_terms_add_up_and_rows_are_taken_in_blocks():
    rows = np.tile(ROWS[:-1], (3000, 1))
    terms = [term for term, _ in TERMS]
    whole = score(terms, PRIOR, rows, "joint").values
    parts = sum(score([term], PRIOR, ROWS[:-1], "joint").values - PRIOR for term in terms) + PRIOR
    np.testing.assert_allclose(whole, np.tile(parts, (3000, 1)), rtol=1e-12)


def test_what_was_asked_for():
    term = Presence((0,), 0.0, np.log([[0.5, 0.9]]), np.log([[0.5, 0.1]]))
    rows = np.array([[1.0], [0.0], [NAN]])
    joint = np.array([[0.125, 0.675], [0.125, 0.075], [0.25, 0.75]])
    total = joint.sum(axis=1)
    np.testing.assert_allclose(score([term], PRIOR, rows, "joint").values, np.log(joint))
    np.testing.assert_allclose(score([term], PRIOR, rows, "density").values, np.log(total), atol=1e-15)
    np.testing.assert_allclose(score([term], PRIOR, rows, "posterior").values, joint / total[:, None])
    np.testing.assert_allclose(score([term], PRIOR, rows, "log_posterior").values, np.log(joint / total[:, None]))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_what_cannot_be(form):
    never = np.array([[-INF, -INF], [0.0, -1.0]])
    rows = form(np.array([[1.0, 0.0], [0.0, 1.0], [NAN, 3.0]]))
    for term in (Presence((0, 1), 0.0, never, np.zeros((2, 2))), Linear((0, 1), never)):
        for wanted, first in (("joint", [-INF, -INF]), ("posterior", [0.25, 0.75]), ("log_posterior", PRIOR)):
            scores = score([term], PRIOR, rows, wanted)
            assert scores.impossible == 1
            np.testing.assert_allclose(scores.values[0], first)
            assert not np.isnan(scores.values).any()
        assert score([term], PRIOR, rows, "density").values[0] == -INF
    absent = Presence((0, 1), 0.0, np.zeros((2, 2)), np.array([[-INF, 0.0], [0.0, 0.0]]))
    np.testing.assert_allclose(score([absent], PRIOR, rows, "posterior").values[:2], [[0.25, 0.75], [0, 1]])
    rates = PoissonCount((0, 1), np.array([[0.0, 1.0], [1.0, 1.0]]))
    np.testing.assert_allclose(score([rates], PRIOR, rows, "posterior").values[0], [0, 1])


def test_theta_among_columns_that_cannot_be():
    term = Linear((0, 1), np.array([[-INF, -1.0], [0.0, -0.5]]))
    rows = np.array([[2.0, NAN], [0.0, NAN]])
    np.testing.assert_allclose(score([term], PRIOR, rows, "posterior").values, [[0, 1], [0.25, 0.75]])


def test_levels_that_are_unseen_or_missing():
    rows = np.log([[0.5, 0.1], [0.25, 0.2], [0.125, 0.3], [0.125, 0.4]])
    term = Levels((0,), (Axis([None, 0, 1]),), rows, unseen=True, missing=True)
    cells = np.array([[0.0], [1.0], [99.0], [-7.0], [0.5], [1e300], [INF], [NAN]])
    np.testing.assert_allclose(score([term], PRIOR, cells, "joint").values, PRIOR + rows[[1, 2, 3, 3, 3, 3, 3, 0]])
    whole = np.array([[0], [1], [2], [-7], [-1]])
    np.testing.assert_allclose(score([term], PRIOR, whole, "joint").values, PRIOR + rows[[1, 2, 3, 3, 3]])
    plain = Levels((0,), (Axis([None, 0, 2, 3]),), rows)
    for kind in (np.int64, np.uint8, np.float32):
        scores = score([plain], PRIOR, np.array([[4], [1], [3], [0]], dtype=kind), "joint")
        np.testing.assert_allclose(scores.values, [PRIOR, PRIOR, PRIOR + rows[3], PRIOR + rows[1]])
        assert scores.unseen == ((0, 2, 4, (1, 4), (0, 2, 3)),)


@pytest.mark.parametrize("labels", [[-3, 5], [0, 10_000], [0.5, 2], [0, "0"], [False, True]])
def test_levels_that_are_no_small_whole_numbers_are_coded(labels):
    axis = Axis.of(labels)
    term = Levels((0,), (axis,), np.log([[0.5, 0.1], [0.25, 0.2]]))
    numbers = [label for label in axis.labels if not isinstance(label, str)]
    cells = np.array(numbers)[:, None]
    expected = PRIOR + term.table[[axis.index(label) for label in numbers]]
    np.testing.assert_allclose(score([term], PRIOR, cells, "joint").values, expected)


def test_no_terms_no_rows():
    np.testing.assert_allclose(score([], PRIOR, np.zeros((2, 0)), "posterior").values, [[0.25, 0.75]] * 2)
    assert score([], PRIOR, np.zeros((0, 3)), "joint").values.shape == (0, 2)


def test_threads_are_checked():
    text = "threads must be an integer from 1 to 1024: got 0. Omit it to use all CPUs."
    with pytest.raises(ParameterError, match=f"^{text}$"):
        score([], PRIOR, np.zeros((1, 1)), "joint", threads=0)
