"""Novelty of rows: a reference distribution from the training rows, and the comparison of new rows with it.

The score of a row for novelty: standard/n, its log density per known cell or token in units of each column's spread.

    size n        the number of known cells and tokens:
      a cell        1 if it is known or if missingness is modelled as a level; 0 for a constant column
      counts        the total Σ x_j of the row, for counts that are drawn jointly (Multinomial)
      a document    the number of its tokens that the model knows, or of distinct ones if each counts once
    standard      log p(x) + Σ of
      a known real cell   ln unit, the column's spread (of a histogram the width of all its cells), so that the
                          score is invariant under x → s x + t, even if some cells are missing
      an unseen level     ln 1/(1 + N), N the weight of all rows, if the likelihood ignores unseen levels: an unseen
                          level is unusual, not missing
      a cell outside      the same, for a value outside the edges of a histogram, whose end bins are unbounded

n and standard are computed like scores, by terms with two "classes": the first sums n, the second the corrections.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from suffice.api.scoring import ScoringWarnings
from suffice.decisions.novelty import Novelty, NoveltyReference, NoveltyRows
from suffice.errors import ParameterError
from suffice.models import ClassPrior, NaiveBayesModel
from suffice.models.naive_bayes import fingerprint
from suffice.models.score import Scorer
from suffice.records import frame_library
from suffice.sources import Batch, rows_from
from suffice.sources.in_memory import weights_of
from suffice.sources.metadata import require_weights
from suffice.sources.table import Table
from suffice.statistics.arrays import FloatArray

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = [
    "ReferenceRows",
    "compared",
    "novelty_of_rows",
    "novelty_of_table",
    "novelty_reference",
    "novelty_rows",
    "require_reference",
]


def novelty_rows(model: NaiveBayesModel, table: Table, log_density: FloatArray) -> NoveltyRows:
    """Return the rows of a table with the columns of the schema, given their log p(x)."""
    unseen = -float(np.log1p(model.tally.weight.sum()))
    always = {name for term in model.terms for name in term.log_observed()}
    terms = [size for term in model.terms for size in term.size_terms(unseen, always)]
    scores = Scorer(terms, np.zeros(2), model.schema.names).score(table, "joint").values
    size, standard = scores[:, 0] + len(always), log_density + scores[:, 1]
    cells = np.clip(size, 1.0, np.finfo(np.float64).max)  # counts may add up to more than a float holds
    return NoveltyRows(log_density, np.where(size > 0, standard / cells, np.inf))


def novelty_reference(model: Model, data: Any, weights: npt.ArrayLike | None = None) -> NoveltyReference:
    """Return the empirical distribution of log p(x) per observed cell over reference rows.

    Parameters
    ----------
    model : Model
    data : as in `Model.predict`
        The training rows, or other rows known to be normal. Training rows have slightly higher density than new rows;
        the difference is negligible with a few hundred rows per parameter.
    weights : array of rows, optional

    Raises
    ------
    ParameterError
        If the model has no density, as with Words(model="complement").
    DataError
        If no row has positive weight.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.api import fit
    >>> from suffice.likelihoods import Gaussian
    >>> x = np.random.default_rng(0).normal(size=(500, 2))
    >>> model = fit(x, x[:, 0] > 0, columns=Gaussian())
    >>> reference = novelty_reference(model, x)
    >>> model.novelty([[0.5, 0.1], [9.0, 9.0]], reference=reference).p_value.round(1)
    array([0.9, 0. ])
    """
    rows = _score_novelty(model, data)
    found = NoveltyReference.of(rows.score, _weights(weights, len(rows.score)))
    return _belonging(found, model, fingerprint(model.core))


@final
class ReferenceRows:
    """Accumulates rows of a second pass, one table at a time, and builds a reference.

    Words(model="complement") has no log p(x), so there is no reference.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._is_density = all(block.likelihood.is_likelihood for block in model.schema.blocks)
        self._parts: list[NoveltyRows] = []
        self._weights: list[npt.NDArray[np.float64]] = []

    def add(self, rows: Batch, most: int | None = None) -> None:
        """Add rows with the columns of the model; rows without a class or with weight 0 are ignored.

        If there are more than `most`, that many evenly spaced rows are used.
        """
        row_weights = np.ones(rows.table.rows) if rows.weights is None else np.asarray(rows.weights, dtype=np.float64)
        kept = np.flatnonzero((rows.classes.codes >= 0) & (row_weights > 0))
        if not self._is_density or not len(kept):
            return
        if most is not None and len(kept) > most:
            kept = kept[np.linspace(0, len(kept) - 1, most).astype(np.int64)]
        table = rows.table if len(kept) == rows.table.rows else rows.table.take(kept)
        known = self._model.core
        self._parts.append(novelty_rows(known, table, known.score(table, "density").values))
        self._weights.append(row_weights[kept])

    def reference(self, own: str) -> NoveltyReference | None:
        """Return the reference for the model with that fingerprint, or None if there are no rows."""
        if not self._parts:
            return None
        rows = _join_novelty(self._parts)
        found = NoveltyReference.of(rows.score, np.concatenate(self._weights))
        return _belonging(found, self._model, own)


def novelty_of_rows(model: Model, data: Any, reference: NoveltyReference | None) -> Novelty:
    """Return how unusual each row is compared with the reference, by default that of the model."""
    library = frame_library(data)
    if reference is None:
        return require_reference(model).novelty(_score_novelty(compared(model), data), library)
    if not isinstance(reference, NoveltyReference):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ParameterError(
            f"reference must be a NoveltyReference: got {type(reference).__name__}. "
            "Pass novelty_reference(model, data) with the training rows."
        )
    if reference.fingerprint not in ("", fingerprint(model.core)):
        raise ParameterError(
            "the reference was computed for a different model or estimate. "
            "Pass novelty_reference(model, data) of this model."
        )
    return reference.novelty(_score_novelty(compared(replace(model, novelty_reference=reference)), data), library)


def require_reference(model: Model) -> NoveltyReference:
    """Return the reference of the model, or raise ParameterError if it has no reference."""
    if model.novelty_reference is not None:
        return model.novelty_reference
    model.core.require_density()
    reason = model.calibration_dropped_because
    raise ParameterError(
        f"the model has no novelty reference{f' ({reason})' if reason else ''}",
        kind="no_reference",
        advice=lambda words: (
            f"Run {words.verb('calibrate')} on the training rows to store it (the distribution of their log p(x))."
        ),
    )


def compared(model: Model) -> Model:
    """Return the model with the class prior of its reference, on which p(x) depends."""
    known, prior = model.core, None if model.novelty_reference is None else model.novelty_reference.class_prior
    if prior is None or np.array_equal(prior, known.class_prior.probabilities(known.tally)):
        return model
    return replace(model, core=known.read(known.reading, ClassPrior("given", tuple(prior.tolist()))))


def novelty_of_table(model: Model, table: Table) -> Novelty:
    """Return the novelty of the rows of a table, given a model returned by `compared` and its reference."""
    known = model.core
    return require_reference(model).novelty(novelty_rows(known, table, known.score(table, "density").values))


def _belonging(reference: NoveltyReference, model: Model, own: str) -> NoveltyReference:
    known = model.core
    return replace(reference, class_prior=known.class_prior.probabilities(known.tally), fingerprint=own)


def _score_novelty(model: Model, data: Any) -> NoveltyRows:
    known, scoring_warnings = model.core, ScoringWarnings()
    parts: list[NoveltyRows] = []
    with rows_from(data, like=model.like, needs_classes=False) as source:
        for batch in source:
            scores = known.score(batch.table, "density")
            scoring_warnings.add(scores)
            parts.append(novelty_rows(known, batch.table, scores.values))
    scoring_warnings.emit(impossible=False)
    return _join_novelty(parts) if parts else NoveltyRows(*np.zeros((2, 0)))


def _join_novelty(parts: list[NoveltyRows]) -> NoveltyRows:
    return NoveltyRows(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _weights(weights: npt.ArrayLike | None, rows: int) -> npt.NDArray[np.float64] | None:
    found = weights_of(weights, rows)
    if found is None:
        return None
    values = np.asarray(found, dtype=np.float64)
    require_weights(values, "Drop the row.")
    return values
