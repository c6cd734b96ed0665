"""Cells that are chosen for the class: the search against every partition, noise, repeated values, weights, densities."""

from __future__ import annotations

import math

import numpy as np
import pytest

from suffice import _core
from suffice.api import fit, load
from suffice.errors import MergeError, ParameterError
from suffice.likelihoods import Categorical, Gaussian, Histogram, Numeric
from tests.oracles import cells_slow as oracle


def choose(kind, table):
    return _core.choose_cells(kind, table, np.array([0, len(table)]), 1)[0]


def draw_table(rng, size, classes, rows, signal, unit=1.0):
    """Rows of bins or levels whose class depends on the position as much as `signal` says."""
    at = rng.integers(0, size, rows)
    own = at * classes // size
    labels = np.where(rng.random(rows) < signal, own, rng.integers(0, classes, rows))
    table = np.zeros((size, classes))
    np.add.at(table, (at, labels), unit)
    return table


@pytest.mark.parametrize("kind", ["intervals", "groups"])
def test_the_cost_is_that_of_its_page(kind):
    rng = np.random.default_rng(1)
    for unit in (1.0, 0.37, 1e-3, 1e6):
        table = draw_table(rng, 9, 3, 200, 0.4, unit)
        assert table.any(axis=1).all()
        if kind == "intervals":
            cells = np.array([0, 2, 5])
            expected = oracle.interval_cost(table.tolist(), cells.tolist())
        else:
            cells = np.array([0, 1, 1, 2, 0, 2, 1, 0, 1])
            expected = oracle.group_cost(table.tolist(), cells.tolist())
        assert _core.cell_cost(kind, table, cells) == pytest.approx(expected, rel=1e-12, abs=1e-11)


def test_a_known_cost():
    # Two bins of two rows, one class each: ln 4 + ln C(5, 1) + 2 ln C(3, 1) as two cells, ln 4 + ln 5 + ln C(4, 2) as one.
    table = np.array([[2.0, 0.0], [0.0, 2.0]])
    assert _core.cell_cost("intervals", table, np.array([0, 1])) == pytest.approx(math.log(4 * 5 * 9))
    assert _core.cell_cost("intervals", table, np.array([0])) == pytest.approx(math.log(4 * 5 * 6))
    assert choose("intervals", table).tolist() == [0]


@pytest.mark.parametrize(("kind", "largest"), [("intervals", 12), ("groups", 7)])
def test_the_search_against_every_partition(kind, largest):
    """Never below the optimum, and equal to it in at least 97 % of 200 tables."""
    rng = np.random.default_rng(2)
    every = oracle.every_interval_set if kind == "intervals" else oracle.every_partition
    partitions = {size: [np.array(each) for each in every(size)] for size in range(2, largest + 1)}
    optimal = 0
    for case in range(200):
        size = int(rng.integers(2, largest + 1))
        rows = int(rng.integers(20, 400))
        table = draw_table(rng, size, int(rng.integers(2, 5)), rows, rng.random(), 1.0 if case % 2 else 0.37)
        got = _core.cell_cost(kind, table, choose(kind, table))
        best = min(_core.cell_cost(kind, table, each) for each in partitions[size])
        assert got >= best - 1e-9
        optimal += got <= best + 1e-9
    assert optimal >= 194


@pytest.mark.parametrize("kind", ["intervals", "groups"])
@pytest.mark.parametrize(("classes", "rows"), [(2, 100), (2, 3000), (5, 1000)])
def test_noise_gives_one_cell(kind, classes, rows):
    """In at least 95 of 100 seeded trials."""
    rng = np.random.default_rng(3)
    size = rows if kind == "intervals" else 60
    alone = sum(choose(kind, draw_table(rng, size, classes, rows, 0.0)).max() == 0 for _ in range(100))
    assert alone >= 95


def test_levels_without_weight_join_the_largest_group():
    table = np.array([[0.0, 0.0], [50.0, 1.0], [1.0, 20.0], [49.0, 2.0], [0.0, 0.0]])
    assert choose("groups", table).tolist() == [0, 0, 1, 0, 0]


@pytest.mark.parametrize("kind", ["intervals", "groups"])
def test_cells_do_not_depend_on_threads_or_instructions(kind):
    rng = np.random.default_rng(4)
    tables = [draw_table(rng, size, 4, 20_000, 0.3, 0.7) for size in (900, 2000, 50)]
    counts, offsets = np.concatenate(tables), np.cumsum([0, *map(len, tables)])
    expected, starts = _core.choose_cells(kind, counts, offsets, 1)
    own = _core.isa()
    try:
        for isa in ("plain", "avx2", "avx512"):
            if _core.use_isa(isa):
                for threads in (1, 2, 5):
                    assert (_core.choose_cells(kind, counts, offsets, threads)[0] == expected).all()
    finally:
        _core.use_isa(own)
    for j, table in enumerate(tables):
        assert (choose(kind, table) == expected[starts[j] : starts[j + 1]]).all()


@pytest.mark.parametrize(
    ("kind", "counts", "offsets"),
    [
        ("cells", [[1.0]], [0, 1]),
        ("groups", [[-1.0]], [0, 1]),
        ("groups", [[math.nan]], [0, 1]),
        ("intervals", [[math.inf]], [0, 1]),
        ("intervals", [[1.0]], [0, 2]),
        ("intervals", [[1.0], [1.0]], [0, 2, 1, 2]),
        ("intervals", [[1.0]], []),
    ],
)
def test_bad_arguments_are_refused(kind, counts, offsets):
    with pytest.raises(ValueError, match="must"):
        _core.choose_cells(kind, np.array(counts), np.array(offsets, dtype=np.int64), 1)


def rows_with_zeros(n=4000, seed=5):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    zeros = np.where(rng.random(n) < 0.2 + 0.4 * y, 0.0, rng.exponential(size=n) - 0.3)
    capped = np.minimum(rng.exponential(50 + 60 * y), 100.0)
    return np.stack([zeros, capped, rng.normal(size=n), rng.normal(size=n) + y], axis=1), y


def test_repeated_values_get_cells_of_their_own():
    x, y = rows_with_zeros()
    model = fit(x, y, columns=Numeric(form="cells"), calibrate=False)
    assert model.core.choices()[2] == "1 cell"
    bins = model.core.parts[0][1]
    (term,) = (term for term in model.core.terms if term.outcomes() is not None)
    below, zero, above = np.searchsorted(term.edges[0], [-1e-3, 0.0, 1e-3], side="right")
    assert below < zero < above
    low = bins.lower()[bins.offsets[1] : bins.offsets[2]]
    assert low[-1] == 100.0
    assert 95 < term.edges[1][-1] < 100.0  # the last cell has the cap and few other values


def test_a_posterior_is_that_of_the_cells_alone():
    x, y = rows_with_zeros()
    model = fit(x, y, columns=Numeric(form="cells"), calibrate=False)
    (cells,) = (term for term in model.core.terms if term.outcomes() is not None)
    log = np.log(np.bincount(y) / len(y)) + np.zeros((len(x), 2))
    for j in range(x.shape[1]):
        at = np.searchsorted(cells.edges[j], x[:, j], side="right")
        size = len(cells.edges[j]) + 1
        for c in range(2):
            counts = np.bincount(at[y == c], minlength=size)
            log[:, c] += np.log((counts + 1) / (counts.sum() + size))[at]
    expected = log - np.logaddexp.reduce(log, axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_log_proba(x), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("estimate", ["predictive", "mle", "map"])
@pytest.mark.parametrize("column", [0, 1, 2, 3])
def test_densities_integrate_to_one(column, estimate):
    x, y = rows_with_zeros(1500)
    model = fit(x[:, [column]], y, columns=Numeric(form="cells"), estimate=estimate, calibrate=False)
    low, high = x[:, column].min(), x[:, column].max()
    edges = np.unique(np.concatenate([term.edges[0] for term in model.core.terms]))
    knots = np.unique(np.concatenate([[low], edges, [high]]))
    middle = 0.5 * (knots[1:] + knots[:-1])
    density = np.exp(model.log_density(middle[:, None]))
    assert float((density * np.diff(knots)).sum()) == pytest.approx(1, abs=1e-9)


def test_draws_follow_the_density():
    x, y = rows_with_zeros()
    model = fit(x, y, columns=Numeric(form="cells"), calibrate=False)
    drawn = model.sample(20_000, seed=1).to_frame()
    for j in range(x.shape[1]):
        own = np.sort(np.asarray(drawn[drawn.columns[j]], dtype=np.float64))
        spread = x[(x[:, j] != 0) & (x[:, j] != 100), j]  # a value that many rows share is drawn as one near it
        points = np.quantile(spread, [0.05, 0.2, 0.6, 0.8])
        share = np.searchsorted(own, points, side="left") / len(own)
        expected = [(x[:, j] < point).mean() for point in points]
        np.testing.assert_allclose(share, expected, atol=0.03)
        assert own[0] >= x[:, j].min()
        assert own[-1] <= x[:, j].max()


def test_row_weights_are_repeated_rows():
    x, y = rows_with_zeros(1000)
    weights = np.random.default_rng(6).integers(0, 4, len(y))
    one = fit(x, y, columns=Numeric(form="cells"), weights=weights, calibrate=False)
    other = fit(np.repeat(x, weights, axis=0), np.repeat(y, weights), columns=Numeric(form="cells"), calibrate=False)
    assert one.core.parts[0][1] == other.core.parts[0][1]
    np.testing.assert_array_equal(one.predict_proba(x), other.predict_proba(x))


def test_parts_merge_into_the_cells_of_all_rows():
    x, y = rows_with_zeros()
    form = Numeric(form="cells")
    whole = fit(x, y, columns=form, calibrate=False)
    parts = [fit(x[k::3], y[k::3], columns=form, calibrate=False) for k in range(3)]
    assert (parts[2] + (parts[0] + parts[1])).core.parts[0][1] == whole.core.parts[0][1]
    np.testing.assert_array_equal((parts[0] + parts[1] + parts[2]).predict_proba(x), whole.predict_proba(x))


@pytest.mark.parametrize("scale", [2.0**40, -(2.0**-30)])
def test_posteriors_do_not_change_with_the_unit(scale):
    x, y = rows_with_zeros()
    one = fit(x, y, columns=Numeric(form="cells"), calibrate=False).predict_proba(x)
    other = fit(x * scale, y, columns=Numeric(form="cells"), calibrate=False).predict_proba(x * scale)
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_explanations_add_up_and_intervals_exist():
    x, y = rows_with_zeros(800)
    x[3, 0] = np.nan
    model = fit(x, y, columns=Numeric(form="cells", missing="level"), calibrate=False)
    for row in (0, 3):
        explained = model.explain(x[[row]], positive=1)[0]
        log = model.predict_log_proba(x[[row]])[0]
        total = explained.prior.nats + sum(entry.nats for entry in explained.entries) + explained.others_nats
        assert total == pytest.approx(log[1] - log[0], abs=1e-9)
    interval = model.interval(x[:5], seed=0)
    assert len(interval.to_frame()) >= 5


def test_gaussian_and_histogram_forms_are_those_likelihoods():
    x, y = rows_with_zeros(500)
    for form, other in (("gaussian", Gaussian()), ("histogram", Histogram())):
        model = fit(x, y, columns=Numeric(form=form), calibrate=False)
        np.testing.assert_array_equal(model.log_joint(x), fit(x, y, columns=other, calibrate=False).log_joint(x))
    mixed = fit(x, y, columns=Numeric(form=("cells", "gaussian", "histogram", "cells")), calibrate=False)
    kinds = [choice.split(",")[0].split()[-1] for choice in mixed.core.choices().values()]
    assert kinds == ["cells", "Gaussian", "Histogram", "cells"]
    assert len(list(mixed.core.terms)) >= 3


def test_forms_are_stored_and_restricted(tmp_path):
    x, y = rows_with_zeros(500)
    forms = ("cells", "gaussian", "histogram", "cells")
    model = fit(x, y, columns=Numeric(form=forms), calibrate=False)
    model.save(tmp_path / "forms.suffice")
    again = load(tmp_path / "forms.suffice")
    assert again == model
    np.testing.assert_array_equal(again.predict_proba(x), model.predict_proba(x))
    assert Numeric(form=forms).restrict(np.array([True, False, True, False])).form == ("cells", "histogram")


def test_models_whose_forms_were_selected_differently_can_be_added():
    x, y = rows_with_zeros(600)
    forms = [("gaussian",) * 4, ("histogram", "cells", "gaussian", "histogram"), ("cells", "gaussian") * 2, "auto"]
    models = [fit(x[k::4], y[k::4], columns=Numeric(form=form), calibrate=False) for k, form in enumerate(forms)]
    a, b, c, d = models
    whole = a + b + c + d
    other = (d + c) + (b + a)
    assert other.schema == whole.schema
    np.testing.assert_allclose(whole.predict_proba(x), other.predict_proba(x), rtol=1e-12)
    assert whole.schema.blocks[0].likelihood == Numeric(form=("cells", "cells", "cells", "histogram"))
    with pytest.raises(MergeError, match="different schemas"):
        fit(x, y, columns=Numeric(form="cells"), calibrate=False) + fit(
            x, y, columns=Numeric(form="gaussian"), calibrate=False
        )


@pytest.mark.parametrize(("form", "got"), [("cell", "form must be"), (("cells", "auto"), "form must be")])
def test_an_unknown_form_is_refused(form, got):
    with pytest.raises(ParameterError, match=got):
        Numeric(form=form)


def test_one_form_for_each_column_must_fit():
    x, y = rows_with_zeros(100)
    with pytest.raises(ParameterError, match="4 columns: got 2 names"):
        fit(x, y, columns=Numeric(form=("cells", "cells")), calibrate=False).predict(x)


def test_extreme_weights_and_constant_columns():
    x = np.array([[1.0, 5.0], [1.0, 5.0], [1.0, 6.0], [1.0, np.nan]])
    for weight in (1e250, 1e-250, 1.0):
        model = fit(x, [0, 1, 1, 0], weights=np.full(4, weight), columns=Numeric(form="cells"), calibrate=False)
        assert np.isfinite(model.predict_proba(x)).all()
        assert model.core.choices()[0] == "constant"
    empty = fit(np.empty((0, 2)), [], columns=Numeric(form="cells"), classes=["a", "b"], calibrate=False)
    assert empty.predict_proba(x).shape == (4, 2)


def test_the_evidence_is_that_of_the_parts():
    x, y = rows_with_zeros(300)
    model = fit(x[:, [3]], y, columns=Numeric(form="cells"), calibrate=False)
    one = fit(x[:, [3]], y, columns=Numeric(form="histogram"), calibrate=False)
    assert math.isfinite(model.log_evidence())
    assert abs(model.log_evidence() - one.log_evidence()) < 0.2 * abs(one.log_evidence())


def rows_of_levels(n=6000, seed=8, levels=300):
    rng = np.random.default_rng(seed)
    level = rng.zipf(1.4, n) % levels
    telling = np.random.default_rng(0).random(levels) < 0.5
    y = (rng.random(n) < np.where(telling[level], 0.8, 0.3)).astype(int)
    return np.stack([level, rng.integers(0, 40, n)], axis=1), y


@pytest.mark.parametrize("unseen", ["ignore", "mass"])
@pytest.mark.parametrize("estimate", ["predictive", "mle", "map", "smoothed"])
def test_levels_of_a_group_share_their_class_probabilities(unseen, estimate):
    x, y = rows_of_levels()
    model = fit(x, y, columns=Categorical(form="groups", unseen=unseen), estimate=estimate, calibrate=False)
    assert model.core.choices()[1] == "1 group of 40 levels"
    (term,) = model.core.terms
    extra = unseen == "mass"
    for j, (axis, logs) in enumerate(zip(term.levels, term.by_column(), strict=True)):
        counts = np.array([[((x[:, j] == label) & (y == c)).sum() for label in axis] for c in range(2)], dtype=float)
        group = choose("groups", np.ascontiguousarray(counts.T))
        size = group.max() + 1
        of_groups = np.array([np.bincount(group, row, size) for row in counts])
        added = 0 if estimate == "mle" else 1
        total = of_groups.sum(axis=1, keepdims=True) + added * (size + extra)
        weight = counts.sum(axis=0)
        share = (weight + added) / np.bincount(group, weight + added)[group]
        with np.errstate(divide="ignore"):
            expected = np.log(((of_groups + added) / total)[:, group] * share).T
            np.testing.assert_allclose(logs[: len(axis)], expected, rtol=1e-12)
        np.testing.assert_allclose(np.exp(logs).sum(axis=0), 1, rtol=1e-12)


def test_groups_help_many_levels_of_few_rows():
    rng = np.random.default_rng(9)
    x = rng.integers(0, 200, (8000, 1))
    y = (rng.random(8000) < np.where(x[:, 0] % 3 == 0, 0.8, 0.3)).astype(int)
    losses = {}
    for form in ("levels", "groups"):
        model = fit(x[:5000], y[:5000], columns=Categorical(form=form), calibrate=False)
        losses[form] = -model.predict_log_proba(x[5000:])[np.arange(3000), y[5000:]].mean()
    assert losses["groups"] < losses["levels"]


def test_groups_merge_weigh_draw_explain_and_are_stored(tmp_path):
    x, y = rows_of_levels(3000)
    form = Categorical(form="groups", missing="level", unseen="mass")
    whole = fit(x, y, columns=form, calibrate=False)
    assert (
        fit(x[::2], y[::2], columns=form, calibrate=False) + fit(x[1::2], y[1::2], columns=form, calibrate=False)
        == whole
    )
    assert fit(x, y, columns=form, weights=np.full(3000, 2), calibrate=False) == whole + whole
    whole.save(tmp_path / "groups.suffice")
    assert load(tmp_path / "groups.suffice") == whole
    drawn = whole.sample(20_000, seed=3).to_frame()
    shares = (np.asarray(drawn[drawn.columns[0]]) == 1).mean()
    (term,) = whole.core.terms
    expected = np.exp(term.by_column()[0][term.levels[0].index(1)]) @ (np.bincount(y) / len(y))
    assert shares == pytest.approx(expected, abs=0.015)
    explained = whole.explain(x[:1], positive=1)[0]
    log = whole.predict_log_proba(x[:1])[0]
    total = explained.prior.nats + sum(entry.nats for entry in explained.entries) + explained.others_nats
    assert total == pytest.approx(log[1] - log[0], abs=1e-9)
    rows = [each for each in whole.core.parameters(0.9) if each.column == 0 and each.label == 0]
    assert sum(each.value for each in rows) <= 1
    assert all(each.lower <= each.value <= each.upper for each in rows)
    assert math.isfinite(whole.log_evidence())


def test_groups_and_a_prior_on_levels_exclude_each_other():
    with pytest.raises(ParameterError, match="cannot be combined with groups"):
        Categorical(prior={"a": 2.0}, form="groups")
    assert Categorical(prior={"a": 2.0}).alternatives() == ()
    mixed = fit([["a", "b"], ["c", "b"]], [0, 1], columns=Categorical(form=("levels", "groups")), calibrate=False)
    assert [str(block.likelihood) for block in mixed.core.form_schema().blocks] == [
        "Categorical()",
        "Categorical(form='groups')",
    ]
