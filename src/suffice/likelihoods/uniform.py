"""Columns of real numbers ≥ 0 that are uniform up to an unknown bound: x_j ~ Uniform[0, θ_jc] in class c.

Symbols: n = Σ w and x₊ = max x over the rows of class c in which x_j is observed. The prior on θ is Pareto(m, k), the
density k m^k/θ^(k+1) for θ ≥ m, as after k observations whose largest is m. The posterior is Pareto(M, k'), with
M = max(m, x₊) and k' = k + n.

    mle          x₊; the largest x₊ of all classes if n = 0
    smoothed     x₊ (n + λ)/n: λ times the mean gap x₊/n between ordered values is added; λ = 1 is unbiased
    map          M, because the density of the posterior decreases
    mean         M k'/(k' − 1) if k' > 1, otherwise the posterior median M 2^(1/k')
    predictive   k'/((k' + 1) M) for x ≤ M, k' M^k'/((k' + 1) x^(k'+1)) for x > M
    term         −ln θ for 0 ≤ x ≤ θ, −inf for x > θ
      predictive ln(k'/(k' + 1)) − ln M − (k' + 1) ln(x/M)₊
    evidence     Σ_jc [ln k − ln k' + k ln m − k' ln M]
    interval     M (1 − p)^(−1/k') at the two tail probabilities p

The default prior has k = 1 (one observation) and m = the smallest positive x₊ of any class. For a class with a positive
value, m ≤ x₊ and the posterior is Pareto(x₊, n + 1), whatever m is; m matters for a class without values or with zeros
only, and for the evidence. The prior is a function of the statistics, so it merges, and it moves with x → s x, s > 0,
so that rescaling a column changes no class posterior. A column whose values are all 0 contributes 0 to every class.

Under every estimate except predictive, a value above θ in every class is impossible. A negative value is an error in
training and impossible at prediction. The maximum of all rows does not determine that of some of them, so rows cannot
be removed.

The divergence of a class (terms/divergence.py) is computed by Gauss–Legendre quadrature in ln x, between the bounds of
all classes and, beyond the last, up to a remaining mass of e⁻⁴⁰.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import (
    BlockStatistics,
    Collect,
    Numbers,
    align_classes,
    broadcast_parameter,
    parse_numbers,
    select_columns,
    transpose_table,
)
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.likelihood import Likelihood, Parameter
from suffice.likelihoods.terms.divergence import Other, log_of_rest, weigh
from suffice.likelihoods.terms.split import Facts, NumberSplit, Rows, Split, no_facts, no_outcome
from suffice.likelihoods.terms.term import Layout, Term, UncertainTerm, contiguous, require_posterior
from suffice.statistics import Maxima
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.axis import Columns

if TYPE_CHECKING:
    from scipy.stats._distn_infrastructure import rv_continuous_frozen

__all__ = ["Uniform", "UniformDensity"]

_GREATEST = np.finfo(np.float64).max
_LEAST = np.finfo(np.float64).tiny
_FAR = 40.0
_NODES = 64


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Uniform(Likelihood):
    """Uniform likelihood on [0, θ] for columns of real numbers ≥ 0, with one bound θ per class and column.

    The prior on θ is a Pareto distribution, which is equivalent to `prior_weight` observations whose largest is
    `prior_maximum`. Rows cannot be removed from a model with such columns.

    Parameters
    ----------
    prior_maximum : float or array > 0, optional
        m, as a scalar, one value per column, or one per class and column. Default: the smallest positive maximum of any
        class.
    prior_weight : float or array > 0, optional
        k, in the same shapes. Default: 1.

    Examples
    --------
    >>> import suffice as sf
    >>> waits, lines = [[2.0], [7.5], [4.0], [1.0], [19.0], [11.0]], ["tram", "tram", "tram", "bus", "bus", "bus"]
    >>> model = sf.fit(waits, lines, columns=sf.Uniform(), calibrate=False)
    >>> model.predict_proba([[3.0], [8.0], [12.0]]).round(3)
    array([[0.283, 0.717],
           [0.353, 0.647],
           [0.805, 0.195]])
    """

    column_by_column: ClassVar[bool] = True

    prior_maximum: Numbers | None
    prior_weight: Numbers | None

    def __init__(self, prior_maximum: npt.ArrayLike | None = None, prior_weight: npt.ArrayLike | None = None) -> None:
        self._set(
            prior_maximum=parse_numbers("prior_maximum", prior_maximum),
            prior_weight=parse_numbers("prior_weight", prior_weight),
        )

    def collect(self, columns: Columns) -> Collect:
        """Return the statistics to collect: the weight and the maximum of each column."""
        return Collect("maxima", columns)

    def restrict(self, stay: BoolArray) -> Uniform:
        """Return the likelihood restricted to a subset of columns, with their priors."""
        given = self.prior_maximum, self.prior_weight
        return Uniform(*(None if each is None else select_columns(np.asarray(each), stay) for each in given))

    def terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        """Return the densities; their Pareto tails for the predictive estimate."""
        values = self._posterior(block)
        if not values.columns:
            return ()
        if block.reading.estimate != "predictive":
            return (UniformDensity.up_to(values.columns, self._bounds(block, values)),)
        height = -np.log1p(1 / values.k) - np.log(values.m)
        return (UniformDensity(values.columns, *map(transpose_table, (values.m, height, values.k + 1))),)

    def n_parameters(self, block: BlockStatistics) -> int:
        """Return one bound for each class and column that is not all zeros."""
        return len(block.classes) * len(self._posterior(block).columns)

    def uncertain(self, block: BlockStatistics) -> tuple[UncertainTerm, ...]:
        """Return the posterior Pareto(M, k') of each class and column."""
        values = self._posterior(block)
        if not values.columns:
            return ()
        require_posterior(values.prior_k, values.columns)
        return (_UncertainBounds(values),)

    def log_evidence(self, block: BlockStatistics) -> float:
        """Return the log density of the values, with the bounds integrated out; 0 for a column of zeros."""
        values = self._posterior(block)
        if not values.n.any():
            return 0.0
        if not (values.prior_k > 0).all():  # λ = 0 is an improper prior
            return -np.inf
        excess = np.log(values.prior_m) - np.log(values.m)
        return float(
            (values.prior_k * excess - np.log1p(values.n / values.prior_k) - values.n * np.log(values.m)).sum()
        )

    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield θ_jc of every class and column; none for a column of zeros."""
        values = self._posterior(block)
        bound, nothing = self._bounds(block, values), np.full(values.m.shape, np.nan)
        tails = (1 + credible) / 2, (1 - credible) / 2
        proper = (values.prior_k > 0).all()
        lower, upper = (values.quantile(tail) if proper else nothing for tail in tails)
        for c, label in enumerate(block.classes):
            for j, column in enumerate(values.columns):
                numbers = float(bound[c, j]), float(lower[c, j]), float(upper[c, j])
                n = float(values.n[c, j])
                yield Parameter(label, column, None, "upper bound", block.reading.estimate, *numbers, n=n)

    def posterior(self, block: BlockStatistics, column: str | int, c: int) -> rv_continuous_frozen:
        """Return Pareto(M, k') of the bound θ, a frozen ``scipy.stats.pareto``."""
        from scipy import stats

        values = self._posterior(block)
        if column not in values.columns:
            raise ParameterError(
                "all values of the column are 0 or unknown, so its bound has no posterior", column=column
            )
        require_posterior(values.prior_k[c], (column,))
        j = values.columns.index(column)
        return stats.pareto(float(values.k[c, j]), scale=float(values.m[c, j]))

    def sample(self, block: BlockStatistics, draw: Draw) -> list[npt.NDArray[Any]]:
        """Draw numbers up to the bound, which is drawn for each row for the predictive estimate."""
        part = _maxima(block)
        values = self._posterior(block)
        cells = np.where(part.weight.any(axis=0), np.zeros((draw.rows, len(block.columns))), np.nan)
        if values.columns:
            if draw.posterior:
                require_posterior(values.prior_k, values.columns)
                bound = values.draw(draw.rng)[draw.classes]
            elif block.reading.estimate == "predictive":
                bound = values.of_rows(draw.classes).draw(draw.rng)
            else:
                bound = self._bounds(block, values)[draw.classes]
            cells[:, [block.columns.index(name) for name in values.columns]] = bound * draw.rng.random(bound.shape)
        return [cells[:, j] for j in range(len(block.columns))]

    def _posterior(self, block: BlockStatistics) -> _Posterior:
        part, smoothing, estimate = _maxima(block), block.reading.alpha, block.reading.estimate
        n, largest = (align_classes(each, part.classes, block.classes) for each in (part.weight, part.maximum))
        given = estimate not in ("mle", "smoothed")
        weight = 1.0 if self.prior_weight is None or not given else self.prior_weight
        k = broadcast_parameter("prior_weight", weight if smoothing is None else smoothing, *block.shape)
        if given and self.prior_maximum is not None:
            m = broadcast_parameter("prior_maximum", self.prior_maximum, *block.shape)
        else:
            least = np.where(largest > 0, largest, np.inf).min(axis=0, initial=np.inf)
            m = np.broadcast_to(np.where(np.isfinite(least), np.maximum(least, _LEAST), 0.0), n.shape)
        kept = np.flatnonzero(m.any(axis=0))
        names = tuple(block.columns[j] for j in kept.tolist())
        n, m, k, largest = (each[:, kept] for each in (n, m, k, largest))
        return _Posterior(n, m, k, np.maximum(m, largest), k + n, names)

    def _bounds(self, block: BlockStatistics, values: _Posterior) -> FloatArray:
        # θ of the estimate, (C, D); its posterior mean for the predictive estimate.
        estimate = block.reading.estimate
        if estimate == "map":
            return values.m
        if estimate not in ("mle", "smoothed"):
            return values.mean()
        pooled = np.where(values.n > 0, values.m, 0.0).max(axis=0, initial=0.0)
        n = np.where(values.n > 0, values.n, 1.0)
        with np.errstate(over="ignore"):
            bound = values.m * (1 + values.prior_k / n) if estimate == "smoothed" else values.m
        return np.minimum(np.where(values.n > 0, bound, pooled), _GREATEST)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Posterior:
    """n, the prior's m and k, M and k' (C, D) of the columns that have a positive value or a given prior."""

    n: FloatArray
    prior_m: FloatArray
    prior_k: FloatArray
    m: FloatArray
    k: FloatArray
    columns: Columns

    def of_rows(self, classes: IntArray) -> _Posterior:
        """Return the posterior for rows of these classes, (rows, D)."""
        n, m, k = self.n[classes], self.prior_m[classes], self.prior_k[classes]
        return _Posterior(n, m, k, self.m[classes], self.k[classes], self.columns)

    def mean(self) -> FloatArray:
        """Return E θ = M k'/(k' − 1), and the median where k' ≤ 1."""
        finite = self.k > 1
        with np.errstate(over="ignore"):
            mean = self.m * (1 + 1 / np.where(finite, self.k - 1, 1.0))
            return np.minimum(np.where(finite, mean, self.quantile(0.5)), _GREATEST)

    def quantile(self, tail: float) -> FloatArray:
        """Return the θ with that probability above it."""
        with np.errstate(over="ignore"):
            return self.m * np.exp(-math.log(tail) / self.k)

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """Return one draw of each θ."""
        with np.errstate(over="ignore"):
            return np.minimum(self.m * np.exp(rng.standard_exponential(self.m.shape) / self.k), _GREATEST)


def _maxima(block: BlockStatistics) -> Maxima:
    (part,) = block.parts
    assert isinstance(part, Maxima)
    return part


@final
@dataclass(frozen=True, slots=True, eq=False)
class UniformDensity(Term):
    """height for 0 ≤ x ≤ bound, height − exponent · ln(x/bound) above, −inf below 0; each of shape (D, C).

    An infinite exponent makes values above the bound impossible.
    """

    columns: Columns
    bound: FloatArray
    height: FloatArray
    exponent: FloatArray

    per_column: ClassVar[tuple[str, ...]] = ("bound", "height", "exponent")
    proportional: ClassVar[tuple[str, ...]] = ("height", "exponent")

    @classmethod
    def up_to(cls, columns: Columns, bound: FloatArray) -> UniformDensity:
        """Return the uniform densities up to these bounds (C, D), above which values are impossible."""
        return cls(columns, *map(transpose_table, (bound, -np.log(bound), np.full_like(bound, np.inf))))

    def compile(self, layout: Layout) -> None:
        """Add the three tables."""
        tables = map(contiguous, (self.bound, self.height, self.exponent))
        layout.tables.add_uniform(layout.numbers(self.columns), *tables)

    def split(self, rows: Rows, block: BlockStatistics) -> Split:
        """Return an entry for each observed cell."""
        facts = _maximum_facts(block, self.columns)

        def contributions(x: FloatArray) -> FloatArray:
            return _log_density(x[..., None], self.bound, self.height, self.exponent)

        return NumberSplit(self.columns, rows.numbers(self.columns), contributions, facts, no_outcome)

    def divergence(self, log_weight: FloatArray, other: Other = log_of_rest) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield each column and its divergence from the other density."""
        for j, column in enumerate(self.columns):
            tables = self.bound[j], self.height[j], self.exponent[j]
            divergence = [_divergence(c, *tables, log_weight, other) for c in range(len(log_weight))]
            yield column, np.array(divergence)

    def log_units(self) -> FloatArray:
        """Return the log of the largest bound of each column."""
        return np.log(self.bound.max(axis=1))


def _log_density(x: FloatArray, bound: FloatArray, height: FloatArray, exponent: FloatArray) -> FloatArray:
    # As in the core: the log of x/bound, where a quotient that exceeds float64 is replaced by the largest float.
    with np.errstate(over="ignore", invalid="ignore"):
        beyond = x > bound
        ratio = np.where(beyond, np.log1p(np.minimum((x - bound) / bound, _GREATEST)), 0.0)
        tail = np.where(beyond & np.isinf(exponent), np.inf, np.where(beyond, exponent, 0.0) * ratio)
    return np.where((x < 0) | np.isposinf(x), -np.inf, np.where(np.isnan(x), np.nan, height - tail))


def _divergence(
    c: int,
    bound: FloatArray,
    height: FloatArray,
    exponent: FloatArray,
    log_weight: FloatArray,
    other: Other,
) -> float:
    # Up to the smallest bound every density is constant; from there on t = ln x is cut at every bound.
    start = float(np.log(bound[c]))
    end = start + (_FAR / (exponent[c] - 1) if np.isfinite(exponent[c]) else 0.0)
    cuts = np.unique(np.append(np.log(bound), end))
    cuts = cuts[cuts <= end]
    u, weight = np.polynomial.legendre.leggauss(int(np.clip(16 * _NODES // max(len(cuts), 1), 8, _NODES)))
    u, weight = (u + 1) / 2, weight / 2
    # The densities change fastest just above a bound: t = cut + length · u³ has most of its points there.
    length = np.diff(cuts)[:, None]
    t = np.concatenate([cuts[:1], (cuts[:-1, None] + length * u**3).ravel()])
    log_step = np.log(np.concatenate([[1.0], (length * 3 * u**2 * weight).ravel()]))
    logs = _log_density(np.exp(t)[:, None], bound, height, exponent)
    log_mass = logs[:, c] + t + log_step
    mass = np.exp(log_mass - log_mass.max())
    ratio = logs[:, c] - other(logs, log_weight)[:, c]
    return max(float(weigh(mass / mass.sum(), ratio).sum()), 0.0)


def _maximum_facts(block: BlockStatistics, columns: Columns) -> Facts:
    part = block.parts[0]
    if not isinstance(part, Maxima):
        return no_facts
    where = [part.columns.index(name) for name in columns]
    weight, maximum = (
        align_classes(each, part.classes, block.classes)[:, where] for each in (part.weight, part.maximum)
    )

    def facts(column: int, _outcome: int, classes: IntArray) -> dict[str, float]:
        return {"maximum": float(maximum[classes, column].max())} if weight[classes, column].any() else {}

    return facts


@final
@dataclass(frozen=True, slots=True, eq=False)
class _UncertainBounds(UncertainTerm):
    """Uniform columns with the posterior of their bounds."""

    posterior: _Posterior

    def draw(self, rng: np.random.Generator) -> UniformDensity:
        """Return the term with bounds drawn from the posterior."""
        return UniformDensity.up_to(self.posterior.columns, self.posterior.draw(rng))
