"""For any form of rows and any size of batches and blocks, a collector equals one fit of all rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import MonkeyPatch  # noqa: PT013

import suffice.api.collector as module
from suffice.api import Collector, fit
from suffice.errors import DataError
from suffice.likelihoods import Bernoulli, Categorical, Gaussian, Joint, Multinomial, Poisson
from suffice.likelihoods.block_statistics import ESTIMATES

COLUMNS = {
    "height": Gaussian(),
    "wet": Bernoulli(),
    "fur": Categorical(),
    ("words", "other"): Multinomial(),
    "visits": Poisson(),
    ("sex", "paw"): Joint(),
}
NAMES = ("height", "wet", "fur", "words", "other", "visits", "sex", "paw")

missing = st.none()
reals = st.one_of(missing, st.integers(-40, 40).map(lambda k: 1e6 + k / 4), st.just(float("nan")), st.integers(0, 9))
counts = st.one_of(missing, st.integers(0, 4), st.integers(0, 4).map(float))
levels = st.one_of(missing, st.sampled_from(["a", "b", 1, 1.0, True, 2.5]))
cells = st.tuples(reals, st.one_of(counts, st.booleans()), levels, counts, counts, counts, levels, levels)
classes = st.sampled_from(["ham", "spam", 3])
rows = st.lists(st.tuples(cells, classes, st.sampled_from([1.0, 2.0, 0.0]), st.integers(0, 2)), min_size=1, max_size=24)


def same(left, right):
    """Counts are exact, moments agree to 1e-12 of the spread."""
    assert left.schema == right.schema
    assert left.core.tally == right.core.tally
    for mine, theirs in zip(left.core.parts, right.core.parts, strict=True):
        for one, other in zip(mine, theirs, strict=True):
            if hasattr(one, "dp"):
                assert one.classes == other.classes
                np.testing.assert_array_equal(one.weight, other.weight)
                np.testing.assert_allclose(one.mean, other.mean, rtol=1e-12)
                # Both come of float64 passes at a mean of 10⁶: a pass rounds what dp says within dp_blur.
                np.testing.assert_allclose(one.dp, other.dp, rtol=1e-12, atol=float(other.dp_blur.max(initial=0.0)))
            else:
                assert one == other


def frame_of(table):
    data = {}
    for j, name in enumerate(NAMES):
        column = np.empty(len(table), dtype=object)
        column[:] = [row[j] for row in table]
        data[name] = column
    return data


@given(rows, st.integers(1, 9), st.sampled_from(ESTIMATES))
def test_rows_in_any_form_and_blocks_of_any_size_equal_one_fit(drawn, block, estimate):
    table, labels, weights, forms = zip(*drawn, strict=True)
    whole = fit(
        frame_of(table), list(labels), columns=COLUMNS, estimate=estimate, weights=np.array(weights), calibrate=False
    )
    with MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        patch.setattr(module, "_SMALL", max(1, block // 2))
        collector = Collector(COLUMNS, estimate=estimate)
        collector.add_row(dict(zip(NAMES, table[0], strict=True)), labels[0], weights[0])
        for row, label, weight, form in zip(table[1:], labels[1:], weights[1:], forms[1:], strict=True):
            if form == 0:
                collector.add_row(dict(zip(NAMES, row, strict=True)), label, weight)
            elif form == 1:
                collector.add_row(row, label, weight)
            else:
                collector.add(frame_of([row]), [label], [weight])
        found = collector.model()
    assert collector.rows == len(table)
    same(found, whole)


@given(rows, st.lists(st.integers(0, 12), max_size=5), st.integers(1, 9))
def test_batches_of_any_size_equal_one_fit(drawn, cuts, block):
    table, labels, weights, _ = zip(*drawn, strict=True)
    whole = fit(frame_of(table), list(labels), columns=COLUMNS, weights=np.array(weights), calibrate=False)
    edges = [0, *sorted(min(cut, len(table)) for cut in cuts), len(table)]
    with MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        patch.setattr(module, "_SMALL", max(1, block // 2))
        collector = Collector(COLUMNS)
        for start, end in pairwise(edges):
            collector.add(frame_of(table[start:end]), list(labels[start:end]), np.array(weights[start:end]))
        same(collector.model(), whole)


@pytest.mark.filterwarnings(
    "ignore::suffice.errors.LostPrecisionWarning"
)  # 1e6 is forgotten beside 1, and dp not compared
@given(rows, rows, st.integers(1, 9))
def test_forgetting_rows_equals_never_collecting_them(kept, gone, block):
    with MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        collector = Collector(COLUMNS)
        for row, label, weight, _ in (*kept, *gone):
            collector.add_row(dict(zip(NAMES, row, strict=True)), label, weight)
        table, labels, weights, _ = zip(*gone, strict=True)
        collector.forget(frame_of(table), list(labels), np.array(weights))
        table, labels, weights, _ = zip(*kept, strict=True)
        found = collector.model()
    whole = fit(frame_of(table), list(labels), columns=COLUMNS, weights=np.array(weights), calibrate=False)
    assert len(collector) == len(kept)
    assert found.core.tally == whole.core.tally
    for mine, theirs in zip(found.core.parts, whole.core.parts, strict=True):
        for one, other in zip(mine, theirs, strict=True):
            if not hasattr(one, "dp"):
                assert one == other


@given(rows, st.integers(0, 23), st.integers(1, 9))
def test_one_invalid_row_loses_only_itself(drawn, at, block):
    table, labels, weights, _ = zip(*drawn, strict=True)
    at %= len(table)
    bad = (float("inf"), *table[at][1:])
    errors = []
    with MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        collector = Collector(COLUMNS)
        for k, (row, label, weight) in enumerate(zip(table, labels, weights, strict=True)):
            for each in (bad, row) if k == at else (row,):
                try:
                    collector.add_row(dict(zip(NAMES, each, strict=True)), label, 1.0 if each is bad else weight)
                except DataError as error:
                    errors.append(error)
        try:
            collector.model()
        except DataError as error:
            errors.append(error)
        found = collector.model()
    (error,) = errors
    assert (error.kind, error.row, error.column, error.got) == ("infinite", at, "height", float("inf"))
    assert error.advised().startswith("The row was dropped; all other rows were kept. ")
    same(found, fit(frame_of(table), list(labels), columns=COLUMNS, weights=np.array(weights), calibrate=False))
