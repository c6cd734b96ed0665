"""Histogram and known-or-missing terms: NumPy's search as oracle, every dtype, layout, thread count, instruction set."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from suffice import _core
from suffice.likelihoods.gaussian import Quadratic
from suffice.likelihoods.histogram import Steps
from suffice.likelihoods.terms import Observed
from tests.models.scored import score
from tests.oracles.naive_bayes_histogram import cell_of

NAN, INF = np.nan, np.inf
RNG = np.random.default_rng(3)
PRIOR = np.log([0.5, 0.2, 0.3])
SIZES = (0, 1, 2, 5, 7, 8, 15, 16, 30, 63, 64, 255, 300)
EDGES = tuple(np.unique(RNG.integers(-200, 200, 3 * size))[:size].astype(float) for size in SIZES)
CUTS = tuple(map(len, EDGES))
TABLE = RNG.normal(size=(sum(CUTS) + len(CUTS), 3))
STEPS = Steps(tuple(range(len(CUTS))), EDGES, TABLE)
PRESENT, ABSENT = RNG.normal(size=(2, 4, 3))
OBSERVED = Observed((1, 3, 4, 12), PRESENT, ABSENT)


def expected(x, known=None):
    known = ~np.isnan(x) if known is None else known
    scores = np.tile(PRIOR, (len(x), 1))
    for r, row in enumerate(x):
        start = 0
        for j, edges in enumerate(EDGES):
            if known[r, j]:
                scores[r] += TABLE[start + cell_of([-INF, *edges, INF], row[j])]
            start += len(edges) + 1
        for at, j in enumerate(OBSERVED.columns):
            scores[r] += PRESENT[at] if known[r, j] else ABSENT[at]
    return scores


def check(x, plain, known=None):
    joint = score([STEPS, OBSERVED], PRIOR, x, "joint")
    np.testing.assert_allclose(joint.values, expected(plain, known), rtol=1e-13, atol=1e-13)
    assert joint.impossible == 0


WHOLE = RNG.integers(-100, 100, (150, len(CUTS)))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.int16, np.int32, np.int64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_type_and_layout(dtype, order):
    x = WHOLE.astype(dtype, order=order)
    check(x, WHOLE.astype(float))
    check(x[::-2], WHOLE[::-2].astype(float))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64, bool])
def test_types_without_a_sign(dtype):
    x = np.abs(WHOLE).astype(dtype)
    check(x, x.astype(float))


def test_missing_and_infinite_cells():
    x = WHOLE.astype(float)
    x[RNG.random(x.shape) < 0.2] = NAN
    x[::5, ::2], x[1::5, ::3] = INF, -INF
    x[7] = NAN
    for form in (np.asarray, np.asfortranarray, lambda each: each.astype(np.float32)):
        check(form(x), x)


def test_the_edges_belong_to_the_cell_above():
    for shift in (-1, 0, 1):
        x = np.array([[edges[k % len(edges)] if len(edges) else 0.0 for edges in EDGES] for k in range(300)])
        moved = np.nextafter(x, shift * INF) if shift else x
        check(moved, moved)


def test_masked_cells_are_missing():
    mask = RNG.random(WHOLE.shape) < 0.3
    check(np.ma.array(WHOLE, mask=mask), WHOLE.astype(float), ~mask)


def test_sparse_rows_are_zero_where_nothing_is_stored():
    x = np.where(RNG.random(WHOLE.shape) < 0.7, 0.0, WHOLE)
    stored = sparse.csr_matrix(x)
    check(stored, x)
    stored.data[::4] = NAN
    check(stored, stored.toarray())


def test_beside_other_terms_and_in_other_places():
    other = Quadratic((2, 0), np.array([0.5, 1.0]), np.ones(2), *RNG.uniform(0.5, 1, (3, 2, 3)))
    x = WHOLE.astype(float)
    apart = score([STEPS], PRIOR, x, "joint").values + score([other], PRIOR, x, "joint").values - PRIOR
    np.testing.assert_allclose(score([other, STEPS], PRIOR, x, "joint").values, apart, rtol=1e-12)
    order = RNG.permutation(len(CUTS))
    moved = Steps(tuple(int(np.flatnonzero(order == j)[0]) for j in range(len(CUTS))), EDGES, TABLE)
    np.testing.assert_array_equal(
        score([moved], PRIOR, x[:, order], "joint").values, score([STEPS], PRIOR, x, "joint").values
    )


def test_the_same_bits_on_any_number_of_threads():
    x = RNG.normal(scale=60, size=(9000, len(CUTS)))
    one = score([STEPS, OBSERVED], PRIOR, x, "posterior", threads=1).values
    for threads in (2, 3, 8):
        np.testing.assert_array_equal(score([STEPS, OBSERVED], PRIOR, x, "posterior", threads=threads).values, one)


def test_the_same_bits_on_every_instruction_set(tmp_path):
    code = (
        "import sys, numpy as np; sys.path.insert(0, '.')\n"
        "from tests.models.test_score_steps import PRIOR, STEPS, OBSERVED, WHOLE, score\n"
        "x = np.where(WHOLE % 7 == 0, np.nan, WHOLE * 1.5)\n"
        "np.save(sys.argv[1], score([STEPS, OBSERVED], PRIOR, x, 'posterior').values)\n"
    )
    found = []
    for name in ("plain", "avx2", "avx512"):
        to = tmp_path / f"{name}.npy"
        done = subprocess.run(
            [sys.executable, "-c", code, str(to)], capture_output=True, text=True, check=False,
            env={**os.environ, "SUFFICE_ISA": name},
        )  # fmt: skip
        if done.returncode:
            assert f"SUFFICE_ISA is '{name}': this machine runs plain" in done.stderr
        else:
            found.append(np.load(to))
    assert found
    for each in found[1:]:
        np.testing.assert_array_equal(each, found[0])


def test_what_a_cell_cannot_be():
    term = Steps((0,), (np.array([0.0]),), np.array([[-INF, -INF, -INF], [0.0, -1.0, -INF]]))
    rows = np.array([[-1.0], [1.0], [NAN]])
    scores = score([term], PRIOR, rows, "posterior")
    assert scores.impossible == 1
    np.testing.assert_allclose(scores.values[[0, 2]], np.exp([PRIOR, PRIOR]))
    assert scores.values[1, 2] == 0


@pytest.mark.parametrize(
    ("text", "counts", "edges", "rows"),
    [
        ("one number of edges for each column", [1, 1], np.zeros(1), 2),
        ("edges has the wrong length", [1], np.zeros(2), 2),
        ("table has the wrong shape", [1], np.zeros(1), 3),
        ("too many edges", [2**32], np.zeros(1), 2),
    ],
)
def test_the_door_refuses_what_does_not_fit(text, counts, edges, rows):
    tables = _core.ScoreTables(PRIOR)
    with pytest.raises(ValueError, match=f"^{text}$"):
        tables.add_steps([0], counts, edges, np.zeros((rows, 3)))


def test_the_door_refuses_known_cells_that_do_not_fit():
    tables = _core.ScoreTables(PRIOR)
    with pytest.raises(ValueError, match=r"^absent has the wrong shape$"):
        tables.add_observed([0], np.zeros((1, 3)), np.zeros((2, 3)))
    tables.add_observed([5], np.zeros((1, 3)), np.zeros((1, 3)))
    with pytest.raises(ValueError, match=r"^a term names a column that x does not have$"):
        _core.score(tables, _core.Matrix(np.zeros((1, 1))), "joint", 1)
