"""Estimation of the class prior of unlabelled rows (prior shift).

Symbols: l_ic = p(x_i | c) up to a factor of the row, π⁰ the assumed prior, w_i weights, W = Σ w_i.

    log likelihood   L(π) = Σ_i w_i log m_i,  m_i = Σ_c π_c l_ic           concave in π
    EM               π_c ← π_c g_c,  g_c = 1/W Σ_i w_i l_ic / m_i          each step is the mean posterior under π
    bound            L(π*) − L(π) ≤ W log max_c g_c                        which gives a stopping criterion
    no shift         2 (L(π*) − L(π⁰)) ~ χ² with C − 1 degrees of freedom if the prior is still π⁰

Each cycle has two EM steps and one squared extrapolation step, which is accepted only if L is not below that
of the EM steps, so L is monotone. A class with π⁰ = 0 stays at 0, and the proportions of classes that no row
distinguishes stay unchanged.

M. Saerens, P. Latinne, C. Decaestecker, Adjusting the outputs of a classifier to new a priori probabilities, Neural
Computation 14 (2002); R. Varadhan, C. Roland, Scandinavian Journal of Statistics 35 (2008) for the extrapolation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np
import numpy.typing as npt

from suffice.conjugate.special import gammaincc
from suffice.errors import DataError, ParameterError, counted
from suffice.records import TableColumns, Tabular
from suffice.statistics.arrays import BoolArray, FloatArray, seal
from suffice.statistics.labels import Label

__all__ = ["PriorShift", "estimate_prior", "likelihoods_of"]

_NEAR = 1e-8  # tolerance of the log likelihood, in nats
_ROUNDING = 1e-14  # of the mean of g over any number of rows
_LEAST = 1e-290  # of the total weight: smaller proportions are treated as 0
_STEPS = 10_000


@final
@dataclass(frozen=True, slots=True, eq=False)
class PriorShift(Tabular):
    """Estimated class prior of unlabelled rows, with a test against the assumed prior.

    Attributes
    ----------
    classes : tuple of labels
    before : array of C
        The assumed class prior.
    after : array of C
        The maximum likelihood estimate of the class prior.
    rows : float
        Total weight of the informative rows.
    silent : float
        Total weight of the uninformative rows: no known cell, or probability 0 under every class.
    iterations : int
        Number of EM iterations.
    converged : bool
        Whether the log likelihood is within 1e-8 nats of its maximum (or within 1e-14 nats per row, if that is larger).
    log_likelihood_ratio : float ≥ 0
        log p(rows | after) − log p(rows | before), in nats.
    p_value : float
        p-value of the likelihood ratio test of no prior shift.
    """

    classes: tuple[Label, ...]
    before: FloatArray
    after: FloatArray
    rows: float
    silent: float
    iterations: int
    converged: bool
    log_likelihood_ratio: float
    p_value: float
    library: str | None = field(default=None, repr=False, compare=False)

    @property
    def class_prior(self) -> dict[Label, float]:
        """The estimated class prior, in the form that `class_prior=` accepts."""
        return dict(zip(self.classes, self.after.tolist(), strict=True))

    def table(self) -> TableColumns:
        """Return the columns label, before and after."""
        return {"label": self.classes, "before": self.before, "after": self.after}

    def __str__(self) -> str:
        return f"Prior shift of {self.rows:g} rows, p-value {self.p_value:.3g}"


def likelihoods_of(log_posterior: FloatArray, prior: npt.ArrayLike) -> FloatArray:
    """Return log p(x | c), up to a constant per row, from posteriors under a known prior.

    −inf for a class whose prior was 0.
    """
    shares = np.asarray(prior, dtype=np.float64)
    with np.errstate(divide="ignore"):
        logs = np.log(shares)
    return np.where(shares > 0, log_posterior - np.where(shares > 0, logs, 0.0), -np.inf)


def estimate_prior(
    log_likelihood: FloatArray,
    prior: npt.ArrayLike,
    classes: tuple[Label, ...] | None = None,
    weights: npt.ArrayLike | None = None,
    steps: int = _STEPS,
) -> PriorShift:
    """Return the maximum likelihood estimate of the class prior of rows.

    Parameters
    ----------
    log_likelihood : array, rows × classes
        log p(x | c), up to a constant per row, as returned by `likelihoods_of`.
    prior : array of C
        The assumed prior, at which the search starts. A class with prior 0 stays at 0.
    classes : tuple of labels, optional
        By default 0, 1, …
    weights : array of rows, optional
    steps : int
        Maximum number of EM steps.

    Examples
    --------
    >>> posterior = np.array([[0.9, 0.1], [0.8, 0.2], [0.9, 0.1], [0.1, 0.9]])
    >>> estimate_prior(likelihoods_of(np.log(posterior), [0.5, 0.5]), [0.5, 0.5]).after.round(3)
    array([0.797, 0.203])
    """
    logs, before, weight = _check_likelihoods(log_likelihood, prior, weights)
    count = len(before)
    names = tuple(range(count)) if classes is None else classes
    possible = before > 0
    ratios, told = _ratios(logs[:, possible], weight > _LEAST * weight.sum())
    used = weight[told]
    likelihood = _Likelihood(ratios, used)
    start = before[possible]
    found, taken, converged = _maximise(likelihood, start, steps)
    gain = max(0.0, likelihood(found) - likelihood(start))
    after = np.zeros(count)
    after[possible] = found
    free = float(possible.sum()) - 1
    chance = float(gammaincc(np.asarray(free / 2), np.asarray(gain))) if free > 0 else 1.0
    total = float(used.sum())
    silent = max(0.0, float(weight.sum()) - total)
    return PriorShift(names, seal(before), seal(after), total, silent, taken, converged, gain, chance)


@final
class _Likelihood:
    # Classes × rows, summed class by class with NumPy's pairwise sum: independent of the number of threads.

    def __init__(self, ratios: FloatArray, weight: FloatArray) -> None:
        self.ratios = ratios
        self.weight = weight
        self.total = float(weight.sum())

    def __call__(self, prior: FloatArray) -> float:
        with np.errstate(divide="ignore"):
            return float((self.weight * np.log(self._mixed(prior))).sum())

    def gradient(self, prior: FloatArray) -> FloatArray:
        shares = self.weight / self._mixed(prior)
        return np.array([float((each * shares).sum()) for each in self.ratios]) / self.total

    def _mixed(self, prior: FloatArray) -> FloatArray:
        mixed = np.zeros(len(self.weight))
        for share, each in zip(prior.tolist(), self.ratios, strict=True):
            mixed += share * each
        return mixed


def _maximise(likelihood: _Likelihood, start: FloatArray, steps: int) -> tuple[FloatArray, int, bool]:
    # The prior, the number of steps, and whether the bound is within the tolerance.
    taken = 0
    prior = start
    if not likelihood.total:
        return prior, taken, True
    near = max(_NEAR / likelihood.total, _ROUNDING)
    gradient = likelihood.gradient(prior)
    while True:
        if gradient.max() <= 1 + near:
            return prior, taken, True
        path = [prior]
        for _ in range(2):
            if taken == steps:
                return path[-1], taken, False
            taken += 1
            path.append(_normalised(path[-1] * gradient))
            gradient = likelihood.gradient(path[-1])
        prior = path[-1]
        further = _extrapolated(path)
        if further is not None and taken < steps and likelihood(further) >= likelihood(prior):
            taken += 1
            prior, gradient = further, likelihood.gradient(further)


def _extrapolated(path: list[FloatArray]) -> FloatArray | None:
    # The limit of a geometric sequence of steps; None if it is not a distribution.
    first, second = path[1] - path[0], path[2] - path[1]
    bend = second - first
    size = float(np.sqrt((bend * bend).sum()))
    if not size:
        return None
    length = float(np.sqrt((first * first).sum())) / size
    while length > 1:
        further = path[0] + 2 * length * first + length * length * bend
        gone = path[2] == 0
        if ((further > 0) | gone).all():
            return _normalised(np.where(gone, 0.0, further))
        length = (length + 1) / 2 if length > 1.01 else 1.0
    return None


def _normalised(prior: FloatArray) -> FloatArray:
    return prior / prior.sum()


def _ratios(logs: FloatArray, weighs: BoolArray) -> tuple[FloatArray, BoolArray]:
    # l_ic of the informative rows, classes × rows, with a maximum of 1 in each row.
    top = logs.max(axis=1, initial=-np.inf)
    told = np.isfinite(top) & weighs
    told[told] = (logs[told] != top[told, None]).any(axis=1)
    return np.ascontiguousarray(np.exp(logs[told] - top[told, None]).T), told


def _check_likelihoods(
    log_likelihood: FloatArray, prior: npt.ArrayLike, weights: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    logs = np.asarray(log_likelihood, dtype=np.float64)
    before = np.array(prior, dtype=np.float64)
    if logs.ndim != 2 or before.shape != logs.shape[1:]:
        raise DataError(
            f"the scores must be rows × classes, and the prior one number per class: got shapes {logs.shape} and "
            f"{before.shape}."
        )
    if np.isnan(logs).any() or (logs == np.inf).any():
        row, column = (int(at) for at in np.argwhere(np.isnan(logs) | (logs == np.inf))[0])
        raise DataError(
            f"log likelihoods must be numbers or −inf: class {column} has an invalid value",
            row=row,
            got=float(logs[row, column]),
        )
    if not (before >= 0).all() or not abs(float(before.sum()) - 1) <= 1e-9:
        raise ParameterError(f"the prior must be ≥ 0 and sum to 1: got {before.tolist()}. Divide it by its sum.")
    weight = np.ones(len(logs)) if weights is None else np.array(weights, dtype=np.float64)
    if weight.shape != (len(logs),):
        raise DataError(
            f"weights must have one number per row: got shape {weight.shape} for {counted(len(logs), 'row')}."
        )
    if not (np.isfinite(weight) & (weight >= 0)).all():
        row = int(np.argmax(~(np.isfinite(weight) & (weight >= 0))))
        raise DataError(
            "weights must be finite and ≥ 0", kind="bad_weight", row=row, got=float(weight[row]), advice="Drop the row."
        )
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not np.isfinite(total):
        raise DataError("the sum of weights overflows float64. Rescale the weights.")
    return logs, before, weight
