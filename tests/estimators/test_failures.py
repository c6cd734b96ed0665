"""Errors of the estimators, with their complete messages."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse

import suffice as sf

X = np.array([[0.0, 2], [1, 0], [3, 1], [2, 2]])
Y = [0, 0, 1, 1]
NAMES = ["GaussianNB", "BernoulliNB", "CategoricalNB", "MultinomialNB", "ComplementNB"]


def fails(text, call, kind=ValueError):
    with pytest.raises(kind, match=f"^{re.escape(text)}$"):
        call()


@pytest.mark.parametrize("name", NAMES)
def test_without_y(name):
    text = f"This {name} estimator requires y to be passed, but the target y is None."
    fails(text, lambda: getattr(sf, name)().fit(X, None), sf.errors.DataError)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("name", NAMES)
def test_a_class_must_be_known(name, bad):
    with pytest.raises(ValueError, match=r"^Input y contains (NaN|infinity)"):
        getattr(sf, name)().fit(X, [0, 1, 1, bad])


@pytest.mark.parametrize("name", NAMES)
def test_a_real_target_is_no_class(name):
    with pytest.raises(ValueError, match=r"^Unknown label type: continuous"):
        getattr(sf, name)().fit(X, [0.5, 1.5, 2.5, 3.5])


@pytest.mark.parametrize("x", [X, sparse.csr_array(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", ["GaussianNB", "BernoulliNB", "MultinomialNB", "ComplementNB"])
def test_an_infinite_cell_at_fit(name, x):
    x = x.copy()
    x[2, 0] = np.inf
    text = (
        "row 2, column 0: values must be finite, or NaN if missing: got inf. Replace it, or use columns={0: "
        "Histogram()}, which accepts ±inf."
    )
    fails(text, lambda: getattr(sf, name)().fit(x, Y), sf.errors.DataError)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("name", ["GaussianNB", "BernoulliNB", "CategoricalNB"])
@pytest.mark.parametrize("rows", [4, 6000])
def test_an_infinite_cell_at_predict(name, value, rows):
    x = np.tile(X, (rows // 4, 1))
    x[-2, 1] = value
    text = (
        f"Input X contains infinity: row {rows - 2}, column 1 has {value!r}. Replace it, or use NaN for a missing cell."
    )
    fails(text, lambda: getattr(sf, name)().fit(X, Y).predict_proba(x), sf.errors.DataError)


def test_an_infinite_stored_cell_at_predict():
    x = sparse.csr_array(X)
    fitted = sf.BernoulliNB().fit(x, Y)
    x[2, 1] = np.inf
    text = "Input X contains infinity: row 2, column 1 has inf. Replace it, or use NaN for a missing cell."
    fails(text, lambda: fitted.predict(x), sf.errors.DataError)


@pytest.mark.parametrize(
    ("name", "form"), [("MultinomialNB", np.array), ("ComplementNB", np.array), ("GaussianNB", sparse.csr_array)]
)
def test_an_infinite_cell_that_the_core_finds_at_predict(name, form):
    x = form(X)
    x[2, 1] = np.inf
    with pytest.raises(
        sf.errors.DataError,
        match=(
            r"^row 2, column 1: values must be finite, or NaN if missing: got inf\. Replace it, or use "
            r"columns=\{1: Histogram\(\)\}, which accepts ±inf\."
        ),
    ):
        getattr(sf, name)().fit(X, Y).predict(x)


@pytest.mark.parametrize("x", [X, sparse.csr_array(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB"])
def test_a_negative_count(name, x):
    x = x.copy()
    x[1, 0] = -2
    with pytest.raises(sf.errors.DataError, match=rf"Negative values in data passed to {name} \(input X\)") as caught:
        getattr(sf, name)().fit(x, Y)
    assert (caught.value.kind, caught.value.row, caught.value.column, caught.value.got) == ("negative", 1, 0, -2.0)


CODES = "Encode the levels of each column as 0, 1, …, with NaN for missing cells."


@pytest.mark.parametrize("code", [-1, -9])
@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.float64])
def test_a_negative_code(dtype, code):
    x = X.astype(dtype)
    x[1, 0] = code
    text = f"Negative values in data passed to CategoricalNB (input X): column 0 has {code}. {CODES}"
    fails(text, lambda: sf.CategoricalNB().fit(x, Y), sf.errors.DataError)


@pytest.mark.parametrize("gap", [False, True])
def test_a_code_beyond_all_tables(gap):
    x = X * 1e9
    x[1, 1] = np.nan if gap else 0
    text = f"level codes must be below 4194304: column 0 has 3000000000. {CODES}"
    fails(text, lambda: sf.CategoricalNB().fit(x, Y), sf.errors.DataError)


def test_bools_are_codes_and_fractions_are_cut():
    ones = sf.CategoricalNB().fit(X > 1, Y)
    np.testing.assert_array_equal(
        ones.predict_proba(X > 1), sf.CategoricalNB().fit((X > 1).astype(int), Y).predict_proba((X > 1).astype(int))
    )
    np.testing.assert_array_equal(
        sf.CategoricalNB().fit(X + 0.5, Y).predict_proba(X + 0.25), sf.CategoricalNB().fit(X, Y).predict_proba(X)
    )


@pytest.mark.parametrize("name", NAMES)
def test_another_width(name):
    fitted = getattr(sf, name)().fit(X, Y)
    text = f"X has 1 features, but {name} is expecting 2 features as input."
    fails(text, lambda: fitted.predict(X[:, :1]))
    fails(text, lambda: fitted.partial_fit(X[:, :1], Y))


@pytest.mark.parametrize("name", NAMES)
def test_weights(name):
    estimator = getattr(sf, name)()
    fails(
        "sample_weight must have one number for each row: got shape (3,) for 4 rows. "
        "Pass shape (4,), or one number for all rows.",
        lambda: estimator.fit(X, Y, sample_weight=[1, 1, 1]),
        sf.errors.DataError,
    )
    fails(
        "row 1: weights must be finite and ≥ 0: got -1.0. Remove the row; to subtract rows, use model.forget(...).",
        lambda: estimator.fit(X, Y, sample_weight=[1.0, -1, 1, 1]),
        sf.errors.DataError,
    )
    fails(
        "all sample weights are zero. Pass a positive sample_weight for at least one row.",
        lambda: estimator.fit(X, Y, sample_weight=[0, 0, 0, 0]),
        sf.errors.DataError,
    )


@pytest.mark.parametrize("name", NAMES)
def test_classes_of_another_kind(name):
    fitted = getattr(sf, name)().fit(X, Y)
    before = fitted.predict_proba(X)
    fails(
        "the classes of all batches must have the same type: got text after numbers. Convert y, for example with "
        "y.astype(str).",
        lambda: fitted.partial_fit(X, ["a", "b", "b", "a"]),
        sf.errors.DataError,
    )
    np.testing.assert_array_equal(fitted.predict_proba(X), before)  # and nothing of the batch was learnt


@pytest.mark.parametrize("name", NAMES)
def test_priors(name):
    parameter = "priors" if name == "GaussianNB" else "class_prior"

    def fit(prior):
        return lambda: getattr(sf, name)(**{parameter: prior}).fit(X, Y)

    fails(
        f"{parameter} must have one probability ≥ 0 for each class: got [0.5, -0.5].",
        fit([0.5, -0.5]),
        sf.errors.ParameterError,
    )
    fails(
        f"{parameter} must have one probability ≥ 0 for each class: got 'even'.", fit("even"), sf.errors.ParameterError
    )
    fails(
        f"{parameter} must sum to 1: got a sum of 1.5. Divide it by its sum.", fit([0.5, 1.0]), sf.errors.ParameterError
    )
    fails(
        f"{parameter} must have one probability for each of the 2 classes: got 3. The classes are [0, 1].",
        fit([0.2, 0.3, 0.5]),
        sf.errors.ParameterError,
    )
    fails(
        "the class prior has no probability for class 1. The classes are 0, 1. Give one probability for each.",
        fit({0: 1.0}),
        sf.errors.ParameterError,
    )


def test_a_share_of_the_variance():
    for bad in (-1e-9, 2, "small", True, None):
        text = f"var_smoothing must be a fraction of a column's variance, from 0 to 1: got {bad!r}."
        fails(text, lambda bad=bad: sf.GaussianNB(var_smoothing=bad).fit(X, Y), sf.errors.ParameterError)


@pytest.mark.parametrize("name", NAMES[1:])
def test_pseudo_counts_and_flags(name):
    def fit(**parameters):
        return lambda: getattr(sf, name)(**parameters).fit(X, Y)

    for bad in (-1.0, np.nan, np.inf, "one", True, None):
        text = f"alpha must be a number ≥ 0, or one for each column: got {bad!r}."
        fails(text, fit(alpha=bad), sf.errors.ParameterError)
    fails(
        "alpha must be one number, one for each of the 2 columns, or one for each class and column: got shape (3,). "
        "Give shape (), (2,), (classes, 1) or (classes, 2).",
        fit(alpha=[1, 1, 1]),
        sf.errors.ParameterError,
    )
    fails("fit_prior must be True or False: got 'yes'.", fit(fit_prior="yes"), sf.errors.ParameterError)
    fails("force_alpha must be True or False: got 1.", fit(force_alpha=1), sf.errors.ParameterError)


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_small_alpha_is_raised_where_it_is_not_forced(name):
    with pytest.warns(sf.SufficeWarning) as caught:
        raised = getattr(sf, name)(alpha=0, force_alpha=False).fit(X, Y)
    assert (
        str(caught[0].message)
        == "alpha is below 1e-10 and was raised to it. Use force_alpha=True to keep a smaller alpha."
    )
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(
        raised.predict_log_proba(X), getattr(sf, name)(alpha=1e-10).fit(X, Y).predict_log_proba(X)
    )


def test_the_threshold_and_the_norm_and_the_number_of_levels():
    fails(
        "binarize must be a number, or None for cells that are 0 or 1: got 'half'.",
        lambda: sf.BernoulliNB(binarize="half").fit(X, Y),
        sf.errors.ParameterError,
    )
    fails("norm must be True or False: got 1.", lambda: sf.ComplementNB(norm=1).fit(X, Y), sf.errors.ParameterError)
    for bad in (-1, 1.5, [1, 2, 3], "many"):
        text = f"min_categories must be an integer ≥ 0, or one for each of the 2 columns: got {bad!r}."
        fails(text, lambda bad=bad: sf.CategoricalNB(min_categories=bad).fit(X, Y), sf.errors.ParameterError)


def test_batches_that_count_other_things():
    estimator = sf.BernoulliNB().partial_fit(X, Y).set_params(binarize=1.0)
    fails(
        "partial_fit cannot continue with parameters that need other statistics than before.\n"
        "before: 2 columns\n  0–1: Bernoulli()\n"
        "now:    2 columns\n  0–1: Bernoulli(threshold=1.0)\nCall fit, or restore the parameters.",
        lambda: estimator.partial_fit(X, Y),
        sf.errors.MergeError,
    )


def test_binarize_none_reads_zeros_and_ones():
    x = (X > 0).astype(int)
    mine = sf.BernoulliNB(binarize=None).fit(x, Y)
    np.testing.assert_array_equal(mine.feature_count_, [[1, 1], [2, 2]])
