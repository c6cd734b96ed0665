"""The words that speak for a class, against the same numbers formed word by word in plain Python."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.errors import ParameterError
from suffice.evidence import feature_importance
from tests.oracles.words_slow import SlowWords

TEXTS = [
    "Win a prize now, win CASH",
    "Lunch now? The meeting is over",
    "Claim the prize: cash prize",
    "meeting notes, and the lunch menu",
    "notes of the meeting",
    "elections today, the votes are in",
]
LABELS = ["spam", "ham", "spam", "ham", "ham", "news"]
MODELS = ["multinomial", "bernoulli", "complement"]


def fitted(texts, labels, **options):
    return sf.fit(texts, labels, columns=sf.Words(alpha=1.0, **options), estimate="mean", calibrate=False)


@pytest.mark.parametrize("model", MODELS)
def test_every_word_against_plain_python(model):
    found = feature_importance(fitted(TEXTS, LABELS, model=model).core)
    slow = SlowWords(TEXTS, LABELS)
    for label in slow.labels:
        rows = {row.token: row for row in found.words(label)}
        speaking = {word for word in slow.words if slow.evidence(label, word, model) > 1e-12}
        assert set(rows) <= speaking
        for word, row in rows.items():
            assert row.evidence == pytest.approx(slow.evidence(label, word, model), rel=1e-12)
            assert row.occurrences == slow.count[label][word]
            assert row.occurrences_elsewhere == sum(slow.count[c][word] for c in slow.labels if c != label)
            if model != "complement":
                assert row.here == pytest.approx(slow.theta(label, word, model), rel=1e-12)
                assert row.elsewhere == pytest.approx(slow.rest(label, word, model), rel=1e-12)
            assert row.weight == pytest.approx((row.here - row.elsewhere) * row.evidence, rel=1e-12)
        if model != "complement":  # of which a word may speak for a class in which it is rarer than elsewhere
            assert set(rows) == speaking
        (column,) = found.columns_of(label)
        assert column.evidence == pytest.approx(slow.column(label, model), rel=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_the_weightiest_come_first_and_top_cuts_the_same_list(model):
    found = feature_importance(fitted(TEXTS, LABELS, model=model).core)
    for label in ("ham", "news", "spam"):
        whole = found.words(label)
        assert [row.weight for row in whole] == sorted((row.weight for row in whole), reverse=True)
        for top in (1, 3, 100):
            assert found.words(label, top) == whole[:top]


WORDS = st.sampled_from(["win", "prize", "lunch", "menu", "votes"])
DOCUMENTS = st.lists(st.lists(WORDS, max_size=6).map(" ".join), min_size=2, max_size=12)


@given(DOCUMENTS, st.data())
def test_any_documents_against_plain_python(texts, data):
    labels = data.draw(st.lists(st.sampled_from("abc"), min_size=len(texts), max_size=len(texts)))
    if len(set(labels)) < 2 or not any(texts):
        return
    slow = SlowWords(texts, labels)
    for model in ("multinomial", "bernoulli"):
        found = feature_importance(fitted(texts, labels, model=model).core)
        for label in slow.labels:
            evidence = {word: slow.evidence(label, word, model) for word in slow.words}
            rows = {row.token: row.evidence for row in found.words(label)}
            assert rows == pytest.approx({word: said for word, said in evidence.items() if word in rows}, rel=1e-9)
            assert all(said < 1e-9 for word, said in evidence.items() if word not in rows)


def test_a_word_that_only_one_class_can_show_is_loudest_and_never_nan():
    model = sf.fit(TEXTS, LABELS, columns=sf.Words(), calibrate=False).with_options(estimate="mle")
    found = feature_importance(model.core)
    first = found.words("spam", 1)[0]
    assert (first.token, first.evidence, first.weight) == ("cash", math.inf, math.inf)  # of equals the first by name
    assert first.elsewhere == 0
    assert not any(math.isnan(number) for row in found.words("news") for number in row[3:])
    assert all(row.evidence > 0 for row in found.words("ham"))
    (column,) = found.columns_of("spam")
    assert column.evidence == math.inf


def test_what_idf_says_counts_and_the_counts_stay_what_was_seen():
    plain = feature_importance(fitted(TEXTS, LABELS).core)
    model = fitted(TEXTS, LABELS, idf=True)
    found = feature_importance(model.core)
    row, same = (next(row for row in each.words("spam") if row[1] == "prize") for each in (found, plain))
    assert row.occurrences == same.occurrences == 3
    documents, total = 2, 6
    theta = {p.label: p.value for p in model.parameters() if p.level == "prize"}
    rest = (3 * theta["ham"] + 1 * theta["news"]) / 4
    assert row.evidence == pytest.approx((1 + math.log((1 + total) / (1 + documents))) * math.log(theta["spam"] / rest))


def test_words_of_one_column_and_of_all():
    data = {"subject": ["win", "lunch", "win"], "body": ["prize prize", "menu", "cash"]}
    found = feature_importance(sf.fit(data, ["s", "h", "s"], columns=sf.Words(), calibrate=False).core)
    assert {row.column for row in found.words("s")} == {"subject", "body"}
    assert [row.token for row in found.words("s", column="subject")] == ["win"]
    assert found.words("s", column="other") == []
    assert {row.column for row in found.columns()} == {"subject", "body"}


def test_hashed_words_go_by_the_number_of_their_column():
    found = feature_importance(sf.fit(TEXTS, LABELS, columns=sf.Words(hashed=10), calibrate=False).core)
    row = found.words("spam", 1)[0]
    assert isinstance(row.token, int)
    assert 0 <= row.token < 1024


def test_words_beside_levels():
    data = {"body": TEXTS, "day": ["mon", "tue", "mon", "tue", "tue", "sun"]}
    found = feature_importance(
        sf.fit(data, LABELS, columns={"body": sf.Words(), "day": sf.Categorical()}, calibrate=False).core
    )
    assert {row.column for row in found.levels("spam")} == {"day"}
    assert {row.column for row in found.words("spam")} == {"body"}
    assert {row.column for row in found.columns()} == {"body", "day"}


def test_one_class_has_no_words_that_tell_it_apart():
    found = feature_importance(sf.fit(TEXTS[:1], LABELS[:1], columns=sf.Words(), calibrate=False).core)
    assert found.words("spam") == []


def test_a_class_that_is_not_there():
    found = feature_importance(sf.fit(TEXTS, LABELS, columns=sf.Words(), calibrate=False).core)
    with pytest.raises(ParameterError) as said:
        found.words("spma")
    assert str(said.value) == ("the model has no class 'spma'. Did you mean 'spam'?")


def test_a_hundred_thousand_words_are_ranked_without_a_string_for_each(monkeypatch):
    from suffice.statistics import Tokens

    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(20), 100)
    texts = [" ".join(f"w{at}" for at in rng.integers(0, 100_000, 300)) for _ in labels]
    model = sf.fit(texts, labels.tolist(), columns=sf.Words(), calibrate=False)
    asked = []
    name_of = Tokens.name_of
    monkeypatch.setattr(Tokens, "name_of", lambda self, at: asked.append(at) or name_of(self, at))
    start = time.process_time()
    shown = model.show(10)
    taken = time.process_time() - start
    assert sum(map(len, shown.words.values())) == 200
    assert len(asked) < 20_000  # the ten of each class, and those that weigh as much as the last of them
    assert taken < 5  # one pass in Python over twenty classes of all words would take minutes
