"""Other classifiers in `evaluate(compare=…)`: the same rows, the same metrics, the numbers of scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import suffice as sf
from suffice.errors import ParameterError
from suffice.evidence.evaluation.classifiers import CLASSIFIERS

random = np.random.default_rng(8)
N = 240
Y = random.integers(0, 3, N)
X = random.normal(Y[:, None], 1.5, (N, 3))
MIXED = {
    "x": np.where(random.random(N) < 0.1, np.nan, X[:, 0]),
    "kind": np.where(random.random(N) < 0.3 + 0.2 * Y, "a", np.where(random.random(N) < 0.5, "b", "c")),
    "note": [f"{'good' if v > 1 else 'bad'} news on day {i % 9} of it" for i, v in enumerate(X[:, 1])],
    "y": np.array(["lo", "mid", "up"])[Y],
}


def by_name(found):
    return {each.name: each for each in found.compared}


def test_the_numbers_are_those_of_scikit_learn_on_the_same_folds():
    found = sf.evaluate(X, Y, columns=sf.Gaussian(), folds=4, bootstrap=0, compare=[LogisticRegression(), GaussianNB()])
    for classifier, name in ((make_pipeline(StandardScaler(), LogisticRegression()), "LogisticRegression"),):
        probabilities = np.zeros((N, 3))
        for fold in range(4):
            train, score = found.folds != fold, found.folds == fold
            probabilities[score] = classifier.fit(X[train], Y[train]).predict_proba(X[score])
        measured = by_name(found)[name]
        assert measured.accuracy == pytest.approx(accuracy_score(Y, probabilities.argmax(axis=1)), rel=1e-12)
        assert measured.log_loss == pytest.approx(log_loss(Y, probabilities), rel=1e-9)
        assert measured.roc_auc == pytest.approx(roc_auc_score(Y, probabilities, multi_class="ovr"), rel=1e-9)
    assert [each.log_loss for each in found.compared] == sorted(each.log_loss for each in found.compared)


def test_the_baseline_and_the_model_itself_are_always_there():
    found = sf.evaluate(X, Y, columns=sf.Gaussian(), folds=4, bootstrap=0, compare=DummyClassifier())
    own, baseline = by_name(found)["suffice"], by_name(found)["majority class"]
    assert own.log_loss == found["log_loss"].value
    assert {name: getattr(baseline, name) for name in found.baseline} == pytest.approx(found.baseline)
    assert "majority class: log loss" in repr(found)
    assert list(found.compared.to_frame()["name"]) == [each.name for each in found.compared]
    assert not sf.evaluate(X, Y, columns=sf.Gaussian(), folds=4, bootstrap=0).compared


@pytest.mark.parametrize(
    ("name", "frame"),
    [*((name, pd.DataFrame) for name in CLASSIFIERS), ("decision-tree", dict), ("decision-tree", pl.DataFrame)],
)
def test_mixed_columns_with_gaps_by_name(name, frame):
    data = frame(MIXED)
    columns = {"note": sf.Words()}
    found = sf.evaluate(data, "y", columns=columns, folds=2, bootstrap=0, compare=name, calibrate=False)
    assert by_name(found)[name].accuracy > found.baseline["accuracy"] + 0.05


def test_a_pipeline_gets_the_rows_as_they_are():
    texts, labels = MIXED["note"], MIXED["y"].tolist()
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression(max_iter=500))
    search = GridSearchCV(pipeline, {"logisticregression__C": [0.1, 1.0]}, cv=2)
    found = sf.evaluate(texts, labels, columns=sf.Words(), folds=2, bootstrap=0, compare=[pipeline, pipeline, search])
    names = by_name(found)
    assert names["Pipeline(LogisticRegression)"][1:] == names["Pipeline(LogisticRegression) 2"][1:]
    assert "GridSearchCV" in names

    seen = []

    class Look(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append(X)
            return super().fit(X, y, sample_weight)

    for frame in (pd.DataFrame, pl.DataFrame):
        sf.evaluate(frame(MIXED), "y", folds=2, bootstrap=0, compare=make_pipeline("passthrough", Look()))
        assert isinstance(seen[-1], frame)
        assert list(seen[-1].columns) == ["x", "kind", "note"]
    sf.evaluate(X, Y, folds=2, bootstrap=0, compare=make_pipeline("passthrough", Look()))
    assert isinstance(seen[-1], np.ndarray)
    assert seen[-1].shape == (N // 2, 3)


def test_sparse_matrices_groups_order_weights_and_leave_one_out():
    counts = random.poisson(1 + Y[:, None], (N, 4))
    matrix = sparse.csr_matrix(counts)
    rows = {"columns": sf.Multinomial(), "bootstrap": 0, "compare": "logistic-regression"}
    assert by_name(sf.evaluate(matrix, Y, folds=3, **rows))["logistic-regression"].accuracy > 0.4
    by_group = sf.evaluate(counts, Y, groups=np.arange(N) // 6, folds=3, **rows)
    assert by_name(by_group)["logistic-regression"].accuracy > 0.4
    weights = random.integers(1, 3, N)
    weighted, plain = (sf.evaluate(counts, Y, folds=3, weights=w, **rows) for w in (weights, None))
    assert by_name(weighted)["logistic-regression"].log_loss != by_name(plain)["logistic-regression"].log_loss
    with pytest.raises(ParameterError, match="KNeighborsClassifier does not support sample weights"):
        sf.evaluate(counts, Y, folds=3, weights=weights, bootstrap=0, compare=KNeighborsClassifier())
    few = sf.evaluate(counts[:20], Y[:20], loo=True, **rows)
    assert by_name(few)["majority class"].accuracy == few.baseline["accuracy"]


def test_in_order_a_classifier_sees_earlier_blocks_only():
    seen = []

    class Look(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append(len(X))
            return super().fit(X, y, sample_weight)

    found = sf.evaluate(X, Y, order=np.arange(N), folds=3, bootstrap=0, compare=make_pipeline("passthrough", Look()))
    assert seen == [60, 120, 180]
    assert len(found.codes) == 180


def test_a_test_set():
    train, test = np.arange(N) < 150, np.arange(N) >= 150
    given = {"columns": sf.Gaussian(), "bootstrap": 0, "compare": LogisticRegression()}
    found = sf.evaluate(X[train], Y[train], test=(X[test], Y[test]), **given)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[train], Y[train])
    expected = log_loss(Y[test], model.predict_proba(X[test]))
    assert by_name(found)["LogisticRegression"].log_loss == pytest.approx(expected, rel=1e-9)
    first, later = (pd.DataFrame(MIXED)[part] for part in (train, test))
    mixed = sf.evaluate(first, "y", test=later, bootstrap=0, compare="logistic-regression")
    assert by_name(mixed)["logistic-regression"].log_loss < by_name(mixed)["majority class"].log_loss


def test_classifiers_that_cannot_be_compared():
    with pytest.raises(ParameterError) as said:
        sf.evaluate(X, Y, compare=["logistic-regression", LinearRegression()])
    assert str(said.value).startswith(
        "compare must contain scikit-learn classifiers with predict_proba: got LinearRegression(). Or give names: "
    )
    with pytest.raises(ParameterError) as said:
        sf.evaluate(X, Y, compare="svm")
    assert (said.value.kind, said.value.got) == ("not_an_option", "svm")
    with pytest.raises(ParameterError, match=r"Pipeline\(LogisticRegression\) in compare failed: .*"):
        sf.evaluate(pd.DataFrame(MIXED), "y", folds=2, bootstrap=0, compare=make_pipeline(LogisticRegression()))


def test_aic_and_bic():
    found = sf.evaluate(X, Y, columns=sf.Gaussian(), folds=3, bootstrap=0)
    model = sf.fit(X, Y, columns=sf.Gaussian(), estimate="mle")
    log_likelihood, k = model.log_likelihood(X, Y), 2 + 2 * 3 * 3
    assert found.criteria == pytest.approx(
        (k, log_likelihood, 2 * k - 2 * log_likelihood, k * math.log(N) - 2 * log_likelihood), rel=1e-12
    )
    shared = sf.evaluate(X, Y, columns=sf.Gaussian(variance="shared"), folds=3, bootstrap=0, class_prior="uniform")
    assert shared.criteria.n_parameters == (3 + 1) * 3
    assert shared.criteria.log_likelihood < found.criteria.log_likelihood
    # The same whatever the folds, the estimate and the calibration, and twice for rows that count twice.
    other = sf.evaluate(X, Y, columns=sf.Gaussian(), order=np.arange(N), estimate="map", bootstrap=0, calibrate=False)
    assert other.criteria == found.criteria
    twice = sf.evaluate(X, Y, columns=sf.Gaussian(), weights=np.full(N, 2.0), folds=3, bootstrap=0)
    assert twice.criteria.log_likelihood == pytest.approx(2 * log_likelihood, rel=1e-12)
    assert "AIC" in repr(found)
    texts = sf.evaluate(MIXED["note"], Y, columns=sf.Words(model="complement"), folds=2, bootstrap=0)
    assert texts.criteria is None
    assert sf.evaluate(X, Y, columns=sf.Gaussian(), test=(X, Y), bootstrap=0).criteria is None
