"""The pseudo-count chosen by evidence: it is a maximum, merges, and is shown and stored."""

from __future__ import annotations

import re

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import suffice as sf
from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import ESTIMATES
from suffice.likelihoods.dirichlet import LEAST_ALPHA, MOST_ALPHA, fit_alpha, fit_shared_alpha

GRID = [10 ** (k / 20) for k in range(-60, 1)]  # from the least α to the greatest

RNG = np.random.default_rng(8)
Y = RNG.integers(0, 3, 300)
X = np.stack(
    [
        RNG.random(300) < 0.1 + 0.3 * Y,
        (Y + RNG.integers(0, 2, 300)) % 4,
        RNG.integers(0, 25, 300) ** 2 // 60,
        RNG.random(300) < 0.02,
    ],
    axis=1,
).astype(float)
REAL = np.stack([RNG.exponential(1.0 + Y), RNG.normal(size=300) + 9 * (Y == 2)], axis=1)

# Likelihoods of all columns with a prior by the evidence, and the same with a number in its place.
KINDS = {
    "bernoulli": (sf.Bernoulli("evidence"), lambda a: sf.Bernoulli(sf.BetaBinomial(a, a)), X),
    "bernoulli shared": (sf.Bernoulli("shared evidence"), lambda a: sf.Bernoulli(sf.BetaBinomial(a, a)), X),
    "categorical": (sf.Categorical(alpha="evidence"), lambda a: sf.Categorical(alpha=a), X),
    "categorical shared": (sf.Categorical(alpha="shared evidence"), lambda a: sf.Categorical(alpha=a), X),
    "multinomial": (sf.Multinomial(alpha="evidence"), lambda a: sf.Multinomial(alpha=a), X),
    "joint": (sf.Joint(alpha="evidence"), lambda a: sf.Joint(alpha=a), X),
    "histogram": (sf.Histogram(8, alpha="evidence"), lambda a: sf.Histogram(8, alpha=a), REAL),
    "histogram shared": (sf.Histogram(8, alpha="shared evidence"), lambda a: sf.Histogram(8, alpha=a), REAL),
}
SHARED = [name for name in KINDS if "shared" in name or name in ("multinomial", "joint")]
APART = [name for name in KINDS if name not in SHARED]


def columns(likelihood, x):
    return {tuple(range(x.shape[1])): likelihood}


def alphas(model):
    """Return the α that `choices` shows, of each column."""
    return [float(choice.split("alpha ")[1]) for choice in model.selected_forms.values()]


@pytest.mark.parametrize("name", SHARED)
def test_no_other_pseudo_count_of_all_columns_has_more_evidence(name):
    chosen, at, x = KINDS[name]
    model = sf.fit(x, Y, columns=columns(chosen, x), calibrate=False)

    def evidence(log_alpha):
        return sf.fit(x, Y, columns=columns(at(float(np.exp(log_alpha))), x), calibrate=False).log_evidence()

    best = minimize_scalar(lambda z: -evidence(z), bounds=(np.log(LEAST_ALPHA), 0.0), method="bounded")
    assert model.log_evidence() >= -best.fun - 1e-9 * abs(best.fun)
    assert model.log_evidence() >= max(evidence(np.log(a)) for a in GRID) - 1e-9 * abs(best.fun)
    (shown,) = set(alphas(model))
    assert shown == pytest.approx(np.exp(best.x), rel=0.01)


@pytest.mark.parametrize("name", APART)
def test_no_other_pseudo_count_of_a_column_has_more_evidence(name):
    chosen, at, x = KINDS[name]
    found = []
    for j in range(x.shape[1]):
        alone = x[:, j : j + 1]
        model = sf.fit(alone, Y, columns=chosen, calibrate=False)
        best = max(sf.fit(alone, Y, columns=at(a), calibrate=False).log_evidence() for a in GRID)
        assert model.log_evidence() >= best - 1e-9 * abs(best)
        found += alphas(model)
    assert alphas(sf.fit(x, Y, columns=chosen, calibrate=False)) == found
    assert len(set(found)) > 1


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("name", KINDS)
def test_evidence_equals_the_number_it_chooses(name, estimate):
    chosen, at, x = KINDS[name]
    whole = sf.fit(x, Y, columns=columns(chosen, x), estimate=estimate, calibrate=False)
    if name in SHARED:
        (alpha,) = set(exact_alphas(name, x))
        number = {"map": 1 + alpha, "smoothed": 1.0}.get(estimate, alpha)
        expected = sf.fit(x, Y, columns=columns(at(number), x), estimate=estimate, calibrate=False)
        np.testing.assert_allclose(whole.log_joint(x), expected.log_joint(x), rtol=1e-12)
        assert whole.log_evidence() == pytest.approx(expected.log_evidence(), rel=1e-12)
        return
    each = exact_alphas(name, x)
    expected = np.zeros((len(x), 3))
    for j, alpha in enumerate(each):
        number = {"map": 1 + alpha, "smoothed": 1.0}.get(estimate, alpha)
        alone = sf.fit(
            x[:, j : j + 1], Y, columns=at(number), estimate=estimate, class_prior="uniform", calibrate=False
        )
        expected += alone.log_joint(x[:, j : j + 1]) + np.log(3)
    uniform = whole.with_options(class_prior="uniform")
    np.testing.assert_allclose(uniform.log_joint(x), expected - np.log(3), rtol=1e-11)


def exact_alphas(name, x):
    """Return the α of each column from counts made by hand."""
    kind = name.split()[0]
    tables = []
    for j in range(x.shape[1]):
        if kind == "bernoulli":
            tables.append([[((c == Y) & (x[:, j] > 0)).sum(), ((c == Y) & (x[:, j] <= 0)).sum()] for c in range(3)])
        elif kind == "categorical":
            tables.append([[((c == Y) & (x[:, j] == k)).sum() for k in np.unique(x[:, j])] for c in range(3)])
        elif kind == "histogram":
            ends = sf.fit(x, Y, columns=sf.Histogram(8), calibrate=False).core.terms[0].edges[j]
            at = np.searchsorted(ends, x[:, j], side="right")
            tables.append([[((c == Y) & (at == k)).sum() for k in range(len(ends) + 1)] for c in range(3)])
    if kind == "multinomial":
        return [fit_alpha(np.array([x[c == Y].sum(axis=0) for c in range(3)]))] * x.shape[1]
    if kind == "joint":
        seen, codes = np.unique(x, axis=0, return_inverse=True)
        counts = np.array([[((c == Y) & (codes.ravel() == k)).sum() for k in range(len(seen))] for c in range(3)])
        outcomes = float(np.prod([len(np.unique(column)) for column in x.T]))
        return [fit_alpha(counts.astype(float), outcomes)] * x.shape[1]
    arrays = [np.array(table, dtype=float) for table in tables]
    if "shared" in name:
        return [fit_shared_alpha(arrays)] * len(arrays)
    return [fit_alpha(table) for table in arrays]


@pytest.mark.parametrize("name", KINDS)
def test_parts_merge_and_files_keep_it(name, tmp_path):
    chosen, _, x = KINDS[name]
    whole = sf.fit(x, Y, columns=columns(chosen, x), calibrate=False)
    half = sf.fit(x[:150], Y[:150], like=whole, calibrate=False)
    both = half + sf.fit(x[150:], Y[150:], like=whole, calibrate=False)
    np.testing.assert_allclose(both.log_joint(x), whole.log_joint(x), rtol=1e-9)
    assert both.selected_forms == whole.selected_forms
    whole.save(tmp_path / "m.suffice")
    again = sf.load(tmp_path / "m.suffice")
    assert again == whole
    assert again.selected_forms == whole.selected_forms
    assert again.schema.blocks[0].likelihood == chosen


def test_numeric_applies_it_to_its_histograms():
    y, x = np.repeat([0, 1], 150), np.concatenate([RNG.exponential(1, 150), RNG.choice([0.0, 9.0, 30.0], 150)])[:, None]
    model = sf.fit(x, y, columns=sf.Numeric(alpha="evidence"), calibrate=False)
    assert re.fullmatch(r"Histogram, \d+ bins, alpha 0\.\d+", model.selected_forms[0])
    assert (
        sf.fit(x, y, columns=sf.Numeric(8, alpha="evidence"), calibrate=False).log_evidence()
        > sf.fit(x, y, columns=sf.Numeric(8), calibrate=False).log_evidence()
    )


def test_prior_takes_the_word_too_and_means_the_same():
    assert sf.Categorical("evidence") == sf.Categorical(alpha="evidence")
    assert sf.Multinomial(prior="evidence") == sf.Multinomial(alpha="evidence")
    assert sf.Histogram(prior="shared evidence") == sf.Histogram(alpha="shared evidence")
    assert repr(sf.Bernoulli(prior="evidence")) == "Bernoulli(prior='evidence')"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sf.Multinomial(alpha="shared evidence"), "alpha must be 'evidence': got 'shared evidence'."),
        (lambda: sf.Joint(alpha="best"), "alpha must be 'evidence': got 'best'."),
        (lambda: sf.Histogram(alpha="best"), "alpha must be 'evidence' or 'shared evidence': got 'best'."),
        (lambda: sf.Numeric(alpha="best"), "alpha must be 'evidence' or 'shared evidence': got 'best'."),
        (
            lambda: sf.Bernoulli("best"),
            "prior of Bernoulli must be a BetaBinomial: got 'best'. Give BetaBinomial(a, b).",
        ),
        (
            lambda: sf.Categorical("evidence", alpha=1),
            "prior and alpha of Categorical are mutually exclusive: got both. Omit one of them.",
        ),
        (
            lambda: sf.fit(X, Y, columns=sf.Categorical(), calibrate=False).with_options(
                estimate="smoothed", alpha="best"
            ),
            "alpha must be 'evidence' or 'shared evidence': got 'best'.",
        ),
        (
            lambda: sf.fit(X, Y, columns=sf.Categorical(), calibrate=False).with_options(
                estimate="mle", alpha="evidence"
            ),
            "the maximum likelihood estimate has no prior: got alpha with 'mle'. Use estimate='smoothed', or leave out "
            "alpha=.",
        ),
    ],
)
def test_invalid_parameters(make, message):
    with pytest.raises(ParameterError) as said:
        make()
    assert str(said.value) == message


MODELS = {
    "bernoulli": (sf.Bernoulli(), X),
    "categorical": (sf.Categorical(unseen="mass", missing="level"), np.where(X == 3, np.nan, X)),
    "multinomial": ({(0, 1, 2, 3): sf.Multinomial()}, X),
    "joint": ({(0, 1): sf.Joint(), (2, 3): sf.Joint()}, X),
    "histogram": (sf.Histogram(6, missing="level"), np.where(REAL > 8, np.nan, REAL)),
    "mixed": ({0: sf.Bernoulli(), (1, 2): sf.Joint(), 3: sf.Categorical()}, X),
}


@pytest.mark.parametrize("name", MODELS)
def test_lambda_of_smoothed(name):
    kinds, x = MODELS[name]
    model = sf.fit(x, Y, columns=kinds, calibrate=False)
    shared = model.with_options(estimate="smoothed", alpha="shared evidence")
    best = minimize_scalar(
        lambda z: -model.with_options(estimate="smoothed", alpha=float(np.exp(z))).log_evidence(),
        bounds=(np.log(LEAST_ALPHA), 0.0),
        method="bounded",
    )
    slack = 1e-9 * abs(best.fun)
    assert shared.log_evidence() >= -best.fun - slack
    assert (
        shared.log_evidence()
        >= max(model.with_options(estimate="smoothed", alpha=a).log_evidence() for a in GRID) - slack
    )
    (one,) = set(shared.core.reading.alpha.tolist())
    apart = model.with_options(estimate="smoothed", alpha="evidence")
    assert apart.log_evidence() >= shared.log_evidence() - slack
    found = apart.core.reading.alpha
    together = {name: block.columns for block in model.schema.blocks for name in block.columns}
    for j in range(x.shape[1]):
        for factor in (0.8, 1.25):
            other = found.copy()
            at = list(together[j]) if isinstance(kinds, dict) else [j]
            other[at] = np.clip(found[j] * factor, LEAST_ALPHA, MOST_ALPHA)
            assert model.with_options(estimate="smoothed", alpha=other).log_evidence() <= apart.log_evidence() + slack
    assert LEAST_ALPHA <= one <= MOST_ALPHA


def test_lambda_of_text_and_of_likelihoods_without_it():
    documents = ["win cash win", "cash cash", "lunch menu", "menu menu menu", "win lunch"]
    data = {"body": documents, "age": [1.0, 2.0, 3.0, 4.0, 5.0], "visits": [0, 1, 2, 3, 0]}
    y = ["a", "a", "b", "b", "a"]
    model = sf.fit(data, y, columns={"body": sf.Words(), "age": sf.Gaussian(), "visits": sf.Poisson()}, calibrate=False)
    read = model.with_options(estimate="smoothed", alpha="evidence").core.reading.alpha
    counts = np.array([[3.0, 1, 0, 3], [0, 1, 4, 0]])
    assert read.tolist() == [pytest.approx(fit_alpha(counts)), 1.0, 1.0]
    complement = sf.fit(documents, y, columns=sf.Words(model="complement"), calibrate=False).with_options(
        estimate="smoothed", alpha="evidence"
    )
    assert complement.core.reading.alpha.tolist() == [1.0]


@given(st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=1, max_size=3), st.integers(3, 10**9))
def test_outcomes_that_were_never_seen_are_outcomes(counts, outcomes):
    assume(any(sum(row) > 1 for row in counts))
    alpha = fit_alpha(np.array(counts, dtype=float), float(outcomes))

    def exact(at):
        with mpmath.workdps(60):
            a, total = mpmath.mpf(at), mpmath.mpf(0)
            for row in counts:
                total += mpmath.loggamma(outcomes * a) - mpmath.loggamma(outcomes * a + sum(row))
                total += mpmath.fsum(mpmath.loggamma(a + n) - mpmath.loggamma(a) for n in row if n)
            return total

    best = max(exact(point) for point in GRID)
    assert exact(alpha) >= best - mpmath.mpf("1e-10") * (1 + abs(best))


def test_columns_that_share_it_may_have_two_maxima():
    pure, alike = np.array([[40.0, 0.0], [0.0, 40.0]] * 3), np.array([[8.0, 8.0, 8.0]] * 9)
    alpha = fit_shared_alpha([pure, alike])

    def evidence(at):
        with mpmath.workdps(40):
            total = mpmath.mpf(0)
            for table in (pure, alike):
                for row in table.tolist():
                    total += mpmath.loggamma(len(row) * at) - mpmath.loggamma(len(row) * at + sum(row))
                    total += sum(mpmath.loggamma(at + n) - mpmath.loggamma(at) for n in row)
            return total

    assert evidence(alpha) >= max(map(evidence, GRID)) - mpmath.mpf("1e-12")
    assert fit_shared_alpha([pure]) == LEAST_ALPHA
    assert fit_shared_alpha([alike]) == MOST_ALPHA
    assert fit_shared_alpha([]) == 1.0
    assert fit_shared_alpha([np.zeros((2, 3))]) == 1.0
