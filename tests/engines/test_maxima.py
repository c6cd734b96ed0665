"""Rows to maxima: against the slow oracle in every layout, and cells that cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from suffice.engines import arrays
from suffice.engines.collection import collect_by_part
from suffice.errors import DataError
from suffice.likelihoods.block_statistics import Collect, Plan
from suffice.sources.table import Matrix
from suffice.statistics import Axis
from tests.oracles import rows_maxima

RNG = np.random.default_rng(5)
WHOLE = RNG.integers(0, 9, (60, 4))
X = np.where(RNG.random((60, 4)) < 0.2, np.nan, WHOLE * 0.75)
X[:, 3] = np.where(RNG.random(60) < 0.5, np.nan, 0.0)
CODES = RNG.integers(-1, 4, 60)
WEIGHTS = RNG.choice([0.0, 0.5, 1.0, 2.25], 60)
LABELS = ["d", "b", "a", "c"]
COLUMNS = ("x", "y", "z", "zero")


def separate(x):
    """Return the columns, with cells that are missing marked in bitmaps instead."""
    valid = [np.packbits(~np.isnan(column), bitorder="little") for column in x.T]
    return [np.nan_to_num(column, nan=99.0) for column in x.T], valid


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["alike", "weighted"])
@pytest.mark.parametrize(
    "layout",
    [
        lambda x: (x, None),
        lambda x: (np.asfortranarray(x), None),
        lambda x: (x.astype(np.float32), None),
        lambda x: (np.ma.array(np.nan_to_num(x, nan=99), mask=np.isnan(x)), None),
        lambda x: ([*x.T], None),
        separate,
        lambda x: (sparse.csr_matrix(x), None),
        lambda x: (sparse.coo_array(x), None),
    ],
)
def test_every_layout(layout, weights):
    x, valid = layout(X)
    found = arrays.maxima(x, CODES, LABELS, columns=COLUMNS, weights=weights, valid=valid)
    assert found == rows_maxima.as_statistic(X.tolist(), CODES.tolist(), LABELS, COLUMNS, weights)


def test_whole_numbers_and_no_rows():
    found = arrays.maxima(WHOLE.astype(np.uint8), CODES, LABELS)
    assert found == rows_maxima.as_statistic(WHOLE.tolist(), CODES.tolist(), LABELS, range(4))
    nothing = arrays.maxima(np.zeros((0, 2)), np.zeros(0, dtype=int), Axis(["a"], declared=True))
    assert nothing.maximum.tolist() == [[0, 0]]
    assert arrays.maxima([[1.0, 3.0]], [-1], ["a"]).weight.shape == (0, 2)


def test_parts_in_place():
    parts = RNG.integers(0, 3, 60)
    axis = Axis(["a", "b"], declared=True)
    codes = np.minimum(CODES, 1)
    plan = Plan(4, (Collect("maxima", (0, 1, 2, 3)),))
    found = collect_by_part(plan, Matrix(X, (0, 1, 2, 3)), codes, axis, WEIGHTS, parts)
    for part, (_, ((maxima,),)) in enumerate(found):
        here = parts == part
        assert maxima == arrays.maxima(X[here], codes[here], axis, weights=WEIGHTS[here])


@pytest.mark.parametrize(
    ("bad", "kind", "text"),
    [
        (-0.5, "negative", "row 3, column 'b': values of a Uniform column must be ≥ 0: got -0.5. "),
        (np.inf, "infinite", "row 3, column 'b': values must be finite, or NaN if missing: got inf. "),
        (-np.inf, "infinite", "row 3, column 'b': values must be finite, or NaN if missing: got -inf. "),
    ],
)
@pytest.mark.parametrize("make", [np.array, sparse.csr_matrix])
def test_cells_that_cannot_be(bad, kind, text, make):
    x = np.ones((5, 2))
    x[3, 1] = bad
    with pytest.raises(DataError) as raised:
        arrays.maxima(make(x), [0, 0, 1, 1, 0], ["u", "v"], columns=["a", "b"])
    assert str(raised.value).startswith(text)
    assert raised.value.kind == kind


def test_a_row_that_is_not_seen_may_be_negative():
    x = [[1.0], [-3.0], [2.0], [-5.0]]
    found = arrays.maxima(x, [0, -1, 0, 0], ["a"], weights=[1, 1, 2, 0])
    assert (found.weight.tolist(), found.maximum.tolist()) == ([[3]], [[2]])
