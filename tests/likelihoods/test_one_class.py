"""A term of one class says of it what the term of all classes says."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.engines.table import Matrix
from suffice.likelihoods.one_class import of_class
from suffice.models.score import Scorer

rng = np.random.default_rng(5)
Y = rng.integers(0, 3, 400)
REAL = rng.normal(Y[:, None] / 2, 1.0, (400, 3))
COUNTS = rng.poisson(1 + Y[:, None], (400, 3)).astype(np.float64)


@pytest.mark.parametrize(
    ("likelihood", "data", "estimate"),
    [
        (sf.Gaussian(), REAL, "predictive"),
        (sf.Gaussian(), REAL, "mle"),
        (sf.Histogram(bins=8), REAL, "predictive"),
        (sf.Numeric(), REAL, "predictive"),
        (sf.Bernoulli(threshold=1), COUNTS, "mean"),
    ],
)
def test_a_term_of_one_class_says_what_the_whole_says(likelihood, data, estimate):
    model = sf.fit(data, Y, likelihood, estimate=estimate).naive_bayes
    table = Matrix(data, model.schema.names)
    whole = Scorer(model.terms, np.zeros(3), model.schema.names).score(table, "joint").values
    for c in range(3):
        alone = [of_class(term, c) for term in model.terms]
        assert None not in alone
        found = Scorer(alone, np.zeros(1), model.schema.names).score(table, "joint").values
        assert (found[:, 0] == whole[:, c]).all()


@pytest.mark.parametrize("likelihood", [sf.Categorical(), sf.Poisson()])
def test_other_terms_have_none(likelihood):
    model = sf.fit(COUNTS.astype(np.int64), Y, likelihood, estimate="smoothed").naive_bayes
    assert [of_class(term, 1) for term in model.terms] == [None] * len(model.terms)
