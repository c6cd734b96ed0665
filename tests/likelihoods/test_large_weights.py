"""The predictive Gaussian at any total weight: to 1e-12 of the exact density, and its explanation adds up to it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import suffice as sf
from suffice import _core
from tests.oracles.gaussian_weighted import log_densities

FORMS = {
    "diagonal": sf.Gaussian(),
    "variance": sf.Gaussian(variance="shared"),
    "full": sf.MultivariateGaussian(covariance="full"),
    "shared": sf.MultivariateGaussian(covariance="shared"),
}
TOTALS = [1e-3, 1e2, 1e6, 1e9, 1e12, 1e14, 1e16, 1e18, 1e20]
ROWS = 30
Y = np.arange(ROWS) % 2
ASKED = [-3.0, -0.4, 0.7, 2.0, 25.0]


def rows_of(width):
    rng = np.random.default_rng(width)
    x = np.round(rng.normal(size=(ROWS, width)) * 8) / 8 + Y[:, None] * 0.75
    asked = np.array([np.roll(ASKED, k)[np.arange(width) % len(ASKED)] for k in range(len(ASKED))])
    return x, asked


def model_of(x, form, total):
    return sf.fit(
        x, Y, columns=FORMS[form], weights=np.full(ROWS, total / ROWS), class_prior="uniform", calibrate=False
    )


@pytest.mark.parametrize("total", TOTALS)
@pytest.mark.parametrize("width", [1, 3, 6])
@pytest.mark.parametrize("form", FORMS)
def test_the_density_is_exact_at_any_weight(form, width, total):
    x, asked = rows_of(width)
    model = model_of(x, form, total)
    found = model.log_joint(asked) - math.log(0.5)
    right = np.array(
        [
            [float(value) for value in log_densities(x.tolist(), Y.tolist(), [total / ROWS] * ROWS, row.tolist(), form)]
            for row in asked
        ]
    )
    np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("total", TOTALS)
@pytest.mark.parametrize("form", FORMS)
def test_an_explanation_adds_up_to_the_probabilities_at_any_weight(form, total):
    x, asked = rows_of(3)
    model = model_of(x, form, total)
    proba = model.predict_log_proba(asked)
    for each in model.explain(asked, positive=1, against=0):
        parts = math.fsum([each.prior.nats, *(entry.nats for entry in each.entries), each.others_nats])
        odds = proba[each.row, 1] - proba[each.row, 0]
        assert parts == pytest.approx(odds, rel=1e-12, abs=1e-11)
        assert each.score == pytest.approx(odds, rel=1e-12, abs=1e-11)


@pytest.mark.parametrize("total", [1e2, 1e16])
def test_far_cells_and_missing_ones_among_many_columns(total):
    # A row has the same bits alone, beside others, and on every instruction set.
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 23)) + Y[:, None]
    x[rng.random(x.shape) < 0.1] = np.nan
    model = model_of(x, "diagonal", total)
    far = x * 10.0 ** rng.integers(-5, 170, x.shape)
    before = _core.isa()
    try:
        found = [model.log_joint(far) for name in ("plain", "avx2", "avx512") if _core.use_isa(name)]
    finally:
        _core.use_isa(before)
    assert np.isfinite(found[0]).all()
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
    alone = np.concatenate([model.log_joint(far[i : i + 1]) for i in range(ROWS)])
    np.testing.assert_array_equal(alone, found[0])


@pytest.mark.parametrize("offset", [1e8, 1e12, 1e13, 1e14, 1e15])
@pytest.mark.parametrize("form", FORMS)
def test_the_density_is_exact_far_from_zero(form, offset):
    # The mean of all rows, of which the default prior is made, is no float: its rounding is nothing to the variance.
    x, asked = rows_of(3)
    x, asked = x + offset, asked + offset
    model = sf.fit(x, Y, columns=FORMS[form], class_prior="uniform", calibrate=False)
    found = model.log_joint(asked) - math.log(0.5)
    right = np.array(
        [
            [float(value) for value in log_densities(x.tolist(), Y.tolist(), [1.0] * ROWS, row.tolist(), form)]
            for row in asked
        ]
    )
    np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-9)
