"""The concentration that a user gives a likelihood: α > 0, one number, one per column, or one per class and column.

Or a word, where the data are to say (evidence_alpha.py): "evidence" is the α with the greatest evidence, of each column
or of the block where that has one distribution, "shared evidence" one α for all columns. It is the prior of mean and
predictive; map takes 1 + α, whose mode is the mean under α; the λ of smoothed is that of the reading. `prior=` takes
the word too: it means the same there, and is kept as alpha.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice.conjugate import DirichletMultinomial
from suffice.conjugate.arguments import option, positive
from suffice.errors import ParameterError
from suffice.likelihoods.aligned import of_columns
from suffice.statistics.frozen_arrays import BoolArray

__all__ = [
    "EVIDENCE",
    "SHARED",
    "Alpha",
    "EvidenceAlpha",
    "alpha_of",
    "alpha_of_columns",
    "alpha_shown",
    "given_alpha",
    "prior_and_alpha",
]

Alpha: TypeAlias = "float | tuple[Any, ...]"
EvidenceAlpha: TypeAlias = Literal["evidence", "shared evidence"]
EVIDENCE, SHARED = "evidence", "shared evidence"
_OF_COLUMNS, _OF_ONE = (EVIDENCE, SHARED), (EVIDENCE,)


def alpha_of(given: npt.ArrayLike) -> Alpha:
    """Return the numbers as a value that compares: a float, or tuples of floats."""
    array = positive("alpha", given)
    if array.ndim > 2:
        raise ParameterError(
            f"alpha must be one number, one for each column, or one for each class and column: "
            f"got shape {array.shape}. Give at most two dimensions."
        )
    return float(array) if array.ndim == 0 else _tuples(array)


def given_alpha(given: Any, *, columns: bool) -> Alpha | EvidenceAlpha | None:
    """Return the numbers or the word; "shared evidence" is of likelihoods that read column by column."""
    if isinstance(given, str):
        return cast("EvidenceAlpha", option("alpha", given, _OF_COLUMNS if columns else _OF_ONE))
    return None if given is None else alpha_of(given)


def prior_and_alpha(
    what: str, prior: Any, alpha: Any, *, columns: bool
) -> tuple[DirichletMultinomial | None, Alpha | EvidenceAlpha | None]:
    """Return both as they are kept, or raise ParameterError unless the prior is a DirichletMultinomial, given once."""
    said = prior if isinstance(prior, str) and prior in (_OF_COLUMNS if columns else _OF_ONE) else None
    if prior is not None and said is None and not isinstance(prior, DirichletMultinomial):
        raise ParameterError(
            f"prior of {what} must be a DirichletMultinomial: got {prior!r}. "
            "Give DirichletMultinomial([…]), one number per level, or alpha= for the same number for each."
        )
    if prior is not None and alpha is not None:
        raise ParameterError(f"{what} takes one prior: got prior= and alpha=. Leave one of them out.")
    if said is not None:
        return None, cast("EvidenceAlpha", said)
    return cast("DirichletMultinomial | None", prior), given_alpha(alpha, columns=columns)


def alpha_of_columns(alpha: Any, stay: BoolArray) -> Any:
    """Return α of the columns where `stay` is true."""
    return alpha if alpha is None or isinstance(alpha, str) else of_columns(np.asarray(alpha), stay)


def alpha_shown(alpha: float) -> str:
    """Return an α that the data chose, as `choices` say it."""
    return f"alpha {alpha:.3g}"


def _tuples(array: npt.NDArray[np.float64]) -> tuple[Any, ...]:
    return tuple(row if isinstance(row, float) else tuple(row) for row in array.tolist())
