"""Selecting columns or classes of a statistic equals collecting them alone."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.api import fit
from suffice.likelihoods import Bernoulli, Gaussian, Histogram, Multinomial, MultivariateGaussian, Uniform, Words
from suffice.statistics import Axis, Counts, Tally

RANDOM = np.random.default_rng(3)
Y = RANDOM.integers(0, 4, 60)
NUMBERS = RANDOM.poisson(2.0, (60, 5)).astype(np.float64)
NUMBERS[3, 2] = -np.inf
FINITE = np.where(np.isfinite(NUMBERS), NUMBERS, 7.0)
GAPS = np.where(RANDOM.random(FINITE.shape) < 0.2, np.nan, FINITE)
TEXTS = [" ".join(RANDOM.choice(["a1", "b2", "c3", "d4"], 6)) for _ in Y]
COLLECTED = {
    "moments": (Gaussian(), GAPS),
    "scatter": (MultivariateGaussian(covariance="full"), FINITE),
    "bins": (Histogram(), NUMBERS),
    "presence": (Bernoulli(), GAPS),
    "maxima": (Uniform(), GAPS),
    "sums": (Multinomial(coefficients=False), GAPS),
    "tokens": (Words(), TEXTS),
}


def collected(rows, target, likelihood):
    """Return the statistic of rows, whose columns are 0, 1, …"""
    ((part,),) = fit(rows, target, columns=likelihood).core.parts
    return part


@pytest.mark.parametrize("what", [what for what in COLLECTED if what != "tokens"])
@pytest.mark.parametrize("columns", [(0,), (1, 2, 4), (0, 1, 2, 3, 4)], ids=str)
def test_some_columns(what, columns):
    likelihood, rows = COLLECTED[what]
    taken = collected(rows, Y, likelihood).take_columns(columns)
    alone = collected(rows[:, columns], Y, likelihood)
    assert type(taken) is type(alone)
    for name, array in alone.to_arrays().items():
        if not name.startswith(("columns", "levels")):
            np.testing.assert_array_equal(taken.to_arrays()[name], array, err_msg=name)
    names = taken.levels.labels if isinstance(taken, Counts) else taken.columns
    assert names == columns


@pytest.mark.parametrize("what", COLLECTED)
@pytest.mark.parametrize(("start", "number"), [(0, 2), (1, 3), (3, 1), (0, 4)])
def test_some_classes(what, start, number):
    likelihood, rows = COLLECTED[what]
    names = ["ape", "bee", "cat", "dog"][:number]
    taken = collected(rows, Y, likelihood).take_classes(start, Axis.of(names))
    some = (start <= Y) & (start + number > Y)
    here = [row for row, there in zip(rows, some, strict=True) if there] if what == "tokens" else rows[some]
    assert taken == collected(here, np.array(names)[Y[some] - start], likelihood)


def test_some_classes_of_a_tally():
    tally = Tally(Axis([0, 1, 2, 3], declared=True), [5.0, 0.0, 2.0, 4.0])
    assert tally.take_classes(1, Axis.of(["ham", "spam"])) == Tally(Axis.of(["spam"]), [2.0])


def test_columns_that_were_all_observed_alike_stay_so():
    counts = Counts(Axis.of(["cat"]), Axis.of(["cold", "wet"]), [[3, 2]], [[5]])
    assert counts.take_columns(("wet",)) == Counts(Axis.of(["cat"]), Axis.of(["wet"]), [[2]], [[5]])


def test_without_a_level_its_cells_are_missing():
    counts = Counts(Axis.of(["cat"]), Axis.of(["black", "white"]), [[2, 3]], [[5]])
    assert counts.take_levels(np.array([True, False])) == Counts(Axis.of(["cat"]), Axis.of(["black"]), [[2]], [[2]])
