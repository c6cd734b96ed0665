"""Probabilities of K outcomes under a Dirichlet prior, as in Bernoulli, Categorical, Histogram and Multinomial.

Symbols: counts N_k and prior counts α_k along the last axis, n = Σ_k N_k, α₀ = Σ_k α_k.

    mle        N_k/n, and 1/K if n = 0
    smoothed   (N_k + λ_k)/(n + Σ_k λ_k), the mean under Dir(λ); λ = 0 gives the mle
    map        (N_k + α_k − 1)/(n + α₀ − K), clipped at 0 and renormalised; the mean if all are clipped
    mean       (N_k + α_k)/(n + α₀)           predictive   for a single draw: the mean
    evidence   ln B(α + N) − ln B(α), for the sequence of outcomes

The prior counts are those of the user: α > 0 as a scalar, one value per column, or one per class and column. The
default is 1 for mean, predictive and smoothed, and 2 for map; mle has no prior, and its evidence uses 1. For
alpha="evidence" (or prior="evidence", which is stored as alpha) α is chosen by maximum marginal likelihood, for each
column or for the block if that has one distribution; "shared evidence" chooses one α for all columns. map then uses
1 + α, whose mode is the mean under α, and smoothed uses its own λ.

Maximum marginal likelihood of a symmetric prior Dir(α, …, α), with counts N_ck of K outcomes in C classes,
n_c = Σ_k N_ck, and ψ the digamma function:

    ln p(N | α)     = Σ_c { ln Γ(Kα) − ln Γ(Kα + n_c) + Σ_k [ln Γ(α + N_ck) − ln Γ(α)] }
    d/dα ln p       = Σ_c { K ψ(Kα) − K ψ(Kα + n_c) + Σ_k [ψ(α + N_ck) − ψ(α)] }
    ψ(z + n) − ψ(z) = ln(1 + n/z) + n/(2z(z + n)) + [1/z² − 1/(z + n)²]/12 + …     for large z, where ψ cancels
    shared            ln p summed over several columns, each with outcomes of its own, for one α

Equal counts push α to infinity and pure classes push it to 0, so the search is limited to [0.001, 1]: a few rows whose
counts happen to be equal must not make their column uninformative, and 1 is the default elsewhere. If the slope has one
sign throughout, the result is the bound. A shared α may have several local maxima: the best point of a grid is refined
to the root of the slope between its neighbours. α is a function of the statistics, so it merges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, cast, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import option, positive
from suffice.conjugate import DirichletMultinomial
from suffice.conjugate.special import digamma, log_gamma_draws, log_rising
from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import BlockStatistics, Estimate, Numbers, parse_numbers, select_columns
from suffice.likelihoods.terms.term import Term, UncertainTerm
from suffice.statistics.arrays import BoolArray, FloatArray

__all__ = [
    "EVIDENCE",
    "LEAST_ALPHA",
    "MOST_ALPHA",
    "MOST_COUNT",
    "SHARED",
    "Alpha",
    "EvidenceAlpha",
    "UncertainOutcomes",
    "broadcast_prior",
    "choose_alpha",
    "compute_intervals",
    "compute_log_evidence",
    "default_alpha",
    "draw_log_simplex",
    "estimate_log_probabilities",
    "estimate_probabilities",
    "fit_alpha",
    "fit_alphas",
    "fit_shared_alpha",
    "format_alpha",
    "named_posterior",
    "parse_alpha",
    "parse_prior",
    "select_alpha",
    "sum_log_evidence",
]

Alpha: TypeAlias = Numbers
EvidenceAlpha: TypeAlias = Literal["evidence", "shared evidence"]
EVIDENCE, SHARED = "evidence", "shared evidence"
LEAST_ALPHA, MOST_ALPHA = 1e-3, 1.0
MOST_COUNT = 1e290  # larger counts are clipped, so that ln Γ and sums of counts are finite
_LARGE = 1e4
_GRID = 49


def default_alpha(estimate: Estimate) -> float:
    """Return the default prior count of each outcome."""
    return 2.0 if estimate == "map" else 1.0


def estimate_probabilities(counts: FloatArray, alpha: FloatArray, estimate: Estimate) -> FloatArray:
    """Return the estimated probabilities of the outcomes, from counts and prior counts of the same shape (…, K)."""
    if estimate == "mle" or not counts.size:
        return DirichletMultinomial.mle(counts=counts) if counts.size else counts
    if estimate == "smoothed":
        both = counts + alpha
        total = both.sum(axis=-1, keepdims=True)
        return np.where(total > 0, both / np.where(total > 0, total, 1.0), 1 / counts.shape[-1])
    posterior = DirichletMultinomial(counts + alpha)
    return posterior.map_estimate if estimate == "map" else posterior.mean


def estimate_log_probabilities(counts: FloatArray, alpha: FloatArray, estimate: Estimate) -> FloatArray:
    """Return the logs of the estimated probabilities, −inf for impossible outcomes."""
    with np.errstate(divide="ignore"):
        return np.log(estimate_probabilities(counts, alpha, estimate))


def sum_log_evidence(counts: FloatArray, alpha: FloatArray) -> float:
    """Return the log probability of the sequence of outcomes, summed over all leading positions.

    λ = 0 is an improper prior: the evidence is then −inf as soon as any count is positive.
    """
    if not counts.any():
        return 0.0
    if not (alpha > 0).all():
        return -np.inf
    return float(np.sum(DirichletMultinomial(alpha).log_evidence(counts=np.minimum(counts, MOST_COUNT))))


def compute_log_evidence(counts: FloatArray, alpha: FloatArray) -> FloatArray:
    """Return the log probability of each sequence of outcomes, of shape (…) for counts of shape (…, K)."""
    if (alpha > 0).all():
        return np.asarray(DirichletMultinomial(alpha).log_evidence(counts=np.minimum(counts, MOST_COUNT)))
    return np.where(counts.any(axis=-1), -np.inf, 0.0)


def compute_intervals(counts: FloatArray, alpha: FloatArray, credible: float) -> tuple[FloatArray, FloatArray]:
    """Return the marginal equal-tailed interval of each probability under the posterior Dir(N + α).

    The bounds are NaN if there is only one outcome or the prior is improper (λ = 0).
    """
    if counts.shape[-1] < 2 or not counts.size or not (alpha > 0).all():
        return np.full(counts.shape, np.nan), np.full(counts.shape, np.nan)
    interval = DirichletMultinomial(counts + alpha).interval(credible)
    return np.asarray(interval.lower), np.asarray(interval.upper)


def named_posterior(alpha: FloatArray, outcomes: Sequence[Any], column: str | int) -> DirichletMultinomial:
    """Return Dir(α) with the first of these outcomes, one for each α; raise ParameterError if there is none."""
    if not alpha.size:
        raise ParameterError("no value of the column is known, so there is no posterior", column=column)
    return DirichletMultinomial(alpha, outcomes[: len(alpha)])


def parse_alpha(given: Any, *, columns: bool) -> Alpha | EvidenceAlpha | None:
    """Return alpha as "evidence", a float or tuples of floats, which support ==; or raise ParameterError.

    "shared evidence" is allowed if the likelihood models its `columns` independently.
    """
    if isinstance(given, str):
        allowed: Any = option("alpha", given, _evidence_rules(columns))
        return allowed
    return parse_numbers("alpha", given)


def parse_prior(what: str, prior: Any, alpha: Any, *, columns: bool, labels: bool = False) -> dict[str, Any]:
    """Return prior and alpha of the likelihood `what`; raise ParameterError if one is invalid or both are given.

    If `labels`, the outcomes are levels, and the prior may name them: {level: α}, or a prior with outcomes.
    """
    if labels and isinstance(prior, Mapping):
        prior = _prior_of_levels(cast("Mapping[object, Any]", prior))
    rule = prior if isinstance(prior, str) and prior in _evidence_rules(columns) else None
    if prior is not None and rule is None and not isinstance(prior, DirichletMultinomial):
        raise ParameterError(
            f"prior of {what} must be a DirichletMultinomial: got {prior!r}. "
            "Give DirichletMultinomial([…]) with one number per outcome, or alpha= for a symmetric prior."
        )
    if isinstance(prior, DirichletMultinomial) and prior.outcomes is not None and not labels:
        raise ParameterError(
            f"prior of {what} must have no outcomes, because its α are matched by position: got {prior!r}. "
            "Omit outcomes=."
        )
    if prior is not None and alpha is not None:
        raise ParameterError(f"prior and alpha of {what} are mutually exclusive: got both. Omit one of them.")
    if rule is not None:
        return {"prior": None, "alpha": rule}
    return {"prior": prior, "alpha": parse_alpha(alpha, columns=columns)}


def _prior_of_levels(prior: Mapping[object, Any]) -> DirichletMultinomial:
    if not prior:
        raise ParameterError("prior must name at least one level: got {}. Omit it, or give {level: α}.")
    alphas = [positive(f"prior[{level!r}]", alpha) for level, alpha in prior.items()]
    try:
        return DirichletMultinomial(np.stack(np.broadcast_arrays(*alphas), axis=-1), outcomes=prior)
    except ValueError as problem:
        if isinstance(problem, ParameterError):
            raise
        shapes = ", ".join(f"{level!r} {alpha.shape}" for level, alpha in zip(prior, alphas, strict=True))
        raise ParameterError(f"prior must have one α per level, or one per class and level: got {shapes}.") from None


def _evidence_rules(columns: bool) -> tuple[str, ...]:
    return (EVIDENCE, SHARED) if columns else (EVIDENCE,)


def select_alpha(alpha: Any, stay: BoolArray) -> Any:
    """Return the α of the columns where `stay` is true."""
    return alpha if alpha is None or isinstance(alpha, str) else select_columns(np.asarray(alpha), stay)


def format_alpha(alpha: float) -> str:
    """Return an α chosen by evidence as text."""
    return f"alpha {alpha:.3g}"


def choose_alpha(
    block: BlockStatistics, alpha: Alpha | EvidenceAlpha | None, fit: Callable[[], npt.ArrayLike]
) -> npt.ArrayLike:
    """Return the prior count under the estimate: λ of "smoothed", the α given, that of `fit`, or the default.

    `fit` returns the α with the greatest evidence, and is called only if it is needed.
    """
    estimate = block.reading.estimate
    if block.smoothing is not None:
        return block.smoothing
    if isinstance(alpha, str) and estimate != "smoothed":
        return np.asarray(fit()) + (estimate == "map")
    return default_alpha(estimate) if alpha is None or isinstance(alpha, str) else alpha


def broadcast_prior(
    alpha: FloatArray, shape: tuple[int, ...], column: str | int, outcomes: str, advice: str
) -> FloatArray:
    """Return α of one column for each class and outcome, or raise ParameterError."""
    if alpha.shape in ((shape[1],), (1, shape[1]), shape):
        return np.broadcast_to(alpha, shape)
    raise ParameterError(
        f"the prior of column {column!r} must have one value for each of its {outcomes}: "
        f"got shape {alpha.shape}. Give shape ({shape[1]},) or {shape}, {advice}."
    )


class _Sequences(NamedTuple):
    # For the classes that depend on α: n_c and the positive counts, both sorted; and K.
    totals: FloatArray
    positive: FloatArray
    outcomes: float


def fit_alpha(counts: FloatArray, outcomes: float | None = None) -> float:
    """Return the α in [0.001, 1] with the greatest evidence for counts of shape (classes, outcomes).

    It is 1 if there are no counts or fewer than two outcomes. `outcomes` may exceed the number of counts; the others
    have a count of 0.

    Examples
    --------
    >>> round(fit_alpha(np.array([[9.0, 1.0], [1.0, 9.0]])), 3)
    0.67
    """
    column = _summarise(counts, counts.shape[-1] if outcomes is None else outcomes)
    if column is None:
        return 1.0

    def slope(log_alpha: float) -> float:
        return _slope(column, math.exp(log_alpha))

    low, high = math.log(LEAST_ALPHA), math.log(MOST_ALPHA)
    if slope(low) <= 0:
        return LEAST_ALPHA
    if slope(high) >= 0:
        return MOST_ALPHA
    return math.exp(_find_root(slope, low, high))


def fit_shared_alpha(tables: Sequence[FloatArray], outcomes: Sequence[float] | None = None) -> float:
    """Return the α with the greatest evidence for the counts of several columns, each of shape (classes, outcomes).

    `outcomes` has the number of outcomes of each column, as in `fit_alpha`.

    Examples
    --------
    >>> one, other = np.array([[9.0, 1.0], [1.0, 9.0]]), np.array([[4.0, 0.0, 0.0], [0.0, 3.0, 1.0]])
    >>> round(fit_shared_alpha([one, other]), 3)
    0.436
    """
    sizes = [counts.shape[-1] for counts in tables] if outcomes is None else outcomes
    columns = [column for column in map(_summarise, tables, sizes) if column is not None]
    if not columns:
        return 1.0

    def height(log_alpha: float) -> float:
        return math.fsum(_log_marginal(column, math.exp(log_alpha)) for column in columns)

    def slope(log_alpha: float) -> float:
        return math.fsum(_slope(column, math.exp(log_alpha)) for column in columns)

    grid: list[float] = np.linspace(math.log(LEAST_ALPHA), math.log(MOST_ALPHA), _GRID).tolist()
    best = int(np.argmax([height(log_alpha) for log_alpha in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    if not slope(low) > 0 > slope(high):
        return LEAST_ALPHA if best == 0 else MOST_ALPHA if best == _GRID - 1 else math.exp(grid[best])
    return math.exp(_find_root(slope, low, high))


def fit_alphas(tables: Sequence[FloatArray], rule: Any) -> list[float]:
    """Return the α of each column chosen by "evidence" or "shared evidence"; nothing if α is given."""
    if not isinstance(rule, str):
        return []
    if rule == SHARED:
        return [fit_shared_alpha(tables)] * len(tables)
    return [fit_alpha(counts) for counts in tables]


def _summarise(counts: FloatArray, outcomes: float) -> _Sequences | None:
    counts = np.minimum(counts, MOST_COUNT)
    # The evidence of a class with a single row is 1/K for every α: its slope would be rounding error.
    single = (counts.sum(axis=-1) == 1) & (counts == 1).any(axis=-1)
    rows = np.sort(counts[counts.any(axis=-1) & ~single], axis=-1)
    if outcomes < 2 or not len(rows):
        return None
    # Sorted, so that the order of classes and levels does not change the last bits of the sums.
    return _Sequences(np.sort(rows.sum(axis=-1)), np.sort(rows[rows > 0]), outcomes)


def _slope(column: _Sequences, alpha: float) -> float:
    totals, positive_counts, outcomes = column
    strength = outcomes * alpha
    if strength >= _LARGE:
        of_totals = -_sum_digamma_differences(strength, totals)
    else:
        of_totals = len(totals) * _sum_digamma(np.array([strength])) - _sum_digamma(strength + totals)
    of_counts = _sum_digamma(alpha + positive_counts) - len(positive_counts) * _sum_digamma(np.array([alpha]))
    return outcomes * of_totals + of_counts


def _log_marginal(column: _Sequences, alpha: float) -> float:
    totals, positive_counts, outcomes = column
    of_totals = log_rising(np.full(len(totals), outcomes * alpha), totals)
    of_counts = log_rising(np.full(len(positive_counts), alpha), positive_counts)
    return float(of_counts.sum() - of_totals.sum())


def _sum_digamma_differences(z: float, n: FloatArray) -> float:
    # Σ ψ(z + n) − ψ(z) for large z, where the difference would lose its digits.
    after = z + n
    return float((np.log1p(n / z) + n / (2 * z * after) + n * (z + after) / (12 * z**2 * after**2)).sum())


def _find_root(function: Callable[[float], float], low: float, high: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=1e-14))


def _sum_digamma(x: FloatArray) -> float:
    return float(digamma(x).sum())


@final
@dataclass(frozen=True, slots=True, eq=False)
class UncertainOutcomes(UncertainTerm):
    """Tables of log probabilities with a Dirichlet posterior: presence, levels, histogram bins.

    Parameters
    ----------
    alpha : tuple of arrays (C, …, K)
        The posterior Dir(α + N) over the last axis of each.
    term : callable
        Makes the term from arrays of log probabilities of the same shapes.
    shift : tuple of arrays, optional
        Added to the log probabilities of each; for a density, the negative log width.
    """

    alpha: tuple[FloatArray, ...]
    term: Callable[[Sequence[FloatArray]], Term]
    shift: tuple[FloatArray, ...] | None = None

    def draw(self, rng: np.random.Generator) -> Term:
        """Return the term with log probabilities drawn from the posterior."""
        logs = [draw_log_simplex(alpha, rng) for alpha in self.alpha]
        if self.shift is not None:
            logs = [drawn + shift for drawn, shift in zip(logs, self.shift, strict=True)]
        return self.term(logs)


def draw_log_simplex(alpha: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the logs of one draw from Dir(α) over the last axis; they are finite even if the draw underflows."""
    if not alpha.size:
        return alpha
    logs = log_gamma_draws(alpha, alpha.shape, rng)
    return logs - np.logaddexp.reduce(logs, axis=-1, keepdims=True)
