"""What cannot be done, and the whole sentence that says so."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse

from suffice.api import ClassPrior, fit
from suffice.conjugate import DirichletMultinomial
from suffice.errors import DataError, MergeError, ParameterError
from suffice.likelihoods import Bernoulli, Categorical, Gaussian, Multinomial, Poisson

X = np.array([[0.0, 2], [1, 0], [0, 1]])
Y = ["a", "b", "b"]
MODEL = fit(X, Y, columns=Gaussian(), calibrate=False)


class LazyFrame:
    """Something that is called a frame and holds no rows."""


def fails(kind, text, call):
    with pytest.raises(kind, match=f"^{re.escape(text)}$"):
        call()


@pytest.mark.parametrize(
    ("kind", "text", "call"),
    [
        (
            ParameterError,
            "columns must be a likelihood: got 'normal'. Give one of Bernoulli(), Categorical(), Chars(), Gaussian(), "
            "Histogram(), Joint(), Multinomial(), MultivariateGaussian(), Numeric(), Poisson(), Uniform(), Words().",
            lambda: fit(X, Y, columns="normal", calibrate=False),
        ),
        (
            ParameterError,
            "columns[0] must be a likelihood: got 'gausian'. Did you mean 'gaussian'?",
            lambda: fit(X, Y, columns={0: "gausian"}, calibrate=False),
        ),
        (
            ParameterError,
            "column 1 matches both columns[(0, 1)] and columns[-1]. Remove it from one of them.",
            lambda: fit(X, Y, columns={(0, 1): Gaussian(), -1: Poisson()}, calibrate=False),
        ),
        (
            ParameterError,
            "array columns are addressed by position: got 'age'. Give an integer, a range or a tuple of integers.",
            lambda: fit(X, Y, columns={"age": Gaussian()}, calibrate=False),
        ),
        (
            ParameterError,
            "column 2 is not in the data: there are 2 columns, numbered 0 to 1.",
            lambda: fit(X, Y, columns={2: Gaussian()}, calibrate=False),
        ),
        (
            ParameterError,
            "columns[(0, 0)] contains a column twice. Remove the duplicate.",
            lambda: fit(X, Y, columns={(0, 0): Gaussian()}, calibrate=False),
        ),
        (
            DataError,
            "data must be a frame in memory: got tests.LazyFrame. Convert it first, for example with data.collect().",
            lambda: fit(LazyFrame(), Y, columns=Gaussian(), calibrate=False),
        ),
        (
            DataError,
            "data must be 2-D, rows × columns: got an array of shape (3,). Use data.reshape(-1, 1) for one column.",
            lambda: fit(X[:, 0], Y, columns=Gaussian(), calibrate=False),
        ),
        (
            DataError,
            "data must be 2-D: its rows have different lengths.",
            lambda: fit([[1, 2], [3]], ["a", "b"], columns=Gaussian(), calibrate=False),
        ),
        (
            DataError,
            "row 0, column 0: must be a number: got 'x'. Use columns={0: Categorical()} for categories, or "
            "exclude it with columns={0: None}.",
            lambda: fit(np.array([["x", 1]], dtype=object), ["a"], columns=Gaussian(), calibrate=False),
        ),
        (
            DataError,
            "data must be numbers, bools or text: got dtype complex128. Convert it first.",
            lambda: fit(X * 1j, Y, columns=Gaussian(), calibrate=False),
        ),
        (
            DataError,
            "data has 1 column, but the model was fitted on 2. Give the same columns in the same order.",
            lambda: MODEL.predict(X[:, :1]),
        ),
        (
            DataError,
            "target must have one label per row: got 2 labels for 3 rows.",
            lambda: fit(X, Y[:2], columns=Gaussian(), calibrate=False),
        ),
        (
            DataError,
            "target must have one label per row: got an array of shape (3, 1). Use target.ravel().",
            lambda: fit(X, np.array([[0], [1], [1]]), columns=Gaussian(), calibrate=False),
        ),
        (
            DataError,
            "target='label' is a column name, but arrays have no column names. Give the class labels as an array.",
            lambda: fit(X, "label", columns=Gaussian(), calibrate=False),
        ),
        (
            DataError,
            "row 2: class labels must be integers, booleans or strings: got 0.5. Bin a real-valued target into "
            "classes, or convert it to strings.",
            lambda: fit(X, [1.0, 2.0, 0.5], columns=Gaussian(), calibrate=False),
        ),
        (
            DataError,
            "weights must have one number per row: got shape (2,) for 3 rows.",
            lambda: fit(X, Y, columns=Gaussian(), weights=[1, 2], calibrate=False),
        ),
        (
            DataError,
            "row 1: weights must be finite and ≥ 0: got -1.0. Remove the row; to subtract rows, use model.forget(...).",
            lambda: fit(X, Y, columns=Gaussian(), weights=[1, -1, 2], calibrate=False),
        ),
        (
            DataError,
            "row 1, column 1: values must be finite, or NaN if missing: got inf. Replace it, or use columns={1: "
            "Histogram()}, which accepts ±inf.",
            lambda: fit([[1, 1], [1, np.inf]], ["a", "b"], columns=Gaussian(), calibrate=False),
        ),
        (
            DataError,
            "row 0, column 1: counts must be ≥ 0: got -2.0. Use columns={1: Numeric()} if the column does not "
            "hold counts.",
            lambda: fit([[1.0, -2.0]], ["a"], columns=Multinomial(), calibrate=False),
        ),
        (
            DataError,
            "row 1, column 0: counts must be finite and ≥ 0, or NaN if missing: got -3.0. Replace it, or use "
            "columns={0: Numeric()}.",
            lambda: fit(X, Y, columns={0: Multinomial()}, calibrate=False).predict([[1.0, 1.0], [-3.0, 1.0]]),
        ),
        (
            DataError,
            "row 2, column 1: Poisson counts must be integers: got 0.5. Round it, or use columns={1: Numeric()}.",
            lambda: fit([[1, 1], [1, 1], [1, 0.5]], Y, columns=Poisson(), calibrate=False),
        ),
        (
            DataError,
            "row 2, column 1: Poisson counts must be integers: got 0.5. Round it, or use columns={1: Numeric()}.",
            lambda: fit(sparse.csr_matrix([[1, 1], [1, 1], [1, 0.5]]), Y, columns=Poisson(), calibrate=False),
        ),
        (
            DataError,
            "row 1, column 0: must be a number, text, a bool or bytes: got [1]. Convert it, or leave it out with "
            "columns={0: None}.",
            lambda: fit({0: ["a", [1]]}, ["a", "b"], columns=Categorical(), calibrate=False),
        ),
        (
            DataError,
            "all columns must have the same length: got [1, 2].",
            lambda: fit({"a": [1, 2], "b": [1]}, ["a", "b"], columns=Categorical(), calibrate=False),
        ),
        (
            DataError,
            "categorical columns need a dense matrix: got a sparse one of shape (3, 2). Use x.toarray(), or read "
            "presence with Bernoulli().",
            lambda: fit(sparse.csr_matrix(X), Y, columns=Categorical(), calibrate=False),
        ),
        (
            ParameterError,
            "estimate must be 'mle' or 'smoothed' or 'map' or 'mean' or 'predictive': got 'best'.",
            lambda: fit(X, Y, columns=Gaussian(), estimate="best", calibrate=False),
        ),
        (
            ParameterError,
            "the maximum likelihood estimate has no prior: got alpha with 'mle'. Use estimate='smoothed', or leave out "
            "alpha=.",
            lambda: MODEL.with_options(estimate="mle", alpha=1),
        ),
        (
            ParameterError,
            "alpha must be > 0 for the estimate 'predictive', which has the prior Dir(alpha): got 0.",
            lambda: MODEL.with_options(alpha=0),
        ),
        (
            ParameterError,
            "alpha must be finite numbers ≥ 0: got -1.",
            lambda: MODEL.with_options(estimate="smoothed", alpha=-1),
        ),
        (
            ParameterError,
            "alpha must be one number, one for each of the 2 columns, or one for each class and column: got "
            "shape (3,). "
            "Give shape (), (2,), (classes, 1) or (classes, 2).",
            lambda: MODEL.with_options(estimate="smoothed", alpha=[1, 2, 3]),
        ),
        (
            ParameterError,
            "alpha must be a scalar, one value per column, or one per class and column: got shape (3, 2) for "
            "2 classes and 2 columns. Give shape (), (2,), (2, 1) or (2, 2).",
            lambda: MODEL.with_options(estimate="smoothed", alpha=np.ones((3, 2))).predict(X),
        ),
        (
            ParameterError,
            "columns cannot be combined with like, which already specifies them. Leave out columns= or like=.",
            lambda: fit(X, Y, columns=Gaussian(), like=MODEL, calibrate=False),
        ),
        (
            ParameterError,
            "class_prior and estimate cannot be combined with like, which already specifies them. Leave them out, "
            "and change them afterwards with model.with_options(...).",
            lambda: fit(X, Y, estimate="map", like=MODEL, calibrate=False),
        ),
        (
            DataError,
            "the model has no rows and therefore no classes. Fit it on data, or add a fitted model to it.",
            lambda: (MODEL - MODEL).predict(X),
        ),
        (
            MergeError,
            "cannot remove rows that were not added: class 'a' has weight 1.0, but 2.0 would be removed. "
            "Remove only rows that were added, with the same weights.",
            lambda: MODEL.forget([[0, 2], [0, 2]], ["a", "a"]),
        ),
        (
            MergeError,
            "the models have different schemas.\n"
            "left:  2 columns\n  0–1: Gaussian()\n"
            "right: 2 columns\n  0–1: Bernoulli()\n"
            "Fit one of them with the schema of the other, using like=.",
            lambda: MODEL + fit(X, Y, columns=Bernoulli(), calibrate=False),
        ),
        (
            MergeError,
            "the models have different estimates.\n"
            "left:  Reading(estimate='predictive', alpha=None)\nright: Reading(estimate='mle', alpha=None)\n"
            "Set the same options for both with model.with_options(...).",
            lambda: MODEL - MODEL.with_options(estimate="mle"),
        ),
    ],
)
def test_the_whole_text(kind, text, call):
    fails(kind, text, call)


KINDS = (
    "'empirical', 'uniform', 'dirichlet:1', one probability per class, a mapping {class: probability}, or "
    "DirichletMultinomial(alpha)"
)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            "flat",
            "'flat' is not a class prior. Give empirical, uniform, dirichlet:1, or one probability per class such as "
            "spam=0.2,ham=0.8.",
        ),
        (0.5, f"the class prior must be {KINDS}: got 0.5."),
        ([0.5, 0.6], "the class prior must sum to 1: got a sum of 1.1. Divide it by its sum."),
        ([-1, 2], "the class prior must contain probabilities from 0 to 1: got -1."),
        ({"a": "much"}, "the class prior must contain probabilities from 0 to 1: got 'much'."),
        ([1.0], "the class prior must have one number for each of the 2 classes: got 1. The classes are 'a', 'b'."),
        (
            {"a": 1.0},
            "the class prior has no probability for class 'b'. The classes are 'a', 'b'. Give one probability "
            "for each.",
        ),
        (
            {"a": 0.5, "b": 0.25, "c": 0.25},
            "the class prior has the unknown class 'c'. The classes are 'a', 'b'. Give one probability for each.",
        ),
        (
            DirichletMultinomial([1, 1, 1]),
            "alpha of the class prior must have one number for each of the 2 classes: got 3. The classes are 'a', 'b'.",
        ),
    ],
)
def test_class_priors_that_are_none(given, text):
    fails(ParameterError, text, lambda: fit(X, Y, columns=Gaussian(), class_prior=given, calibrate=False).predict(X))


def test_a_class_prior_of_two_dimensions():
    fails(
        ParameterError,
        "alpha of the class prior must have one dimension: got shape (2, 2).",
        lambda: ClassPrior.dirichlet(np.ones((2, 2))),
    )


@pytest.mark.parametrize("operator", ["__add__", "__sub__"])
def test_a_model_adds_to_models_only(operator):
    assert getattr(MODEL, operator)(1) is NotImplemented
    assert MODEL != 1
    assert MODEL.core != 1


def test_text_weights():
    fails(
        DataError,
        "weights must be numbers: got dtype <U1. Convert them first.",
        lambda: fit(X, Y, columns=Gaussian(), weights=["1", "2", "3"], calibrate=False),
    )
