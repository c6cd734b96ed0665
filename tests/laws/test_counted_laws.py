"""A model is its statistics and its options; what it lists and its posteriors come from the same counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given

import suffice as sf
from suffice.api import fit
from tests.laws.test_model_laws import columns, estimates, joined, tables
from tests.storage.models_to_store import MODELS

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.DroppedCalibrationWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.DroppedRowsWarning"),
]


def options(model):
    """The options of a model, as `from_statistics` takes them."""
    core = model.core
    return {"estimate": core.reading.estimate, "alpha": core.reading.alpha, "class_prior": core.class_prior}


def uncalibrated(model):
    return sf.Model(model.core, model.provenance)


@given(tables(), columns, estimates)
def test_a_model_is_its_statistics_and_its_options(a, kinds, estimate):
    model = fit(a[0], a[1], columns=kinds, estimate=estimate, weights=a[2], calibrate=False)
    assert sf.Model.from_statistics(model.statistics, estimate=estimate) == model
    assert sf.Model.from_statistics(model.statistics, like=model) == model


@pytest.mark.parametrize("name", MODELS)
def test_every_stored_model_is_its_statistics_and_its_options(name):
    model = uncalibrated(MODELS[name]())
    again = sf.Model.from_statistics(model.statistics, **options(model))
    assert again == model
    assert again.statistics == model.statistics
    assert sf.Model.from_statistics(again.statistics, columns=None, like=model) == model


@given(tables(), tables(), columns)
def test_listed_counts_add(a, b, kinds):
    def listed(part):
        model = fit(part[0], part[1], columns=kinds, weights=part[2], calibrate=False)
        counts = (each for each in model.counts() if each.count is not None and each.lower_edge is None)
        return {(each.label, each.column, each.level): each.count for each in counts}

    first, second, both = listed(a), listed(b), listed(joined(a, b))
    for key, count in both.items():
        assert count == pytest.approx(first.get(key, 0.0) + second.get(key, 0.0))
    assert first.keys() | second.keys() <= both.keys()


@given(tables(1), columns)
def test_one_column_lists_what_all_columns_list_of_it(a, kinds):
    model = fit(a[0], a[1], columns=kinds, weights=a[2], calibrate=False)
    every = model.counts()
    rows = [each for each in every if each.column is None]
    assert [each.count for each in rows] == model.core.tally.weight.tolist()
    found = [each for name in model.schema.names for each in model.counts(name)[len(rows) :]]
    assert set(found) == set(every[len(rows) :])


@given(tables(1), columns)
def test_counts_of_parameters_are_those_listed(a, kinds):
    model = fit(a[0], a[1], columns=kinds, weights=a[2], calibrate=False)
    listed = {(each.label, each.column, each.level, each.lower_edge): each for each in model.counts()}
    for row in model.parameters():
        if row.name == "observed":  # whether a cell is known is not listed
            continue
        edge = None if math.isnan(row.lower_edge) else row.lower_edge
        level = None if edge is not None or row.name == "covariance" else row.level
        each = listed.get((row.label, row.column, level, edge)) or listed[row.label, row.column, "present", None]
        if not math.isnan(row.count):
            assert row.count == each.count
        elif not math.isnan(row.n):
            assert row.n == each.n
        assert edge is None or row.upper_edge == each.upper_edge


@given(tables(1))
def test_the_mean_of_a_posterior_is_the_estimate_mean(a):
    kinds = {0: sf.Bernoulli(), 1: sf.Categorical(levels=5), 2: sf.Poisson(), (3, 4): sf.Multinomial(), 5: None}
    model = fit(a[0], a[1], columns=kinds, estimate="mean", weights=a[2], calibrate=False)
    for row in model.parameters():
        if row.column is None:
            continue
        pair = model.posterior(row.column, row.label)
        mean = np.atleast_1d(pair.mean)
        at = 0
        if isinstance(pair, sf.DirichletMultinomial):
            at = pair.outcomes.index(row.column if row.column in (3, 4) else row.level)
        assert row.value == pytest.approx(float(mean[at]), rel=1e-12)
        bounds = pair.interval(0.95)
        assert row.lower == pytest.approx(float(np.atleast_1d(bounds.lower)[at]), nan_ok=True)
        assert row.upper == pytest.approx(float(np.atleast_1d(bounds.upper)[at]), nan_ok=True)


@given(tables(1))
def test_totals_of_a_model_make_it_again(a):
    kinds = {(0, 1): sf.Categorical(), 2: sf.Categorical(missing="level"), 3: sf.Bernoulli(), (4, 5): sf.Gaussian()}
    assume(not np.isnan(a[0][:, :2]).all(axis=0).any())  # a column without a known level has no row in the list
    model = fit(a[0], a[1], columns=kinds, weights=a[2], calibrate=False)
    again = sf.Model.from_statistics(model.counts(), like=model)
    assert again.core.tally == model.core.tally
    for mine, theirs in zip(again.core.parts[:-1], model.core.parts[:-1], strict=True):
        assert tuple(mine) == tuple(theirs)
    (mine,), (theirs,) = again.core.parts[-1], model.core.parts[-1]
    np.testing.assert_array_equal(mine.weight, theirs.weight)
    np.testing.assert_allclose(mine.mean, theirs.mean, rtol=1e-15)
    np.testing.assert_allclose(mine.dp, theirs.dp, rtol=1e-15)


def test_the_laws_hold_for_every_likelihood():
    named = {type(block.likelihood).__name__ for build in MODELS.values() for block in build().schema.blocks}
    from suffice.likelihoods import LIKELIHOODS

    assert named == set(LIKELIHOODS)
