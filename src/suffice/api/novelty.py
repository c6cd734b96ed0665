"""How odd rows are: a reference from the rows of a fit, and new rows beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from suffice.api.scoring import Oddities, tables_to_score
from suffice.api.table import weights_of
from suffice.errors import DataError, ParameterError
from suffice.evidence.novelty import Novelty, NoveltyReference, reference_of
from suffice.evidence.novelty_rows import NoveltyRows, novelty_rows

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["novelty_of", "novelty_reference"]


def novelty_reference(model: Model, data: Any, weights: npt.ArrayLike | None = None) -> NoveltyReference:
    """Return what log p(x) is for the rows that a model has learnt from, so that others can be held beside them.

    Rows are compared with those of about the same number of known cells or words, by log p(x) for each of these.

    Parameters
    ----------
    model : Model
    data : anything that the model takes
        The rows of the fit, or others that are as they should be. Those of the fit were learnt from, so they are a
        little more probable than new ones are; with some hundred rows a parameter that is nothing.
    weights : array of rows, optional

    Raises
    ------
    ParameterError
        Where there is no log p(x): text that is read as Words(model="complement").
    DataError
        Where no row has a weight.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.api import fit
    >>> from suffice.likelihoods import Gaussian
    >>> x = np.random.default_rng(0).normal(size=(500, 2))
    >>> model = fit(x, x[:, 0] > 0, Gaussian())
    >>> reference = novelty_reference(model, x)
    >>> model.novelty([[0.5, 0.1], [9.0, 9.0]], reference).share.round(1)
    array([0.9, 0. ])
    """
    rows = _rows(model, data)
    return reference_of(rows.standard, rows.size, _weights(weights, len(rows.size)))


def novelty_of(model: Model, data: Any, reference: NoveltyReference) -> Novelty:
    """Return how odd each row is."""
    if not isinstance(reference, NoveltyReference):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ParameterError(
            f"reference must be a NoveltyReference: got {type(reference).__name__}. "
            "Give novelty_reference(model, data) of the rows of the fit."
        )
    return reference.novelty(_rows(model, data))


def _rows(model: Model, data: Any) -> NoveltyRows:
    known, oddities = model.naive_bayes, Oddities()
    parts: list[NoveltyRows] = []
    for table in tables_to_score(model, data):
        scores = known.score(table, "density")
        oddities.add(scores)
        parts.append(novelty_rows(known, table, scores.values))
    oddities.say(impossible=False)
    each = zip(*parts, strict=True)
    return NoveltyRows(*(np.concatenate(columns) for columns in each)) if parts else NoveltyRows(*np.zeros((3, 0)))


def _weights(weights: npt.ArrayLike | None, rows: int) -> npt.NDArray[np.float64] | None:
    found = weights_of(weights, rows)
    if found is None:
        return None
    values = np.asarray(found, dtype=np.float64)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(f"weights must be finite and ≥ 0: row {row} has {float(values[row])!r}. Drop the row.")
    return values
