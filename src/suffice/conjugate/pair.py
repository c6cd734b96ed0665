"""The base class of the conjugate pairs, and the records of a mode and of a credible interval.

A credible interval excludes the mass 1 − credible, of which p lies below its lower end:

    equal-tailed       p = (1 − credible)/2
    highest-density    the shortest interval: ln f(lower) = ln f(upper) for a density f with its peak inside,
                       otherwise the interval begins or ends where the density is highest

With quantile function Q, g(p) = ln f(Q(p)) − ln f(Q(p + credible)) increases in p, so its root in [0, 1 − credible] is
unique. Every p gives an interval of the right mass; the root determines its position.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import FloatArray, Reals, option, proportion, unwrap_scalar
from suffice.statistics.labels import Label

__all__ = ["ConjugatePair", "Interval", "IntervalKind", "Mode", "density", "find_interval", "log_quotient"]

IntervalKind: TypeAlias = Literal["equal-tailed", "highest-density"]
Function: TypeAlias = Callable[..., FloatArray]
Value = TypeVar("Value")

_REPR_ENTRIES = 8
_LARGEST_GAP = 1e300


class ConjugatePair(ABC):
    """A conjugate prior together with its likelihood.

    Each subclass is a frozen dataclass whose fields are the arguments of its constructor, in order: arrays, and labels
    as a tuple or None. Two pairs are equal if their parameters are equal, including shapes. Copies and pickles are
    created by the constructor, so they are validated and read-only like the original.
    """

    __slots__ = ()

    @abstractmethod
    def sample(self, n: int, seed: np.random.Generator | int | None = None) -> Any:
        """Return n draws of the parameters of the likelihood."""

    def _set(self, **parameters: Any) -> None:
        for name, value in parameters.items():
            object.__setattr__(self, name, value)

    def _parameters(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # pyright: ignore[reportArgumentType]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConjugatePair) or type(other) is not type(self):
            return NotImplemented
        theirs = other._parameters()
        return all(_is_equal(value, theirs[name]) for name, value in self._parameters().items())

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self._parameters().values())

    def __repr__(self) -> str:
        parts = (f"{name}={_format(value)}" for name, value in self._parameters().items() if value is not None)
        return f"{type(self).__name__}({', '.join(parts)})"


def _is_equal(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is right
    if not isinstance(left, tuple):
        return np.array_equal(left, right)
    left = cast("tuple[Label, ...]", left)
    return [(type(label), label) for label in left] == [(type(label), label) for label in right]  # 1 is not True


def _format(value: Any) -> str:
    if isinstance(value, tuple):
        labels = cast("tuple[Label, ...]", value)
        few = len(labels) <= _REPR_ENTRIES
        return repr(list(labels)) if few else f"<{len(labels)} labels, {labels[0]!r} … {labels[-1]!r}>"
    if value.size <= _REPR_ENTRIES:
        return repr(value.tolist())
    return f"<array {'×'.join(map(str, value.shape))}, {np.min(value):.6g} … {np.max(value):.6g}>"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Mode(Generic[Value]):
    """The point of highest density, and which case applies.

    Parameters
    ----------
    kind : str, or array of str with the leading shape of the model
        "one": a single mode, also where the density is unbounded at it; "ends": a beta with a, b < 1, unbounded at 0
        and at 1; "every": a flat density; "none": a Dirichlet with K ≥ 3 and some α_k < 1, unbounded along faces.
    value : float, array or named tuple of arrays
        The mode where `kind` is "one", elsewhere the MAP estimate of the model.

    Examples
    --------
    >>> from suffice.conjugate import BetaBinomial
    >>> BetaBinomial(2, 4).mode
    Mode(kind='one', value=np.float64(0.25))
    >>> BetaBinomial([0.5, 1], [0.5, 1]).mode.kind.tolist()
    ['ends', 'every']
    """

    kind: Any
    value: Value

    def __post_init__(self) -> None:
        if np.ndim(self.kind) == 0:
            object.__setattr__(self, "kind", str(self.kind))

    @property
    def unique(self) -> npt.NDArray[np.bool_] | np.bool_:
        """Whether there is exactly one mode, element by element."""
        return np.asarray(self.kind) == "one"


@final
@dataclass(frozen=True, slots=True)
class Interval:
    """A credible interval; it unpacks as `lower, upper`.

    Parameters
    ----------
    lower, upper : float, or array with the shape of the model
    credible : float
        The probability mass between them.
    kind : "equal-tailed" or "highest-density"

    Examples
    --------
    >>> from suffice.conjugate import BetaBinomial
    >>> lower, upper = BetaBinomial(1, 1).interval(0.9)
    >>> print(round(lower, 6), round(upper, 6))
    0.05 0.95
    """

    lower: Reals
    upper: Reals
    credible: float
    kind: str

    def __iter__(self) -> Iterator[Reals]:
        yield self.lower
        yield self.upper


def find_interval(
    credible: float,
    kind: str,
    parameters: tuple[FloatArray, ...],
    lower_quantile: Function,
    upper_quantile: Function,
    log_density_gap: Function,
) -> Interval:
    """Return the credible interval of a distribution with one peak, element by element over its parameters.

    Parameters
    ----------
    parameters : tuple of arrays of one shape
    lower_quantile, upper_quantile : callable (mass, *parameters)
        The points with that mass below and above them.
    log_density_gap : callable (x, y, *parameters)
        ln f(x) − ln f(y), without cancellation where x and y are close.
    """
    option("kind", kind, ("equal-tailed", "highest-density"))
    outside = 1 - proportion("credible", credible)
    below = np.full(parameters[0].shape, outside / 2)
    if kind == "highest-density" and below.size:

        def gap(p: FloatArray, *parameters: FloatArray) -> FloatArray:
            difference = log_density_gap(
                lower_quantile(p, *parameters), upper_quantile(outside - p, *parameters), *parameters
            )
            return np.nan_to_num(difference, nan=0.0, posinf=_LARGEST_GAP, neginf=-_LARGEST_GAP)

        from scipy.optimize.elementwise import find_root

        ends = np.zeros_like(below), np.full_like(below, outside)
        with np.errstate(all="ignore"):
            first, last = (gap(end, *parameters) for end in ends)
            root: FloatArray = np.asarray(find_root(gap, ends, args=parameters).x)  # NaN without a change of sign
        flat = (first == 0) & (last == 0)
        below = np.where(flat, below, np.where(first >= 0, ends[0], np.where(last <= 0, ends[1], root)))
    lower, upper = lower_quantile(below, *parameters), upper_quantile(outside - below, *parameters)
    return Interval(unwrap_scalar(lower), unwrap_scalar(upper), float(credible), kind)


def log_quotient(x: FloatArray, y: FloatArray, difference: FloatArray) -> FloatArray:
    """Return ln(x/y) given x − y, which keeps the digits that x/y rounds off."""
    return np.where(np.abs(difference) < 0.5 * y, np.log1p(difference / y), np.log(x) - np.log(y))


def density(log_density: Reals) -> Reals:
    """Return the density, given its logarithm; inf where it exceeds float64."""
    with np.errstate(over="ignore"):
        return np.exp(log_density)
