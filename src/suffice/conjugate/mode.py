"""Where a density is highest, and the case it is.

one     one highest point, also where the density grows without bound towards it (a beta with a ≤ 1 < b: at 0)
ends    the density grows without bound towards both 0 and 1 (a beta with a, b < 1)
every   the density is flat: every point is as high as any other (a beta with a = b = 1)
none    no single point: the density grows without bound along whole faces of the simplex (a Dirichlet with K ≥ 3 and
        some α_k < 1)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar, final

import numpy as np
import numpy.typing as npt

__all__ = ["Mode", "of_kinds"]

Value = TypeVar("Value")

_SAYS = {
    "one": "one mode",
    "ends": "modes at both ends",
    "every": "flat, every point",
    "none": "none, unbounded on faces",
}


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mode(Generic[Value]):
    """The mode of a distribution and which case it is.

    Parameters
    ----------
    kind : str, or array of str of the leading shape
        "one", "ends", "every" or "none": see the page above.
    value : float, or array of the leading shape (for a Dirichlet with K components at the end), or a record of such
        The mode where `kind` is "one". Elsewhere there is no one mode, and `value` is the map estimate that classifiers
        use: the clipped mode, or the mean where everything is clipped.

    Examples
    --------
    >>> from suffice.conjugate import BetaBinomial
    >>> BetaBinomial(2, 4).mode
    Mode(one mode: 0.25)
    >>> BetaBinomial(0.5, 0.5).mode.kind
    'ends'
    """

    kind: Any
    value: Value

    @property
    def unique(self) -> npt.NDArray[np.bool_] | np.bool_:
        """Whether there is exactly one mode, element by element."""
        return np.asarray(self.kind) == "one"

    def __repr__(self) -> str:
        if not isinstance(self.kind, str):
            return f"Mode(kind={np.asarray(self.kind).tolist()}, value={_text(self.value)})"
        return f"Mode({_SAYS[self.kind]}{f': {_text(self.value)}' if self.kind == 'one' else ''})"


def _text(value: Any) -> str:
    return repr(np.asarray(value).tolist()) if isinstance(value, (float, np.ndarray)) else repr(value)


def of_kinds(kinds: npt.NDArray[np.str_], value: Value) -> Mode[Value]:
    """Return the record; a single kind as a plain string."""
    return Mode(str(kinds[()]) if kinds.ndim == 0 else kinds, value)
