"""What goes in: arrays of every kind, labels of every kind, weights, missing classes; and what comes out."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse

from suffice.api import ClassPrior, fit
from suffice.conjugate import DirichletMultinomial
from suffice.errors import DroppedRowsWarning, ImpossibleRowsWarning, TargetWarning
from suffice.likelihoods import (
    LIKELIHOODS,
    Bernoulli,
    Categorical,
    Gaussian,
    Joint,
    Multinomial,
    MultivariateGaussian,
    Poisson,
)
from suffice.sources.target import labels_of, target_of
from suffice.statistics import Axis

X = np.array([[0, 2, 1], [1, 0, 0], [0, 1, 3], [4, 1, 0]])
Y = ["a", "b", "b", "a"]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.int8, np.uint16, ">f8", object])
@pytest.mark.parametrize("likelihood", [Bernoulli(), Categorical(), Gaussian(), Multinomial(), Poisson()])
def test_number_types_and_layouts_change_nothing(dtype, likelihood):
    expected = fit(X, Y, columns=likelihood, calibrate=False).predict_proba(X)
    for x in (X.astype(dtype), np.asfortranarray(X.astype(dtype)), np.repeat(X, 2, axis=1).astype(dtype)[:, ::2]):
        np.testing.assert_allclose(
            fit(x, Y, columns=likelihood, calibrate=False).predict_proba(x), expected, rtol=1e-14
        )
    np.testing.assert_allclose(
        fit(X.tolist(), Y, columns=likelihood, calibrate=False).predict_proba(X.tolist()), expected
    )


def test_bool_cells():
    x = X > 0
    for likelihood in (Bernoulli(), Categorical(), Gaussian(), Multinomial()):
        np.testing.assert_allclose(
            fit(x, Y, columns=likelihood, calibrate=False).predict_proba(x),
            fit(x.astype(int), Y, columns=likelihood, calibrate=False).predict_proba(x.astype(int)),
        )


@pytest.mark.parametrize("form", ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array"])
@pytest.mark.parametrize("likelihood", [Bernoulli(), Bernoulli(threshold=-1), Gaussian(), Multinomial(), Poisson()])
@pytest.mark.parametrize("estimate", ["mle", "predictive"])
def test_sparse_rows_are_dense_rows(form, likelihood, estimate):
    x = X.astype(float)
    x[2, 1] = np.nan
    rows = getattr(sparse, form)(x)
    expected = fit(x, Y, columns=likelihood, estimate=estimate, calibrate=False)
    model = fit(rows, Y, columns=likelihood, estimate=estimate, calibrate=False)
    np.testing.assert_allclose(model.log_joint(rows), expected.log_joint(x), rtol=1e-12)
    np.testing.assert_allclose(model.log_evidence(), expected.log_evidence(), rtol=1e-12)
    assert model == expected or likelihood == Gaussian()


def test_a_sparse_matrix_that_stores_a_cell_twice():
    twice = sparse.csr_matrix((np.ones(3), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert fit(twice, [0, 1], columns=Multinomial(), calibrate=False) == fit(
        twice.toarray(), [0, 1], columns=Multinomial(), calibrate=False
    )
    assert twice.nnz == 3


def test_sparse_number_types():
    rows = sparse.csr_matrix(X)
    assert fit(rows.astype(np.longdouble), Y, columns=Multinomial(), calibrate=False) == fit(
        rows, Y, columns=Multinomial(), calibrate=False
    )


def test_no_columns_are_no_block():
    assert fit(X, Y, columns={(): Gaussian(), range(0): Poisson(), "*": None}, calibrate=False).schema.blocks == ()


def test_masked_cells_are_missing():
    masked = np.ma.masked_equal(X, 4)
    missing = np.where(X == 4, np.nan, X)
    assert fit(masked, Y, columns=Gaussian(), calibrate=False) == fit(missing, Y, columns=Gaussian(), calibrate=False)


def test_columns_of_equal_likelihoods_are_one_block_where_that_is_the_same_model():
    names = range(3)
    one_by_one = fit(X, Y, columns={j: Gaussian() for j in names}, calibrate=False)
    assert one_by_one == fit(X, Y, columns=Gaussian(), calibrate=False)
    assert [block.columns for block in one_by_one.schema.blocks] == [(0, 1, 2)]
    for likelihood in (Multinomial(), Joint(), Categorical(alpha=[1.0, 2.0])):  # of which each is about its own columns
        apart = fit((X > 0).astype(int), Y, columns=dict.fromkeys(names, likelihood), calibrate=False)
        assert [block.columns for block in apart.schema.blocks] == [(0,), (1,), (2,)]
    unlike = fit(
        X, Y, columns={0: Bernoulli(threshold=1), 1: Bernoulli(threshold=2), 2: Bernoulli(threshold=1)}, calibrate=False
    )
    assert [block.columns for block in unlike.schema.blocks] == [(0, 2), (1,)]


def test_blocks_of_columns():
    columns = {(0, 2): Gaussian(), 1: Categorical()}
    model = fit(X, Y, columns=columns, calibrate=False)
    joint = fit(X[:, [0, 2]], Y, columns=Gaussian(), calibrate=False).log_joint(X[:, [0, 2]]) + fit(
        X[:, [1]], Y, columns=Categorical(), calibrate=False
    ).log_joint(X[:, [1]])
    np.testing.assert_allclose(model.log_joint(X), joint - np.log([[0.5, 0.5]]), rtol=1e-13)
    rest = fit(X, Y, columns={range(0, 3, 2): Poisson(), -2: Bernoulli()}, calibrate=False)
    assert [block.columns for block in rest.schema.blocks] == [(0, 2), (1,)]
    scattered = np.tile(X, 2)
    odd = fit(scattered, Y, columns={(0, 1, 5): Multinomial(), (2, 3): Categorical(), 4: None}, calibrate=False)
    alone = fit(scattered[:, [0, 1, 5]], Y, columns=Multinomial(), calibrate=False)
    np.testing.assert_allclose(
        odd.log_joint(scattered),
        alone.log_joint(scattered[:, [0, 1, 5]])
        + fit(scattered[:, [2, 3]], Y, columns=Categorical(), calibrate=False).log_joint(scattered[:, [2, 3]])
        - np.log([[0.5, 0.5]]),
        rtol=1e-13,
    )
    assert odd.log_evidence() == pytest.approx(
        alone.log_evidence()
        + fit(scattered[:, 2:4], Y, columns=Categorical(), calibrate=False).log_evidence()
        - fit(X, Y, columns={"*": None}, calibrate=False).log_evidence()
    )


def test_sparse_blocks_of_columns():
    rows = sparse.csr_matrix(X)
    model = fit(rows, Y, columns={(0, 2): Multinomial(), 1: Bernoulli()}, calibrate=False)
    np.testing.assert_allclose(
        model.log_joint(rows),
        fit(X, Y, columns={(0, 2): Multinomial(), 1: Bernoulli()}, calibrate=False).log_joint(X),
        rtol=1e-13,
    )


@pytest.mark.parametrize(
    ("target", "classes"),
    [
        (["b", "a", "b", "a"], ("a", "b")),
        (np.array(["b", "a", "b", "a"]), ("a", "b")),
        ([3, -1, 3, -1], (-1, 3)),
        (np.array([300, 7, 300, 7], dtype=np.uint16), (7, 300)),
        (np.array([10**18, -(10**18)] * 2), (-(10**18), 10**18)),
        ([1.0, 0.0, 1.0, 0.0], (0, 1)),
        ([1e300, 0.0, 1e300, 0.0], (0, int(1e300))),
        ([True, False, True, False], (False, True)),
        ([2**70, 1, 2**70, 1], (1, 2**70)),
        ([True, 1, True, 1], (True, 1)),
        ([2**63, -1, 2**63, -1], (-1, 2**63)),
        (np.array([2**63, 1] * 2, dtype=np.uint64), (1, 2**63)),
        (np.array([127, -128] * 2, dtype=np.int8), (-128, 127)),
        (np.array([2**64 - 1, 2**64 - 2] * 2, dtype=np.uint64), (2**64 - 2, 2**64 - 1)),
        ([("x", 1), b"y", ("x", 1), b"y"], (b"y", ("x", 1))),
    ],
)
def test_labels_of_every_kind(target, classes):
    x = np.array([[5.0], [0.0], [5.5], [0.5]])
    model = fit(x, target, columns=Gaussian(), calibrate=False)
    assert model.classes == classes
    assert [type(label) for label in model.classes] == [type(label) for label in classes]
    assert model.predict(x).tolist() == list(target)


def test_one_and_one_point_nought_are_one_class():
    codes, classes, missing, _ = target_of([1, 1.0, "1", np.int8(1), None, float("nan")], 6)
    assert (codes.tolist(), classes.labels, missing) == ([0, 0, 1, 0, -1, -1], (1, "1"), 2)


def test_labels_come_back_as_their_own_type():
    assert labels_of(np.array([1, 0]), Axis.of([1, 2])).dtype == np.int64
    assert labels_of(np.array([1, 0]), Axis.of([True, False])).dtype == np.bool_
    assert labels_of(np.array([1, 0]), Axis.of(["a", "bc"])).dtype == np.dtype("<U2")
    assert labels_of(np.array([1, 0]), Axis.of([1, "a"])).dtype == object


@pytest.mark.parametrize(
    "target",
    [["a", None, "b", "a"], np.array([0, np.nan, 1, 0]), np.ma.masked_equal([0, 9, 1, 0], 9), [0, float("nan"), 1, 0]],
)
def test_rows_without_a_class_are_left_out(target):
    text = "1 of 4 rows have no class and were ignored."
    with pytest.warns(DroppedRowsWarning) as caught:
        model = fit(X, target, columns=Gaussian(), calibrate=False)
    assert [str(each.message) for each in caught] == [text]
    assert caught[0].filename == __file__
    rest = [0, 2, 3]
    np.testing.assert_allclose(
        model.log_joint(X), fit(X[rest], [0, 1, 0], columns=Gaussian(), calibrate=False).log_joint(X)
    )


def test_impossible_rows_get_the_class_prior_and_are_counted():
    model = fit(
        np.array([[0, 0], [1, 1], [1, 1]]),
        ["a", "b", "b"],
        columns=Categorical(levels=3),
        estimate="mle",
        calibrate=False,
    )
    asked = np.array([[0, 1], [2, 2], [1, 1]])
    text = (
        "2 of 3 rows are impossible under every class and got the class prior. Use an estimate with a prior, "
        "such as estimate='predictive', or inspect these rows: their log density is −inf."
    )
    with pytest.warns(ImpossibleRowsWarning) as caught:
        proba = model.predict_proba(asked)
    assert [str(each.message) for each in caught] == [text]
    assert caught[0].filename == __file__
    np.testing.assert_allclose(proba, [[1 / 3, 2 / 3], [1 / 3, 2 / 3], [0, 1]])
    with pytest.warns(ImpossibleRowsWarning):
        assert model.predict(asked).tolist() == ["b", "b", "b"]
    with pytest.warns(ImpossibleRowsWarning):
        np.testing.assert_allclose(model.predict_log_proba(asked)[:2], np.log([[1 / 3, 2 / 3]] * 2))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("empirical", [0.5, 0.5]),
        ("uniform", [0.5, 0.5]),
        ([0.1, 0.9], [0.1, 0.9]),
        (np.array([1, 0]), [1, 0]),
        ({"b": 0.25, "a": 0.75}, [0.75, 0.25]),
        (DirichletMultinomial([1, 5]), [0.3, 0.7]),
        (ClassPrior.dirichlet([2, 4], "map"), [3 / 8, 5 / 8]),
        (ClassPrior.dirichlet(3, "mle"), [0.5, 0.5]),
        (ClassPrior.dirichlet(3), [0.5, 0.5]),
    ],
)
def test_class_priors(given, expected):
    model = fit(X, Y, columns={"*": None}, class_prior=given, calibrate=False)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.predict_proba(X), [expected] * 4, rtol=1e-14)
        np.testing.assert_allclose(
            fit(X, Y, columns={"*": None}, calibrate=False).with_options(class_prior=given).log_joint(X),
            np.log([expected] * 4),
            rtol=1e-14,
        )


def test_the_class_prior_does_not_follow_the_estimate():
    model = fit(X, ["a", "b", "b", "b"], columns=Gaussian(), calibrate=False)
    for estimate in ("mle", "smoothed", "map", "mean"):
        read = [row.value for row in model.with_options(estimate=estimate).parameters() if row.column is None]
        assert read == [0.25, 0.75]


def test_like_makes_models_that_add():
    model = fit(X, Y, columns={(0, 1): Gaussian()}, class_prior="uniform", estimate="map", calibrate=False)
    assert fit(X, Y, like=model, calibrate=False) == model
    assert model + fit(X, Y, like=model, calibrate=False) == model.scale(2)


def test_parameters_are_rows_of_a_tidy_table():
    model = fit(
        np.array([[1.0, 0], [3.0, 1], [7.0, 1]]),
        ["a", "a", "b"],
        columns={0: Gaussian(), 1: Bernoulli()},
        estimate="mle",
        calibrate=False,
    )
    rows = model.parameters(credible=0.5)
    assert [tuple(row)[:6] for row in rows] == [
        ("a", None, None, "class prior", "empirical", 2 / 3),
        ("b", None, None, "class prior", "empirical", 1 / 3),
        ("a", 0, None, "location", "mle", pytest.approx(2)),
        ("a", 0, None, "variance", "mle", pytest.approx(1)),
        ("b", 0, None, "location", "mle", pytest.approx(7)),
        ("b", 0, None, "variance", "mle", pytest.approx(56 / 9 * 1e-9)),
        ("a", 1, None, "probability", "mle", 0.5),
        ("b", 1, None, "probability", "mle", 1),
    ]
    # Beta(2, 2) and Beta(2, 1): the quartiles.
    np.testing.assert_allclose([rows[-1].lower, rows[-1].upper], np.sqrt([0.25, 0.75]))
    assert rows[-2].lower == pytest.approx(1 - rows[-2].upper)
    for row in rows[2:]:
        assert row.lower < row.upper
    predictive = {
        row.name: row.value for row in model.with_options(estimate="predictive").parameters() if row.label == "b"
    }
    mean, v = 11 / 3, 56 / 9
    assert predictive["degrees"] == pytest.approx(2)
    assert predictive["location"] == pytest.approx((mean + 7) / 2)
    assert predictive["scale"] == pytest.approx(np.sqrt((v / 2 + (7 - mean) ** 2 / 4) * 1.5))
    rates = [row for row in fit(X, Y, columns=Poisson(), calibrate=False).parameters() if row.name == "rate"]
    assert len(rates) == 6
    assert all(row.lower < row.value < row.upper for row in rates)
    words = [
        row
        for row in fit(X, Y, columns=Multinomial(), calibrate=False).parameters()
        if row.label == "a" and row.column is not None
    ]
    assert sum(row.value for row in words) == pytest.approx(1)


def test_a_model_prints_what_it_is():
    model = fit(
        X,
        [0, 1, 1, 0],
        columns={0: Gaussian(), 1: Categorical(), 2: None},
        class_prior=[0.1, 0.9],
        estimate="map",
        calibrate=False,
    )
    assert repr(model) == (
        "Model: 2 classes, 4 rows\n"
        "  classes: 0 2, 1 2\n"
        "  3 columns\n"
        "    0: Gaussian()\n"
        "    1: Categorical()\n"
        "    not used: 2\n"
        "  estimate: map, class prior: given (0.1, 0.9)\n"
        "  calibration: none"
    )
    with pytest.warns(TargetWarning):
        many = fit(
            np.zeros((20, 1)),
            np.arange(20),
            columns={0: Bernoulli()},
            class_prior=ClassPrior.dirichlet(2, "map"),
            calibrate=False,
        )
    assert repr(many).splitlines()[1] == "  classes: 0 1, 1 1, 2 1, 3 1, 4 1, 5 1, 6 1, 7 1, …"
    assert repr(many).splitlines()[-2] == "  estimate: predictive, class prior: Dirichlet(2), map"
    wide = fit(np.zeros((1, 40)), ["a"], columns={tuple(range(0, 40, 2)): Bernoulli(), "*": None}, calibrate=False)
    assert "… 20 in all: Bernoulli" in repr(wide)
    blocks = fit(np.zeros((1, 20)), ["a"], columns={j: Bernoulli(threshold=j) for j in range(20)}, calibrate=False)
    assert "  … 20 blocks in all" in repr(blocks.schema)


def test_a_model_survives_a_pickle():
    model = fit(X, Y, columns={0: Gaussian(), 1: Categorical(), 2: Poisson()}, calibrate=False)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert again == model
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_every_likelihood_is_registered_by_its_name():
    assert {name: kind.__name__ for name, kind in LIKELIHOODS.items()} == {name: name for name in LIKELIHOODS}


class TestEdges:
    """Constant columns, one row, one class, no columns, no rows, many classes, far-away cells."""

    @pytest.mark.parametrize("estimate", ["mle", "smoothed", "map", "mean", "predictive"])
    @pytest.mark.parametrize(
        "likelihood", [Gaussian(), Gaussian(variance="shared"), MultivariateGaussian(covariance="shared")]
    )
    def test_a_constant_column_says_nothing(self, estimate, likelihood):
        x = np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 5.0], [0.1, 5.5], [0.1, 6.0]])
        y = [0, 0, 1, 1, 1]
        model = fit(x, y, columns=likelihood, estimate=estimate, calibrate=False)
        alone = fit(x[:, 1:], y, columns=likelihood, estimate=estimate, calibrate=False)
        asked = np.array([[0.1, 3.0], [7.0, 3.0]])
        np.testing.assert_allclose(model.log_joint(asked), alone.log_joint(asked[:, 1:]), rtol=1e-13)
        assert model.log_evidence() == pytest.approx(alone.log_evidence())
        assert {row.column for row in model.parameters()} == {None, 1}
        constant = fit(x[:, :1], y, columns=likelihood, estimate=estimate, calibrate=False)
        np.testing.assert_allclose(constant.predict_proba(asked[:, :1]), [[0.4, 0.6]] * 2)
        assert len(constant.parameters()) == 2

    @pytest.mark.parametrize("likelihood", [Bernoulli(), Categorical(), Gaussian(), Multinomial(), Poisson()])
    @pytest.mark.parametrize("estimate", ["mle", "smoothed", "map", "mean", "predictive"])
    def test_one_class_one_row_no_columns(self, likelihood, estimate):
        one = fit(np.array([[1, 2]]), ["only"], columns=likelihood, estimate=estimate, calibrate=False)
        assert one.predict_proba(np.array([[1, 2]])).tolist() == [[1.0]]
        assert one.predict(np.array([[1, 2]])).tolist() == ["only"]
        nothing = fit(np.zeros((3, 0)), ["a", "b", "b"], columns=likelihood, estimate=estimate, calibrate=False)
        np.testing.assert_allclose(nothing.predict_proba(np.zeros((2, 0))), [[1 / 3, 2 / 3]] * 2)
        all_missing = fit(
            np.full((3, 1), np.nan), ["a", "b", "b"], columns=likelihood, estimate=estimate, calibrate=False
        )
        np.testing.assert_allclose(all_missing.predict_proba(np.full((2, 1), np.nan)), [[1 / 3, 2 / 3]] * 2)
        assert np.isfinite(all_missing.log_evidence())
        assert len(one.predict_proba(np.zeros((0, 2)))) == 0

    def test_two_thousand_classes(self):
        y = np.repeat(np.arange(2000), 2)
        x = np.stack([y % 7, y % 11], axis=1) + np.tile([0, 1], 2000)[:, None]
        for likelihood in (Gaussian(), Categorical(), Poisson(), Multinomial(), Bernoulli()):
            with pytest.warns(TargetWarning):
                proba = fit(x, y, columns=likelihood, calibrate=False).predict_proba(x[:50])
            np.testing.assert_allclose(proba.sum(axis=1), 1)

    def test_far_away_cells(self):
        x = np.array([[0.0], [1.0], [5.0], [7.0]])
        for estimate in ("mle", "predictive"):
            model = fit(x, [0, 0, 1, 1], columns=Gaussian(), estimate=estimate, calibrate=False)
            assert np.isfinite(model.predict_proba(np.array([[1e9], [-1e100]]))).all()
        # The tails of Student-t are heavy enough for every finite cell, those of a Gaussian are not.
        assert np.isfinite(model.predict_proba(np.array([[1e300]]))).all()
        with pytest.warns(ImpossibleRowsWarning):
            assert model.with_options(estimate="mle").predict_proba(np.array([[1e300]])).tolist() == [[0.5, 0.5]]

    def test_large_means_keep_their_digits(self):
        rng = np.random.default_rng(0)
        x, y = rng.normal(0, 1, (200, 2)).round(3), np.arange(200) % 2
        x[y == 1] += 0.5
        far = x + 2.0**30
        x = far - 2.0**30
        for estimate in ("mle", "map", "predictive"):
            model, moved = (fit(each, y, columns=Gaussian(), estimate=estimate, calibrate=False) for each in (x, far))
            np.testing.assert_allclose(moved.predict_proba(far), model.predict_proba(x), rtol=1e-9)

    def test_a_hundred_thousand_sparse_columns(self):
        rng = np.random.default_rng(0)
        x = sparse.random(50, 100_000, 1e-4, "csr", random_state=rng)
        x.data = np.ceil(x.data * 5)
        y = np.arange(50) % 3
        for likelihood in (Multinomial(), Bernoulli(), Poisson()):
            proba = fit(x, y, columns=likelihood, calibrate=False).predict_proba(x)
            np.testing.assert_allclose(proba.sum(axis=1), 1)

    def test_nothing_seen(self):
        model = fit(X, Y, columns=Gaussian(), calibrate=False)
        nothing = model - model
        assert nothing.classes == ()
        assert nothing.log_evidence() == 0
        assert nothing + model == model
        assert nothing.parameters() == ()
        assert fit(X[:0], [], columns=Gaussian(), calibrate=False) == nothing
        assert fit(X[:0], np.zeros(0, dtype=np.int8), columns=Gaussian(), calibrate=False) == nothing
