"""Bad input is answered by an error that says what, where, got, do: the whole text is held here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from suffice.conjugate import (
    BetaBinomial as B,
)
from suffice.conjugate import (
    DirichletMultinomial as D,
)
from suffice.conjugate import (
    GammaPoisson as G,
)
from suffice.conjugate import (
    NormalInverseGamma as N,
)
from suffice.conjugate import (
    NormalInverseWishart as W,
)
from suffice.conjugate.multivariate_t import MultivariateT
from suffice.conjugate.student_t import StudentT
from suffice.errors import DataError, ParameterError
from suffice.statistics import Axis, Counts

nan, inf = np.nan, np.inf
I2 = [[1, 0], [0, 1]]

CASES: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: B(0, 1), ParameterError, "a must be > 0 (from 1e-300 to 1e300): got 0.0. Give a positive number."),
    (lambda: B(1, -2), ParameterError, "b must be > 0 (from 1e-300 to 1e300): got -2.0. Give a positive number."),
    (
        lambda: B([1, nan], 1),
        ParameterError,
        "a must be finite (at most 1e300 in size): position 1 has nan. Give a finite number.",
    ),
    (lambda: B(inf, 1), ParameterError, "a must be finite (at most 1e300 in size): got inf. Give a finite number."),
    (
        lambda: B([[1, 2], [3, 0]], 1),
        ParameterError,
        "a must be > 0 (from 1e-300 to 1e300): position (1, 1) has 0.0. Give a positive number.",
    ),
    (lambda: B("1", 1), ParameterError, "a must be real numbers: got dtype <U1. Give integers or floats."),
    (lambda: B(None, 1), ParameterError, "a must be real numbers: got dtype object. Give integers or floats."),
    (lambda: B(True, 1), ParameterError, "a must be real numbers: got dtype bool. Give integers or floats."),
    (lambda: B(1 + 2j, 1), ParameterError, "a must be real numbers: got dtype complex128. Give integers or floats."),
    (
        lambda: B([1, [2, 3]], 1),
        ParameterError,
        "a must be an array of numbers: got [1, [2, 3]]. Give every row the same length.",
    ),
    (
        lambda: B([1, 2], [1, 2, 3]),
        ParameterError,
        "shapes do not go together: a (2,), b (3,). Give shapes that broadcast.",
    ),
    (
        lambda: B(np.array([1, None], dtype=object), 1),
        ParameterError,
        "a must be real numbers: got dtype object. Give integers or floats.",
    ),
    (
        lambda: B(1, 1).update(),
        DataError,
        "BetaBinomial takes the data in one form, raw 0/1 outcomes, successes= with failures=, or Counts: got"
        " none. Give exactly one.",
    ),
    (
        lambda: B(1, 1).update([1], successes=1, failures=2),
        DataError,
        "BetaBinomial takes the data in one form, raw 0/1 outcomes, successes= with failures=, or Counts: got"
        " 2. Give exactly one.",
    ),
    (
        lambda: B(1, 1).update(successes=1),
        DataError,
        "failures= is missing: got only the other. Give successes= and failures= together.",
    ),
    (
        lambda: B(1, 1).update(failures=1),
        DataError,
        "successes= is missing: got only the other. Give successes= and failures= together.",
    ),
    (
        lambda: B(1, 1).update(successes=-1, failures=1),
        DataError,
        "successes must be finite and ≥ 0: got -1.0. Give counts or sums of weights.",
    ),
    (
        lambda: B(1, 1).update(successes=nan, failures=1),
        DataError,
        "successes must be finite and ≥ 0: got nan. Give counts or sums of weights.",
    ),
    (
        lambda: B(1, 1).update(successes=[1, 2], failures=[1, 2, 3]),
        DataError,
        "shapes do not go together: successes (2,), failures (3,), a (), b (). Give shapes that broadcast.",
    ),
    (
        lambda: B([1, 2], 1).update(successes=[1, 2, 3], failures=0),
        DataError,
        "shapes do not go together: successes (3,), failures (), a (2,), b (2,). Give shapes that broadcast.",
    ),
    (
        lambda: B(1, 1).update(3),
        DataError,
        "data must have 1 or more axes, the last over observations: got shape (). Give an array.",
    ),
    (
        lambda: B(1, 1).update([0, 2]),
        DataError,
        "data must be 0, 1 or NaN (missing): position 1 has 2.0. Give outcomes, or counts as successes= and failures=.",
    ),
    (
        lambda: B(1, 1).update([0, inf]),
        DataError,
        "data must be finite, or NaN where missing: position 1 has inf. Drop the value or mark it missing.",
    ),
    (lambda: B(1, 1).update(["a"]), DataError, "data must be real numbers: got dtype <U1. Give integers or floats."),
    (
        lambda: B(1, 1).update(Counts(Axis.of(["a"]), Axis.of(["x"]), [[5]], [[2]])),
        DataError,
        "observed − values of Counts must be ≥ 0: position (0, 0) has -3.0. These counts go beyond one a row:"
        " use GammaPoisson or DirichletMultinomial.",
    ),
    (
        lambda: B(1, 1).update(successes=True, failures=1),
        DataError,
        "successes must be real numbers: got dtype bool. Give integers or floats.",
    ),
    (lambda: B(1, 1).log_pdf(1.5), ParameterError, "theta must lie in [0, 1]: got 1.5. Give a probability."),
    (lambda: B(1, 1).log_pdf(-0.1), ParameterError, "theta must lie in [0, 1]: got -0.1. Give a probability."),
    (
        lambda: B(1, 1).log_pdf(nan),
        ParameterError,
        "theta must be a number: got nan. Leave missing values out: they add nothing.",
    ),
    (
        lambda: B(1, 1).log_pdf([[0.1, 2.0]]),
        ParameterError,
        "theta must lie in [0, 1]: position (0, 1) has 2.0. Give a probability.",
    ),
    (
        lambda: B([1, 2], 1).log_pdf([0.1, 0.2, 0.3]),
        ParameterError,
        "shapes do not go together: theta (3,), a (2,), b (2,). Give shapes that broadcast.",
    ),
    (
        lambda: B(1, 1).interval(1.5),
        ParameterError,
        "level must be a number between 0 and 1: got 1.5. Give for example 0.95.",
    ),
    (
        lambda: B(1, 1).interval(nan),
        ParameterError,
        "level must be a number between 0 and 1: got nan. Give for example 0.95.",
    ),
    (
        lambda: B(1, 1).interval("0.9"),
        ParameterError,
        "level must be a number between 0 and 1: got '0.9'. Give for example 0.95.",
    ),
    (
        lambda: B(1, 1).interval(0.9, "shortest"),
        ParameterError,
        "kind must be 'equal-tailed' or 'highest-density': got 'shortest'.",
    ),
    (
        lambda: B([1, 0.5], 0.5).interval(0.9, "highest-density"),
        ParameterError,
        "max(a, b) must be ≥ 1 for a highest-density interval (else it is two pieces, at 0 and at 1): "
        "position 1 has 0.5. Ask for kind='equal-tailed'.",
    ),
    (lambda: B(1, 1).log_evidence([1], of="set"), ParameterError, "of must be 'sequence' or 'counts': got 'set'."),
    (lambda: B(1, 1).predictive(-1), ParameterError, "n must be whole numbers ≥ 0: got -1.0. Give counts."),
    (lambda: B(1, 1).predictive(1.5), ParameterError, "n must be whole numbers ≥ 0: got 1.5. Give counts."),
    (
        lambda: B(1, 1).predictive(1e17),
        ParameterError,
        "n must be at most 2⁵³, up to which every count is a float: got 1e+17. Give fewer trials.",
    ),
    (
        lambda: B(1, 1).predictive(3).log_pmf(-1),
        ParameterError,
        "successes must be whole numbers ≥ 0: got -1.0. Give counts.",
    ),
    (
        lambda: B(1, 1).predictive(3).log_pmf(0.5),
        ParameterError,
        "successes must be whole numbers ≥ 0: got 0.5. Give counts.",
    ),
    (
        lambda: B(1, 1).predictive(3).cdf(nan),
        ParameterError,
        "successes must be whole numbers ≥ 0: got nan. Give counts.",
    ),
    (
        lambda: B([1, 2], 1).predictive(3).pmf([1, 2, 3]),
        ParameterError,
        "shapes do not go together: successes (3,), n (2,), a (2,), b (2,). Give shapes that broadcast.",
    ),
    (lambda: B(1, 1).sample(-1), ParameterError, "n must be a whole number ≥ 0: got -1. Give an int."),
    (lambda: B(1, 1).sample(2.5), ParameterError, "n must be a whole number ≥ 0: got 2.5. Give an int."),
    (
        lambda: B(1, 1).sample(1, rng="seed"),
        ParameterError,
        "rng must be a numpy Generator, an integer seed ≥ 0 or None: got 'seed'.",
    ),
    (
        lambda: B(1, 1).sample(1, rng=-1),
        ParameterError,
        "rng must be a numpy Generator, an integer seed ≥ 0 or None: got -1.",
    ),
    (
        lambda: B(1, 1).prior_weight_of_mode(3),
        ParameterError,
        "a must be > 1 for the weight of the prior in the mode: got 1.0. Use prior_weight_of_mean, which "
        "needs no mode inside (0, 1).",
    ),
    (
        lambda: B(1, 1).prior_weight_of_mean(-3),
        DataError,
        "n must be finite and ≥ 0: got -3.0. Give counts or sums of weights.",
    ),
    (
        lambda: D(1),
        ParameterError,
        "alpha must have a last axis of at least one level: got shape (). Give one number per level, or "
        "DirichletMultinomial.symmetric(total, levels).",
    ),
    (
        lambda: D([]),
        ParameterError,
        "alpha must have a last axis of at least one level: got shape (0,). Give one number per level, or "
        "DirichletMultinomial.symmetric(total, levels).",
    ),
    (
        lambda: D([1, 0]),
        ParameterError,
        "alpha must be > 0 (from 1e-300 to 1e300): position 1 has 0.0. Give a positive number.",
    ),
    (
        lambda: D([1e300, 1e300]),
        ParameterError,
        "alpha must sum to at most 1e300: got 2e+300. Give smaller prior counts.",
    ),
    (
        lambda: D([[1, 2], [3]]),
        ParameterError,
        "alpha must be an array of numbers: got [[1, 2], [3]]. Give every row the same length.",
    ),
    (lambda: D.symmetric(1, 0), ParameterError, "levels must be a whole number ≥ 1: got 0. Give an int."),
    (
        lambda: D.symmetric(-1, 2),
        ParameterError,
        "total must be > 0 (from 1e-300 to 1e300): got -1.0. Give a positive number.",
    ),
    (
        lambda: D([1, 1]).update(),
        DataError,
        "DirichletMultinomial takes the data in one form, raw level codes, counts=, or Counts: got none. Give"
        " exactly one.",
    ),
    (
        lambda: D([1, 1]).update(counts=[1, 2, 3]),
        DataError,
        "counts must have 2 entries along the last axis, one per level: got shape (3,). Give shape (…, 2).",
    ),
    (
        lambda: D([1, 1]).update(counts=3),
        DataError,
        "counts must have 2 entries along the last axis, one per level: got shape (). Give shape (…, 2).",
    ),
    (
        lambda: D([1, 1]).update(counts=[1, -1]),
        DataError,
        "counts must be finite and ≥ 0: position 1 has -1.0. Give counts or sums of weights.",
    ),
    (
        lambda: D([[1, 1], [2, 2]]).update(counts=[[1, 1], [2, 2], [3, 3]]),
        DataError,
        "shapes do not go together: counts (3, 2), alpha (2, 2). Give shapes that broadcast.",
    ),
    (
        lambda: D([1, 1]).update([0, 2]),
        DataError,
        "data must be level codes 0 … 1, or NaN (missing): position 1 has 2.0. Give codes, or counts of "
        "levels as counts=.",
    ),
    (
        lambda: D([1, 1]).update([0, -1]),
        DataError,
        "data must be level codes 0 … 1, or NaN (missing): position 1 has -1.0. Give codes, or counts of "
        "levels as counts=.",
    ),
    (
        lambda: D([1, 1]).update([0.5]),
        DataError,
        "data must be level codes 0 … 1, or NaN (missing): position 0 has 0.5. Give codes, or counts of "
        "levels as counts=.",
    ),
    (
        lambda: D([1, 1]).update(Counts(Axis.of(["a"]), Axis.of(["x", "y", "z"]), [[5, 1, 1]], [[7]])),
        DataError,
        "counts must have 2 entries along the last axis, one per level: got shape (1, 3). Give shape (…, 2).",
    ),
    (
        lambda: D.mle([0, 1]),
        DataError,
        "levels= is missing: got raw codes, which do not say how many levels there are. Give levels=K.",
    ),
    (
        lambda: D.mle(counts=[]),
        DataError,
        "counts must have K entries along the last axis, one per level: got shape (0,). Give shape (…, K).",
    ),
    (
        lambda: D.mle(counts=[1, 2], levels=3),
        DataError,
        "counts must have 3 entries along the last axis, one per level: got shape (2,). Give shape (…, 3).",
    ),
    (
        lambda: D([1, 1]).log_pdf([0.5, 0.6]),
        ParameterError,
        "theta must sum to 1 over the last axis: got 1.1. Divide it by its sum.",
    ),
    (
        lambda: D([1, 1]).log_pdf([1.5, -0.5]),
        ParameterError,
        "theta must lie in [0, 1]: position 0 has 1.5. Give probabilities.",
    ),
    (
        lambda: D([1, 1]).log_pdf(0.5),
        ParameterError,
        "theta must have 2 entries along the last axis, one per level: got shape (). Give shape (…, 2).",
    ),
    (
        lambda: D([1, 1]).component(2),
        ParameterError,
        "k must be one of at least two levels, 0 … 1: got 2. Levels start at 0.",
    ),
    (
        lambda: D([1]).component(0),
        ParameterError,
        "k must be one of at least two levels, 0 … 0: got 0. Levels start at 0.",
    ),
    (
        lambda: D([1]).interval(),
        ParameterError,
        "an interval needs at least two levels: got one, whose probability is 1. Leave it out.",
    ),
    (
        lambda: D([0.4, 0.4]).interval(0.9, "highest-density"),
        ParameterError,
        "max(a, b) must be ≥ 1 for a highest-density interval (else it is two pieces, at 0 and at 1): "
        "position 0 has 0.4. Ask for kind='equal-tailed'.",
    ),
    (
        lambda: D([0.5, 3]).prior_weight_of_mode(1),
        ParameterError,
        "alpha must be ≥ 1 for the weight of the prior in the mode: position 0 has 0.5. Use "
        "prior_weight_of_mean, which needs no mode.",
    ),
    (
        lambda: D([1, 1]).prior_weight_of_mode(1),
        ParameterError,
        "α₀ − K must be > 0 for the weight of the prior in the mode: got 0.0. Use prior_weight_of_mean, which"
        " needs no mode.",
    ),
    (
        lambda: D([1, 1]).predictive(3).pmf([1, 1, 1]),
        ParameterError,
        "counts must have 2 entries along the last axis: got shape (3,). Give one per level.",
    ),
    (
        lambda: D([1, 1]).predictive(3).component(2),
        ParameterError,
        "k must be below the number of components 2: got 2. Components start at 0.",
    ),
    (
        lambda: D([1, 1]).predictive(1e17),
        ParameterError,
        "n must be at most 2⁵³, up to which every count is a float: got 1e+17. Give fewer draws.",
    ),
    (
        lambda: D([1, 1]).predictive([1, 2]).pmf([[1, 0], [1, 1], [0, 1]]),
        ParameterError,
        "shapes do not go together: counts (3, 2), alpha (2, 2), n (2, 1). Give shapes that broadcast.",
    ),
    (lambda: G(0, 1), ParameterError, "shape must be > 0 (from 1e-300 to 1e300): got 0.0. Give a positive number."),
    (
        lambda: G(1, [1, nan]),
        ParameterError,
        "rate must be finite (at most 1e300 in size): position 1 has nan. Give a finite number.",
    ),
    (
        lambda: G(1, 1).update(),
        DataError,
        "GammaPoisson takes the data in one form, raw counts, total= with weight=, or Counts: got none. Give "
        "exactly one.",
    ),
    (
        lambda: G(1, 1).update([1.5]),
        DataError,
        "data must be whole counts ≥ 0 or NaN (missing): position 0 has 1.5. Give counts, or total= and weight=.",
    ),
    (
        lambda: G(1, 1).update([-1]),
        DataError,
        "data must be whole counts ≥ 0 or NaN (missing): position 0 has -1.0. Give counts, or total= and weight=.",
    ),
    (
        lambda: G(1, 1).update(total=3),
        DataError,
        "weight= is missing: got only the other. Give total= and weight= together.",
    ),
    (
        lambda: G(1, 1).update(weight=3),
        DataError,
        "total= is missing: got only the other. Give total= and weight= together.",
    ),
    (
        lambda: G(1, 1).update(total=-3, weight=1),
        DataError,
        "total must be finite and ≥ 0: got -3.0. Give counts or sums of weights.",
    ),
    (
        lambda: G(1, 1).log_evidence(total=3, weight=1),
        DataError,
        "log_factorials= is missing: the evidence of a sequence needs Σ ln x!, which a total does not know. "
        "Give the raw counts, log_factorials=, or ask for of='total'.",
    ),
    (
        lambda: G(1, 1).log_evidence(total=3.5, weight=1, of="total"),
        DataError,
        "total must be whole for the evidence of a total: got 3.5. Weighted data: ask for of='sequence'.",
    ),
    (lambda: G(1, 1).log_evidence([1], of="counts"), ParameterError, "of must be 'sequence' or 'total': got 'counts'."),
    (
        lambda: G(1, 1).update(total=3, weight=0),
        DataError,
        "total must be 0 where weight is 0: got 3.0. Give the weight of what was added up.",
    ),
    (
        lambda: G.mle(total=0, weight=0),
        DataError,
        "weight must be > 0 for a maximum likelihood rate: got 0.0. Nothing was seen: use a prior, "
        "GammaPoisson(shape, rate).",
    ),
    (lambda: G(1, 1).log_pdf(-1), ParameterError, "theta must be ≥ 0 and finite: got -1.0. Give a Poisson rate."),
    (
        lambda: G(1, 1).predictive(-1),
        ParameterError,
        "n must be ≥ 0: got -1.0. Give the number of counts that are added up.",
    ),
    (
        lambda: G(1e15, 1e-10).predictive(1).sample(1, rng=0),
        ParameterError,
        "draws must fit int64, so their Poisson rate must be ≤ 9.2e18: position 0 has 1.000000003975944e+25. "
        "Measure the counts in larger units.",
    ),
    (
        lambda: N(nan, 1, 1, 1),
        ParameterError,
        "location must be finite (at most 1e300 in size): got nan. Give a finite number.",
    ),
    (
        lambda: N(0, 0, 1, 1),
        ParameterError,
        "strength must be > 0 (from 1e-300 to 1e300): got 0.0. Give a positive number.",
    ),
    (
        lambda: N(0, 1, -1, 1),
        ParameterError,
        "shape must be > 0 (from 1e-300 to 1e300): got -1.0. Give a positive number.",
    ),
    (
        lambda: N([0, 1], 1, 1, [1, 2, 3]),
        ParameterError,
        "shapes do not go together: location (2,), strength (), shape (), scale (3,). Give shapes that broadcast.",
    ),
    (
        lambda: N(0, 1, 1, 1).update(),
        DataError,
        "NormalInverseGamma takes the data in one form, raw values, weight= with mean= and dp=, or Moments: "
        "got none. Give exactly one.",
    ),
    (
        lambda: N(0, 1, 1, 1).update([1.0, inf]),
        DataError,
        "data must be finite, or NaN where missing: position 1 has inf. Drop the value or mark it missing.",
    ),
    (
        lambda: N(0, 1, 1, 1).update([[1.0, 2.0], [-inf, 2.0]]),
        DataError,
        "data must be finite, or NaN where missing: position (1, 0) has -inf. Drop the value or mark it missing.",
    ),
    (
        lambda: N(0, 1, 1, 1).update(weight=1, mean=2),
        DataError,
        "dp= is missing: got only some of weight, mean, dp. Give them together.",
    ),
    (
        lambda: N(0, 1, 1, 1).update(weight=1, mean=nan, dp=2),
        DataError,
        "mean must be finite: got nan. Give 0 where the weight is 0.",
    ),
    (
        lambda: N(0, 1, 1, 1).update(weight=1, mean=0, dp=-2),
        DataError,
        "dp must be finite and ≥ 0: got -2.0. Give Σ w (x − x̄)².",
    ),
    (
        lambda: N(0, 1, 1, 1).update([1.0, 2.0], weights=[1, 2, 3]),
        DataError,
        "weights must have one entry for each value or row, shape (2,): got shape (3,). Give as many.",
    ),
    (
        lambda: N(0, 1, 1, 1).update([1.0, 2.0], weights=[1, -2]),
        DataError,
        "weights must be finite and ≥ 0: position 1 has -2.0. Give counts or sums of weights.",
    ),
    (
        lambda: N(0, 1, 1, 1).update(weight=1, mean=0, dp=2, weights=[1]),
        DataError,
        "weights= goes with raw values: got it with a statistic, whose weight is in it. Drop weights=.",
    ),
    (
        lambda: N(0, 1, 1, 1).update([1e200, -1e200]),
        DataError,
        "the sum of squares must be finite: got inf. Rescale the column.",
    ),
    (
        lambda: N(0, 1, 1, 1).update([1e170]),
        DataError,
        "the sum of squares must be at most 1e300: got inf. Rescale the column.",
    ),
    (
        lambda: N.mle([nan]),
        DataError,
        "weight must be > 0 for maximum likelihood: got 0.0. Nothing was seen: use a prior, "
        "NormalInverseGamma(location, strength, shape, scale).",
    ),
    (
        lambda: N(0, 1, 1, 1).log_pdf(0, 0),
        ParameterError,
        "variance must be > 0 and finite: got 0.0. Give σ² in the unit of x².",
    ),
    (
        lambda: N(0, 1, 1, 1).log_pdf(nan, 1),
        ParameterError,
        "location must be a number: got nan. Leave missing values out: they add nothing.",
    ),
    (
        lambda: N(0, 1, 1, 1).predictive(0),
        ParameterError,
        "n must be ≥ 1: got 0.0. Give the number of further values whose mean is asked for.",
    ),
    (
        lambda: N(0, 1, 1, 1).interval(0),
        ParameterError,
        "level must be a number between 0 and 1: got 0. Give for example 0.95.",
    ),
    (
        lambda: StudentT(0, 0, 1),
        ParameterError,
        "degrees must be > 0 (from 1e-300 to 1e300): got 0.0. Give a positive number.",
    ),
    (
        lambda: StudentT(1, 0, 1).log_pdf(nan),
        ParameterError,
        "x must be a number: got nan. Leave missing values out: they add nothing.",
    ),
    (
        lambda: W([0], 1, 2, I2),
        ParameterError,
        "location must have 2 entries along the last axis, as scale_matrix: got shape (1,). Give D.",
    ),
    (
        lambda: W(0, 1, 2, I2),
        ParameterError,
        "location must have 2 entries along the last axis, as scale_matrix: got shape (). Give D.",
    ),
    (
        lambda: W([0, 0], 1, 1, I2),
        ParameterError,
        "degrees must be > D − 1 = 1: got 1.0. Give at least as many degrees as columns.",
    ),
    (
        lambda: W([0, 0], 1, 2, [[1, 2], [2, 1]]),
        ParameterError,
        "scale_matrix must be positive definite: its smallest eigenvalue is -1. Add a positive diagonal, or "
        "drop columns that depend on others.",
    ),
    (
        lambda: W([0, 0], 1, 2, [[1, 2], [0, 5]]),
        ParameterError,
        "scale_matrix must be symmetric: position (0, 1) has 2.0, its mirror 0.0. Give (A + Aᵀ)/2.",
    ),
    (
        lambda: W([0, 0], 1, 2, [[0, 0], [0, 1]]),
        ParameterError,
        "scale_matrix must be positive definite: its smallest eigenvalue is 0. Add a positive diagonal, or "
        "drop columns that depend on others.",
    ),
    (
        lambda: W([0, 0], 1, 2, [1, 2]),
        ParameterError,
        "scale_matrix must be square, shape (…, D, D): got shape (2,). Give a matrix for D columns.",
    ),
    (
        lambda: W([0, 0], [1, 1, 1], [2, 2], I2),
        ParameterError,
        "shapes do not go together: location (2, 1), strength (3, 1, 1), degrees (2, 1, 1), scale_matrix (2, "
        "2). Give shapes that broadcast.",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).update([1.0, 2.0]),
        DataError,
        "data must have 2 or more axes, rows and columns, shape (…, N, D): got shape (2,). Give an array.",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).update([[1.0, 2.0, 3.0]]),
        DataError,
        "data must have 2 columns, as the prior: got mean of shape (3,) and scatter of shape (3, 3). Give the"
        " same columns.",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).update([[1.0, inf]]),
        DataError,
        "data must be finite, or NaN where missing: position (0, 1) has inf. Drop the value or mark it missing.",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).update(weight=1, mean=[0, 0]),
        DataError,
        "scatter= is missing: got only some of weight, mean, scatter. Give them together.",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).update(weight=1, mean=[0, 0], scatter=[1, 2]),
        DataError,
        "scatter must be square, shape (…, D, D): got shape (2,). Give Σ w (x − x̄)(x − x̄)ᵀ.",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).update(weight=1, mean=[0, 0], scatter=[[1, 2], [3, 1]]),
        DataError,
        "scatter must be symmetric: position (0, 1) has 2.0. Give Σ w (x − x̄)(x − x̄)ᵀ.",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).update(weight=1, mean=[0, 0], scatter=[[-1, 0], [0, 1]]),
        DataError,
        "the diagonal of scatter must be ≥ 0: position 0 has -1.0. Give Σ w (x − x̄)(x − x̄)ᵀ.",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).update([[1e200, 0.0], [0.0, 1.0]]),
        DataError,
        "the scatter must be finite: position (0, 0) has inf. Rescale the column.",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).update([[1.0, 2.0]], weights=[[1, 2]]),
        DataError,
        "weights must have one entry for each value or row, shape (1,): got shape (1, 2). Give as many.",
    ),
    (
        lambda: W.mle(np.zeros((0, 2))),
        DataError,
        "weight must be > 0 for maximum likelihood: got 0.0. Nothing was seen: use a prior, "
        "NormalInverseWishart(location, strength, degrees, scale_matrix).",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).log_pdf([0, 0, 0], I2),
        ParameterError,
        "location and covariance must have 2 entries along their last axis: got shapes (3,) and (2, 2). Give "
        "D and D × D.",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).log_pdf([0, 0], [[1, 2], [2, 1]]),
        ParameterError,
        "covariance must be positive definite: its smallest eigenvalue is -1. Add a positive diagonal, or "
        "drop columns that depend on others.",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).predictive(0),
        ParameterError,
        "n must be ≥ 1: got 0.0. Give the number of further rows whose mean is asked for.",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).predictive().log_pdf([1, 2, 3]),
        ParameterError,
        "x must have 2 entries along the last axis: got shape (3,). Give one a column.",
    ),
    (
        lambda: W([0, 0], 1, 2, I2).predictive().component(2),
        ParameterError,
        "j must be below the number of components 2: got 2. Components start at 0.",
    ),
    (
        lambda: MultivariateT(1, [0], I2),
        ParameterError,
        "location must have 2 entries along the last axis: got shape (1,). Give D.",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES, ids=[str(i) for i in range(len(CASES))])
def test_the_whole_text(call: Callable[[], object], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == text
    assert isinstance(caught.value, ValueError)


def test_scipy_stats_is_not_imported() -> None:
    code = "import sys, suffice.conjugate; sys.exit('scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


EXTREMES = (1e-300, 1e-8, 1e-4, 0.5, 1.0, 2.0, 1e8, 1e12, 1e300)


def test_no_nan_for_finite_input() -> None:
    a, b = (each.reshape(-1) for each in np.meshgrid(EXTREMES, EXTREMES))
    beta, gamma, normal = B(a, b), G(a, b), N(0.5, b, a, b)
    answers = [
        beta.mean, beta.variance, beta.mode.value, beta.map_estimate, beta.log_pdf(0), beta.log_pdf(1e-300),
        beta.log_pdf(0.5), beta.log_pdf(1), *beta.interval(), beta.log_evidence(successes=1e12, failures=0),
        beta.log_evidence(successes=0, failures=3, of="counts"), beta.predictive(7).log_pmf(3),
        beta.predictive(7).cdf(3),
        beta.predictive(10**12).cdf(10**11), beta.predictive(10**12).variance, beta.sample(3, rng=0),
        gamma.mean, gamma.variance, gamma.map_estimate, gamma.log_pdf(0), gamma.log_pdf(1e-300), gamma.log_pdf(1e300),
        *gamma.interval(), *gamma.interval(0.9, "highest-density"), gamma.log_evidence([0, 3]),
        gamma.predictive().log_pmf([[0], [7]]), gamma.predictive(1e12).cdf([[0], [7]]), gamma.predictive().variance,
        gamma.sample(3, rng=0),
        *normal.mean, *normal.mean_estimate, *normal.variance, *normal.map_estimate, *normal.sample(3, rng=0),
        *normal.interval().location, *normal.interval().variance, *normal.interval(0.9, "highest-density").variance,
        normal.log_pdf(0, 1e-300), normal.log_pdf(1e100, 1e300), normal.log_evidence([0.0, 1e8]),
        normal.predictive().log_pdf([[0.0], [1e300]]), normal.predictive().cdf([[0.0], [1e300]]),
        normal.predictive().variance, normal.predictive().sample(3, rng=0),
    ]  # fmt: skip
    for number, answer in enumerate(answers):
        assert not np.isnan(answer).any(), number


def test_no_nan_for_extreme_dirichlets() -> None:
    alpha = np.array([[x, y, 1.0] for x in EXTREMES for y in EXTREMES])
    model = D(alpha[alpha.sum(axis=-1) <= 1e300])
    answers = [
        model.mean, model.variance, model.covariance, model.mode.value, model.map_estimate, *model.interval(),
        model.log_pdf([0, 0.5, 0.5]), model.log_pdf([0, 0, 1]), model.log_evidence(counts=[0, 1e12, 3]),
        model.predictive(5).log_pmf([5, 0, 0]), model.predictive(5).covariance, model.predictive(5).cdf([5, 0, 0]),
        model.sample(3, rng=0), model.predictive(5).sample(3, rng=0),
    ]  # fmt: skip
    for number, answer in enumerate(answers):
        assert not np.isnan(answer).any(), number
