"""A model of fewer columns is the model that was fitted without them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.errors import ParameterError
from suffice.models.naive_bayes import narrow_model

NAMES = ["a", "b", "c", "d"]


def rows(seed=0, n=80):
    rng = np.random.default_rng(seed)
    y = rng.choice(["x", "y", "z"], n)
    real = rng.normal(size=(n, 4)) + (y == "x")[:, None] * [0.0, 1.0, 2.0, 0.5]
    real[rng.random(real.shape) < 0.1] = np.nan
    counts = rng.poisson(2 + (y == "y")[:, None] * np.arange(4.0)).astype(float)
    return y, real, counts


def per_column(*numbers):
    """Return the numbers of all four columns, and those of some of them."""
    return lambda stay: [number for number, kept in zip(numbers, stay, strict=True) if kept]


KINDS = {
    "gaussian": (lambda s: sf.Gaussian(), "real"),
    "gaussian with a prior": (
        lambda s: sf.Gaussian(sf.NormalInverseGamma(per_column(0, 1, 2, 3)(s), 1, 2, per_column(1, 2, 3, 4)(s))),
        "real",
    ),
    "gaussian, missing speaks": (lambda s: sf.Gaussian(missing="level"), "real"),
    "histogram": (lambda s: sf.Histogram(alpha=per_column(0.5, 1, 2, 3)(s)), "real"),
    "histogram, few cells": (lambda s: sf.Histogram(4, missing="level"), "real"),
    "numeric": (lambda s: sf.Numeric(), "real"),
    "numeric with priors": (
        lambda s: sf.Numeric(prior=sf.NormalInverseGamma(per_column(0, 1, 2, 3)(s), 1, 2, 1), alpha=2.0),
        "real",
    ),
    "bernoulli": (lambda s: sf.Bernoulli(sf.BetaBinomial(per_column(1, 2, 3, 4)(s), 2), threshold=1), "counts"),
    "categorical": (lambda s: sf.Categorical(alpha=per_column(0.5, 1, 2, 3)(s)), "counts"),
    "categorical by evidence": (lambda s: sf.Categorical(alpha="evidence", unseen="mass"), "counts"),
    "categorical by shared evidence": (lambda s: sf.Categorical(alpha="shared evidence"), "counts"),
    "bernoulli by evidence": (lambda s: sf.Bernoulli("evidence"), "counts"),
    "histogram by evidence": (lambda s: sf.Histogram(alpha="evidence"), "real"),
    "numeric by evidence": (lambda s: sf.Numeric(alpha="evidence"), "real"),
    "uniform": (lambda s: sf.Uniform(per_column(1, 2, 3, 4)(s)), "counts"),
    "poisson": (lambda s: sf.Poisson(sf.GammaPoisson(per_column(1, 2, 3, 4)(s), 1), factorials=False), "counts"),
}


def frame(cells, names):
    return {name: cells[:, NAMES.index(name)] for name in names}


@pytest.mark.parametrize("kind", KINDS)
@given(
    stay=st.lists(st.booleans(), min_size=4, max_size=4).filter(any),
    estimate=st.sampled_from(["mle", "mean", "predictive"]),
)
def test_a_narrowed_model_is_one_that_never_had_the_others(kind, stay, estimate):
    likelihood, of = KINDS[kind]
    y, real, counts = rows()
    cells = {"real": real, "counts": counts}[of]
    left = [name for name, kept in zip(NAMES, stay, strict=True) if kept]
    whole = sf.fit(
        frame(cells, NAMES), y, columns={tuple(NAMES): likelihood([True] * 4)}, estimate=estimate, calibrate=False
    )
    alone = sf.fit(frame(cells, left), y, columns={tuple(left): likelihood(stay)}, estimate=estimate, calibrate=False)
    dropped = {name: "not wanted" for name in NAMES if name not in left}
    narrow = narrow_model(whole.core, dropped)
    assert narrow.schema.blocks == alone.core.schema.blocks
    assert narrow.tally == alone.core.tally
    assert narrow.parts == alone.core.parts
    assert narrow.log_evidence() == pytest.approx(alone.log_evidence(), rel=1e-12)
    assert narrow.schema.left_out == tuple(dropped.items())
    np.testing.assert_array_equal(sf.Model(narrow).log_joint(frame(cells, NAMES)), alone.log_joint(frame(cells, left)))


def test_factorials_belong_to_all_columns_of_a_block():
    y, _, counts = rows()
    whole = sf.fit(frame(counts, NAMES), y, columns=sf.Poisson(), calibrate=False)
    narrow = narrow_model(whole.core, {"a": "not wanted"})
    assert narrow.schema.blocks[0].likelihood == sf.Poisson(factorials=False)
    alone = sf.fit(frame(counts, NAMES[1:]), y, columns=sf.Poisson(factorials=False), calibrate=False)
    np.testing.assert_array_equal(
        sf.Model(narrow).log_joint(frame(counts, NAMES)), alone.log_joint(frame(counts, NAMES[1:]))
    )


def test_whole_blocks_go_whatever_they_are():
    y, real, counts = rows()
    data = {**frame(real, ["a", "b"]), "p": counts[:, 0], "q": counts[:, 1]}
    model = sf.fit(data, y, columns={("p", "q"): sf.Joint(), "*": sf.Gaussian()}, calibrate=False)
    narrow = narrow_model(model.core, {"p": "why", "q": "not"})
    assert [block.columns for block in narrow.schema.blocks] == [("a", "b")]
    assert narrow_model(model.core, dict.fromkeys("abpq", "gone")).schema.blocks == ()


def test_part_of_a_block_that_goes_together_cannot_be_dropped():
    y, _, counts = rows()
    model = sf.fit({"p": counts[:, 0], "q": counts[:, 1]}, y, columns={("p", "q"): sf.Joint()}, calibrate=False)
    with pytest.raises(ParameterError) as caught:
        narrow_model(model.core, {"q": "why"})
    assert str(caught.value) == (
        "column 'q' is modelled jointly with others, as Joint(), and cannot be dropped alone. "
        "Drop all of them, or use another likelihood for it."
    )
