"""Folds of a matrix of numbers are read where they lie: the answer is that of a plain loop of fits."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.engines.collection import has_parts_in_place
from suffice.evidence.folds import FoldedRows, fold_models, likelihood_of_folds, out_of_fold
from suffice.sources.source import aligned_table, rows_in_memory

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.DroppedRowsWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.UnseenLevelsWarning"),
]
ROWS, COLUMNS = 600, 5
rng = np.random.default_rng(7)
CLASSES = rng.integers(0, 3, ROWS)
COUNTS = rng.poisson(1.5 + CLASSES[:, None], (ROWS, COLUMNS))
REAL = rng.normal(CLASSES[:, None] * np.arange(COLUMNS) / 4, 1.0)
FOLDS = rng.permutation(ROWS) % 6
WEIGHTS = rng.uniform(0.5, 2.0, ROWS)
GAPS = np.where(rng.random(REAL.shape) < 0.1, np.nan, REAL)

LIKELIHOODS = {
    "Gaussian": (sf.Gaussian(), REAL),
    "Gaussian, gaps": (sf.Gaussian(), GAPS),
    "Gaussian, float32": (sf.Gaussian(), REAL.astype(np.float32)),
    "Gaussian, strided rows": (sf.Gaussian(), np.repeat(REAL, 2, axis=0)[::2]),
    "one variance": (sf.Gaussian(variance="shared"), REAL),
    "LDA": (sf.MultivariateGaussian(covariance="shared"), REAL),
    "QDA": (sf.MultivariateGaussian(covariance="full"), GAPS),
    "Bernoulli": (sf.Bernoulli(threshold=2), COUNTS),
    "multinomial": (sf.Multinomial(), COUNTS.astype(np.float64)),
    "multinomial of whole numbers": (sf.Multinomial(coefficients=False), COUNTS),
    "Poisson": (sf.Poisson(), COUNTS.astype(np.uint8)),
    "Uniform": (sf.Uniform(), COUNTS.astype(np.float32)),
}


def folded(model, data, weights=WEIGHTS, folds=FOLDS):
    rows = rows_in_memory(data, CLASSES, weights)
    return FoldedRows(
        aligned_table(rows.table, model.schema), rows.target.codes, rows.target.classes, rows.weights, folds
    )


def looped(likelihood, data, estimate, weights, folds=FOLDS):
    found = np.empty((ROWS, 3))
    for fold in np.unique(folds):
        rest, here = folds != fold, folds == fold
        heavy = None if weights is None else weights[rest]
        found[here] = sf.fit(
            data[rest], CLASSES[rest], columns=likelihood, estimate=estimate, weights=heavy, calibrate=False
        ).log_joint(data[here])
    return found


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("estimate", ["mle", "map", "predictive"])
@pytest.mark.parametrize("name", LIKELIHOODS)
def test_out_of_fold_scores_are_those_of_a_loop_of_fits(name, estimate, weighted):
    likelihood, data = LIKELIHOODS[name]
    weights = WEIGHTS if weighted else None
    model = sf.fit(data, CLASSES, columns=likelihood, estimate=estimate, weights=weights, calibrate=False).core
    rows = folded(model, data, weights)
    assert has_parts_in_place(model.schema.plan(), rows.table)
    expected = looped(likelihood, data, estimate, weights)
    np.testing.assert_allclose(out_of_fold(model, rows), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("likelihood", "data"),
    [
        (sf.Gaussian(), np.asfortranarray(REAL)),  # cells of a row do not lie side by side
        (sf.Numeric(), REAL),  # bins are those of the rows
        (sf.Categorical(), COUNTS),  # and so are levels
    ],
)
def test_other_rows_are_moved_and_say_the_same(likelihood, data):
    model = sf.fit(data, CLASSES, columns=likelihood, calibrate=False).core
    rows = folded(model, data, None)
    assert not has_parts_in_place(model.schema.plan(), rows.table)
    expected = looped(likelihood, data, "predictive", None)
    np.testing.assert_allclose(out_of_fold(model, rows), expected, rtol=1e-10, atol=1e-10)


def test_many_folds_an_empty_one_and_rows_without_a_class():
    model = sf.fit(REAL, CLASSES, columns=sf.Gaussian(), calibrate=False).core
    folds = np.where(FOLDS == 2, 400, FOLDS)
    rows = folded(model, REAL, None, folds)
    found = out_of_fold(model, rows)
    np.testing.assert_allclose(found, looped(sf.Gaussian(), REAL, "predictive", None), rtol=1e-10, atol=1e-10)
    codes = np.where(np.arange(ROWS) % 7 == 0, -1, rows.codes)
    found = out_of_fold(model, FoldedRows(rows.table, codes, rows.classes, None, FOLDS))
    known = np.where(codes < 0, 0.0, 1.0)
    np.testing.assert_allclose(found, looped(sf.Gaussian(), REAL, "predictive", known), rtol=1e-10, atol=1e-10)


def test_rows_for_calibration_are_the_joint_without_the_prior_of_the_other_folds():
    model = sf.fit(REAL, CLASSES, columns=sf.Gaussian(), calibrate=False).core
    rows = folded(model, REAL)
    others = fold_models(model, rows)
    priors = np.array([other.log_prior for other in others])
    found = likelihood_of_folds(others, rows) + priors[FOLDS]
    np.testing.assert_allclose(found, out_of_fold(model, rows), rtol=1e-12, atol=1e-12)


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    model = sf.fit(REAL, CLASSES, columns=sf.Gaussian(), calibrate=False).core
    many = np.tile(REAL, (100, 1)), np.tile(CLASSES, 100), np.tile(FOLDS, 100)
    rows = rows_in_memory(many[0], many[1], None)
    table = aligned_table(rows.table, model.schema)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("SUFFICE_NUM_THREADS", threads)
        found.append(
            out_of_fold(model, FoldedRows(table, rows.target.codes, rows.target.classes, None, many[2])).tobytes()
        )
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (
            np.zeros(ROWS - 1, dtype=np.int64),
            "folds must have an integer ≥ 0 for each of the 600 rows: got shape (599,).",
        ),
        (
            np.where(FOLDS == 3, -2, FOLDS),
            "folds must have an integer ≥ 0 for each of the 600 rows: got shape (600,) with -2.",
        ),
        (
            np.full(ROWS, 4),
            "at least two folds must have rows: got 1 for 600 rows. Use more folds, or give more rows.",
        ),
    ],
)
def test_folds_that_are_none(folds, message):
    model = sf.fit(REAL, CLASSES, columns=sf.Gaussian(), calibrate=False).core
    with pytest.raises(sf.errors.ParameterError) as error:
        fold_models(model, folded(model, REAL, None, folds))
    assert str(error.value) == message
