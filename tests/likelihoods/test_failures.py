"""Invalid likelihoods, with the whole error message."""

from __future__ import annotations

import re

import numpy as np
import pytest

from suffice.api import fit
from suffice.conjugate import BetaBinomial, DirichletMultinomial, GammaPoisson, NormalInverseGamma
from suffice.errors import DataError, ParameterError
from suffice.likelihoods import Bernoulli, Categorical, Gaussian, Multinomial, Poisson

X = np.array([[0, 2], [1, 0], [0, 1]])
Y = ["a", "b", "b"]


@pytest.mark.parametrize(
    ("text", "make"),
    [
        (
            "prior of Bernoulli must be a BetaBinomial: got GammaPoisson(shape=1.0, rate=1.0). Give BetaBinomial(a, b).",
            lambda: Bernoulli(GammaPoisson(1, 1)),
        ),
        (
            "threshold must be finite: got nan. Use 0 to count positive cells as present.",
            lambda: Bernoulli(threshold=np.nan),
        ),
        (
            "threshold must be finite: got '1'. Use 0 to count positive cells as present.",
            lambda: Bernoulli(threshold="1"),
        ),
        (
            "prior of Categorical must be a DirichletMultinomial: got 2. Give DirichletMultinomial([…]) with one number "
            "per outcome, or alpha= for a symmetric prior.",
            lambda: Categorical(2),
        ),
        (
            "prior and alpha of Multinomial are mutually exclusive: got both. Omit one of them.",
            lambda: Multinomial(DirichletMultinomial([1, 1]), 1),
        ),
        (
            "coefficients must be True or False: got 'no'. False omits the multinomial coefficients.",
            lambda: Multinomial(coefficients="no"),
        ),
        ("alpha must be > 0 (from 1e-300 to 1e300): got 0.0. Pass a positive number.", lambda: Categorical(alpha=0)),
        (
            "alpha must be a scalar, one value per column, or one per class and column: got shape (1, 1, 1). "
            "Give at most two dimensions.",
            lambda: Multinomial(alpha=np.ones((1, 1, 1))),
        ),
        ("unseen must be 'ignore' or 'mass': got 'error'.", lambda: Categorical(unseen="error")),
        ("missing must be 'ignore' or 'level': got None.", lambda: Categorical(missing=None)),
        ("levels must be a whole number ≥ 0: got -1. Give an int.", lambda: Categorical(levels=-1)),
        (
            "levels must be an integer or a list of levels: got 'x'.",
            lambda: Categorical(levels="x"),
        ),
        (
            "prior of Gaussian must be a NormalInverseGamma: got BetaBinomial(a=1.0, b=1.0). "
            "Use NormalInverseGamma(location, strength, shape, scale), or MultivariateGaussian with a NormalInverseWishart.",
            lambda: Gaussian(BetaBinomial(1, 1)),
        ),
        (
            "variance must be 'own' or 'shared': got 'tied'.",
            lambda: Gaussian(variance="tied"),
        ),
        (
            "var_smoothing must be a fraction of the column's variance, from 1e-12 to 1: got 0. Use for example 1e-9.",
            lambda: Gaussian(var_smoothing=0),
        ),
        (
            "prior of Poisson must be a GammaPoisson: got 1. Give GammaPoisson(shape, rate).",
            lambda: Poisson(1),
        ),
        (
            "the prior of column 1 must have one value for each of its 3 levels: got shape (2,). Give shape (3,) or "
            "(2, 3), name the levels with levels=, or use alpha=.",
            lambda: fit(X, Y, columns=Categorical(DirichletMultinomial([1, 1])), calibrate=False).predict(X),
        ),
        (
            "the prior of column 0 must have one value for each of its 2 levels and one for the unseen level: got shape (2,). "
            "Give shape (3,) or (2, 3), name the levels with levels=, or use alpha=.",
            lambda: fit(
                X, Y, columns=Categorical(DirichletMultinomial([1, 1]), unseen="mass"), calibrate=False
            ).predict(X),
        ),
        (
            "the prior of Multinomial must be a scalar, one value per column, or one per class and column: "
            "got shape (3,) for 2 classes and 2 columns. Give shape (), (2,), (2, 1) or (2, 2).",
            lambda: fit(X, Y, columns=Multinomial(DirichletMultinomial([1, 1, 1])), calibrate=False).predict(X),
        ),
        (
            "a shared variance requires one prior for all classes, but shape or scale differ between classes. Use the same "
            "shape and scale for every class, or Gaussian(variance='own').",
            lambda: fit(
                X, Y, columns=Gaussian(NormalInverseGamma(0, 1, [[1], [2]], 1), "shared"), calibrate=False
            ).predict(X),
        ),
    ],
)
def test_the_whole_message(text, make):
    with pytest.raises(ParameterError, match=f"^{re.escape(text)}$"):
        make()


def test_classes_too_far_apart():
    model = fit([[-1.2e154], [1.2e154]], ["a", "b"], columns=Gaussian(), calibrate=False)
    text = "column 0: the variance exceeds float64: the classes are too far apart. Rescale the column."
    far = model + fit([[1.2e154 * 1.3], [-1.2e154 * 1.3]], ["c", "d"], columns=Gaussian(), calibrate=False)
    with pytest.raises(DataError, match=f"^{re.escape(text)}$"):
        far.predict([[0.0]])


def test_likelihoods_are_values():
    assert Categorical(alpha=[1, 2], levels=[2, 0]) == Categorical(alpha=(1.0, 2.0), levels=(0, 2))
    assert Multinomial(alpha=np.ones((1, 2))) == Multinomial(alpha=[[1, 1]])
    assert Bernoulli(BetaBinomial(1, 2)) == Bernoulli(BetaBinomial(1, 2)) != Bernoulli()
    assert Gaussian() != Poisson()
