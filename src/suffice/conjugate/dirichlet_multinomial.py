"""The Dirichlet-multinomial model: θ ~ Dir(α), y | θ ~ Multinomial(N, θ).

Symbols: outcomes k = 1 … K along the last axis, α₀ = Σ α_k, counts N_k, N = Σ N_k.

    posterior       Dir(α + counts)
    likelihood      of a sequence Π θ_k^N_k, of the counts N!/ΠN_k! times that
    mean            α_k/α₀       variance  α_k(α₀ − α_k)/(α₀²(α₀ + 1))      covariance  −α_k α_l/(α₀²(α₀ + 1))
    mode            (α_k − 1)/(α₀ − K) where every α_k ≥ 1 and α₀ > K;  every θ where each α_k = 1;  otherwise the
                    density is unbounded towards the faces θ_k = 0 with α_k < 1: for K = 2 these are the ends of the
                    beta, for K ≥ 3 no single point is highest
    joint           N!/Πy_k! · Π θ_k^(α_k + y_k − 1) / B(α)
    predictive      p(y) = N!/Πy_k! · Γ(α₀)/Γ(N + α₀) · Π Γ(y_k + α_k)/Γ(α_k);
                    marginal of y_k: beta-binomial(α_k, α₀ − α_k)
    posterior mean  λ · prior mean + (1 − λ) · mle,  λ = α₀/(α₀ + N)
    posterior mode  λ' · prior mode + (1 − λ') · mle,  λ' = (α₀ − K)/(α₀ − K + N)

The evidence of a sequence of outcomes is that of the counts less the log coefficient ln N!/ΠN_k!. It is computed
without cancellation, as in special.py. Source: Gelman et al., Bayesian Data Analysis, 3rd edition, §3.4 and appendix A.

Observations are labels, codes or counts, and each has its own argument, because a list such as [1, 3, 3] could be any
of the three: the faces 1 … 6 of a die, codes 0 … 5, or the counts of three outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, final

import numpy as np
import numpy.typing as npt

from suffice import arguments as check
from suffice.arguments import FloatArray, Reals, broadcast, require_all, unwrap_scalar
from suffice.conjugate.beta_binomial import BetaBinomial
from suffice.conjugate.pair import ConjugatePair, Interval, IntervalKind, Mode, density
from suffice.conjugate.special import (
    log_coefficient,
    log_dirichlet_density,
    log_dirichlet_multinomial,
    log_multinomial,
    rest,
    simplex_draws,
    xlogy,
)
from suffice.errors import DataError, ParameterError, SufficeError
from suffice.statistics import Counts
from suffice.statistics.arrays import IntArray
from suffice.statistics.labels import TUPLE, Label, canonical, key_of_label

if TYPE_CHECKING:
    from scipy.stats._multivariate import dirichlet_multinomial_frozen

__all__ = ["DirichletMultinomial"]

_SUM_TOLERANCE = 1e-9
_SHOWN = 8


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class DirichletMultinomial(ConjugatePair):
    """Dirichlet distribution of the probabilities of K outcomes, conjugate to the multinomial.

    Parameters
    ----------
    alpha : array > 0, shape (…, K), K ≥ 1
        Prior count of each outcome.
    outcomes : iterable of K labels, optional
        Labels of the outcomes in the order of `alpha`: distinct strings, numbers or booleans. With them, `update` and
        `log_evidence` accept observations as labels. 1.0 and 1 are the same label; "1", 1 and True are different.

    Examples
    --------
    >>> die = DirichletMultinomial([1, 1, 1, 1, 1, 1], outcomes=[1, 2, 3, 4, 5, 6])
    >>> die.update([1, 6, 3, 3]).alpha
    array([2., 1., 3., 1., 1., 2.])
    >>> DirichletMultinomial([1, 1, 1]).update(counts=[2, 0, 5])
    DirichletMultinomial(alpha=[3.0, 1.0, 6.0])
    >>> DirichletMultinomial([1, 1, 1]).update(codes=[0, 2, 2, 0]).mean.round(6)
    array([0.428571, 0.142857, 0.428571])
    """

    alpha: FloatArray
    outcomes: tuple[Label, ...] | None

    def __init__(self, alpha: npt.ArrayLike, outcomes: Iterable[object] | None = None) -> None:
        array = check.positive("alpha", alpha)
        if array.ndim == 0 or array.shape[-1] == 0:
            raise ParameterError(
                f"alpha must have a last axis of at least one outcome: got shape {array.shape}. "
                "Pass one number per outcome, or DirichletMultinomial.symmetric(total, levels)."
            )
        total = array.sum(axis=-1)
        require_all(total <= 1e300, total, "alpha must sum to at most 1e300", "Pass smaller prior counts.")
        self._set(alpha=array, outcomes=None if outcomes is None else _declare_outcomes(outcomes, array.shape[-1]))

    @classmethod
    def symmetric(cls, total: npt.ArrayLike, levels: int) -> DirichletMultinomial:
        """Return the prior with α_k = total/K for each of K outcomes.

        Examples
        --------
        >>> DirichletMultinomial.symmetric(2, levels=4)
        DirichletMultinomial(alpha=[0.5, 0.5, 0.5, 0.5])
        """
        levels = check.whole_number("levels", levels, 1)
        return cls(np.repeat(check.positive("total", total)[..., None] / levels, levels, axis=-1))

    def update(
        self,
        data: npt.ArrayLike | Counts | None = None,
        *,
        codes: npt.ArrayLike | None = None,
        counts: npt.ArrayLike | None = None,
    ) -> DirichletMultinomial:
        """Return the posterior Dir(α + counts).

        Exactly one of `data`, `codes` and `counts` is required.

        Parameters
        ----------
        data : array of labels along the last axis (None or NaN: missing), or Counts
            Labels must be among `outcomes`. Counts are matched by label to `outcomes`, or in the order of their levels
            if there are none.
        codes : array of integers 0 … K − 1 along the last axis (NaN: missing)
            Positions of the observed outcomes.
        counts : array ≥ 0, shape (…, K)
            N_k, counts or sums of weights.

        Examples
        --------
        >>> DirichletMultinomial([1, 1], outcomes=["heads", "tails"]).update(["tails", "heads", "tails"])
        DirichletMultinomial(alpha=[2.0, 3.0], outcomes=['heads', 'tails'])
        >>> DirichletMultinomial([1, 1]).update(counts=[[3, 0], [0, 4]]).alpha
        array([[4., 1.],
               [1., 5.]])
        """
        n, alpha = self._align("counts", self._count(data, codes, counts), DataError)
        return DirichletMultinomial(alpha + n, self.outcomes)

    @staticmethod
    def mle(
        data: npt.ArrayLike | Counts | None = None,
        *,
        codes: npt.ArrayLike | None = None,
        counts: npt.ArrayLike | None = None,
        outcomes: Iterable[object] | None = None,
        levels: int | None = None,
    ) -> FloatArray:
        """Return N_k/N, and 1/K where there are no observations.

        Parameters
        ----------
        data, codes, counts
            As in `update`.
        outcomes : iterable of labels, optional
            The outcomes in the order of the result; required if `data` are labels.
        levels : int, optional
            Their number K; required for `codes`.

        Examples
        --------
        >>> DirichletMultinomial.mle([1, 6, 3, 3], outcomes=range(1, 7))
        array([0.25, 0.  , 0.5 , 0.  , 0.  , 0.25])
        """
        number = None if levels is None else check.whole_number("levels", levels, 1)
        labels = None if outcomes is None else _declare_outcomes(outcomes, number)
        n_k = _count(data, codes, counts, labels, number if labels is None else len(labels))
        n = n_k.sum(axis=-1, keepdims=True)
        return np.where(n > 0, n_k / np.where(n > 0, n, 1.0), 1 / n_k.shape[-1])

    @property
    def mean(self) -> FloatArray:
        """E θ_k = α_k/α₀, shape (…, K)."""
        return self.alpha / self.alpha.sum(axis=-1, keepdims=True)

    @property
    def variance(self) -> FloatArray:
        """Var θ_k = α_k(α₀ − α_k)/(α₀²(α₀ + 1)), shape (…, K)."""
        total = self.alpha.sum(axis=-1, keepdims=True)
        return self.mean * (rest(self.alpha) / total) / (total + 1)

    @property
    def covariance(self) -> FloatArray:
        """Cov(θ_k, θ_l) = −α_k α_l/(α₀²(α₀ + 1)), shape (…, K, K), with the variances on the diagonal."""
        mean, total = self.mean, self.alpha.sum(axis=-1)
        matrix = -mean[..., :, None] * mean[..., None, :] / (total + 1)[..., None, None]
        k = np.arange(self.alpha.shape[-1], dtype=np.int64)
        matrix[..., k, k] = self.variance
        return matrix

    @property
    def mode(self) -> Mode[FloatArray]:
        """The point of highest density; `kind` states whether it is unique (see `Mode`)."""
        alpha, levels = self.alpha, self.alpha.shape[-1]
        if levels == 1:  # the simplex is one point
            return Mode(np.full(alpha.shape[:-1], "one"), np.ones(alpha.shape))
        if levels == 2:
            first = BetaBinomial(alpha[..., 0], alpha[..., 1]).mode
            return Mode(first.kind, np.stack([first.value, 1 - np.asarray(first.value)], axis=-1))
        kind = np.where((alpha == 1).all(axis=-1), "every", "one")
        return Mode(np.where((alpha < 1).any(axis=-1), "none", kind), self.map_estimate)

    @property
    def map_estimate(self) -> FloatArray:
        """The mode with every α_k − 1 clipped at 0; the mean where all are clipped."""
        clipped = np.maximum(self.alpha - 1, 0.0)
        total = clipped.sum(axis=-1, keepdims=True)
        return np.where(total > 0, clipped / np.where(total > 0, total, 1.0), self.mean)

    @property
    def effective_sample_size_of_mean(self) -> Reals:
        """Number of observations with the same weight in the posterior mean as this prior, α₀."""
        return unwrap_scalar(self.alpha.sum(axis=-1))

    @property
    def effective_sample_size_of_mode(self) -> Reals:
        """Number of observations with the same weight in the posterior mode as this prior, α₀ − K."""
        return unwrap_scalar((self.alpha - 1).sum(axis=-1))

    def prior_weight_of_mean(self, n: npt.ArrayLike) -> Reals:
        """Return λ = α₀/(α₀ + N): posterior mean = λ · prior mean + (1 − λ) · mle."""
        total = self.alpha.sum(axis=-1)
        return unwrap_scalar(total / (total + check.nonnegative("n", n)))

    def prior_weight_of_mode(self, n: npt.ArrayLike) -> Reals:
        """Return λ' = (α₀ − K)/(α₀ − K + N): posterior mode = λ' · prior mode + (1 − λ') · mle, for α_k ≥ 1, α₀ > K."""
        do = "Use prior_weight_of_mean."
        require_all(self.alpha >= 1, self.alpha, "alpha must be ≥ 1 for a single mode", do)
        above = (self.alpha - 1).sum(axis=-1)
        require_all(above > 0, above, "α₀ − K must be > 0 for a single mode", do)
        return unwrap_scalar(above / (above + check.nonnegative("n", n)))

    def component(self, outcome: object) -> BetaBinomial:
        """Return the model of one outcome against all others: BetaBinomial(α_k, α₀ − α_k), for K ≥ 2.

        Parameters
        ----------
        outcome : label, or int
            A label if the model has `outcomes`, otherwise a position 0 … K − 1.

        Examples
        --------
        >>> DirichletMultinomial([1, 2, 3]).component(2)
        BetaBinomial(a=3.0, b=3.0)
        >>> DirichletMultinomial([1, 2, 3], outcomes=[1, 2, 3]).component(2)
        BetaBinomial(a=2.0, b=4.0)
        """
        size = self.alpha.shape[-1]
        if size < 2:
            raise ParameterError(
                f"a component needs at least two outcomes: got {outcome!r} for a model with one. Use the model itself."
            )
        if self.outcomes is None:
            k = check.whole_number("outcome", outcome, 0)
            if k >= size:
                raise ParameterError(
                    f"outcome must be a position 0 … {size - 1}: got {outcome!r}. Positions start at 0."
                )
        else:
            k = _lookup(self.outcomes).get(_key(outcome), -1)
            if k < 0:
                raise ParameterError(f"outcome must be one of {_listed(self.outcomes)}: got {outcome!r}.")
        return BetaBinomial(self.alpha[..., k], rest(self.alpha)[..., k])

    def interval(self, credible: float = 0.95, kind: IntervalKind = "equal-tailed") -> Interval:
        """Return the marginal interval that contains θ_k with probability `credible`, for each outcome; shapes (…, K).

        Examples
        --------
        >>> DirichletMultinomial([1, 1]).interval(0.5).lower
        array([0.25, 0.25])
        """
        if self.alpha.shape[-1] < 2:
            raise ParameterError("an interval needs at least two outcomes: got one, whose probability is always 1.")
        return BetaBinomial(self.alpha, rest(self.alpha)).interval(credible, kind)

    def log_pdf(self, theta: npt.ArrayLike) -> Reals:
        """Return the log density at θ, shape (…, K), its entries in [0, 1] with sum 1.

        Examples
        --------
        >>> round(float(DirichletMultinomial([1, 1, 1]).log_pdf([0.2, 0.3, 0.5])), 6)  # ln 2!
        0.693147
        """
        theta, alpha = self._align("theta", _probabilities(theta), ParameterError)
        return unwrap_scalar(log_dirichlet_density(theta, alpha))

    def pdf(self, theta: npt.ArrayLike) -> Reals:
        """Return the density at θ; parameters as in `log_pdf`.

        Examples
        --------
        >>> round(float(DirichletMultinomial([1, 1, 1]).pdf([0.2, 0.3, 0.5])), 6)
        2.0
        """
        return density(self.log_pdf(theta))

    def log_likelihood(
        self,
        theta: npt.ArrayLike,
        data: npt.ArrayLike | Counts | None = None,
        *,
        codes: npt.ArrayLike | None = None,
        counts: npt.ArrayLike | None = None,
        of: Literal["sequence", "counts"] = "sequence",
    ) -> Reals:
        """Return ln p(data | θ). Identity: log_pdf + log_likelihood = log_evidence + log_pdf of the posterior.

        Parameters
        ----------
        theta : array, shape (…, K)
            As in `log_pdf`.
        data, codes, counts
            As in `update`.
        of : "sequence" or "counts"
            The probability of the outcomes in their order, Π θ_k^N_k, or of the count vector, N!/ΠN_k! times that.

        Examples
        --------
        >>> import numpy as np
        >>> die = DirichletMultinomial([1, 1, 1], outcomes=[1, 2, 3])
        >>> np.exp(die.log_likelihood([0.5, 0.25, 0.25], [1, 3, 1])).round(6)
        np.float64(0.0625)
        """
        of_counts = check.option("of", of, ("sequence", "counts")) == "counts"
        n, theta = self._count(data, codes, counts), _probabilities(theta)
        _require_size("counts", n, self.alpha.shape[-1], DataError)
        _require_size("theta", theta, self.alpha.shape[-1], ParameterError)
        n, theta = broadcast(DataError, counts=n, theta=theta)
        return unwrap_scalar(log_multinomial(n, theta) if of_counts else xlogy(n, theta).sum(axis=-1))

    def log_joint(self, theta: npt.ArrayLike, *, counts: npt.ArrayLike) -> Reals:
        """Return ln p(y, θ), the joint log density of y = counts and of θ."""
        return unwrap_scalar(self.log_evidence(counts=counts, of="counts") + self.update(counts=counts).log_pdf(theta))

    def log_evidence(
        self,
        data: npt.ArrayLike | Counts | None = None,
        *,
        codes: npt.ArrayLike | None = None,
        counts: npt.ArrayLike | None = None,
        of: Literal["sequence", "counts"] = "sequence",
    ) -> Reals:
        """Return ln p(data) with θ integrated out.

        Parameters
        ----------
        data, codes, counts
            As in `update`.
        of : "sequence" or "counts"
            The probability of the outcomes in their order, B(α + counts)/B(α), or of the count vector, N!/ΠN_k! times
            that.

        Examples
        --------
        >>> import numpy as np
        >>> flat = DirichletMultinomial([1, 1, 1])
        >>> np.exp(flat.log_evidence(codes=[0, 1])).round(6), np.exp(flat.log_evidence(counts=[1, 1, 0])).round(6)
        (np.float64(0.083333), np.float64(0.083333))
        >>> np.exp(flat.log_evidence(codes=[0, 1], of="counts")).round(6)
        np.float64(0.166667)
        """
        of_counts = check.option("of", of, ("sequence", "counts")) == "counts"
        n, alpha = self._align("counts", self._count(data, codes, counts), DataError)
        evidence = log_dirichlet_multinomial(n, alpha)
        return unwrap_scalar(evidence if of_counts else evidence - log_coefficient(n))

    def predictive(self, n: npt.ArrayLike = 1) -> dirichlet_multinomial_frozen:
        """Return the distribution of the counts in n further draws, a frozen ``scipy.stats.dirichlet_multinomial``.

        Its log pmf has an absolute error of about 1e-16 (α₀ + n) ln(α₀ + n). Use
        ``log_evidence(counts=y, of="counts")`` for an accurate log pmf. SciPy offers no draws and no cdf: draw θ and
        then the counts, and see ``component(k).predictive(n)`` for the cdf of one count.

        Examples
        --------
        >>> import numpy as np
        >>> model = DirichletMultinomial([1, 3])
        >>> model.predictive(1).pmf([[1, 0], [0, 1]])
        array([0.25, 0.75])
        >>> np.random.default_rng(0).multinomial(10, model.sample(5, seed=0)).shape
        (5, 2)
        """
        from scipy import stats

        draws, _ = broadcast(ParameterError, n=check.whole_numbers("n", n), alpha=self.alpha[..., 0])
        return stats.dirichlet_multinomial(self.alpha, draws.astype(np.int64))

    def sample(self, n: int, seed: np.random.Generator | int | None = None) -> FloatArray:
        """Return n draws of θ, shape (n, …, K)."""
        return simplex_draws(self.alpha, check.whole_number("n", n, 0), check.generator(seed))

    def _align(self, name: str, values: FloatArray, error: type[SufficeError]) -> tuple[FloatArray, ...]:
        _require_size(name, values, self.alpha.shape[-1], error)
        return broadcast(error, **{name: values, "alpha": self.alpha})

    def _count(
        self, data: npt.ArrayLike | Counts | None, codes: npt.ArrayLike | None, counts: npt.ArrayLike | None
    ) -> FloatArray:
        return _count(data, codes, counts, self.outcomes, self.alpha.shape[-1])


def _declare_outcomes(outcomes: Any, size: int | None) -> tuple[Label, ...]:
    if isinstance(outcomes, (str, bytes)) or not isinstance(outcomes, Iterable):
        raise ParameterError(f"outcomes must be a list of labels: got {outcomes!r}. Pass one label per outcome.")
    try:
        pairs = [canonical(label) for label in cast("Iterable[object]", outcomes)]
    except DataError as reason:
        raise ParameterError(f"outcomes: {reason.problem}") from None
    labels = tuple(label for _, label in pairs)
    if TUPLE in (kind for kind, _ in pairs):
        raise ParameterError(f"outcomes must be strings, numbers or booleans: got {_listed(labels)}.")
    if size not in (None, len(labels)) or not labels:
        raise ParameterError(f"outcomes must have one label per outcome, {size or 'K ≥ 1'}: got {len(labels)}.")
    if len(_lookup(labels)) < len(labels):
        twice = next(label for i, label in enumerate(labels) if _lookup(labels)[_key(label)] != i)
        raise ParameterError(f"outcomes must be distinct: {twice!r} appears more than once. Sum its prior counts.")
    return labels


def _lookup(labels: Sequence[Label]) -> dict[object, int]:
    return {_key(label): k for k, label in enumerate(labels)}


def _key(label: object) -> object:
    return key_of_label(*canonical(label))


def _listed(labels: Sequence[object]) -> str:
    return ", ".join(map(repr, labels[:_SHOWN])) + f", … {len(labels):,} in all" * (len(labels) > _SHOWN)


def _count(
    data: npt.ArrayLike | Counts | None,
    codes: npt.ArrayLike | None,
    counts: npt.ArrayLike | None,
    outcomes: tuple[Label, ...] | None,
    size: int | None,
) -> FloatArray:
    given = [name for name, value in (("data", data), ("codes=", codes), ("counts=", counts)) if value is not None]
    if len(given) != 1:
        raise DataError(f"exactly one of data, codes= and counts= is required: got {' and '.join(given) or 'none'}.")
    if counts is not None:
        n = check.nonnegative("counts", counts)
        _require_size("counts", n, size, DataError)
        return n
    if isinstance(data, Counts):
        return data.values if outcomes is None else _match_counts(data, outcomes)
    if codes is None:
        if outcomes is None:
            raise DataError(
                "data are matched to outcomes by label, but no outcomes are declared",
                kind="no_outcomes",
                got=data,
                advice="Declare the labels with outcomes=, or pass codes= for positions from 0 or counts= for counts.",
            )
        return _count_codes(_find_labels(data, outcomes), len(outcomes))
    if size is None:
        raise DataError("levels= is missing: codes do not determine the number of outcomes. Pass levels=K.")
    array = check.observations("codes", codes)
    good = np.isnan(array) | ((array >= 0) & (array < size) & (np.floor(array) == array))
    do = "Codes start at 0. Pass labels as data and declare them with outcomes=, or counts as counts=."
    require_all(good, array, f"codes must be 0 … {size - 1}, or NaN (missing)", do, DataError)
    return _count_codes(np.where(np.isnan(array), -1, array).astype(np.int64), size)


def _find_labels(data: Any, outcomes: tuple[Label, ...]) -> IntArray:
    # The position of each label among the outcomes, −1 where it is missing.
    array = _label_array(data)
    if array.ndim == 0:
        raise DataError("data must have 1 or more axes, the last over observations", got=data)
    labels: list[Any] = array.reshape(-1).tolist()
    places: IntArray | slice = slice(None)
    if array.dtype != object:
        distinct, places = np.unique(array.reshape(-1), return_inverse=True)
        labels = distinct.tolist()
    lookup = {_key(None): -1, **_lookup(outcomes)}
    keys = [_key(None if _is_nan(label) else label) for label in labels]
    unknown = {key: label for key, label in zip(keys, labels, strict=True) if key not in lookup}
    if unknown:
        raise DataError(
            f"data must be among the outcomes {_listed(outcomes)}: got {_listed([*unknown.values()])}. "
            "Declare every outcome with outcomes=, or use None for a missing one."
        )
    return np.array([lookup[key] for key in keys], dtype=np.int64)[places].reshape(array.shape)


def _is_nan(label: Any) -> bool:
    return isinstance(label, (float, np.floating)) and bool(np.isnan(cast("float", label)))


def _label_array(data: Any) -> npt.NDArray[Any]:
    # A list is not converted to a common type, which would turn ["a", 1] into ["a", "1"]. A masked label is None.
    if type(data) is np.ndarray:
        return data
    return np.array(data.tolist() if isinstance(data, np.ma.MaskedArray) else data, dtype=object)


def _match_counts(counts: Counts, outcomes: tuple[Label, ...]) -> FloatArray:
    lookup = _lookup(outcomes)
    matched = np.zeros((*counts.values.shape[:-1], len(outcomes)))
    unknown: list[Label] = []
    for j, label in enumerate(counts.levels):
        k = lookup.get(_key(label))
        if k is not None:
            matched[..., k] = counts.values[..., j]
        elif counts.values[..., j].any():
            unknown.append(label)
    if unknown:
        raise DataError(f"the levels of Counts must be among the outcomes {_listed(outcomes)}: got {_listed(unknown)}.")
    return matched


def _count_codes(codes: IntArray, size: int) -> FloatArray:
    # One bin per outcome and one for missing codes, in one bincount over all leading positions.
    leading = math.prod(codes.shape[:-1])
    flat = np.where(codes < 0, size, codes).reshape(leading, codes.shape[-1])
    bins = np.arange(leading, dtype=np.int64)[:, None] * (size + 1) + flat
    table = np.bincount(bins.reshape(-1), minlength=leading * (size + 1)).reshape(leading, size + 1)
    return table[:, :size].astype(np.float64).reshape(*codes.shape[:-1], size)


def _probabilities(theta: npt.ArrayLike) -> FloatArray:
    # θ, divided by its sum, which may differ from 1 by rounding.
    array = check.argument("theta", theta)
    require_all((array >= 0) & (array <= 1), array, "theta must lie in [0, 1]", "Pass probabilities.")
    if array.ndim == 0:
        return array
    total = array.sum(axis=-1)
    good = np.abs(total - 1) <= _SUM_TOLERANCE
    require_all(good, total, "theta must sum to 1 over the last axis", "Divide it by its sum.")
    return array / total[..., None]


def _require_size(name: str, values: FloatArray, size: int | None, error: type[SufficeError]) -> None:
    if values.ndim == 0 or values.shape[-1] == 0 or size not in (None, values.shape[-1]):
        k = "K" if size is None else size
        raise error(
            f"{name} must have {k} entries along the last axis, one per outcome: got shape {values.shape}. "
            f"Pass shape (…, {k})."
        )
