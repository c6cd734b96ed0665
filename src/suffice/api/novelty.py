"""How odd rows are: a reference from the rows of a fit, and new rows beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from suffice.api.scoring import Oddities
from suffice.decisions.novelty import Novelty, NoveltyReference, NoveltyRows
from suffice.errors import DataError, ParameterError
from suffice.evidence.novelty_rows import novelty_rows
from suffice.models import ClassPrior
from suffice.models.fingerprint import fingerprint
from suffice.sources import Batch, rows_from
from suffice.sources.arrays import weights_of
from suffice.sources.table import Table

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = [
    "ReferenceRows",
    "compared",
    "novelty_of",
    "novelty_of_table",
    "novelty_reference",
    "require_reference",
]


def novelty_reference(model: Model, data: Any, weights: npt.ArrayLike | None = None) -> NoveltyReference:
    """Return the distribution of log p(x) per known cell over the rows that a model learnt from.

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
    >>> model = fit(x, x[:, 0] > 0, columns=Gaussian())
    >>> reference = novelty_reference(model, x)
    >>> model.novelty([[0.5, 0.1], [9.0, 9.0]], reference).share.round(1)
    array([0.9, 0. ])
    """
    rows = _rows(model, data)
    found = NoveltyReference.of(rows.score, _weights(weights, len(rows.score)))
    return _belonging(found, model, fingerprint(model.naive_bayes))


@final
class ReferenceRows:
    """Rows of a second pass, a table at a time, until they are a reference.

    Of text that is read as Words(model="complement") there is no log p(x), and so no reference.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._is_density = all(block.likelihood.is_likelihood for block in model.schema.blocks)
        self._parts: list[NoveltyRows] = []
        self._weights: list[npt.NDArray[np.float64]] = []

    def add(self, rows: Batch, most: int | None = None) -> None:
        """Take rows with the columns of the model; those that have no class or no weight are none of the fit.

        Of more than `most`, that many are taken, evenly spaced.
        """
        heavy = np.ones(rows.table.rows) if rows.weights is None else np.asarray(rows.weights, dtype=np.float64)
        kept = np.flatnonzero((rows.classes.codes >= 0) & (heavy > 0))
        if not self._is_density or not len(kept):
            return
        if most is not None and len(kept) > most:
            kept = kept[np.linspace(0, len(kept) - 1, most).astype(np.int64)]
        table = rows.table if len(kept) == rows.table.rows else rows.table.take(kept)
        known = self._model.naive_bayes
        self._parts.append(novelty_rows(known, table, known.score(table, "density").values))
        self._weights.append(heavy[kept])

    def reference(self, own: str) -> NoveltyReference | None:
        """Return the reference that they make for the model of that fingerprint; None where there is none."""
        if not self._parts:
            return None
        rows = _together(self._parts)
        found = NoveltyReference.of(rows.score, np.concatenate(self._weights))
        return _belonging(found, self._model, own)


def novelty_of(model: Model, data: Any, reference: NoveltyReference | None) -> Novelty:
    """Return how odd each row is beside those of the reference, by default the one that the model has."""
    if reference is None:
        return require_reference(model).novelty(_rows(compared(model), data))
    if not isinstance(reference, NoveltyReference):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ParameterError(
            f"reference must be a NoveltyReference: got {type(reference).__name__}. "
            "Give novelty_reference(model, data) of the rows of the fit."
        )
    if reference.fingerprint not in ("", fingerprint(model.naive_bayes)):
        raise ParameterError(
            "the reference is that of other statistics, or of another reading of them. "
            "Give novelty_reference(model, data) of this model."
        )
    return reference.novelty(_rows(compared(replace(model, reference=reference)), data))


def require_reference(model: Model) -> NoveltyReference:
    """Return the reference that the model has, or raise ParameterError where it has none."""
    if model.reference is not None:
        return model.reference
    model.naive_bayes.require_density()
    raise ParameterError(
        f"the model has no rows to compare others with{f' ({model.lost})' if model.lost else ''}",
        kind="no_reference",
        advice=lambda words: (
            f"Calibrate it on the rows of the fit with {words.verb('calibrate')}, which keeps their log p(x) too."
        ),
    )


def compared(model: Model) -> Model:
    """Return the model with the class prior that its reference was made under: p(x) is a sum over the classes."""
    known, prior = model.naive_bayes, None if model.reference is None else model.reference.class_prior
    if prior is None or np.array_equal(prior, known.class_prior.probabilities(known.tally)):
        return model
    return replace(model, naive_bayes=known.read(known.reading, ClassPrior("given", tuple(prior.tolist()))))


def novelty_of_table(model: Model, table: Table) -> Novelty:
    """Return how odd the rows of a table with the columns of the model are; of a `compared` model with a reference."""
    known = model.naive_bayes
    return require_reference(model).novelty(novelty_rows(known, table, known.score(table, "density").values))


def _belonging(reference: NoveltyReference, model: Model, own: str) -> NoveltyReference:
    known = model.naive_bayes
    return replace(reference, class_prior=known.class_prior.probabilities(known.tally), fingerprint=own)


def _rows(model: Model, data: Any) -> NoveltyRows:
    known, oddities = model.naive_bayes, Oddities()
    parts: list[NoveltyRows] = []
    with rows_from(data, like=model.like, needs_classes=False) as source:
        for batch in source:
            scores = known.score(batch.table, "density")
            oddities.add(scores)
            parts.append(novelty_rows(known, batch.table, scores.values))
    oddities.say(impossible=False)
    return _together(parts) if parts else NoveltyRows(*np.zeros((2, 0)))


def _together(parts: list[NoveltyRows]) -> NoveltyRows:
    return NoveltyRows(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _weights(weights: npt.ArrayLike | None, rows: int) -> npt.NDArray[np.float64] | None:
    found = weights_of(weights, rows)
    if found is None:
        return None
    values = np.asarray(found, dtype=np.float64)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(
            "weights must be finite and ≥ 0",
            kind="bad_weight",
            row=row,
            got=float(values[row]),
            advice="Drop the row.",
        )
    return values
