"""The class prior p(c): estimated from the class frequencies, uniform, or given.

Symbols: N_c weight of the rows of class c, N = Σ N_c, C classes, prior Dir(α).

    empirical   N_c/N               dirichlet   mean (N_c + α_c)/(N + α₀), map (N_c + α_c − 1)/(N + α₀ − C), or mle
    uniform     1/C                 given       the probabilities themselves
    evidence    ln B(α + N) − ln B(α), α = 1 for empirical;  Σ N_c ln π_c for uniform and given

As text: "empirical", "uniform", "spam=0.2,ham=0.8" (given), "dirichlet:1" (α of every class), "dirichlet:1,2" (α of
each class in sorted order), "dirichlet:spam=2,ham=1"; "dirichlet:2,map" for an estimate other than the mean.

The class prior is a separate option and does not depend on the estimate of the likelihoods (docs/mathematics.md §4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import estimate_of, is_real, positive
from suffice.conjugate import DirichletMultinomial
from suffice.conjugate.special import xlogy
from suffice.errors import ParameterError
from suffice.statistics import Axis, Tally
from suffice.statistics.arrays import FloatArray
from suffice.statistics.labels import Label, quote_label

__all__ = ["ClassPrior"]

_SUM_TOLERANCE = 1e-9
_ESTIMATES = ("mean", "map", "mle")
_KINDS = (
    "'empirical', 'uniform', 'dirichlet:1', one probability per class, a mapping {class: probability}, or "
    "DirichletMultinomial(alpha)"
)


@final
@dataclass(frozen=True, slots=True)
class ClassPrior:
    """Class prior: how the probability of each class is determined.

    Parameters
    ----------
    kind : "empirical", "uniform", "given" or "dirichlet"
    values : tuple of floats
        The probabilities for "given", α for "dirichlet", in the order of the sorted classes or of `labels`. A single α
        without `labels` applies to every class.
    labels : tuple of labels, optional
        The classes of `values`. Default: the sorted classes of the model.
    estimate : "mean", "map" or "mle"
        Estimate of the probabilities for "dirichlet".

    Examples
    --------
    >>> tally = Tally(Axis.of(["ham", "spam"]), [3, 1])
    >>> ClassPrior.of("empirical").probabilities(tally)
    array([0.75, 0.25])
    >>> ClassPrior.of({"spam": 0.9, "ham": 0.1}).probabilities(tally)
    array([0.1, 0.9])
    >>> ClassPrior.dirichlet(1).probabilities(tally)
    array([0.66666667, 0.33333333])
    """

    kind: Literal["empirical", "uniform", "given", "dirichlet"]
    values: tuple[float, ...] = ()
    labels: tuple[Label, ...] | None = None
    estimate: Literal["mean", "map", "mle"] = "mean"

    @classmethod
    def of(cls, given: Any) -> ClassPrior:
        """Return the class prior of an argument: a string, probabilities, {class: probability} or a Dirichlet prior.

        Examples
        --------
        >>> ClassPrior.of("dirichlet:1") == ClassPrior.dirichlet(1)
        True
        >>> ClassPrior.of("dirichlet:ham=1,spam=3,map") == ClassPrior.dirichlet({"ham": 1, "spam": 3}, "map")
        True
        """
        if isinstance(given, ClassPrior):
            return given
        if isinstance(given, str):
            return _parse(given)
        if isinstance(given, DirichletMultinomial):
            if given.outcomes is None:
                return cls.dirichlet(given.alpha)
            return cls.dirichlet(dict(zip(given.outcomes, given.alpha.tolist(), strict=True)))
        if isinstance(given, Mapping):
            labels, values = _by_label(cast("Mapping[object, Any]", given))
            return cls("given", _distribution(np.array([_check_probability(value) for value in values])), labels)
        if isinstance(given, (list, tuple, np.ndarray)):
            values = [_check_probability(value) for value in np.asarray(cast("Any", given), dtype=object).ravel()]
            return cls("given", _distribution(np.asarray(values, dtype=np.float64)))
        raise ParameterError(f"the class prior must be {_KINDS}", parameter="class_prior", got=given)

    @classmethod
    def dirichlet(cls, alpha: npt.ArrayLike | Mapping[Any, float], estimate: str = "mean") -> ClassPrior:
        """Return the prior Dir(α), with one α for all classes, one for each in sorted order, or {class: α}.

        Examples
        --------
        >>> tally = Tally(Axis.of(["ham", "spam"]), [3, 1])
        >>> ClassPrior.dirichlet({"spam": 3, "ham": 2}, "map").probabilities(tally).round(4)
        array([0.5714, 0.4286])
        """
        name = estimate_of(estimate)
        if name not in _ESTIMATES:
            problem = f"estimate of the class prior must be {' or '.join(map(repr, _ESTIMATES))}"
            raise ParameterError(problem, kind="not_an_option", parameter="estimate", got=estimate)
        labels = None
        if isinstance(alpha, Mapping):
            labels, alpha = _by_label(cast("Mapping[object, Any]", alpha))
        values = positive("alpha", alpha)
        if values.ndim > 1:
            raise ParameterError(f"alpha of the class prior must have one dimension: got shape {values.shape}.")
        return cls("dirichlet", tuple(values.reshape(-1).tolist()), labels, cast("Any", name))

    def relabel(self, labels: Sequence[Label]) -> ClassPrior:
        """Return the prior with other labels for the same values, in the order of `labels`."""
        order, values = _by_label(dict(zip(labels, self.values, strict=True)))
        return replace(self, values=tuple(values), labels=order)

    def probabilities(self, tally: Tally) -> FloatArray:
        """Return p(c) in the order of the classes."""
        counts = tally.weight
        if not len(counts):
            return np.zeros(0)
        if self.kind == "uniform":
            return np.full(len(counts), 1 / len(counts))
        if self.kind == "given":
            return self._given(tally.classes)
        if self.kind == "empirical" or self.estimate == "mle":
            return DirichletMultinomial.mle(counts=counts)
        posterior = DirichletMultinomial(self._alpha(tally.classes) + counts)
        return posterior.map_estimate if self.estimate == "map" else posterior.mean

    def sample(self, tally: Tally, rng: np.random.Generator) -> FloatArray:
        """Return one draw of p(c) from its posterior, α = 1 for empirical; p(c) itself if it is uniform or given."""
        alpha = self.posterior(tally)
        return self.probabilities(tally) if alpha is None else DirichletMultinomial(alpha).sample(1, rng)[0]

    def posterior(self, tally: Tally) -> FloatArray | None:
        """Return α + N of the posterior Dir(α + N), α = 1 for empirical; None if the prior is uniform or given."""
        if self.kind in ("uniform", "given") or not len(tally.weight):
            return None
        return self._alpha(tally.classes) + tally.weight

    def interval(self, tally: Tally, credible: float) -> tuple[FloatArray, FloatArray]:
        """Return the equal-tailed interval of each p(c) under its posterior; NaN if it has none."""
        alpha = self.posterior(tally)
        nothing = np.full(len(tally.weight), np.nan)
        if alpha is None or len(alpha) < 2:
            return nothing, nothing
        interval = DirichletMultinomial(alpha).interval(credible)
        return np.asarray(interval.lower), np.asarray(interval.upper)

    def log_evidence(self, tally: Tally) -> float:
        """Return the log probability of the sequence of class labels."""
        if not tally.weight.any():
            return 0.0
        if self.kind in ("uniform", "given"):
            return float(xlogy(tally.weight, self.probabilities(tally)).sum())
        return float(DirichletMultinomial(self._alpha(tally.classes)).log_evidence(counts=tally.weight))

    def __str__(self) -> str:
        if self.kind in ("empirical", "uniform"):
            return self.kind
        numbers = ", ".join(f"{value:g}" for value in self.values[:6]) + ", …" * (len(self.values) > 6)
        return f"given ({numbers})" if self.kind == "given" else f"Dirichlet({numbers}), {self.estimate}"

    def _given(self, classes: Axis, what: str = "probability") -> FloatArray:
        if self.labels is None or self.labels == classes.labels:
            _require_length("the class prior", len(self.values), classes)
            return np.asarray(self.values)
        places = [classes.locate(label) for label in self.labels]
        if len(places) == len(classes) == len({*places} - {None}):
            return np.asarray(self.values)[np.argsort(np.asarray(places))]
        absent = [label for at, label in enumerate(classes) if at not in places]
        unknown = [label for label, at in zip(self.labels, places, strict=True) if at is None]
        if absent:
            problem = f"no {what} for class {quote_label(absent[0])}"
        else:
            twice = f"two {what.replace('probability', 'probabilities')} for one class"
            problem = f"the unknown class {quote_label(unknown[0])}" if unknown else twice
        raise ParameterError(
            f"the class prior has {problem}. The classes are {_quote_classes(classes)}. Give one {what} for each.",
            parameter="class_prior",
        )

    def _alpha(self, classes: Axis) -> FloatArray:
        if self.kind == "empirical":
            return np.ones(len(classes))
        if self.labels is not None:
            return self._given(classes, "α")
        if len(self.values) != 1:
            _require_length("alpha of the class prior", len(self.values), classes)
        return np.broadcast_to(np.asarray(self.values), (len(classes),))


def _parse(text: str) -> ClassPrior:
    name, _, alphas = text.partition(":")
    if text.casefold() in ("empirical", "uniform"):
        return ClassPrior("empirical" if text.casefold() == "empirical" else "uniform")
    if name.casefold() != "dirichlet" or not alphas:
        return ClassPrior.of(_parse_shares(text, text))
    *parts, last = alphas.split(",")
    estimate = "mean"
    if parts and "=" not in last and not _is_number(last):
        estimate, last, parts = last, parts[-1], parts[:-1]
    parts.append(last)
    if all(map(_is_number, parts)):
        return ClassPrior.dirichlet([float(each) for each in parts], estimate)
    return ClassPrior.dirichlet(_parse_shares(",".join(parts), text), estimate)


def _parse_shares(shares: str, text: str) -> dict[str, float]:
    # {class: number} of "class=number,…".
    found: dict[str, float] = {}
    for each in shares.split(","):
        label, sign, share = each.rpartition("=")
        if not sign or not label or not _is_number(share):
            raise ParameterError(
                f"{text!r} is not a class prior",
                kind="not_an_option",
                parameter="class_prior",
                advice="Give empirical, uniform, dirichlet:1, or one probability per class such as spam=0.2,ham=0.8.",
            )
        found[label] = float(share)
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _by_label(given: Mapping[object, Any]) -> tuple[tuple[Label, ...], list[Any]]:
    # The labels in their order, and the value of each.
    axis = Axis.of(given)
    order = np.argsort(axis.positions(given))
    values = [*given.values()]
    return axis.labels, [values[at] for at in order.tolist()]


def _check_probability(value: Any) -> float:
    if not is_real(value) or not 0 <= value <= 1:
        problem = "the class prior must contain probabilities from 0 to 1"
        raise ParameterError(problem, parameter="class_prior", got=value)
    return float(value)


def _distribution(values: FloatArray) -> tuple[float, ...]:
    total = float(values.sum())
    if abs(total - 1) > _SUM_TOLERANCE:
        raise ParameterError(
            f"the class prior must sum to 1: got a sum of {total!r}. Divide it by its sum.", parameter="class_prior"
        )
    return tuple(values.tolist())


def _require_length(what: str, length: int, classes: Axis) -> None:
    if length != len(classes):
        raise ParameterError(
            f"{what} must have one number for each of the {len(classes)} classes: got {length}. "
            f"The classes are {_quote_classes(classes)}."
        )


def _quote_classes(classes: Axis) -> str:
    return ", ".join(map(quote_label, classes.labels[:12])) + ", …" * (len(classes) > 12)
