"""Words: every estimate against slow formulas and scikit-learn, re-estimation without data, and every failure."""

from __future__ import annotations

import math
import re
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

import suffice as sf
from suffice.likelihoods.block_statistics import ESTIMATES
from tests.oracles.text_readings import Text, log_class_prior

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowsWarning")

ROWS = [
    ("spam", "Buy now, buy cheap pills", 1.0),
    ("spam", "cheap cheap cheap offer now", 1.0),
    ("ham", "meeting at noon, bring the pills report", 1.0),
    ("ham", "the report is late now", 1.0),
    ("news", "markets at noon: report", 1.0),
    ("news", None, 1.0),
    ("spam", "", 1.0),
    ("news", "offer of markets", 1.0),
]
WEIGHTED = [
    (label, text, weight) for (label, text, _), weight in zip(ROWS, [2, 1, 0.5, 3, 1, 1, 0.25, 1.5], strict=True)
]
ASKED = ["buy the report now now", "cheap", "nothing known here", "", "markets Markets noon at cheap pills offer"]


def parts(rows):
    labels, texts, weights = zip(*rows, strict=True)
    return {"text": list(texts)}, list(labels), list(weights)


def fitted(rows, likelihood, estimate="predictive"):
    data, labels, weights = parts(rows)
    return sf.fit(data, labels, columns={"text": likelihood}, estimate=estimate, weights=weights, calibrate=False)


def defined(likelihood):
    """Return the same reading for the oracle."""
    known = Text.__dataclass_fields__.keys() - {"tokens", "beta"}
    prior = likelihood.prior
    beta = (float(prior.a), float(prior.b)) if isinstance(prior, sf.BetaBinomial) else None
    return Text(beta=beta, **{name: value for name, value in asdict(likelihood).items() if name in known})


def check(rows, likelihood, estimate, asked=ASKED):
    model, text = fitted(rows, likelihood, estimate), defined(likelihood)
    expected = [
        [log_class_prior(rows, label) + text.score(rows, label, each, estimate) for label in model.classes]
        for each in asked
    ]
    np.testing.assert_allclose(model.log_joint({"text": asked}), expected, rtol=1e-10, atol=1e-11)


READINGS = [
    sf.Words(),
    sf.Words(alpha=0.3),
    sf.Words(binary=True),
    sf.Words(coefficients=True),
    sf.Words(coefficients=True, binary=True, min_df=2),
    sf.Words(model="bernoulli"),
    sf.Words(model="bernoulli", alpha=0.1),
    sf.Words(model="bernoulli", prior=sf.BetaBinomial(2, 5)),
    sf.Words(model="bernoulli", prior=sf.BetaBinomial(0.2, 0.5), min_df=2),
    sf.Words(model="complement"),
    sf.Words(model="complement", alpha=0.1, binary=True),
    sf.Words(tf="log"),
    sf.Words(unit_length=True),
    sf.Words(idf=True),
    sf.Words(idf=True, binary=True),
    sf.Words(tf="log", unit_length=True, idf=True),
    sf.Words(tf="log", unit_length=True, idf=True, model="complement", alpha=0.5),
    sf.Words(min_df=2),
    sf.Words(min_df=0.3, model="bernoulli"),
    sf.Words(max_df=2),
    sf.Words(max_df=0.4, min_df=0.2),
    sf.Words(max_features=3),
    sf.Words(max_features=5, min_count=2),
    sf.Words(min_count=2, idf=True),
    sf.Words(min_df=100),
]


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("likelihood", READINGS, ids=repr)
@pytest.mark.parametrize("rows", [ROWS, WEIGHTED], ids=["ones", "weighted"])
def test_every_estimate_equals_its_formula(rows, likelihood, estimate):
    check(rows, likelihood, estimate)


texts = st.lists(st.sampled_from(["aa", "bb", "cc", "dd", "ee"]), max_size=6).map(" ".join)
drawn_rows = st.lists(
    st.tuples(st.sampled_from(["x", "y"]), st.one_of(st.none(), texts), st.sampled_from([0.5, 1.0, 2.0])),
    min_size=1,
    max_size=6,
)


@given(drawn_rows, st.sampled_from(READINGS), st.sampled_from(ESTIMATES), texts)
def test_every_estimate_equals_its_formula_on_random_documents(rows, likelihood, estimate, asked):
    check(rows, likelihood, estimate, [asked])


COUNTED = [
    *ASKED,
    "now now NOW report, report",
    "unseen unseen now",
    *(text for _, text, _ in ROWS if text is not None),
]


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("rows", [ROWS, WEIGHTED], ids=["ones", "weighted"])
@pytest.mark.parametrize("kind", [sf.Words, sf.Chars])
def test_with_coefficients_the_density_is_that_of_multinomial_on_the_counts(kind, rows, estimate):
    labels, documents, weights = zip(*[row for row in rows if row[1] is not None], strict=True)
    chars = {"analyzer": "char_wb", "ngram_range": (1, 3)} if kind is sf.Chars else {}
    vectorizer = CountVectorizer(**chars)
    counts, asked = vectorizer.fit_transform(documents).toarray(), vectorizer.transform(COUNTED).toarray()
    options = {"estimate": estimate, "weights": list(weights), "calibrate": False}
    words = sf.fit(list(documents), list(labels), columns=kind(coefficients=True), **options)
    matrix = sf.fit(counts, list(labels), columns=sf.Multinomial(), **options)
    np.testing.assert_allclose(words.log_joint(COUNTED), matrix.log_joint(asked), rtol=1e-12)
    np.testing.assert_allclose(words.log_density(COUNTED), matrix.log_density(asked), rtol=1e-12)
    sequence = matrix.with_options(priors={"*": sf.Multinomial(coefficients=False)})
    np.testing.assert_allclose(words.log_evidence(), sequence.log_evidence(), rtol=1e-12)  # as the docstring says
    plain = words.with_options(priors={0: kind()})
    np.testing.assert_array_equal(words.predict_log_proba(COUNTED), plain.predict_log_proba(COUNTED))
    np.testing.assert_allclose(plain.log_joint(COUNTED), sequence.log_joint(asked), rtol=1e-12)
    assert plain.with_options(priors={0: kind(coefficients=True)}) == words


def test_the_coefficient_by_hand_and_in_no_explanation():
    texts, labels = ["win cash win", "lunch now", None], ["spam", "ham", "ham"]
    model = sf.fit(texts, labels, columns=sf.Words(coefficients=True), estimate="mean", calibrate=False)
    plain = model.with_options(priors={0: sf.Words()})
    asked = ["win win cash unknown", "", None]  # 3!/(2! 1!) = 3: unknown words count neither in n nor in the product
    difference = model.log_density(asked) - plain.log_density(asked)
    np.testing.assert_allclose(difference, [math.log(3), 0, 0], atol=1e-15)
    for with_it, without in zip(model.explain(asked), plain.explain(asked), strict=True):
        assert with_it.entries == without.entries
        assert with_it.score == pytest.approx(without.score, rel=1e-12)
    assert model.show().words == plain.show().words
    np.testing.assert_array_equal(model.interval(asked, seed=1).lower, plain.interval(asked, seed=1).lower)


BETA = sf.BetaBinomial(2, 5)


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("rows", [ROWS, WEIGHTED], ids=["ones", "weighted"])
def test_a_beta_prior_is_that_of_bernoulli_on_the_matrix_of_presence(rows, estimate, tmp_path):
    labels, documents, weights = zip(*[row for row in rows if row[1] is not None], strict=True)
    vectorizer = CountVectorizer(binary=True)
    present, asked = vectorizer.fit_transform(documents).toarray(), vectorizer.transform(ASKED).toarray()
    options = {"estimate": estimate, "weights": list(weights), "calibrate": False}
    likelihood = sf.Words(model="bernoulli", prior=BETA)
    words = sf.fit(list(documents), list(labels), columns=likelihood, **options)
    matrix = sf.fit(present, list(labels), columns=sf.Bernoulli(BETA), **options)
    np.testing.assert_allclose(words.log_joint(ASKED), matrix.log_joint(asked), rtol=1e-12)
    np.testing.assert_allclose(words.log_density(ASKED), matrix.log_density(asked), rtol=1e-12)
    np.testing.assert_allclose(words.log_evidence(), matrix.log_evidence(), rtol=1e-12)
    np.testing.assert_allclose(
        [each[5:] for each in words.parameters()], [each[5:] for each in matrix.parameters()], rtol=1e-12
    )
    words.save(tmp_path / "m.suffice")
    again = sf.load(tmp_path / "m.suffice")
    assert again == words
    assert again.schema.blocks[0].likelihood == likelihood
    np.testing.assert_array_equal(again.log_joint(ASKED), words.log_joint(ASKED))


def test_a_beta_prior_by_hand():
    model = sf.fit(["aa bb", "aa", "bb"], ["x", "x", "y"], columns=sf.Words(model="bernoulli", prior=BETA))
    theta = {(row.label, row.level): row.value for row in model.parameters() if row.column is not None}
    assert theta == pytest.approx(
        {("x", "aa"): (2 + 2) / (2 + 7), ("x", "bb"): (1 + 2) / (2 + 7), ("y", "aa"): 2 / 8, ("y", "bb"): 3 / 8}
    )
    mode = {(row.label, row.level): row.value for row in model.with_options(estimate="map").parameters() if row.level}
    assert mode["x", "aa"] == pytest.approx((2 + 1) / (2 + 5))
    assert model.selected_forms == {0: "2 tokens"}
    assert repr(model.schema.blocks[0].likelihood) == "Words(model='bernoulli', prior=BetaBinomial(a=2.0, b=5.0))"
    lower, upper = model.interval(["aa"], seed=0).lower, model.interval(["aa"], seed=0).upper
    assert ((lower < model.predict_proba(["aa"])) & (model.predict_proba(["aa"]) < upper)).all()


def test_under_mle_an_unseen_token_is_impossible():
    joint = fitted(ROWS, sf.Words(), "mle").log_joint({"text": ["buy", "meeting"]})
    assert (joint[0] == -np.inf).tolist() == [True, True, False]
    assert (joint[1] == -np.inf).tolist() == [False, True, True]
    present = fitted([("a", "aa", 1.0), ("b", "bb", 1.0)], sf.Words(model="bernoulli"), "mle")
    assert present.log_joint({"text": ["aa", "bb", "aa bb"]}).tolist() == [
        [math.log(0.5), -math.inf],
        [-math.inf, math.log(0.5)],
        [-math.inf, -math.inf],
    ]


@pytest.mark.parametrize("alpha", [0.01, 0.5, 1.0, 3.0])
def test_the_numbers_of_scikit_learn(alpha):
    random = np.random.default_rng(4)
    words = np.array([f"w{k}" for k in range(80)])
    rows = [" ".join(words[(80 * random.random(25) ** 2).astype(int)]) for _ in range(120)]
    labels = [f"c{k % 4}" for k in range(120)]
    asked = [*rows[:40], "unknown w1", ""]
    vectorizer = CountVectorizer()
    x = vectorizer.fit_transform(rows)
    y = vectorizer.transform(asked)
    cases = [
        (sf.Words(alpha=alpha), MultinomialNB(alpha=alpha), x, y),
        (sf.Words(alpha=alpha, model="bernoulli"), BernoulliNB(alpha=alpha), x, y),
        (sf.Words(alpha=alpha, binary=True), MultinomialNB(alpha=alpha), x > 0, y > 0),
    ]
    for likelihood, there, train, test in cases:
        there.fit(train, labels)
        model = sf.fit(rows, labels, columns=likelihood, estimate="mean", calibrate=False)
        np.testing.assert_allclose(model.log_joint(asked), there.predict_joint_log_proba(test), rtol=1e-9)
        np.testing.assert_allclose(
            np.log(model.predict_proba(asked)), there.predict_log_proba(test), rtol=1e-9, atol=1e-9
        )
        assert model.predict(asked).tolist() == there.predict(test).tolist()
    complement = ComplementNB(alpha=alpha).fit(x, labels)
    model = sf.fit(
        rows,
        labels,
        columns=sf.Words(alpha=alpha, model="complement"),
        estimate="mean",
        class_prior="uniform",
        calibrate=False,
    )
    np.testing.assert_allclose(
        model.log_joint(asked), complement.predict_joint_log_proba(y) + math.log(1 / 4), rtol=1e-9
    )
    assert model.predict(asked).tolist() == complement.predict(y).tolist()


def test_idf_and_log_counts_are_those_of_tfidf():
    rows, labels = [text for _, text, _ in ROWS if text is not None], [of for of, text, _ in ROWS if text is not None]
    vectorizer = TfidfVectorizer(sublinear_tf=True, norm=None)
    there = ComplementNB(alpha=0.1).fit(vectorizer.fit_transform(rows), labels)
    likelihood = sf.Words(model="complement", tf="log", idf=True, alpha=0.1)
    model = sf.fit(rows, labels, columns=likelihood, class_prior="uniform", calibrate=False)
    expected = there.predict_joint_log_proba(vectorizer.transform(ASKED)) + math.log(1 / 3)
    np.testing.assert_allclose(model.log_joint(ASKED), expected, rtol=1e-9)


def test_cuts_keep_the_words_of_scikit_learn():
    rows = [text for _, text, _ in ROWS if text is not None]
    for cut in ({"min_df": 2}, {"max_df": 2}, {"min_df": 0.3}, {"max_df": 0.3}, {"min_df": 2, "max_features": 3}):
        there = CountVectorizer(**cut).fit(rows).get_feature_names_out().tolist()
        model = sf.fit(rows, ["x", "y"] * 3 + ["x"], columns=sf.Words(**cut), calibrate=False)
        here = [each.level for each in model.parameters() if each.label == "x" and each.column == 0]
        assert here == there, cut


@pytest.mark.parametrize("model", ["multinomial", "bernoulli"])
@pytest.mark.parametrize("rows", [ROWS, WEIGHTED], ids=["ones", "weighted"])
def test_the_evidence_is_its_formula(rows, model):
    likelihood = sf.Words(model=model, alpha=0.4)
    found = fitted(rows, likelihood)
    alone = fitted(rows, likelihood, "mle")  # evidence does not depend on the reading where a prior is given
    assert found.log_evidence() == alone.log_evidence()
    _, labels, weights = parts(rows)
    classes = sf.fit(
        {"none": [None] * len(rows)}, labels, columns={"none": sf.Words()}, weights=weights, calibrate=False
    ).log_evidence()
    expected = defined(likelihood).log_evidence(rows, dict.fromkeys(found.classes, 0.4))
    np.testing.assert_allclose(found.log_evidence() - classes, expected, rtol=1e-11)


def chosen(rows, likelihood):
    """Return α by class, by way of the pseudo-counts that are read: θ of a word that a class has not, n and K known."""
    model, text = fitted(rows, likelihood, "mean"), defined(likelihood)
    found = {}
    for label in model.classes:
        if likelihood.model == "bernoulli":
            token, (there, without) = next(iter(text.presence(rows, label).items()))
            theta = next(p.value for p in model.parameters() if p.label == label and p.level == token)
            n = there + without
            found[label] = float((there - theta * n) / (2 * theta - 1))
        else:
            counts = text.counts(rows, label)
            token = next(t for t, n in counts.items() if n == 0)
            theta = next(p.value for p in model.parameters() if p.label == label and p.level == token)
            total = float(sum(counts.values()))
            found[label] = theta * total / (1 - theta * len(counts))
    return found


BURSTY = [
    ("a", "pill pill pill pill buy buy buy buy buy", 1.0),
    ("a", "pill pill pill buy other", 1.0),
    ("b", "report report meeting report late", 1.0),
    ("b", "meeting meeting meeting buy report", 2.0),
]


@pytest.mark.parametrize("model", ["multinomial", "bernoulli"])
def test_the_prior_of_greatest_evidence(model):
    text = Text(model=model)

    def best(labels):
        found = minimize_scalar(
            lambda log_alpha: -text.log_evidence(BURSTY, dict.fromkeys(labels, math.exp(log_alpha))),
            bounds=(math.log(1e-3), 0),
            method="bounded",
            options={"xatol": 1e-10},
        )
        return math.exp(found.x)

    shared = chosen(BURSTY, sf.Words(model=model, prior="evidence"))
    np.testing.assert_allclose(list(shared.values()), best(["a", "b"]), rtol=1e-4)
    each = chosen(BURSTY, sf.Words(model=model, prior="evidence by class"))
    np.testing.assert_allclose([each["a"], each["b"]], [best(["a"]), best(["b"])], rtol=1e-4)


@pytest.mark.parametrize("model", ["multinomial", "bernoulli"])
def test_no_other_prior_has_more_evidence(model):
    best = fitted(BURSTY, sf.Words(model=model, prior="evidence")).log_evidence()
    others = [fitted(BURSTY, sf.Words(model=model, alpha=a)).log_evidence() for a in np.geomspace(1e-3, 1, 60)]
    assert best >= max(others) - 1e-12 * abs(best)
    assert best < max(others) + 0.05  # the grid comes near
    by_class = fitted(BURSTY, sf.Words(model=model, prior="evidence by class")).log_evidence()
    assert by_class >= best - 1e-12 * abs(best)


def test_the_choice_is_shown():
    assert fitted(BURSTY, sf.Words()).core.choices() == {"text": "6 tokens"}
    assert fitted(BURSTY, sf.Words(min_df=2)).core.choices() == {"text": "4 of 6 tokens"}
    told = fitted(BURSTY, sf.Words(prior="evidence")).core.choices()["text"]
    assert re.fullmatch(r"6 tokens, alpha 0\.\d+", told)
    told = fitted(BURSTY, sf.Words(prior="evidence by class")).core.choices()["text"]
    assert re.fullmatch(r"6 tokens, alpha 0\.\d+–0\.\d+", told)
    assert fitted(BURSTY, sf.Words(hashed=6)).core.choices()["text"].endswith(" of 64 columns")


OTHERS = [likelihood for likelihood in READINGS if likelihood.tokenizing == sf.Words().tokenizing]


@pytest.mark.parametrize("other", [*OTHERS, sf.Words(prior="evidence"), sf.Words(prior="evidence by class")], ids=repr)
@pytest.mark.parametrize("stored", [False, True])
def test_other_options_need_no_data(other, stored, tmp_path):
    model = fitted(ROWS, sf.Words())
    if stored:
        model.save(tmp_path / "m.suffice")
        model = sf.load(tmp_path / "m.suffice")
    again, fresh = model.with_options(priors={"text": other}), fitted(ROWS, other)
    assert again == fresh
    np.testing.assert_array_equal(again.log_joint({"text": ASKED}), fresh.log_joint({"text": ASKED}))


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_another_estimate_needs_no_data(estimate):
    again, fresh = fitted(ROWS, sf.Words()).with_options(estimate=estimate), fitted(ROWS, sf.Words(), estimate)
    np.testing.assert_array_equal(again.log_joint({"text": ASKED}), fresh.log_joint({"text": ASKED}))


def test_smoothed_uses_the_given_pseudo_count():
    model = fitted(ROWS, sf.Words(alpha=5.0))
    np.testing.assert_allclose(
        model.with_options(estimate="smoothed", alpha=0.25).log_joint({"text": ASKED}),
        fitted(ROWS, sf.Words(alpha=0.25), "mean").log_joint({"text": ASKED}),
        rtol=1e-12,
    )
    by_class = model.with_options(estimate="smoothed", alpha=[[0.25], [1.0], [2.0]]).log_joint({"text": ASKED})
    for c, alpha in enumerate([0.25, 1.0, 2.0]):
        one = fitted(ROWS, sf.Words(alpha=alpha), "mean").log_joint({"text": ASKED})
        np.testing.assert_allclose(by_class[:, c], one[:, c], rtol=1e-12)
    nothing = model.with_options(estimate="smoothed", alpha=0.0).log_joint({"text": ["cheap"]})
    np.testing.assert_allclose(nothing, model.with_options(estimate="mle").log_joint({"text": ["cheap"]}), rtol=1e-12)


def test_each_column_of_text_has_its_own_words_and_pseudo_count():
    data = {"title": ["aa bb", "bb cc", "cc"], "body": ["aa aa", "dd", None]}
    labels = ["x", "y", "z"]
    model = sf.fit(data, labels, columns={("title", "body"): sf.Words()}, class_prior="uniform", calibrate=False)
    read = model.with_options(estimate="smoothed", alpha=[0.5, 2.0]).log_joint(data)
    title = sf.fit(
        {"title": data["title"]}, labels, columns=sf.Words(alpha=0.5), class_prior="uniform", calibrate=False
    ).with_options(estimate="mean")
    body = sf.fit(
        {"body": data["body"]}, labels, columns=sf.Words(alpha=2.0), class_prior="uniform", calibrate=False
    ).with_options(estimate="mean")
    expected = title.log_joint({"title": data["title"]}) + body.log_joint({"body": data["body"]}) + math.log(3)
    np.testing.assert_allclose(read, expected, rtol=1e-12)
    one_each = model.with_options(estimate="smoothed", alpha=[[0.5, 2.0]] * 3).log_joint(data)
    np.testing.assert_array_equal(one_each, read)


def test_a_text_column_contributes_the_same_beside_other_columns():
    data = {"text": [text for _, text, _ in ROWS], "age": np.arange(8.0), "sex": list("abababab")}
    labels = [label for label, *_ in ROWS]
    columns = {"text": sf.Words(alpha=0.5), "age": sf.Gaussian(), "sex": sf.Categorical()}
    model = sf.fit(data, labels, columns=columns, calibrate=False)
    prior = model.log_joint({"text": [None] * 8, "age": [np.nan] * 8, "sex": [None] * 8})
    whole = model.log_joint(data) - prior
    alone = sum(
        sf.fit({name: data[name]}, labels, columns={name: kind}, calibrate=False).log_joint({name: data[name]}) - prior
        for name, kind in columns.items()
    )
    np.testing.assert_allclose(whole, alone, rtol=1e-10)
    np.testing.assert_allclose(model.predict_proba(data).sum(axis=1), 1, rtol=1e-12)
    density = np.log(np.exp(model.log_joint(data)).sum(axis=1))
    np.testing.assert_allclose(model.log_density(data), density, rtol=1e-12)


@pytest.mark.parametrize("likelihood", READINGS[:12], ids=repr)
def test_parameters_are_the_probabilities_of_words(likelihood):
    model, text = fitted(ROWS, likelihood, "mean"), defined(likelihood)
    found = {(p.label, p.level): p for p in model.parameters() if p.column == "text"}
    assert len(found) == 3 * len(text.kept(ROWS))
    for label in model.classes:
        of_class = [found[label, token] for token in text.kept(ROWS)]
        if likelihood.model == "complement":
            for each in of_class:
                assert each.name == "weight"
                np.testing.assert_allclose(each.value, text.score(ROWS, label, str(each.level), "mean"), rtol=1e-12)
                assert math.isnan(each.lower)
            continue
        assert {each.name for each in of_class} == {"probability"}
        assert all(each.lower < each.value < each.upper for each in of_class)
        if likelihood.model == "multinomial":
            np.testing.assert_allclose(sum(each.value for each in of_class), 1, rtol=1e-12)
        else:
            both = text.presence(ROWS, label)
            a, b = text.prior_counts("mean")
            expected = [float((both[p.level][0] + a) / (sum(both[p.level]) + a + b)) for p in of_class]
            np.testing.assert_allclose([p.value for p in of_class], expected, rtol=1e-12)


def test_hashed_columns_are_numbered():
    model = fitted(ROWS, sf.Words(hashed=5))
    levels = {p.level for p in model.parameters() if p.column == "text"}
    assert levels <= set(range(32))
    assert model.predict({"text": ["cheap cheap buy"]}).tolist() == ["spam"]


def test_lists_arrays_and_series_of_texts_are_one_column():
    import pandas as pd
    import polars as pl

    data, labels = [text for _, text, _ in ROWS], [label for label, *_ in ROWS]
    expected = sf.fit(data, labels, columns=sf.Words(), calibrate=False).log_joint(ASKED)
    for column in (tuple(data), np.array(data, dtype=object), pd.Series(data), pl.Series(data)):
        model = sf.fit(column, labels, columns=sf.Words(), calibrate=False)
        for asked in (ASKED, np.array(ASKED), pl.Series(ASKED), pd.Series(ASKED)):
            np.testing.assert_array_equal(model.log_joint(asked), expected)
    estimator = sf.NaiveBayes(sf.Words()).fit(data, labels)
    assert (
        estimator.predict(ASKED[:2]).tolist()
        == sf.fit(data, labels, columns=sf.Words(), calibrate=False).predict(ASKED[:2]).tolist()
    )


def test_map_under_the_evidence_prior_is_the_mean():
    # The mode under Dir(1 + α) is the mean under Dir(α); under Dir(α) itself, α < 1, words of one class would be 0.
    rng = np.random.default_rng(5)
    groups = {f"group {g}": [f"w{g}x{k}" for k in range(30)] + [f"common{k}" for k in range(10)] for g in range(4)}
    labels = [label for label in groups for _ in range(15)]
    texts = [" ".join(rng.choice(groups[label], 12)) for label in labels]
    for model in ("multinomial", "bernoulli"):
        for prior in ("evidence", "evidence by class"):
            whole = sf.fit(texts, labels, columns=sf.Words(model=model, prior=prior), calibrate=False)
            assert "alpha 1" not in str(whole.selected_forms)
            as_map, as_mean = (
                [each.value for each in whole.with_options(estimate=how).parameters()] for how in ("map", "mean")
            )
            np.testing.assert_allclose(as_map, as_mean, rtol=1e-12)
            assert min(as_map) > 0
            assert whole.with_options(estimate="map").selected_forms == whole.selected_forms
            mixed = [" ".join(rng.choice(groups[label], 6)) + " w0x1 w1x1" for label in groups]
            np.testing.assert_array_equal(
                whole.with_options(estimate="map").predict(mixed), whole.with_options(estimate="mean").predict(mixed)
            )
