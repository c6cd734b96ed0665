"""Novelty: odd rows come first, ordinary ones have shares that are spread evenly, and units do not matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.decisions.novelty import reference_of
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
    model = sf.fit(data, y, COLUMNS)
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
    found = model.novelty(together, reference)
    assert sorted(found.order()[:3].tolist()) == [0, 1, 2]
    np.testing.assert_array_equal(found.share[:3], 0.0)
    assert found.share[3:].min() >= 0
    assert np.median(found.share[3:]) > 0.3


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_shares_of_held_out_rows_are_uniform(missing):
    model, reference = both(4000, missing)
    data, _ = rows(4000, seed=5, missing=missing)
    share = np.sort(model.novelty(data, reference).share)
    # Kolmogorov–Smirnov of two samples of 4000, at one in a thousand: 1.95 √(2/4000) = 0.044. Rows of few distinct
    # densities stand on steps, above the diagonal only: a share of at most s in at most s of the rows.
    above = (np.arange(4000) + 1) / 4000 - share
    below = share - np.arange(4000) / 4000
    assert above.max() < 0.044
    assert below.max() < 0.044


def test_rows_of_text_are_compared_by_length():
    rng = np.random.default_rng(0)
    words = np.array([f"w{k}" for k in range(200)])
    often = 1 / np.arange(1, 201)
    often /= often.sum()

    def texts(n, seed):
        own = np.random.default_rng(seed)
        return [" ".join(own.choice(words, own.integers(3, 120), p=often)) for _ in range(n)]

    train = texts(3000, 1)
    model = sf.fit(train, rng.integers(0, 2, 3000), sf.Words())
    reference = sf.novelty_reference(model, train)
    found = model.novelty(texts(1000, 2), reference)
    # Uniform within 1.95 √(1/1000 + 1/3000), and the same for short and for long texts.
    assert np.abs(np.sort(found.share) - np.arange(1000) / 1000).max() < 0.072
    short = found.size < np.median(found.size)
    assert np.abs(found.share[short].mean() - found.share[~short].mean()) < 0.07
    rare = " ".join(words[-40:])
    assert model.novelty([rare, train[0]], reference).order()[0] == 0
    assert model.novelty([rare], reference).share[0] == 0


def test_impossible_rows_come_before_all_others():
    x = np.array([["a", "x"], ["a", "y"], ["b", "x"]] * 20)
    model = sf.fit(x, [0, 1, 0] * 20, sf.Categorical(levels=["a", "b", "c", "x", "y"])).read("mle")
    reference = sf.novelty_reference(model, x)
    found = model.novelty([["a", "x"], ["c", "x"], ["b", "x"]], reference)
    assert found.log_density[1] == -np.inf
    assert (found.share[1], found.score[1]) == (0, -np.inf)
    assert found.order()[0] == 1


def test_a_level_that_no_row_has_shown_is_odd():
    model, reference = both()
    with pytest.warns(sf.UnseenLevelsWarning):
        found = model.novelty({"weight": [4.0], "age": [5.0], "fur": ["plaid"], "visits": [1.0]}, reference)
    known = model.novelty({"weight": [4.0], "age": [5.0], "fur": ["black"], "visits": [1.0]}, reference)
    assert found.share[0] < 0.01 < known.share[0]
    assert found.size[0] == known.size[0] == 4


@pytest.mark.parametrize("columns", [sf.Histogram(), sf.Histogram(8, missing="level"), sf.Numeric()])
@pytest.mark.parametrize("distinct", [10, 20_000])
def test_a_value_beyond_all_others_is_odd_in_a_histogram(columns, distinct):
    rng = np.random.default_rng(0)
    x = np.stack([rng.integers(0, distinct, 20_000) * (10.0 / distinct), rng.normal(size=20_000)], axis=1)
    x[:, 1] = np.where(rng.random(20_000) < 0.1, np.nan, x[:, 1])
    model = sf.fit(x, rng.integers(0, 2, 20_000), {0: columns, 1: sf.Gaussian()})
    reference = sf.novelty_reference(model, x)
    greatest = x[:, 0].max()
    found = model.novelty([[900.0, 0.0], [-1.0, np.nan], [greatest, 0.0], [0.0, 0.0]], reference)
    assert found.share[:2].max() < 0.001  # about as odd as the least of 20,000 rows
    assert found.share[2:].min() > 0.1
    assert found.order()[:2].tolist() in ([0, 1], [1, 0])
    # What the model says of it stays as it is: the outer cells go on.
    assert found.log_density[0] == found.log_density[2]


def test_a_row_in_which_nothing_is_known_is_not_odd():
    model, reference = both()
    found = model.novelty({"weight": [np.nan], "age": [np.nan], "fur": [None], "visits": [np.nan]}, reference)
    assert (found.size[0], found.log_density[0], found.share[0]) == (0, pytest.approx(0, abs=1e-12), 1)


def test_units_do_not_matter_also_where_cells_are_missing():
    data, y = rows(900, missing=0.3)
    for scale, shift in ((1000.0, 0.0), (0.01, 5.0)):
        other = {**data, "weight": data["weight"] * scale + shift, "age": data["age"] * scale + shift}
        found = [
            model.novelty(each, sf.novelty_reference(model, each)).share
            for each, model in ((each, sf.fit(each, y, COLUMNS)) for each in (data, other))
        ]
        # Rounding moves a value past its neighbour: one row more or less in a group of 200.
        np.testing.assert_allclose(found[0], found[1], atol=0.006)


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
    model = sf.fit({**fit, "y": ["p", "q"]}, "y", columns)
    reference = sf.novelty_reference(model, fit)
    assert model.novelty(data, reference).size.tolist() == [1 + 1 + 6 + 3 + 1, 0 + 1 + 3 + 0 + 1]


def test_joint_columns_count_their_known_cells():
    data = {"fur": ["black", "white", None], "sex": ["f", "m", "m"]}
    model = sf.fit({**data, "y": [0, 1, 0]}, "y", {("fur", "sex"): sf.Joint()})
    assert model.novelty(data, sf.novelty_reference(model, data)).size.tolist() == [2, 2, 1]


values = st.one_of(st.integers(-6, 6).map(float), st.just(-np.inf))


@given(
    reference=st.lists(st.tuples(values, st.integers(1, 3)), min_size=1, max_size=30),
    asked=st.lists(values, min_size=1, max_size=10),
)
def test_shares_at_the_values_of_the_reference_are_exact(reference, asked):
    r, w = np.array(reference, dtype=np.float64).T
    known = reference_of(r, np.ones(len(r)), w)
    found = known.share(np.array(asked), np.ones(len(asked)))
    for share, value in zip(found.tolist(), asked, strict=True):
        exact = share_no_more_probable(r.tolist(), w.tolist(), value)
        if value in r or value < r.min() or value > r.max():
            assert share == pytest.approx(exact, rel=1e-12)
        else:  # between two values of the reference
            above = share_no_more_probable(r.tolist(), w.tolist(), min(each for each in r if each > value))
            assert exact - 1e-12 <= share <= above + 1e-12


def test_weights_are_rows_that_come_again():
    rng = np.random.default_rng(0)
    r, size, w = rng.normal(size=50), rng.integers(1, 3, 50).astype(float), rng.integers(0, 4, 50)
    weighted, again = reference_of(r, size, w.astype(float)), reference_of(np.repeat(r, w), np.repeat(size, w))
    for name in ("sizes", "values", "shares", "quartiles"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(again, name), rtol=1e-12)


def test_a_large_reference_keeps_its_ends_and_at_most_1001_values_of_a_group():
    rng = np.random.default_rng(0)
    r = rng.normal(size=100_000)
    reference = reference_of(r, np.ones(100_000))
    ordered = np.sort(r)
    assert len(reference.values) <= 1001
    np.testing.assert_array_equal(reference.values[:16], ordered[:16])
    assert reference.values[-1] == ordered[-1]
    asked = np.array([*ordered[:16], ordered[-1] + 1, ordered[0] - 1])
    np.testing.assert_allclose(reference.share(asked, np.ones(18)), [*(np.arange(1, 17) / 1e5), 1, 0], rtol=1e-12)
    np.testing.assert_allclose(reference.share(ordered, np.ones(100_000)), np.arange(1, 100_001) / 1e5, atol=0.0012)


def test_groups_of_sizes_have_two_hundred_rows_or_are_one():
    rng = np.random.default_rng(0)
    size = rng.choice([2.0, 3.0, 4.0, 50.0], 3000, p=[0.02, 0.3, 0.66, 0.02])
    reference = reference_of(-size - rng.random(3000), size)
    assert reference.sizes.tolist() == [3.0, 50.0]
    counts = [int(((size > low) & (size <= high)).sum()) for low, high in ((0, 3), (3, 50))]
    assert min(counts) >= 200
    # A size beyond all of them belongs to the last.
    assert reference.share(np.array([0.0]), np.array([99.0]))[0] == 1


def test_the_complement_has_no_density():
    texts, y = ["a b", "b c"], ["x", "y"]
    model = sf.fit(texts, y, sf.Words(model="complement", min_length=1))
    with pytest.raises(sf.ParameterError) as caught:
        sf.novelty_reference(model, texts)
    assert str(caught.value) == (
        "there is no log p(x): column 0 is read as Words(model='complement', min_length=1), whose scores are not those of "
        "a distribution. Use log_joint or predict_proba, or read it with model='multinomial' or 'bernoulli'."
    )


def test_a_reference_of_no_rows():
    model, _ = both(20)
    data, _ = rows(3)
    with pytest.raises(sf.DataError) as caught:
        sf.novelty_reference(model, data, weights=[0, 0, 0])
    assert str(caught.value) == (
        "a reference for novelty needs rows: got none with a weight. Give the rows of the fit."
    )


def test_weights_that_are_none():
    model, _ = both(20)
    data, _ = rows(3)
    with pytest.raises(sf.DataError) as caught:
        sf.novelty_reference(model, data, weights=[1, -2, 1])
    assert str(caught.value) == "weights must be finite and ≥ 0: row 1 has -2.0. Drop the row."


def test_a_reference_that_is_none():
    model, _ = both(20)
    with pytest.raises(sf.ParameterError) as caught:
        model.novelty(rows(3)[0], model)
    assert str(caught.value) == (
        "reference must be a NoveltyReference: got Model. Give novelty_reference(model, data) of the rows of the fit."
    )


def test_files_are_compared_like_their_rows(tmp_path):
    import polars as pl

    data, y = rows(400)
    pl.DataFrame({name: list(values) for name, values in data.items()}).write_parquet(tmp_path / "rows.parquet")
    model = sf.fit(data, y, COLUMNS)
    reference = sf.novelty_reference(model, tmp_path / "rows.parquet")
    found, of_rows = model.novelty(tmp_path / "rows.parquet", reference), model.novelty(data, reference)
    np.testing.assert_allclose(found.share, of_rows.share, atol=0.006)
