"""Novelty: odd rows come first, ordinary ones have shares that are spread evenly, and units do not matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.api.novelty import novelty_rows
from suffice.decisions import NoveltyReference
from suffice.sources import rows_from
from tests.oracles.uncertainty_slow import share_no_more_probable

COLUMNS = {"weight": sf.Gaussian(), "age": sf.Histogram(8), "fur": sf.Categorical(), "visits": sf.Poisson()}


def rows(n, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    k = rng.integers(0, 2, n)
    data = {
        "weight": rng.normal(4 + 3 * k, 1 + k),
        "age": rng.gamma(2 + k, 3),
        "fur": np.array(["black", "orange", "white"], dtype=object)[(rng.random(n) * (3 - k)).astype(int)],
        "visits": rng.poisson(1 + 2 * k).astype(float),
    }
    for name, cells in data.items():
        cells[rng.random(n) < missing] = None if name == "fur" else np.nan
    return data, np.where(k, "dog", "cat")


def both(n=2000, missing=0.0):
    data, y = rows(n, missing=missing)
    model = sf.fit(data, y, columns=COLUMNS, calibrate=False)
    return model, sf.novelty_reference(model, data)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_planted_odd_rows_come_first(missing):
    model, reference = both(missing=missing)
    data, _ = rows(500, seed=1)
    odd = {
        "weight": [90.0, 4.0, -20.0],
        "age": [3.0, 500.0, 3.0],
        "fur": ["black", "white", "plaid"],
        "visits": [1, 90, 1],
    }
    together = {name: np.concatenate([np.array(odd[name], dtype=data[name].dtype), data[name]]) for name in data}
    found = model.novelty(together, reference=reference)
    assert sorted(found.order()[:3].tolist()) == [0, 1, 2]
    np.testing.assert_array_equal(found.p_value[:3], 0.0)
    assert found.p_value[3:].min() >= 0
    assert np.median(found.p_value[3:]) > 0.3


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_shares_of_held_out_rows_are_uniform(missing):
    model, reference = both(4000, missing)
    data, _ = rows(4000, seed=5, missing=missing)
    share = np.sort(model.novelty(data, reference=reference).p_value)
    # Kolmogorov–Smirnov of two samples of 4000, at one in a thousand: 1.95 √(2/4000) = 0.044. Rows of few distinct
    # densities stand on steps, above the diagonal only: a share of at most s in at most s of the rows.
    above = (np.arange(4000) + 1) / 4000 - share
    below = share - np.arange(4000) / 4000
    assert above.max() < 0.044
    assert below.max() < 0.044


def test_texts_are_compared_by_log_density_per_token():
    rng = np.random.default_rng(0)
    words = np.array([f"w{k}" for k in range(200)])
    often = 1 / np.arange(1, 201)
    often /= often.sum()

    def texts(n, seed):
        own = np.random.default_rng(seed)
        return [" ".join(own.choice(words, own.integers(3, 120), p=often)) for _ in range(n)]

    train = texts(3000, 1)
    model = sf.fit(train, rng.integers(0, 2, 3000), columns=sf.Words(), calibrate=False)
    reference = sf.novelty_reference(model, train)
    asked = texts(1000, 2)
    found = model.novelty(asked, reference=reference)
    # Uniform within 1.95 √(1/1000 + 1/3000), and on average the same for short and for long texts.
    assert np.abs(np.sort(found.p_value) - np.arange(1000) / 1000).max() < 0.072
    length = np.array([len(text.split()) for text in asked])
    short = length < np.median(length)
    assert np.abs(found.p_value[short].mean() - found.p_value[~short].mean()) < 0.07
    rare = " ".join(words[-40:])
    assert model.novelty([rare, train[0]], reference=reference).order()[0] == 0
    assert model.novelty([rare], reference=reference).p_value[0] == 0


def test_impossible_rows_come_before_all_others():
    x = np.array([["a", "x"], ["a", "y"], ["b", "x"]] * 20)
    model = sf.fit(
        x, [0, 1, 0] * 20, columns=sf.Categorical(levels=["a", "b", "c", "x", "y"]), calibrate=False
    ).with_options(estimate="mle")
    reference = sf.novelty_reference(model, x)
    found = model.novelty([["a", "x"], ["c", "x"], ["b", "x"]], reference=reference)
    assert found.log_density[1] == -np.inf
    assert (found.p_value[1], found.score[1]) == (0, -np.inf)
    assert found.order()[0] == 1


def test_a_level_that_no_row_has_shown_is_odd():
    model, reference = both()
    with pytest.warns(sf.errors.UnseenLevelsWarning):
        found = model.novelty({"weight": [4.0], "age": [5.0], "fur": ["plaid"], "visits": [1.0]}, reference=reference)
    known = model.novelty({"weight": [4.0], "age": [5.0], "fur": ["black"], "visits": [1.0]}, reference=reference)
    assert found.p_value[0] < 0.01 < known.p_value[0]


@pytest.mark.parametrize("columns", [sf.Histogram(), sf.Histogram(8, missing="level"), sf.Numeric()])
@pytest.mark.parametrize("distinct", [10, 20_000])
def test_a_value_beyond_all_others_is_odd_in_a_histogram(columns, distinct):
    rng = np.random.default_rng(0)
    x = np.stack([rng.integers(0, distinct, 20_000) * (10.0 / distinct), rng.normal(size=20_000)], axis=1)
    x[:, 1] = np.where(rng.random(20_000) < 0.1, np.nan, x[:, 1])
    model = sf.fit(x, rng.integers(0, 2, 20_000), columns={0: columns, 1: sf.Gaussian()}, calibrate=False)
    reference = sf.novelty_reference(model, x)
    greatest = x[:, 0].max()
    found = model.novelty([[900.0, 0.0], [-1.0, np.nan], [greatest, 0.0], [0.0, 0.0]], reference=reference)
    assert found.p_value[:2].max() < 0.001  # about as odd as the least of 20,000 rows
    assert found.p_value[2:].min() > 0.1
    assert found.order()[:2].tolist() in ([0, 1], [1, 0])
    # What the model says of it stays as it is: the outer cells go on.
    assert found.log_density[0] == found.log_density[2]


def test_a_row_in_which_nothing_is_known_is_not_odd():
    model, reference = both()
    found = model.novelty({"weight": [np.nan], "age": [np.nan], "fur": [None], "visits": [np.nan]}, reference=reference)
    assert (found.score[0], found.log_density[0], found.p_value[0]) == (np.inf, pytest.approx(0, abs=1e-12), 1)


def test_units_do_not_matter_also_where_cells_are_missing():
    data, y = rows(900, missing=0.3)
    for scale, shift in ((1000.0, 0.0), (0.01, 5.0)):
        other = {**data, "weight": data["weight"] * scale + shift, "age": data["age"] * scale + shift}
        found = [
            model.novelty(each, reference=sf.novelty_reference(model, each)).p_value
            for each, model in ((each, sf.fit(each, y, columns=COLUMNS, calibrate=False)) for each in (data, other))
        ]
        # Rounding moves a value past a neighbour: of 900 rows one or two.
        np.testing.assert_allclose(found[0], found[1], atol=0.0023)


def sizes(model, data):
    """How many cells and tokens a row's log density is divided by: scores of two densities, a known distance apart."""
    (table,) = (batch.table for batch in rows_from(data, like=model.like, needs_classes=False))
    one, other = (novelty_rows(model.core, table, np.full(table.rows, density)).score for density in (0.0, 1.0))
    return (1 / (other - one)).tolist()


def test_sizes_count_known_cells_counts_and_words():
    data = {
        "a": [1.0, np.nan],
        "b": ["u", None],
        "n": [2, 3],
        "m": [4, 0],
        "text": ["red red blue zzz", None],
        "c": [1.0, 2.0],
    }
    columns = {
        "a": sf.Gaussian(),
        "b": sf.Categorical(missing="level"),
        ("n", "m"): sf.Multinomial(),
        "text": sf.Words(),
        "c": sf.Gaussian(missing="level"),
    }
    fit = {**data, "text": ["red blue", "blue"], "a": [1.0, 3.0]}
    model = sf.fit({**fit, "y": ["p", "q"]}, "y", columns=columns, calibrate=False)
    assert sizes(model, data) == pytest.approx([1 + 1 + 6 + 3 + 1, 0 + 1 + 3 + 0 + 1], rel=1e-12)


def test_joint_columns_count_their_known_cells():
    data = {"fur": ["black", "white", None], "sex": ["f", "m", "m"]}
    model = sf.fit({**data, "y": [0, 1, 0]}, "y", columns={("fur", "sex"): sf.Joint()}, calibrate=False)
    assert sizes(model, data) == pytest.approx([2, 2, 1], rel=1e-12)


values = st.one_of(st.integers(-6, 6).map(float), st.just(-np.inf), st.just(np.inf))


@given(
    reference=st.lists(st.tuples(values, st.integers(1, 3)), min_size=1, max_size=30),
    asked=st.lists(values, min_size=1, max_size=10),
)
def test_a_share_is_the_share_of_rows_that_are_no_more_probable(reference, asked):
    r, w = np.array(reference, dtype=np.float64).T
    found = NoveltyReference.of(r, w).p_value(np.array(asked))
    again = NoveltyReference.of(np.repeat(r, w.astype(int))).p_value(
        np.array(asked)
    )  # weights are rows that come again
    for share, repeated, value in zip(found.tolist(), again.tolist(), asked, strict=True):
        exact = share_no_more_probable(r.tolist(), w.tolist(), value)
        assert repeated == pytest.approx(exact, rel=1e-12)
        assert exact - 1e-9 <= share < exact + 1e-4  # rounded up to a multiple of 1/10,000 where weights differ


def test_a_large_reference_keeps_its_least_and_ten_thousand_values():
    rng = np.random.default_rng(0)
    r = rng.normal(size=100_000)
    reference = NoveltyReference.of(r)
    ordered = np.sort(r)
    assert (len(reference.values), reference.rows) == (10_000, 100_000)
    assert reference.values[0] == ordered[0]
    np.testing.assert_array_equal(reference.p_value(np.array([ordered[0] - 1, ordered[-1] + 1])), [0, 1])
    exact = np.arange(1, 100_001) / 1e5
    np.testing.assert_allclose(reference.p_value(ordered), np.ceil(exact * 1e4 - 1e-6) / 1e4, rtol=1e-12)


def test_rows_without_a_weight_do_not_count():
    found = NoveltyReference.of(np.array([-3.0, -2.0, -1.0]), np.array([1.0, 0.0, 1.0]))
    assert (found.values.tolist(), found.rows) == ([-3.0, -1.0], 2)


def test_the_complement_has_no_density():
    texts, y = ["a b", "b c"], ["x", "y"]
    model = sf.fit(texts, y, columns=sf.Words(model="complement", min_length=1), calibrate=False)
    with pytest.raises(sf.errors.ParameterError) as caught:
        sf.novelty_reference(model, texts)
    assert str(caught.value) == (
        "log p(x) does not exist: the scores of column 0 are not log-likelihoods. Use "
        "model.predict_proba(...), or fit the column with the text model multinomial or bernoulli."
    )


def test_a_reference_of_no_rows():
    model, _ = both(20)
    data, _ = rows(3)
    with pytest.raises(sf.errors.DataError) as caught:
        sf.novelty_reference(model, data, weights=[0, 0, 0])
    assert str(caught.value) == (
        "a novelty reference requires at least one row with positive weight: got none. Pass the training rows."
    )


def test_weights_that_are_none():
    model, _ = both(20)
    data, _ = rows(3)
    with pytest.raises(sf.errors.DataError) as caught:
        sf.novelty_reference(model, data, weights=[1, -2, 1])
    assert str(caught.value) == "row 1: weights must be finite and ≥ 0: got -2.0. Drop the row."


def test_a_reference_that_is_none():
    model, _ = both(20)
    with pytest.raises(sf.errors.ParameterError) as caught:
        model.novelty(rows(3)[0], reference=model)
    assert str(caught.value) == (
        "reference must be a NoveltyReference: got Model. Pass novelty_reference(model, data) with the training rows."
    )


def test_files_are_compared_like_their_rows(tmp_path):
    import polars as pl

    data, y = rows(400)
    pl.DataFrame({name: list(values) for name, values in data.items()}).write_parquet(tmp_path / "rows.parquet")
    model = sf.fit(data, y, columns=COLUMNS, calibrate=False)
    reference = sf.novelty_reference(model, tmp_path / "rows.parquet")
    found, of_rows = (
        model.novelty(tmp_path / "rows.parquet", reference=reference),
        model.novelty(data, reference=reference),
    )
    np.testing.assert_allclose(found.p_value, of_rows.p_value, atol=0.0026)  # a row past its neighbour
