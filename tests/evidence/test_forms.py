"""The selection of forms: held-out log loss from the statistics of folds equals that of scored rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from suffice.api import fit
from suffice.evidence.folds import without_each
from suffice.evidence.forms import choose_forms, measure_forms
from suffice.likelihoods import Categorical, Histogram, Numeric


def make_rows(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    shift = np.searchsorted(["a", "b", "c"], y)
    zeros = np.where(rng.random(n) < 0.2 + 0.2 * shift, 0.0, rng.exponential(size=n))
    x = np.stack([rng.normal(size=n) + shift, zeros, rng.normal(size=n), np.full(n, 3.0)], axis=1)
    return x, y


def make_folds(x, y, columns, folds=4):
    part = np.arange(len(y)) % folds
    labels = sorted(set(y))
    models = [
        fit(x[part == k], y[part == k], columns=columns, classes=labels, calibrate=False).core for k in range(folds)
    ]
    return part, models, list(without_each(models))


@pytest.mark.parametrize("shares", [None, np.array([1.0, 2.5, 4.0])])
def test_the_loss_is_that_of_scored_rows(shares):
    x, y = make_rows(900)
    x[::17, 1] = np.nan
    part, folds, others = make_folds(x, y, Numeric(missing="level"))
    losses = measure_forms(folds, others, 0, shares)
    codes = np.searchsorted(["a", "b", "c"], y)
    weight = np.ones(3) if shares is None else shares
    for k, form in enumerate(("gaussian", "histogram", "cells")):
        for j in range(x.shape[1]):
            expected = 0.0
            for f in range(4):
                rows = (part == f) & ~np.isnan(x[:, j])
                model = fit(x[part != f][:, [j]], y[part != f], columns=Numeric(form=form), calibrate=False)
                log = model.predict_log_proba(x[rows][:, [j]])
                expected -= (weight[codes[rows]] * log[np.arange(rows.sum()), codes[rows]]).sum()
            assert losses[k, j] == pytest.approx(expected, rel=1e-9)


def test_the_loss_of_levels_and_groups_is_that_of_scored_rows():
    rng = np.random.default_rng(1)
    y = rng.choice(["a", "b"], 800)
    x = (rng.zipf(1.5, (800, 1)) % 60) * 2 + (rng.random((800, 1)) < np.where(y == "a", 0.3, 0.7)[:, None])
    for unseen in ("ignore", "mass"):
        part, folds, others = make_folds(x, y, Categorical(unseen=unseen))
        losses = measure_forms(folds, others, 0)
        for k, form in enumerate(("levels", "groups")):
            expected = 0.0
            for f in range(4):
                model = fit(x[part != f], y[part != f], columns=Categorical(form=form, unseen=unseen), calibrate=False)
                log = model.predict_log_proba(x[part == f])
                expected -= log[np.arange((part == f).sum()), np.searchsorted(["a", "b"], y[part == f])].sum()
            assert losses[k, 0] == pytest.approx(expected, rel=1e-9)


def test_each_column_takes_the_form_that_fits():
    x, y = make_rows(6000)
    _, folds, others = make_folds(x, y, Numeric())
    schema = choose_forms(folds, others)
    (block,) = schema.blocks
    assert block.likelihood.form[0] == "gaussian"
    assert block.likelihood.form[1] == "cells"
    assert block.likelihood.form[3] == "gaussian"  # a tie goes to the first
    model = fit(x, y, columns=Numeric(), calibrate=False)
    chosen = replace(model, core=model.core.with_schema(schema))
    test, labels = make_rows(6000, seed=2)
    codes = np.searchsorted(["a", "b", "c"], labels)
    before, after = (-each.predict_log_proba(test)[np.arange(6000), codes].mean() for each in (model, chosen))
    assert after < before + 0.001


def test_only_a_form_that_is_to_be_selected_changes():
    x, y = make_rows(300)
    for columns in (Numeric(form="histogram"), Histogram(), Numeric(form=("cells",) * 4)):
        _, folds, others = make_folds(x, y, columns)
        assert choose_forms(folds, others) == others[0].schema
        assert measure_forms(folds, others, 0).shape == (0, 4)


def test_a_class_that_the_others_lack_counts_nothing():
    x, y = make_rows(400)
    y = np.where(np.arange(400) == 1, "d", y)  # in the second fold only
    _, folds, others = make_folds(x, y, Numeric())
    assert np.isfinite(measure_forms(folds, others, 0)).all()


def test_the_fastest_way_to_a_form_keeps_what_was_chosen():
    x, y = make_rows(300)
    _, folds, others = make_folds(x, y, Numeric())
    schema = choose_forms(folds, others)
    for other in others:
        kept, afresh = other.with_schema(schema), replace(other, schema=schema)
        assert [term.columns for term in kept.terms] == [term.columns for term in afresh.terms]
        assert kept.choices() == afresh.choices()
