"""Laws of token counts, on documents drawn by Hypothesis, from the statistic to the fitted model.

With integer weights everything is exact to the last bit.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice import _core
from suffice.engines.documents import count_tokens
from suffice.likelihoods.block_statistics import ESTIMATES, Tokenizing
from suffice.statistics import Axis, Tokens
from tests.oracles import token_counts

WORDS = ("aa", "bb", "cc", "dd", "été", "ΟΔΟΣ", "水火", "I", "x_1", "\ud800", "e\u0301e")
LABELS = ("ham", "news", "spam")
DEFAULT = Tokenizing()

texts = st.one_of(st.none(), st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join))
whole = st.integers(0, 3).map(float)
rows_of = st.lists(st.tuples(st.sampled_from(LABELS), texts, whole), max_size=8)
some_rows = st.lists(st.tuples(st.sampled_from(LABELS), texts, whole.filter(bool)), min_size=1, max_size=8)
fractional = st.lists(st.tuples(st.sampled_from(LABELS), texts, st.floats(0.01, 10)), max_size=8)

tokenizings = st.sampled_from(
    [
        Tokenizing(),
        Tokenizing(ngrams=(1, 3), min_length=1),
        Tokenizing("chars", (1, 2)),
        Tokenizing("chars in words", (2, 3), strip_accents=True),
        Tokenizing("chars", (1, 3), characters=("ab", "c", " ", "水火é")),
        Tokenizing(hashed=4),
        Tokenizing(hashed=20, ngrams=(1, 2)),
    ]
)
valued = st.sampled_from(
    [
        Tokenizing(tf="log"),
        Tokenizing(unit_length=True),
        Tokenizing(tf="log", unit_length=True, hashed=5, ngrams=(1, 2)),
    ]
)


def counted(rows: list[Any], tokenizing: Tokenizing = DEFAULT, threads: int = 1) -> Tokens:
    """Return the counts of documents in one pass of the core."""
    axis = Axis.of(LABELS)
    held = _core.documents_of_texts([text for _, text, _ in rows])
    codes = np.array([axis.index(label) for label, _, _ in rows], dtype=np.int64)
    return count_tokens(tokenizing, held, codes, axis, np.array([weight for *_, weight in rows], np.float64), threads)


def close(got: Tokens, want: Tokens) -> None:
    """Compare what is equal but for rounding."""
    assert got.classes == want.classes
    assert got.vocabulary == want.vocabulary
    assert got.starts.tolist() == want.starts.tolist()
    assert got.tokens.tolist() == want.tokens.tolist()
    for name in ("counts", "documents", "weights"):
        np.testing.assert_allclose(getattr(got, name), getattr(want, name), rtol=1e-12, atol=0)


@given(rows_of)
def test_one_pass_equals_the_slow_count(rows):
    assert counted(rows) == token_counts.as_statistic(rows)


@given(fractional)
def test_one_pass_equals_the_slow_count_with_any_weights(rows):
    close(counted(rows), token_counts.as_statistic(rows))


@given(rows_of, rows_of, rows_of, tokenizings)
def test_adding_is_associative_and_commutative(a, b, c, tokenizing):
    x, y, z = (counted(rows, tokenizing) for rows in (a, b, c))
    assert (x + y) + z == x + (y + z)
    assert x + y == y + x
    assert (x + y).tight()


@given(rows_of, tokenizings)
def test_zero_is_neutral(a, tokenizing):
    x, zero = counted(a, tokenizing), Tokens.zero(tokenizing.columns)
    assert x + zero == x
    assert zero + x == x
    assert x - zero == x
    assert x - x == zero


@given(rows_of, rows_of, tokenizings)
def test_subtracting_equals_never_having_added(a, b, tokenizing):
    x, y = counted(a, tokenizing), counted(b, tokenizing)
    assert (x + y) - y == x
    assert (x + y) - x == y


@given(fractional, fractional, st.one_of(tokenizings, valued))
def test_subtracting_equals_never_having_added_with_any_weights(a, b, tokenizing):
    x, y = counted(a, tokenizing), counted(b, tokenizing)
    left = (x + y) - y
    assert left.vocabulary == x.vocabulary
    assert left.classes == x.classes
    assert left.tokens.tolist() == x.tokens.tolist()
    # Rounding is relative to what was there before: at most 4000 times what is left.
    np.testing.assert_allclose(left.counts, x.counts, rtol=1e-11)
    np.testing.assert_allclose(left.weights, x.weights, rtol=1e-11)


@given(rows_of, st.lists(st.integers(0, 4), min_size=8, max_size=8), tokenizings)
def test_any_shards_of_the_documents_equal_one_pass(rows, shards, tokenizing):
    total = Tokens.zero(tokenizing.columns)
    for shard in range(5):
        total = counted([row for row, at in zip(rows, shards, strict=False) if at == shard], tokenizing) + total
    assert total == counted(rows, tokenizing)


@given(rows_of, st.permutations(range(8)), tokenizings)
def test_the_order_of_documents_does_not_matter(rows, order, tokenizing):
    moved = [rows[at] for at in order if at < len(rows)]
    assert counted(moved, tokenizing) == counted(rows, tokenizing)


@given(rows_of, tokenizings)
def test_a_weight_equals_that_many_copies(rows, tokenizing):
    copies = [(label, text, 1.0) for label, text, weight in rows for _ in range(int(weight))]
    assert counted(copies, tokenizing) == counted(rows, tokenizing)


@given(rows_of, tokenizings)
def test_a_missing_document_equals_an_absent_one(rows, tokenizing):
    there = [row for row in rows if row[1] is not None]
    assert counted(there, tokenizing) == counted(rows, tokenizing)


@given(rows_of, st.integers(0, 3), tokenizings)
def test_scaling_equals_repeated_adding(rows, times, tokenizing):
    total = Tokens.zero(tokenizing.columns)
    for _ in range(times):
        total = total + counted(rows, tokenizing)
    assert counted(rows, tokenizing).scale(times) == total


@given(rows_of, rows_of, st.randoms())
def test_taking_tokens_is_additive(a, b, random):
    x, y = counted(a, Tokenizing(hashed=4)), counted(b, Tokenizing(hashed=4))
    mask = np.array([random.random() < 0.5 for _ in range(16)])
    assert (x + y).take(mask) == x.take(mask) + y.take(mask)
    exact = counted(a)
    some = np.array([random.random() < 0.5 for _ in range(exact.width)], dtype=np.bool_)
    none = exact.take(some) + exact.take(~some)
    assert none.vocabulary == exact.vocabulary
    assert none.counts.tolist() == exact.counts.tolist()


@given(st.one_of(rows_of, fractional), st.one_of(tokenizings, valued))
def test_storing_and_reading_changes_nothing(rows, tokenizing):
    x = counted(rows, tokenizing)
    assert x.tight()
    assert Tokens.from_arrays({name: np.array(array) for name, array in x.to_arrays().items()}) == x


@pytest.mark.parametrize(
    "tokenizing", [Tokenizing(), Tokenizing(ngrams=(1, 2), tf="log"), Tokenizing(hashed=8, unit_length=True)]
)
def test_the_same_bits_on_any_number_of_threads(tokenizing):
    random = np.random.default_rng(7)
    words = np.array([f"w{k}" for k in range(3000)])
    rows = [
        (LABELS[row % 3], " ".join(words[(3000 * random.random(60) ** 3).astype(int)]), float(random.random()))
        for row in range(12_000)
    ]
    one = counted(rows, tokenizing, 1)
    assert len(one.tokens) > 100
    for threads in (2, 3, 7):
        assert counted(rows, tokenizing, threads) == one


# Models. Every reading of the same statistics obeys the laws of the statistics.

READINGS = [
    sf.Words(),
    sf.Words(ngrams=(1, 2), model="complement", alpha=0.1),
    sf.Words(model="bernoulli"),
    sf.Words(model="bernoulli", prior=sf.BetaBinomial(0.3, 2)),
    sf.Words(binary=True, prior="evidence"),
    sf.Words(idf=True, min_df=2),
    sf.Words(tf="log", unit_length=True),
    sf.Words(hashed=6),
    sf.Words(coefficients=True, min_length=1),
    sf.Chars(ngrams=(1, 2)),
    sf.Chars(across=True, prior="evidence by class"),
]
likelihoods = st.sampled_from(READINGS)
estimates = st.sampled_from(ESTIMATES)
pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowsWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.UnseenClassesWarning"),
]


def fitted(rows, likelihood, estimate="predictive"):
    data, target = [text for _, text, _ in rows], [label for label, *_ in rows]
    return sf.fit(
        {"text": data},
        target,
        columns={"text": likelihood},
        estimate=estimate,
        weights=[w for *_, w in rows],
        calibrate=False,
    )


def same(left, right, rows):
    assert left.classes == right.classes
    asked = {"text": [text for _, text, _ in rows]}
    np.testing.assert_allclose(left.log_joint(asked), right.log_joint(asked), rtol=1e-12, atol=1e-12)


def statistics(model):
    return model.core.parts


@given(some_rows, some_rows, likelihoods, estimates)
def test_shards_merge_into_one_model(a, b, likelihood, estimate):
    merged, one = fitted(a, likelihood, estimate) + fitted(b, likelihood, estimate), fitted(a + b, likelihood, estimate)
    if likelihood.tokenizing.whole:
        assert statistics(merged) == statistics(one)
    same(merged, one, a + b)
    updated = fitted(a, likelihood, estimate).update(
        {"text": [text for _, text, _ in b]}, [label for label, *_ in b], weights=[w for *_, w in b]
    )
    same(updated, one, a + b)


@given(some_rows, some_rows, likelihoods, estimates)
def test_forgetting_a_document_equals_never_having_seen_it(a, b, likelihood, estimate):
    gone = {"text": [text for _, text, _ in b]}, [label for label, *_ in b]
    left = fitted(a + b, likelihood, estimate).forget(*gone, weights=[w for *_, w in b])
    alone = fitted(a, likelihood, estimate)
    if likelihood.tokenizing.whole:
        assert statistics(left) == statistics(alone)
    same(left, alone, a + b)


@given(some_rows, likelihoods, estimates)
def test_hashed_and_exact_agree_without_collisions(rows, likelihood, estimate):
    from dataclasses import replace

    if likelihood.tokenizing.hashed is not None:
        return
    exact, hashed = fitted(rows, likelihood, estimate), fitted(rows, replace(likelihood, hashed=22), estimate)
    (seen,), (columns,) = statistics(exact)[0], statistics(hashed)[0]
    if len(np.unique(columns.tokens)) != seen.width:
        return  # two of the tokens share one of four million columns
    same(exact, hashed, rows)


@given(some_rows, likelihoods, estimates)
def test_an_empty_document_contributes_nothing_and_no_score_is_nan(rows, likelihood, estimate):
    model = fitted(rows, likelihood, estimate)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        asked = {"text": [None, "", "never seen before", *(text for _, text, _ in rows)]}
        joint = model.log_joint(asked)
        assert not np.isnan(joint).any()
        assert not np.isnan(model.predict_proba(asked)).any()
    (prior,) = np.unique(model.log_joint({"text": [None]}), axis=0)
    np.testing.assert_array_equal(joint[0], prior)
    np.testing.assert_allclose(np.exp(prior).sum(), 1, rtol=1e-12)
    multinomial = getattr(likelihood, "model", "multinomial") != "bernoulli" and likelihood.tokenizing.hashed is None
    if multinomial and isinstance(likelihood, sf.Words):
        np.testing.assert_array_equal(joint[1], prior)
        np.testing.assert_array_equal(joint[2], prior)
