"""Values at the limits of float64: a score is finite, −inf or refused with an error, never NaN."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.likelihoods.block_statistics import ESTIMATES
from tests.storage.hand_made import Parts

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowsWarning")

X = np.array([[0.0], [1.0], [2.0], [3.0]])
Y = [0, 1, 0, 1]


def answers(model, x):
    """Return whether there was an answer; none of it may be NaN."""
    found = 0
    for ask in (model.predict_proba, model.predict_log_proba, model.log_joint, model.log_density):
        try:
            values = ask(x)
        except sf.SufficeError as error:
            assert str(error)  # noqa: PT017 - either is right
            continue
        assert not np.isnan(values).any()
        assert not (values == np.inf).any()
        found += 1
    return found


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("greatest", [1e300, 1e308, 1.7e308])
@pytest.mark.parametrize("likelihood", [sf.Poisson(), sf.Multinomial(), sf.Gaussian(), sf.Histogram(), sf.Numeric()])
def test_values_near_the_greatest_float(likelihood, greatest, estimate):
    for x in (np.array([[greatest], [1.0]]), np.array([[greatest], [greatest]]), np.array([[1.0], [2.0]])):
        try:
            model = sf.fit(x, [0, 1], columns=likelihood, estimate=estimate, calibrate=False)
        except sf.errors.DataError:
            continue
        answers(model, np.array([[greatest], [1.0], [0.0]]))


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("location", [1e300, -1e300, 1e160, 1e10])
def test_a_prior_far_away(location, estimate):
    prior = sf.NormalInverseGamma(location, 1.0, 1.0, 1.0)
    found = answers(sf.fit(X, Y, columns=sf.Gaussian(prior=prior), estimate=estimate, calibrate=False), X)
    assert found == 4 or abs(location) > 1e10


@pytest.mark.parametrize("covariance", ["diagonal", "full", "shared"])
@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("tiny", [1e-310, 1e-300, 1e-200, 1e-100])
def test_a_class_of_almost_no_weight_calibrates(covariance, estimate, tiny):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 3)), np.arange(30) % 3
    weights = np.where(y == 2, tiny, 1.0)
    model = sf.fit(
        x,
        y,
        columns=sf.MultivariateGaussian(covariance=covariance),
        weights=weights,
        estimate=estimate,
        calibrate=False,
    )
    calibrated = model.calibrate(x, y, weights=weights)
    assert not np.isnan(calibrated.predict_proba(x)).any()


def stored(model, tmp_path, name, change):
    """Return the model with an array of its file changed."""
    path = tmp_path / "model.suffice"
    model.save(path)
    made = Parts.of(path.read_bytes())
    array = made.array(name).copy()
    change(array)
    made.put(name, array)
    path.write_bytes(made.laid_out().raw())
    return sf.load(path)


@pytest.mark.parametrize("weight", [1e300, 1e308, 1.7e308])
@pytest.mark.parametrize("likelihood", [sf.Gaussian(), sf.Poisson(), sf.Multinomial(), sf.Bernoulli(), sf.Histogram()])
def test_weights_of_a_file_near_the_greatest_float(likelihood, weight, tmp_path):
    model = sf.fit(X, Y, columns=likelihood, calibrate=False)
    path = tmp_path / "model.suffice"
    model.save(path)
    names = [name for name in Parts.of(path.read_bytes()).data if name != "sha256"]
    for name in names:
        array = Parts.of(path.read_bytes()).array(name)
        if array.dtype.kind != "f" or not array.size:
            continue
        try:
            loaded = stored(model, tmp_path, name, lambda given: given.__setitem__(Ellipsis, weight))
        except sf.errors.ModelFileError:
            continue
        with np.errstate(all="ignore"):
            for estimate in ESTIMATES:
                try:
                    read = loaded.with_options(estimate=estimate)
                except sf.SufficeError:
                    continue
                answers(read, X)


@pytest.mark.parametrize("scale", [1e150, 1e300, 1.7e308])
def test_an_interval_under_an_absurd_scale(scale, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    x = rng.normal(size=(60, 2)) + y[:, None]
    model = sf.fit(x, y, columns=sf.Gaussian(), calibrate=False).calibrate(x, y, method="scale")
    loaded = stored(model, tmp_path, "calibration.numbers", lambda numbers: numbers.__setitem__(0, scale))
    found = loaded.interval(x[:5])
    assert ((found.lower >= 0) & (found.lower <= found.upper) & (found.upper <= 1)).all()


def test_a_count_far_below_zero_is_negative():
    for rows in ([[-1.7e308, 1.0], [-1.7e308, 2.0]], [[np.nan, 1.0], [-1.7e308, 2.0], [-1.7e308, 2.0]]):
        with pytest.raises(sf.errors.DataError, match="≥ 0"):
            sf.fit(np.array(rows), [0] * len(rows), columns=sf.Multinomial(), calibrate=False)
