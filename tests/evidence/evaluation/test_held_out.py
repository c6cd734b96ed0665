"""Rows held out are scored as a plain loop of fits and predictions scores them."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.evidence.evaluation.held_out import other_folds, prequential
from suffice.evidence.folds import FoldedRows, fold_models, models_of_folds, out_of_fold
from suffice.likelihoods.block_statistics import Reading
from suffice.models import ClassPrior
from suffice.sources.source import aligned_table, rows_in_memory
from tests.evidence.evaluation.mixed_rows import CLASSES, LIKELIHOODS, ROWS, mixed_rows, taken

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowsWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.UnseenLevelsWarning"),
]
ESTIMATES = ("mle", "smoothed", "map", "mean", "predictive")
FOLDS = np.random.default_rng(1).permutation(ROWS) % 5


def given(columns, estimate="predictive", prior="empirical", *, weighted=True):
    """The model of all rows, and what the folds are made of."""
    data, target, weights = mixed_rows()
    weights = weights if weighted else None
    model = sf.fit(
        data, target, columns=columns, class_prior=prior, estimate=estimate, weights=weights, calibrate=False
    )
    rows = rows_in_memory(data, target, weights)
    table = aligned_table(rows.table, model.schema)
    return model.core, (table, rows.target.codes, rows.target.classes, rows.weights)


def looped(columns, estimate, prior, asked="log_joint", train=lambda fold: fold != FOLDS, folds=range(5)):
    """Each fold by a model that was fitted on other rows."""
    data, target, weights = mixed_rows()
    found = np.full((ROWS, 3), np.nan)
    for fold in folds:
        rest, here = np.flatnonzero(train(fold)), np.flatnonzero(fold == FOLDS)
        model = sf.fit(
            taken(data, rest),
            target[rest],
            columns=columns,
            class_prior=prior,
            estimate=estimate,
            weights=weights[rest],
            calibrate=False,
        )
        assert model.classes == tuple(CLASSES.tolist())
        found[here] = getattr(model, asked)(taken(data, here))
    return found


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("name", LIKELIHOODS)
def test_out_of_fold_scores_are_those_of_a_loop_of_fits(name, estimate):
    model, rows = given(LIKELIHOODS[name], estimate)
    found = out_of_fold(model, FoldedRows(*rows, FOLDS))
    np.testing.assert_allclose(found, looped(LIKELIHOODS[name], estimate, "empirical"), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("prior", ["uniform", {"no": 0.2, "perhaps": 0.3, "yes": 0.5}, ClassPrior.dirichlet(2.0)])
def test_out_of_fold_scores_under_every_class_prior(prior):
    model, rows = given(LIKELIHOODS["mixture"], prior=prior)
    expected = looped(LIKELIHOODS["mixture"], "predictive", prior)
    np.testing.assert_allclose(out_of_fold(model, FoldedRows(*rows, FOLDS)), expected, rtol=1e-10, atol=1e-10)


def test_rows_that_lie_fold_by_fold_and_an_empty_fold():
    model, rows = given(LIKELIHOODS["mixture"])
    in_order = np.sort(FOLDS)
    apart = np.where(in_order == 4, 7, in_order)  # 4, 5 and 6 hold nothing
    np.testing.assert_allclose(
        out_of_fold(model, FoldedRows(*rows, apart)),
        out_of_fold(model, FoldedRows(*rows, in_order)),
        rtol=1e-10,
        atol=1e-10,
    )


def test_a_class_that_the_others_have_not_seen_is_impossible_there():
    data, target, _ = mixed_rows()
    target = target.copy()
    target[0] = "seldom"
    rows = rows_in_memory(data, target, None)
    model = sf.fit(data, target, columns=LIKELIHOODS["Gaussian"], calibrate=False).core
    table = aligned_table(rows.table, model.schema)
    found = out_of_fold(model, FoldedRows(table, rows.target.codes, rows.target.classes, None, FOLDS))
    assert found.shape == (ROWS, 4)
    seldom = rows.target.classes.index("seldom")
    alone = FOLDS[0] == FOLDS
    assert np.isneginf(found[alone, seldom]).all()
    assert np.isfinite(found[~alone]).all()


def test_models_of_folds_add_up_to_the_others():
    model, rows = given(LIKELIHOODS["mixture"], weighted=False)
    each, others = models_of_folds(model, FoldedRows(*rows, FOLDS)), fold_models(model, FoldedRows(*rows, FOLDS))
    assert len(each) == len(others) == 5
    together = each[1] + each[2] + each[3] + each[4]
    table = rows[0]
    np.testing.assert_allclose(
        others[0].score(table, "joint").values, together.score(table, "joint").values, rtol=1e-10, atol=1e-10
    )


@pytest.mark.parametrize("estimate", ["mle", "predictive"])
def test_parts_say_what_the_models_of_the_other_folds_say(estimate):
    model, rows = given(LIKELIHOODS["mixture"], estimate)
    found = other_folds(model, FoldedRows(*rows, FOLDS)).posterior(model.reading, model.class_prior)
    expected = looped(LIKELIHOODS["mixture"], estimate, "empirical", "predict_log_proba")
    np.testing.assert_allclose(found.values, expected, rtol=1e-9, atol=1e-9)


def test_blocks_are_scored_by_the_blocks_before_them():
    model, rows = given(LIKELIHOODS["mixture"])
    parts, at = prequential(model, FoldedRows(*rows, FOLDS))
    found = parts.posterior(model.reading, model.class_prior)
    assert at.tolist() == np.flatnonzero(FOLDS > 0).tolist()
    earlier = looped(
        LIKELIHOODS["mixture"], "predictive", "empirical", "predict_log_proba", lambda fold: fold > FOLDS, range(1, 5)
    )
    np.testing.assert_allclose(found.values, earlier[at], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("prior", ["empirical", "uniform", ClassPrior.dirichlet(0.5)])
def test_leave_one_out_is_a_loop_of_fits_without_each_row(prior, weighted):
    data, target, weights = mixed_rows()
    columns, weights = LIKELIHOODS["mixture"], weights if weighted else None
    found = sf.evaluate(
        data, target, columns=columns, class_prior=prior, weights=weights, loo=True, bootstrap=0, calibrate=False
    )
    for row in (0, 1, 44, ROWS - 1):
        rest = np.delete(np.arange(ROWS), row)
        heavy = None if weights is None else weights[rest]
        model = sf.fit(
            taken(data, rest), target[rest], columns=columns, class_prior=prior, weights=heavy, calibrate=False
        )
        expected = model.predict_log_proba(taken(data, [row]))[0]
        np.testing.assert_allclose(found.log_posterior[row], expected, rtol=1e-9, atol=1e-9)


def test_leave_one_out_takes_up_to_5000_rows():
    rows, target = np.zeros((5_001, 1)), np.arange(5_001) % 2
    with pytest.raises(
        sf.errors.ParameterError, match=r"leave-one-out supports 2 to 5,000 rows: got 5,001. Use folds=10"
    ):
        sf.evaluate(rows, target, columns=sf.Bernoulli(), loo=True, calibrate=False)


def test_a_row_that_is_alone_in_its_class_when_left_out():
    data = {"x": np.array([1.0, 2.0, 3.0, 9.0])}
    with pytest.warns(sf.errors.UnseenClassesWarning, match="'b'"):
        found = sf.evaluate(data, ["a", "a", "a", "b"], columns=sf.Gaussian(), loo=True, bootstrap=0, calibrate=False)
    assert np.isneginf(found.log_posterior[3, 1])
    others = -found.log_posterior[:3, 0].sum()
    assert found["log_loss"].value == pytest.approx((others + 36.04365338911715) / 4, rel=1e-12)


def test_ratios_do_not_depend_on_the_class_prior():
    data, target, _ = mixed_rows()
    two = np.where(target == "yes", "yes", "no")
    ratios = []
    for prior in ("empirical", "uniform", [0.9, 0.1]):
        rows = rows_in_memory(data, two, None)
        model = sf.fit(data, two, columns=LIKELIHOODS["mixture"], class_prior=prior, calibrate=False).core
        table = aligned_table(rows.table, model.schema)
        parts = other_folds(model, FoldedRows(table, rows.target.codes, rows.target.classes, None, FOLDS))
        one = other_folds(model, FoldedRows(table, rows.target.codes, rows.target.classes, None, np.arange(ROWS)))
        ratios.append([each.posterior(model.reading, model.class_prior).llr for each in (parts, one)])
    for other in ratios[1:]:
        np.testing.assert_allclose(other[0], ratios[0][0], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(other[1], ratios[0][1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("estimate", ["mle", "predictive"])
def test_estimate_prior_shifts_are_those_of_scoring_again(estimate):
    model, rows = given(LIKELIHOODS["mixture"])
    parts = other_folds(model, FoldedRows(*rows, FOLDS))
    priors = [ClassPrior.of(prior) for prior in ("empirical", "uniform", [0.7, 0.2, 0.1])]
    for prior, found in zip(priors, parts.posteriors(Reading(estimate), priors), strict=True):
        expected = parts.posterior(Reading(estimate), prior)
        np.testing.assert_allclose(found.values, expected.values, rtol=1e-9, atol=1e-9)
        assert found.impossible == expected.impossible


def test_an_impossible_row_gets_the_prior_without_itself():
    data = {"fur": np.array(["a", "a", "b", "b", "c", "a"], dtype=object)}
    target = ["x", "x", "y", "y", "y", "x"]
    known = sf.Categorical(levels=["a", "b", "c"])  # else "c" would be unseen without its row, and so as missing
    found = sf.evaluate(data, target, columns=known, estimate="mle", loo=True, bootstrap=0, calibrate=False)
    assert found.impossible == 1
    np.testing.assert_allclose(np.exp(found.log_posterior[4]), [3 / 5, 2 / 5], rtol=1e-12)
    assert not np.isnan(found.log_posterior).any()
