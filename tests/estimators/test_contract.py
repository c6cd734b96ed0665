"""The estimators work with clone, pickle, pipelines, searches, calibration, metadata routing, names and repr."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

import suffice as sf

NAMES = ["GaussianNB", "BernoulliNB", "CategoricalNB", "MultinomialNB", "ComplementNB"]
METHODS = ["predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"]


def rows(seed=0, count=120, columns=4):
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, count)
    return random.poisson(1 + y[:, None] * [0.2, 1, 0, 2], (count, columns)).astype(float), y


@pytest.fixture(params=NAMES)
def estimator(request):
    return getattr(sf, request.param)()


def test_what_it_learnt_is_a_model(estimator):
    x, y = rows()
    estimator.fit(x, y)
    assert is_classifier(estimator)
    assert isinstance(estimator.model_, sf.Model)
    assert estimator.model_.classes == (0, 1, 2)
    if not isinstance(estimator, (sf.ComplementNB, sf.CategoricalNB)):
        np.testing.assert_array_equal(estimator.model_.predict_proba(x), estimator.predict_proba(x))
    half = clone(estimator).fit(x[:60], y[:60]).model_
    assert half + clone(estimator).fit(x[60:], y[60:]).model_ == estimator.model_ or isinstance(
        estimator, sf.GaussianNB
    )  # whose means may differ in the last bit


def test_a_clone_has_the_parameters_and_has_learnt_nothing(estimator):
    x, y = rows()
    parameter = "var_smoothing" if isinstance(estimator, sf.GaussianNB) else "alpha"
    estimator.set_params(**{parameter: 0.25}).fit(x, y)
    other = clone(estimator)
    assert other.get_params() == estimator.get_params()
    with pytest.raises(NotFittedError):
        other.predict(x)
    for name in ("model_", "classes_", "class_count_", "feature_log_prob_", "theta_", "var_", "n_categories_"):
        assert not hasattr(other, name), name


@pytest.mark.parametrize("method", METHODS)
def test_before_fit_scikit_learns_error_says_so(estimator, method):
    name = type(estimator).__name__
    with pytest.raises(NotFittedError) as caught:
        getattr(estimator, method)(rows()[0])
    assert str(caught.value) == (
        f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator."
    )


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])  # noqa: S301
def test_a_copy_answers_alike(estimator, copied):
    x, y = rows()
    estimator.fit(x, np.array(["low", "middle", "high"])[y])
    before = {method: getattr(estimator, method)(x) for method in METHODS}  # compiled tables do not travel
    other = copied(estimator)
    for method in METHODS:
        np.testing.assert_array_equal(getattr(other, method)(x), before[method])
    assert other.partial_fit(x, ["new"] * len(x)).classes_.tolist() == ["high", "low", "middle", "new"]
    assert estimator.classes_.tolist() == ["high", "low", "middle"]


def test_another_process_reads_the_pickle(tmp_path):
    x, y = rows()
    file = tmp_path / "estimator.pickle"
    estimator = sf.ComplementNB().fit(x, y)
    file.write_bytes(pickle.dumps(estimator))
    code = f"import pickle; print(pickle.loads(open({str(file)!r}, 'rb').read()).predict([[1, 0, 0, 4]])[0])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(estimator.predict([[1, 0, 0, 4]])[0])


def test_in_a_pipeline_and_a_search():
    x, y = rows()
    pipe = make_pipeline(StandardScaler(), sf.GaussianNB())
    search = GridSearchCV(pipe, {"gaussiannb__var_smoothing": [1e-9, 1e-2, 1.0]}, cv=3).fit(x, y)
    assert search.best_score_ > 0.5
    assert search.predict(x).shape == y.shape
    assert set(search.cv_results_["rank_test_score"]) <= {1, 2, 3}


def test_words_in_a_pipeline():
    texts = ["cheap pills now", "cheap cheap", "meeting at noon", "lunch at noon"]
    for name in ("BernoulliNB", "MultinomialNB", "ComplementNB"):
        pipe = make_pipeline(CountVectorizer(), getattr(sf, name)()).fit(texts, ["spam", "spam", "ham", "ham"])
        assert pipe.predict(["cheap lunch pills", "noon lunch"]).tolist() == ["spam", "ham"], name


def test_strings_through_an_encoder_with_an_unseen_level():
    frame = pd.DataFrame({"fur": ["black", "white", "white", "black"], "size": ["s", "l", "l", "s"]})
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    pipe = make_pipeline(make_column_transformer((encoder, ["fur", "size"])), sf.CategoricalNB())
    pipe.fit(frame, ["cat", "dog", "dog", "cat"])
    asked = pd.DataFrame({"fur": ["green", "white"], "size": ["s", "m"]})
    assert pipe.predict(asked).tolist() == ["cat", "dog"]


def test_cross_validation_and_calibration(estimator):
    x, y = rows(count=240)
    assert cross_val_score(estimator, x, y, cv=4).mean() > 0.4
    assert cross_val_predict(estimator, x, y, cv=3, method="predict_proba").shape == (240, 3)
    calibrated = CalibratedClassifierCV(estimator, cv=3).fit(x, y, sample_weight=np.ones(240))
    np.testing.assert_allclose(calibrated.predict_proba(x).sum(axis=1), 1)
    np.testing.assert_allclose(OneVsRestClassifier(estimator).fit(x, y).predict_proba(x).sum(axis=1), 1)


def test_weights_are_routed(estimator):
    x, y = rows()
    weights = np.random.default_rng(1).uniform(0, 3, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        estimator.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        estimator.set_partial_fit_request(sample_weight=True, classes=True)
        request = estimator.get_metadata_routing()
        assert request.fit.requests == {"sample_weight": True}
        assert request.partial_fit.requests == {"sample_weight": True, "classes": True}
        assert request.score.requests == {"sample_weight": True}
        routed = make_pipeline(estimator).fit(x, y, sample_weight=weights)
        scores = cross_validate(estimator, x, y, params={"sample_weight": weights}, cv=3)["test_score"]
    plain = clone(estimator).fit(x, y, sample_weight=weights)
    np.testing.assert_array_equal(routed.predict_log_proba(x), plain.predict_log_proba(x))
    assert scores.shape == (3,)


@pytest.mark.parametrize("frame", [pd.DataFrame, polars.DataFrame], ids=["pandas", "polars"])
def test_names_of_columns_are_kept_and_compared(estimator, frame):
    x, y = rows()
    names = ["a", "b", "c", "d"]
    table = frame({name: x[:, j] for j, name in enumerate(names)})
    estimator.fit(table, y)
    assert estimator.feature_names_in_.tolist() == names
    assert estimator.model_.schema.names == tuple(names)
    expected = clone(estimator).fit(x, y).predict_proba(x)
    np.testing.assert_array_equal(estimator.predict_proba(table), expected)
    with pytest.raises(ValueError, match="must be in the same order"):
        estimator.predict(table[names[::-1]])
    with pytest.raises(ValueError, match="unseen at fit time"):
        estimator.predict(frame({name.upper(): x[:, j] for j, name in enumerate(names)}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        estimator.predict(x)
    estimator.fit(x, y)
    assert not hasattr(estimator, "feature_names_in_")


def test_sparse_frames_have_names_too():
    x, y = rows()
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csr_array(x), columns=list("abcd"))
    mine = sf.MultinomialNB().fit(frame, y)
    assert mine.model_.schema.names == tuple("abcd")
    np.testing.assert_array_equal(mine.predict_proba(frame), sf.MultinomialNB().fit(x, y).predict_proba(x))


def test_an_error_names_the_column():
    frame = pd.DataFrame({"words": [1.0, 2.0], "pages": [3.0, -4.0]})
    with pytest.raises(
        sf.errors.DataError,
        match=(
            r"row 1, column 'pages': Negative values in data passed to MultinomialNB \(input X\): counts must be "
            r"≥ 0: got -4\.0\. Use columns=\{'pages': Numeric\(\)\} if the column does not hold counts\."
        ),
    ):
        sf.MultinomialNB().fit(frame, [0, 1])


def test_a_frame_with_nulls_is_read():
    frame = pd.DataFrame({"a": pd.array([1, None, 5, 6], dtype="Int64"), "b": [1.0, 2.0, None, 4.0]})
    mine = sf.GaussianNB().fit(frame, pd.Series(["x", "x", "y", "y"], dtype="category"))
    assert mine.predict(frame).tolist() == ["x", "x", "y", "y"]
    np.testing.assert_array_equal(mine.theta_, [[1, 1.5], [5.5, 4]])


def test_pipelines_that_hand_over_frames():
    x, y = rows()
    pipe = make_pipeline(StandardScaler(), sf.GaussianNB()).set_output(transform="pandas")
    pipe.fit(pd.DataFrame(x, columns=list("abcd")), y)
    assert pipe[-1].feature_names_in_.tolist() == list("abcd")
    assert pipe.predict(pd.DataFrame(x, columns=list("abcd"))).shape == y.shape


def test_it_shows_itself_as_html_and_as_text(estimator):
    assert type(estimator).__name__ in estimator._repr_html_()
    assert repr(sf.MultinomialNB(alpha=0.5)) == "MultinomialNB(alpha=0.5)"
    assert repr(sf.GaussianNB(var_smoothing=1e-3)) == "GaussianNB(var_smoothing=0.001)"


def test_one_row_and_many_give_the_same_bits(estimator):
    x, y = rows(count=5000)
    estimator.fit(x, y)
    for method in METHODS:
        many = getattr(estimator, method)(x)
        one = np.concatenate([getattr(estimator, method)(x[i : i + 1]) for i in range(0, 5000, 501)])
        np.testing.assert_array_equal(one, many[::501])


@pytest.mark.parametrize(
    "form",
    [
        np.asfortranarray,
        lambda x: x.astype(np.float32),
        lambda x: x.astype(np.float16),
        lambda x: x.astype(np.longdouble),
        lambda x: x.astype(">f8"),
        lambda x: x.astype(np.uint8),
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: x.tolist(),
        lambda x: x.astype(object),
    ],
)
def test_the_form_of_the_rows_does_not_matter(estimator, form):
    x, y = rows()
    expected = clone(estimator).fit(x, y).predict_log_proba(x)
    np.testing.assert_allclose(estimator.fit(form(x), y).predict_log_proba(form(x)), expected, atol=1e-12)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_the_form_of_sparse_rows_does_not_matter(estimator, form):
    x, y = rows()
    if isinstance(estimator, sf.CategoricalNB):
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            estimator.fit(form(x), y)
        return
    expected = clone(estimator).fit(x, y).predict_log_proba(x)
    np.testing.assert_allclose(estimator.fit(form(x), y).predict_log_proba(form(x)), expected, atol=1e-9)


def test_parameters_may_change_between_batches(estimator):
    x, y = rows()
    estimator.partial_fit(x[:50], y[:50])
    changed = {"var_smoothing": 0.5} if isinstance(estimator, sf.GaussianNB) else {"alpha": 7.0, "fit_prior": False}
    estimator.set_params(**changed).partial_fit(x[50:], y[50:])
    whole = clone(estimator).fit(x, y)
    np.testing.assert_allclose(estimator.predict_log_proba(x), whole.predict_log_proba(x), atol=1e-9)


def test_a_prior_may_name_its_classes():
    x, y = rows()
    words = np.array(["low", "middle", "high"])[y]
    named = {"low": 0.7, "middle": 0.2, "high": 0.1}
    mine = sf.GaussianNB(priors=named).fit(x, words)
    np.testing.assert_allclose(mine.class_prior_, [0.1, 0.7, 0.2])
    counted = sf.MultinomialNB(class_prior=named).fit(x, words)
    np.testing.assert_allclose(np.exp(counted.class_log_prior_), [0.1, 0.7, 0.2])


def test_a_number_weighs_every_row(estimator):
    x, y = rows()
    one, all_alike = clone(estimator).fit(x, y, sample_weight=2.5), estimator.fit(x, y, np.full(len(y), 2.5))
    np.testing.assert_array_equal(one.predict_proba(x), all_alike.predict_proba(x))
    np.testing.assert_allclose(one.class_count_, 2.5 * np.bincount(y))
