"""Rows kept beside a pass: their held-out scores are those of fitting again, however the rows come."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import suffice as sf
from suffice.evidence.cross_fitting import CrossFitting, FoldModels, KeptRows, RowsToCount, cross_fit
from suffice.sources.source import aligned_table, rows_in_memory
from suffice.sources.table import Matrix
from suffice.statistics import Axis
from tests.evidence.evaluation.mixed_rows import LIKELIHOODS, ROWS, mixed_rows, taken
from tests.oracles.refitted import refitted

TWO = Axis.of(["a", "b"])


def crossed(data, target, weights=None, *, cuts=(), limit=100_000, folds=5, seed=0, **options):
    """The model of all rows, and what was kept of batches that are cut there."""
    model = sf.fit(data, target, weights=weights, calibrate=False, **options).core
    rows = rows_in_memory(data, target, weights)
    table = aligned_table(rows.table, model.schema)
    cross = CrossFitting(limit, folds, seed)
    for start, end in zip((0, *cuts), (*cuts, table.rows), strict=True):
        heavy = None if rows.weights is None else rows.weights[start:end]
        part = table.take(np.arange(start, end)) if cuts else table
        cross.add(model, RowsToCount(part, rows.target.codes[start:end], rows.target.classes, heavy))
    cross.close()
    return model, cross


def folds_of(cross, classes, rows):
    """The fold of each row of the data, −1 of those that are not kept: found by the number in column `row`."""
    folds = np.full(rows, -1)
    for piece in cross.kept.sampled(classes):
        at = piece.table.numbers(("row",)).columns()[0].astype(int)
        folds[at] = piece.folds
    return folds


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("limit", [ROWS, 41])
@pytest.mark.parametrize("name", LIKELIHOODS)
def test_scores_are_those_of_fitting_again_without_the_fold(name, limit, weighted):
    data, target, weights = mixed_rows()
    weights = weights if weighted else None
    data["row"] = np.arange(ROWS)
    columns = {**LIKELIHOODS[name], "row": None, "*": None} if name != "mixture" else {**LIKELIHOODS[name], "*": None}
    model, cross = crossed(data, target, weights, cuts=(7, 30, 64), limit=limit, columns=columns)
    folds = folds_of(cross, model.classes, ROWS)
    assert np.bincount(folds[folds >= 0]).tolist() == ([18] * 5 if limit == ROWS else [8, 8, 8, 8, 7])
    found = FoldModels.of(cross.kept, cross.rest, model).scores()
    expected = refitted(data, target, weights, folds, taken, columns=columns)
    at = np.concatenate([piece.table.numbers(("row",)).columns()[0] for piece in cross.kept.sampled(model.classes)])
    np.testing.assert_allclose(found.evidence[:, 0], expected[at.astype(int)], rtol=1e-9, atol=1e-9)
    by_unit = FoldModels.of(cross.kept, cross.rest, model).scores(by_unit=True).evidence
    assert by_unit.shape[1] == len(model.units)
    np.testing.assert_allclose(by_unit.sum(axis=1), found.evidence[:, 0], rtol=1e-10, atol=1e-10)
    heavy = np.ones(ROWS) if weights is None else weights
    counts, kept = (np.bincount(each, minlength=3) for each in (found.codes[:0], found.codes))
    counts = np.bincount(np.unique(target, return_inverse=True)[1])
    np.testing.assert_allclose(found.weights, heavy[at.astype(int)] * (counts / kept)[found.codes])


def test_sparse_rows_and_texts():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 200)
    dense = rng.poisson(0.4 + codes[:, None] * rng.random(6), (200, 6))
    texts = np.array([" ".join(f"w{j}" for j in np.repeat(np.arange(6), row)) for row in dense], dtype=object)
    for data, take, likelihood in (
        (scipy.sparse.csr_matrix(dense), lambda x, rows: x[rows], sf.Multinomial()),
        (dense, lambda x, rows: x[rows], sf.Multinomial()),
        (texts, lambda x, rows: x[rows], sf.Words()),
        (list(texts), lambda x, rows: [x[row] for row in rows], sf.Chars(ngrams=2)),
    ):
        model, cross = crossed(data, codes, columns=likelihood)
        pieces = cross.kept.sampled(model.classes)
        assert len(pieces) == 1
        found = FoldModels.of(cross.kept, cross.rest, model).scores()
        expected = refitted(data, codes, None, pieces[0].folds, take, columns=likelihood)
        np.testing.assert_allclose(found.evidence[:, 0], expected, rtol=1e-9, atol=1e-9)
        cut = FoldModels.of(*_kept(crossed(data, codes, cuts=(33, 150), columns=likelihood))).scores()
        np.testing.assert_allclose(cut.evidence, found.evidence, rtol=1e-12, atol=1e-12)


def _kept(found):
    model, cross = found
    return cross.kept, cross.rest, model


@pytest.mark.parametrize("limit", [10, 41, 1000])
def test_batches_do_not_matter(limit):
    data, target, weights = mixed_rows()
    target[:3] = "seldom"
    weights[5] = 0.0
    columns = LIKELIHOODS["mixture"]
    one = FoldModels.of(*_kept(crossed(data, target, weights, limit=limit, columns=columns))).scores()
    for cuts in ((1, 2, 3, 50), tuple(range(1, ROWS))):
        many = FoldModels.of(*_kept(crossed(data, target, weights, cuts=cuts, limit=limit, columns=columns))).scores()
        np.testing.assert_array_equal(many.codes, one.codes)
        np.testing.assert_array_equal(many.folds, one.folds)
        np.testing.assert_allclose(many.weights, one.weights, rtol=1e-12)
        np.testing.assert_allclose(many.evidence, one.evidence, rtol=1e-9, atol=1e-9)


def test_threads_do_not_matter(monkeypatch, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    x = np.repeat(rng.normal(y, 1.0)[:, None], 3, axis=1)
    lines = [",".join([*map(repr, row), str(label)]) for row, label in zip(x.tolist(), y.tolist(), strict=True)]
    for at in range(3):
        (tmp_path / f"{at}.csv").write_text("\n".join(["a,b,c,y", *lines[at::3]]), encoding="utf-8")
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("SUFFICE_NUM_THREADS", threads)
        found.append(sf.fit(f"{tmp_path}/*.csv", "y"))
    assert found[0].calibration is not None
    for other in found[1:]:
        assert other == found[0]
        assert other.calibration.scale == found[0].calibration.scale
        assert other.calibration.offsets.tobytes() == found[0].calibration.offsets.tobytes()


def test_rare_classes_are_kept_whole_and_frequent_ones_alike():
    codes = np.repeat([0, 1, 2, 3], [1000, 500, 20, 3])
    kept = KeptRows(limit=100, folds=5)
    classes = Axis.of(["a", "b", "c", "d"])
    rest, blocks = kept.add(Matrix(np.zeros((len(codes), 1)), (0,)), codes, classes)
    blocks += kept.close()
    (piece,) = kept.sampled(classes)
    assert np.bincount(piece.codes).tolist() == [38, 38, 20, 3]
    gone = sum(int((block.codes >= 0).sum()) for block in blocks) + int((rest >= 0).sum())
    assert gone + len(piece.codes) == len(codes)
    np.testing.assert_allclose(np.bincount(piece.codes, piece.shares), [1000, 500, 20, 3])
    for c in range(4):
        sizes = np.bincount(piece.folds[piece.codes == c], minlength=5)
        assert sizes.max() - sizes.min() <= 1


def test_every_row_is_as_likely_to_be_kept():
    codes, classes = np.zeros(60, dtype=np.int64), Axis.of(["a"])
    times = np.zeros(60)
    for seed in range(600):
        kept = KeptRows(limit=20, seed=seed)
        rest, _ = kept.add(Matrix(np.zeros((60, 1)), (0,)), codes, classes)
        evicted = kept.close()
        (piece,) = kept.sampled(classes)
        assert len(piece.codes) == 20
        table = Matrix(np.arange(60.0)[:, None], (0,))
        again = KeptRows(limit=20, seed=seed)
        again.add(table, codes, classes)
        again.close()
        times[again.sampled(classes)[0].table.x[:, 0].astype(int)] += 1
        assert len(evicted) <= 1
        assert (rest >= -1).all()
    # 200 of 600 for each: the standard deviation is 11.5
    assert np.abs(times - 200).max() < 4.5 * 11.6


def test_rows_without_class_or_weight_are_not_kept():
    kept = KeptRows()
    codes, weights = np.array([0, -1, 1, 0, 1]), np.array([1.0, 1.0, 0.0, 2.0, 1.0])
    rest, _ = kept.add(Matrix(np.zeros((5, 1)), (0,)), codes, TWO, weights)
    assert rest.tolist() == [-1, -1, 1, -1, -1]
    assert kept.counts == {"a": 2, "b": 1}


def test_a_row_that_is_alone_in_its_class_has_no_weight():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(50, 2)), np.array(["a", "b"] * 25, dtype=object)
    y[7] = "lone"
    model, cross = crossed(x, y, columns=sf.Gaussian())
    found = FoldModels.of(cross.kept, cross.rest, model).scores()
    lone = found.codes == model.classes.index("lone")
    assert found.weights[lone].tolist() == [0.0]
    assert (found.weights[~lone] == 1).all()
    assert np.isfinite(found.evidence).all()


def test_what_is_kept_and_counted_adds_up_to_all_rows():
    data, target, _ = mixed_rows()
    columns = LIKELIHOODS["mixture"]
    model = sf.fit(data, target, columns=columns, calibrate=False).core
    rows = rows_in_memory(data, target, None)
    table = aligned_table(rows.table, model.schema)
    cross = CrossFitting(limit=20)
    total = None
    for start in range(0, ROWS, 11):
        part = table.take(np.arange(start, min(start + 11, ROWS)))
        own = cross.add(model, RowsToCount(part, rows.target.codes[start : start + 11], rows.target.classes, None))
        total = own if total is None else total + own
    cross.close()
    np.testing.assert_allclose(
        total.score(table, "joint").values, model.score(table, "joint").values, rtol=1e-10, atol=1e-10
    )
    kept = sum(len(piece.codes) for piece in cross.kept.sampled(model.classes))
    assert kept == 18  # six of each class
    assert cross.rest.tally.weight.sum() == ROWS - kept


def test_few_rows_one_class_and_mle_are_not_calibrated():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(400, 2)), np.array(["a", "b"] * 200)
    model, cross = crossed(x[:39], y[:39], columns=sf.Gaussian())
    assert cross_fit(cross, model).reason == "fewer than 20 rows belong to classes other than the most frequent one"
    model, cross = crossed(x[:40], y[:40], columns=sf.Gaussian())
    assert cross_fit(cross, model).scored == 40
    model, cross = crossed(x, ["a"] * 400, columns=sf.Gaussian())
    assert cross_fit(cross, model).reason == "there is only one class"
    model, cross = crossed(x, y, columns=sf.Gaussian(), estimate="mle")
    assert cross_fit(cross, model).reason == "calibration is not available for the estimate 'mle'"
