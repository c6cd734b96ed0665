"""A document that is left out of complement naive Bayes leaves the complement of every class but its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.statistics.frozen_arrays import FloatArray
from tests.evidence.leaving_out import left_out, require_close
from tests.oracles import left_out_slow as slow

ROWS, CLASSES = 40, ("no", "perhaps", "yes")
WORDS = ("lunch", "meet", "now", "prize", "win")
WEIGHTS = ("none", "whole", "some")


def drawn(kind: str) -> tuple[Any, Any, Any, Any, FloatArray]:
    """Texts, classes and weights; and the codes of the classes with the occurrences of each word."""
    rng = np.random.default_rng(13)
    codes = rng.integers(0, 3, ROWS)
    drawn_words = [rng.choice(WORDS, rng.integers(0, 8), p=np.roll([0.5, 0.2, 0.1, 0.1, 0.1], c)) for c in codes]
    texts = np.array([" ".join(words) for words in drawn_words], dtype=object)
    choices = {"none": None, "whole": rng.integers(1, 4, ROWS), "some": rng.choice([0.25, 0.5, 1.0, 2.0, 3.5], ROWS)}
    occurrences = np.array([[list(words).count(word) for word in WORDS] for words in drawn_words], dtype=float)
    return texts, np.array(CLASSES)[codes], choices[kind], codes, occurrences


def expected_of(counted: FloatArray, codes: Any, weights: Any, alpha: float, classes: int = 3) -> FloatArray:
    """Scores and the empirical class prior of every document without one unit of its weight."""
    heavy = np.ones(len(codes)) if weights is None else weights.astype(float)
    found = np.empty((len(codes), classes))
    for i in range(len(codes)):
        less = heavy.copy()
        less[i] -= min(less[i], 1.0)
        tally = np.bincount(codes, less, minlength=classes)
        with np.errstate(divide="ignore"):
            prior = np.log(tally / tally.sum())
        found[i] = prior + slow.complement(counted, codes, heavy, classes, i, alpha)
    return found


@pytest.mark.parametrize("estimate", ["mle", "smoothed", "map", "mean", "predictive"])
@pytest.mark.parametrize("kind", WEIGHTS)
def test_words(estimate: str, kind: str) -> None:
    texts, target, weights, codes, occurrences = drawn(kind)
    model = sf.fit({"body": texts}, target, {"body": sf.Words(model="complement")}, "empirical", estimate, weights)
    expected = expected_of(occurrences, codes, weights, 2.0 if estimate == "map" else 1.0)
    require_close(left_out(model, {"body": texts}, target, weights), expected)


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_logs_of_occurrences_in_documents_of_one_length(kind: str, alpha: float) -> None:
    texts, target, weights, codes, occurrences = drawn(kind)
    likelihood = {"body": sf.Words(model="complement", tf="log", unit_length=True, alpha=0.1)}
    model = sf.fit({"body": texts}, target, likelihood, weights=weights)
    model = model.read("smoothed", alpha=alpha)
    logs = np.where(occurrences > 0, 1 + np.log(np.maximum(occurrences, 1.0)), 0.0)
    long = np.sqrt((logs**2).sum(axis=1, keepdims=True))
    counted = logs / np.where(long > 0, long, 1.0)
    require_close(left_out(model, {"body": texts}, target, weights), expected_of(counted, codes, weights, alpha))


@pytest.mark.parametrize("kind", WEIGHTS)
def test_idf_and_the_tokens_that_are_kept_are_those_of_all_documents(kind: str) -> None:
    texts, target, weights, codes, occurrences = drawn(kind)
    likelihood = {"body": sf.Words(model="complement", binary=True, idf=True, max_features=4)}
    model = sf.fit({"body": texts}, target, likelihood, weights=weights)
    heavy = np.ones(ROWS) if weights is None else weights
    there = (occurrences > 0).astype(float)
    documents = heavy @ there
    idf = 1 + np.log((1 + heavy.sum()) / (1 + documents))
    kept = np.sort(np.argsort(-(heavy @ occurrences), kind="stable")[:4])
    expected = expected_of((there * idf)[:, kept], codes, weights, 1.0)
    require_close(left_out(model, {"body": texts}, target, weights), expected)


def test_a_document_with_words_of_its_own() -> None:
    # Without the document, and without pseudo-counts, nobody has its word: the smallest share, as where it never was.
    texts, target, codes = ["win win", "win now", "lunch now", "lunch"], ["a", "a", "b", "b"], np.array([0, 0, 1, 1])
    occurrences = np.array([[2.0, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]])
    texts[3], occurrences[3] = "meet", 0.0
    occurrences = np.column_stack([occurrences, [0.0, 0, 0, 1]])
    model = sf.fit(texts, target, sf.Words(model="complement", alpha=1.0)).read("smoothed", alpha=0.0)
    found = left_out(model, texts, target)
    require_close(found, expected_of(occurrences, codes, None, 0.0, classes=2))
    assert found[3, 0] > 700  # −ln of the smallest float


def test_what_weights_that_are_not_whole_leave_behind_is_nothing() -> None:
    # The complement of class c has "now" from the first document only: without it the share is the smallest there is.
    texts, target = ["now", "win", "win", *["now"] * 1000], ["a", "a", "b", *["c"] * 1000]
    codes, weights = np.array([0, 0, 1, *[2] * 1000]), np.array([0.1, 1.0, 1.0, *[0.3] * 1000])
    occurrences = np.array([[float(text == "now"), float(text == "win")] for text in texts])
    model = sf.fit(texts, target, sf.Words(model="complement"), weights=weights).read("smoothed", alpha=0.0)
    (tokens,) = model.naive_bayes.parts[0]
    assert tokens.counts[:1].sum() + tokens.counts[-1:].sum() - tokens.counts[-1:].sum() != 0.1
    found = left_out(model, texts, target, weights)[0]
    prior = np.log([1.0, 1.0, 300.0]) - np.log(302.0)
    expected = slow.complement(occurrences, codes, weights, 3, 0, 0.0)
    assert expected[2] == -np.log(np.finfo(np.float64).tiny)
    np.testing.assert_allclose(found, prior + expected, rtol=1e-10)


def test_a_document_alone_in_its_class_and_missing_ones() -> None:
    texts: Any = np.array(["win now", "now", "win win", "lunch", None, "lunch meet"], dtype=object)
    target, codes = np.array(["a", "a", "b", "b", "b", "c"]), np.array([0, 0, 1, 1, 1, 2])
    occurrences = np.array([[1.0, 1, 0, 0], [0, 1, 0, 0], [2, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 1]])
    model = sf.fit({"body": texts}, target, {"body": sf.Words(model="complement")})
    found = left_out(model, {"body": texts}, target)
    require_close(found, expected_of(occurrences, codes, None, 1.0))
    assert np.isneginf(found[5, 2])
    assert found[4].tolist() == np.log([2 / 5, 2 / 5, 1 / 5]).tolist()


def test_one_class_has_no_complement() -> None:
    texts = ["win now", "now"]
    model = sf.fit(texts, ["a", "a"], sf.Words(model="complement")).read("smoothed", alpha=0.0)
    require_close(left_out(model, texts, ["a", "a"]), model.log_joint(texts))


@pytest.mark.parametrize("kind", ["none", "some"])
def test_a_mixture_with_what_else_moves_all_classes(kind: str) -> None:
    texts, target, weights, codes, _ = drawn(kind)
    rng = np.random.default_rng(1)
    heavy = np.ones(ROWS) if weights is None else weights
    data: dict[str, Any] = {
        "body": texts,
        "size": rng.normal(codes, 1.0),
        "kind": np.array(["x", "y"], dtype=object)[rng.integers(0, 2, ROWS)],
        "left": rng.normal(size=ROWS),
        "right": rng.normal(size=ROWS),
    }
    likelihoods = {
        "body": sf.Words(model="complement"),
        "size": sf.Gaussian(sf.NormalInverseGamma(0, 1, 2, 2), covariance="shared"),
        "kind": sf.Categorical(),
        ("left", "right"): sf.Gaussian(sf.NormalInverseWishart([0, 0], 1, 4, np.eye(2)), "full", shrinkage=0.2),
    }
    model = sf.fit(data, target, likelihoods, weights=weights)
    found = left_out(model, data, target, weights)
    for i in range(ROWS):
        less = heavy.astype(float)
        less[i] -= min(less[i], 1.0)
        refit = sf.fit(data, target, likelihoods, weights=less)
        require_close(found[i : i + 1], refit.log_joint({name: each[i : i + 1] for name, each in data.items()}))


def test_some_documents_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, target, *_ = drawn("none")
    model = sf.fit({"body": texts}, target, {"body": sf.Words(model="complement")})
    at_once = left_out(model, {"body": texts}, target)
    monkeypatch.setattr("suffice.evidence.own_complements._CELLS", 40)
    np.testing.assert_allclose(left_out(model, {"body": texts}, target), at_once, rtol=1e-14)


def test_calibration_leaves_documents_out() -> None:
    texts, target, *_ = drawn("none")
    model = sf.fit(list(texts) * 5, list(target) * 5, sf.Words(model="complement"), calibrate="loo")
    assert model.calibration is not None
    assert model.calibration.learnt_from == "leave one out"
