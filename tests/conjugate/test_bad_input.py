"""Invalid input raises a DataError or a ParameterError that names the argument and shows the value."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suffice.conjugate as c
from suffice.errors import DataError, ParameterError, SufficeError
from suffice.statistics import Axis, Counts

nan, inf = np.nan, np.inf
I2 = [[1, 0], [0, 1]]
B, D, G = c.BetaBinomial(1, 1), c.DirichletMultinomial([1, 1]), c.GammaPoisson(1, 1)
L = c.DirichletMultinomial([1, 1], outcomes=["a", "b"])
N, W = c.NormalInverseGamma(0, 1, 1, 1), c.NormalInverseWishart([0, 0], 1, 2, I2)


def counts(*values: float, observed: float) -> Counts:
    return Counts(Axis.of(["a"]), Axis.of(list("xyz")[: len(values)]), [list(values)], [[observed]])


# Words of the message, in order: what is wrong, where, and what was given.
PARAMETERS: list[tuple[Callable[[], Any], list[str]]] = [
    (lambda: c.BetaBinomial(0, 1), ["a must be > 0", "got 0.0"]),
    (lambda: c.BetaBinomial(1, -2), ["b must be > 0", "got -2.0"]),
    (lambda: c.BetaBinomial([1, nan], 1), ["a must be finite", "position 1", "nan"]),
    (lambda: c.BetaBinomial([[1, 2], [3, 0]], 1), ["a must be > 0", "position (1, 1) has 0.0"]),
    (lambda: c.BetaBinomial("1", 1), ["a must be real numbers", "<U1"]),
    (lambda: c.BetaBinomial(None, 1), ["a must be real numbers", "object"]),
    (lambda: c.BetaBinomial(True, 1), ["a must be real numbers", "bool"]),
    (lambda: c.BetaBinomial(1 + 2j, 1), ["a must be real numbers", "complex128"]),
    (lambda: c.BetaBinomial([1, [2, 3]], 1), ["a must be an array of numbers", "[1, [2, 3]]"]),
    (lambda: c.BetaBinomial([1, 2], [1, 2, 3]), ["shapes", "a (2,), b (3,)"]),
    (lambda: B.log_pdf(1.5), ["theta must lie in [0, 1]", "1.5"]),
    (lambda: B.log_pdf(nan), ["theta must be a number", "nan"]),
    (lambda: B.log_pdf([[0.1, 2.0]]), ["theta", "position (0, 1) has 2.0"]),
    (lambda: c.BetaBinomial([1, 2], 1).log_pdf([0.1, 0.2, 0.3]), ["shapes", "theta (3,), a (2,), b (2,)"]),
    (lambda: B.interval(1.5), ["credible", "between 0 and 1", "1.5"]),
    (lambda: B.interval(nan), ["credible", "nan"]),
    (lambda: B.interval("0.9"), ["credible", "'0.9'"]),
    (lambda: N.interval(0), ["credible", "got 0"]),
    (lambda: B.interval(0.9, "shortest"), ["kind", "'equal-tailed' or 'highest-density'", "'shortest'"]),
    (lambda: c.BetaBinomial([1, 0.5], 0.5).interval(0.9, "highest-density"), ["two intervals", "position 1 has 0.5"]),
    (lambda: B.log_evidence([1], of="set"), ["of must be", "'set'"]),
    (lambda: G.log_evidence([1], of="counts"), ["of must be", "'counts'"]),
    (lambda: B.predictive(-1), ["n must be whole numbers", "-1.0"]),
    (lambda: B.predictive(1.5), ["n must be whole numbers", "1.5"]),
    (lambda: D.predictive(1e17), ["n must be whole numbers", "2⁵³", "1e+17"]),
    (lambda: c.DirichletMultinomial([[1, 1]] * 3).predictive([1, 2]), ["shapes", "n (2,), alpha (3,)"]),
    (lambda: B.sample(-1), ["n must be a whole number ≥ 0", "-1"]),
    (lambda: B.sample(2.5), ["n must be a whole number", "2.5"]),
    (lambda: B.sample(1, seed="seed"), ["seed must be", "'seed'"]),
    (lambda: B.sample(1, seed=-1), ["seed must be", "-1"]),
    (lambda: B.sample(1, seed=inf), ["seed must be", "inf"]),
    (lambda: B.prior_weight_of_mode(3), ["a and b must be > 1", "1.0"]),
    (lambda: c.DirichletMultinomial(1), ["alpha", "at least one outcome", "shape ()"]),
    (lambda: c.DirichletMultinomial([]), ["alpha", "at least one outcome", "shape (0,)"]),
    (lambda: c.DirichletMultinomial([1e300, 1e300]), ["alpha must sum to at most 1e300", "2e+300"]),
    (lambda: c.DirichletMultinomial.symmetric(1, 0), ["levels", "≥ 1", "got 0"]),
    (lambda: c.DirichletMultinomial.symmetric(-1, 2), ["total must be > 0", "-1.0"]),
    (lambda: D.log_pdf([0.5, 0.6]), ["theta must sum to 1", "1.1"]),
    (lambda: D.log_pdf(0.5), ["theta must have 2 entries", "shape ()"]),
    (lambda: D.log_likelihood([0.2, 0.2, 0.6], counts=[1, 2]), ["theta must have 2 entries", "shape (3,)"]),
    (lambda: D.log_likelihood([0.5, 0.6], counts=[1, 2]), ["theta must sum to 1", "1.1"]),
    (lambda: D.log_likelihood([0.5, 0.5], counts=[1, 2], of="set"), ["of must be", "'set'"]),
    (lambda: B.log_likelihood(2, [1]), ["theta must lie in [0, 1]", "2.0"]),
    (lambda: G.log_likelihood(-1, [1]), ["theta must be ≥ 0", "-1.0"]),
    (lambda: N.log_likelihood(0, 0, [1]), ["variance must be > 0", "0.0"]),
    (lambda: W.log_likelihood([0], I2, [[1, 2]]), ["location must have 2 entries", "shape (1,)"]),
    (lambda: W.log_likelihood([0, 0], [[1, 2], [2, 1]], [[1, 2]]), ["covariance must be positive definite", "-1"]),
    (lambda: D.component(2), ["outcome must be a position 0 … 1", "got 2"]),
    (lambda: L.component("c"), ["outcome must be one of 'a', 'b'", "got 'c'"]),
    (lambda: L.component(0), ["outcome must be one of 'a', 'b'", "got 0"]),
    (lambda: c.DirichletMultinomial([1]).component(0), ["at least two outcomes", "got 0"]),
    (lambda: c.DirichletMultinomial([1]).interval(), ["at least two outcomes"]),
    (lambda: c.DirichletMultinomial([1, 1], outcomes=["a"]), ["one label per outcome, 2", "got 1"]),
    (lambda: c.DirichletMultinomial([1, 1], outcomes="ab"), ["outcomes must be a list of labels", "got 'ab'"]),
    (lambda: c.DirichletMultinomial([1, 1], outcomes=[1, 1.0]), ["distinct", "1 appears more than once"]),
    (lambda: c.DirichletMultinomial([1, 1], outcomes=[1, nan]), ["outcomes", "NaN"]),
    (lambda: c.DirichletMultinomial([1, 1], outcomes=[("a", 1), "b"]), ["strings, numbers or booleans"]),
    (lambda: c.DirichletMultinomial.mle([], outcomes=[]), ["one label per outcome, K ≥ 1", "got 0"]),
    (lambda: c.DirichletMultinomial([0.5, 3]).prior_weight_of_mode(1), ["alpha must be ≥ 1", "position 0 has 0.5"]),
    (lambda: D.prior_weight_of_mode(1), ["α₀ − K must be > 0", "0.0"]),
    (lambda: c.GammaPoisson(0, 1), ["shape must be > 0", "0.0"]),
    (lambda: G.log_pdf(-1), ["theta must be ≥ 0", "-1.0"]),
    (lambda: G.predictive(-1), ["n must be ≥ 0", "-1.0"]),
    (lambda: c.NormalInverseGamma(nan, 1, 1, 1), ["location must be finite", "nan"]),
    (lambda: c.NormalInverseGamma(0, 0, 1, 1), ["strength must be > 0", "0.0"]),
    (lambda: c.NormalInverseGamma([0, 1], 1, 1, [1, 2, 3]), ["shapes", "location (2,)", "scale (3,)"]),
    (lambda: N.log_pdf(0, 0), ["variance must be > 0", "0.0"]),
    (lambda: N.log_pdf(nan, 1), ["location must be a number", "nan"]),
    (lambda: N.predictive(0), ["n must be ≥ 1", "0.0"]),
    (lambda: c.NormalInverseWishart([0], 1, 2, I2), ["location must have 2 entries", "shape (1,)"]),
    (lambda: c.NormalInverseWishart([0, 0], 1, 1, I2), ["degrees must be > D − 1 = 1", "1.0"]),
    (lambda: c.NormalInverseWishart([0, 0], 1, 2, [[1, 2], [2, 1]]), ["positive definite", "-1"]),
    (lambda: c.NormalInverseWishart([0, 0], 1, 2, [[0, 0], [0, 1]]), ["positive definite", "0"]),
    (lambda: c.NormalInverseWishart([0, 0], 1, 2, [[1, 2], [0, 5]]), ["symmetric", "position (0, 1) has 2.0"]),
    (lambda: c.NormalInverseWishart([0, 0], 1, 2, [1, 2]), ["scale_matrix must be square", "shape (2,)"]),
    (lambda: c.NormalInverseWishart([0, 0], [1, 1, 1], [2, 2], I2), ["shapes", "strength (3, 1, 1)"]),
    (lambda: W.log_pdf([0, 0, 0], I2), ["location must have 2 entries", "shape (3,)"]),
    (lambda: W.log_pdf([0, 0], np.eye(3)), ["covariance must have 2 entries", "shape (3, 3)"]),
    (lambda: W.log_pdf([0, 0], [[1, 2], [2, 1]]), ["covariance must be positive definite", "-1"]),
    (lambda: W.predictive(0), ["n must be ≥ 1", "0.0"]),
]
DATA: list[tuple[Callable[[], Any], list[str]]] = [
    (B.update, ["exactly one", "successes=, failures=", "neither"]),
    (lambda: B.update([1], successes=1, failures=2), ["exactly one", "both"]),
    (lambda: B.update(successes=1), ["failures= is missing"]),
    (lambda: B.update(successes=-1, failures=1), ["successes must be finite and ≥ 0", "-1.0"]),
    (lambda: B.update(successes=nan, failures=1), ["successes", "nan"]),
    (lambda: B.update(successes=True, failures=1), ["successes must be real numbers", "bool"]),
    (lambda: B.update(successes=[1, 2], failures=[1, 2, 3]), ["shapes", "successes (2,), failures (3,)"]),
    (lambda: B.update(3), ["data must have 1 or more axes", "shape ()"]),
    (lambda: B.update([0, 2]), ["data must be 0, 1 or NaN", "position 1 has 2.0"]),
    (lambda: B.update([0, inf]), ["data must be finite", "position 1 has inf"]),
    (lambda: B.update(["a"]), ["data must be real numbers", "<U1"]),
    (lambda: B.update(counts(5, observed=2)), ["observed − values", "-3.0"]),
    (lambda: B.prior_weight_of_mean(-3), ["n must be finite and ≥ 0", "-3.0"]),
    (D.update, ["exactly one of data, codes= and counts=", "got none"]),
    (lambda: D.update(codes=[1], counts=[1, 2]), ["exactly one", "got codes= and counts="]),
    (lambda: D.update([0, 1]), ["no outcomes are declared", "got [0, 1]", "outcomes=", "codes=", "counts="]),
    (lambda: D.log_evidence(["a"]), ["no outcomes are declared", "got ['a']"]),
    (lambda: L.update(["a", "c", "d", "c"]), ["data must be among the outcomes 'a', 'b'", "got 'c', 'd'"]),
    (lambda: L.update(np.array([0, 1])), ["among the outcomes 'a', 'b'", "got 0, 1"]),
    (lambda: L.update("a"), ["data must have 1 or more axes", "got 'a'"]),
    (lambda: L.update(counts(5, 1, observed=6)), ["levels of Counts", "'a', 'b'", "got 'x', 'y'"]),
    (lambda: D.log_likelihood([0.5, 0.5], counts=[1, 2, 3]), ["counts must have 2 entries", "shape (3,)"]),
    (lambda: W.log_likelihood([0, 0], I2, [[1, 2, 3]]), ["mean must have 2 entries", "shape (3,)"]),
    (lambda: B.log_likelihood([0.1, 0.2], successes=[1, 2, 3], failures=0), ["shapes", "theta (2,)"]),
    (lambda: D.update(counts=[1, 2, 3]), ["counts must have 2 entries", "shape (3,)"]),
    (lambda: D.update(counts=3), ["counts must have 2 entries", "shape ()"]),
    (lambda: D.update(counts=[1, -1]), ["counts must be finite and ≥ 0", "position 1 has -1.0"]),
    (lambda: D.update(codes=[0, 2]), ["codes must be 0 … 1", "position 1 has 2.0"]),
    (lambda: D.update(codes=[0.5]), ["codes must be", "0.5"]),
    (lambda: D.update(counts(5, 1, 1, observed=7)), ["counts must have 2 entries", "shape (1, 3)"]),
    (lambda: c.DirichletMultinomial.mle([0, 1]), ["no outcomes are declared"]),
    (lambda: c.DirichletMultinomial.mle(codes=[0, 1]), ["levels= is missing"]),
    (lambda: c.DirichletMultinomial.mle(counts=[]), ["counts must have K entries", "shape (0,)"]),
    (lambda: c.DirichletMultinomial.mle(counts=[1, 2], levels=3), ["counts must have 3 entries", "shape (2,)"]),
    (lambda: G.update([1.5]), ["whole counts ≥ 0", "position 0 has 1.5"]),
    (lambda: G.update(total=3), ["weight= is missing"]),
    (lambda: G.update(total=-3, weight=1), ["total must be finite and ≥ 0", "-3.0"]),
    (lambda: G.update(total=3, weight=0), ["total must be 0 where weight is 0", "3.0"]),
    (lambda: G.log_evidence(total=3, weight=1), ["log_factorials= is missing"]),
    (lambda: G.log_evidence(total=3.5, weight=1, of="total"), ["total must be whole", "3.5"]),
    (lambda: c.GammaPoisson.mle(total=0, weight=0), ["weight must be > 0", "0.0"]),
    (N.update, ["exactly one", "weight=, mean=, dp=", "neither"]),
    (lambda: N.update([[1.0, 2.0], [-inf, 2.0]]), ["data must be finite", "position (1, 0) has -inf"]),
    (lambda: N.update(weight=1, mean=2), ["dp= is missing"]),
    (lambda: N.update(weight=1, mean=nan, dp=2), ["mean must be finite", "nan"]),
    (lambda: N.update(weight=1, mean=0, dp=-2), ["dp must be finite and ≥ 0", "-2.0"]),
    (lambda: N.update([1.0, 2.0], weights=[1, 2, 3]), ["weights", "shape (2,)", "shape (3,)"]),
    (lambda: N.update([1.0, 2.0], weights=[1, -2]), ["weights must be finite and ≥ 0", "position 1 has -2.0"]),
    (lambda: N.update(weight=1, mean=0, dp=2, weights=[1]), ["weights= applies to raw values"]),
    (lambda: N.update([1e200, -1e200]), ["sum of squares must be finite", "inf"]),
    (lambda: N.update([1e170]), ["sum of squares must be at most 1e300", "inf"]),
    (lambda: c.NormalInverseGamma.mle([nan]), ["weight must be > 0", "0.0"]),
    (lambda: W.update([1.0, 2.0]), ["data must have 2 or more axes", "shape (2,)"]),
    (lambda: W.update([[1.0, 2.0, 3.0]]), ["mean must have 2 entries", "shape (3,)"]),
    (lambda: W.update(weight=1, mean=[0, 0]), ["scatter= is missing"]),
    (lambda: W.update(weight=1, mean=[0, 0], scatter=[1, 2]), ["scatter must be square", "shape (2,)"]),
    (lambda: W.update(weight=1, mean=[0, 0], scatter=[[1, 2], [3, 1]]), ["symmetric", "position (0, 1) has 2.0"]),
    (lambda: W.update(weight=1, mean=[0, 0], scatter=[[-1, 0], [0, 1]]), ["diagonal of scatter", "-1.0"]),
    (lambda: W.update([[1e200, 0.0], [0.0, 1.0]]), ["scatter must be finite", "position (0, 0) has inf"]),
    (lambda: W.update([[1.0, 2.0]], weights=[[1, 2]]), ["weights", "shape (1,)", "shape (1, 2)"]),
    (lambda: c.NormalInverseWishart.mle(np.zeros((0, 2))), ["weight must be > 0", "0.0"]),
]
CASES = [(ParameterError, *case) for case in PARAMETERS] + [(DataError, *case) for case in DATA]


@pytest.mark.parametrize(("error", "call", "words"), CASES, ids=[" ".join(case[-1]) for case in CASES])
def test_the_error_names_the_argument_and_shows_the_value(
    error: type[SufficeError], call: Callable[[], object], words: list[str]
) -> None:
    with pytest.raises(error, match=".*".join(map(re.escape, words))):
        call()


def test_scipy_stats_is_not_imported() -> None:
    code = "import sys, suffice.conjugate; sys.exit('scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


EXTREMES = (1e-300, 1e-8, 1e-4, 0.5, 1.0, 2.0, 1e8, 1e12, 1e300)


def test_no_nan_for_finite_input() -> None:
    a, b = (each.reshape(-1) for each in np.meshgrid(EXTREMES, EXTREMES))
    beta, gamma, normal = c.BetaBinomial(a, b), c.GammaPoisson(a, b), c.NormalInverseGamma(0.5, b, a, b)
    one_mode = c.BetaBinomial(np.maximum(a, 1), b)
    answers = [
        beta.mean, beta.variance, beta.mode.value, beta.map_estimate, beta.log_pdf(0), beta.log_pdf(1e-300),
        beta.log_pdf(0.5), beta.log_pdf(1), *beta.interval(), *one_mode.interval(0.9, "highest-density"),
        beta.log_evidence(successes=1e12, failures=0), beta.log_evidence(successes=0, failures=3, of="counts"),
        beta.sample(3, seed=0),
        gamma.mean, gamma.variance, gamma.map_estimate, gamma.log_pdf(0), gamma.log_pdf(1e-300), gamma.log_pdf(1e300),
        *gamma.interval(), *gamma.interval(0.9, "highest-density"), gamma.log_evidence([0, 3]),
        gamma.log_evidence(total=[[0], [7]], weight=1, of="total"), gamma.sample(3, seed=0),
        *normal.mean, *normal.mean_estimate, *normal.variance, *normal.map_estimate, *normal.sample(3, seed=0),
        *normal.interval().location, *normal.interval().variance, *normal.interval(0.9, "highest-density").variance,
        normal.log_pdf(0, 1e-300), normal.log_pdf(1e100, 1e300), normal.log_evidence([0.0, 1e8]), *normal.student_t(),
    ]  # fmt: skip
    for number, answer in enumerate(answers):
        assert not np.isnan(answer).any(), number
    for interval in (beta.interval(), one_mode.interval(0.9, "highest-density"), gamma.interval()):
        assert np.all(interval.lower <= interval.upper)


def test_no_nan_for_extreme_dirichlets() -> None:
    alpha = np.array([[x, y, 1.0] for x in EXTREMES for y in EXTREMES])
    model = c.DirichletMultinomial(alpha[alpha.sum(axis=-1) <= 1e300])
    answers = [
        model.mean, model.variance, model.covariance, model.mode.value, model.map_estimate, *model.interval(),
        model.log_pdf([0, 0.5, 0.5]), model.log_pdf([0, 0, 1]), model.log_evidence(counts=[0, 1e12, 3]),
        model.log_evidence(counts=[5, 0, 0], of="counts"), model.sample(3, seed=0),
    ]  # fmt: skip
    for number, answer in enumerate(answers):
        assert not np.isnan(answer).any(), number
