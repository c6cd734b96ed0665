"""Calibrate: the same model with probabilities to act on, learnt from rows scored as if they had not been seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from suffice.api.files import OnProgress, rows_of_files
from suffice.api.measuring import no_class
from suffice.api.model import Model
from suffice.api.notices import ImpossibleRowsWarning, notify
from suffice.api.novelty import ReferenceRows
from suffice.api.seen import Rows, aligned_table, rows_of
from suffice.conjugate.arguments import is_real
from suffice.decisions.calibrating import MOST_ROWS, UnseenRows, calibrated
from suffice.decisions.calibration import Calibrator
from suffice.engines.files import Files
from suffice.engines.table import Table
from suffice.errors import DataError, ParameterError
from suffice.evidence.evaluation.splits import stratified_folds
from suffice.evidence.folds import FoldedRows, rows_out_of_fold
from suffice.evidence.leave_one_out import rows_left_out
from suffice.models.fingerprint import fingerprint
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["calibrate", "calibrated_files", "calibrated_model", "referenced"]


def calibrate(
    model: Model,
    data: Any,
    target: Any = None,
    weights: npt.ArrayLike | str | None = None,
    *,
    on: Literal["loo", "new"] | int = "loo",
    method: Calibrator | Literal["auto"] = "auto",
    seed: int = 0,
    progress: OnProgress | None = None,
) -> Model:
    """Return the model with calibrated probabilities; its statistics, and log p(c, x), stay what they are.

    It also keeps what log p(x) is for these rows (of very many, for 50,000), so that `model.novelty` can hold others
    beside them. Both leave the class prior free, so that another one still enters as it should. They are of these
    statistics read so: `+`, `-`, `update`, `forget`, `scale`, `prune` and another estimate drop them.

    Parameters
    ----------
    model : Model
    data, target, weights
        As in `fit`. With on="loo" or a number of folds they are the rows that the model was fitted on. Of files, about
        50,000 rows, evenly spaced, are scored, and folds are not to be had.
    on : "loo", int ≥ 2 or "new"
        Each row is scored without itself, or by the model of the other folds; or the rows are new to the model. A
        likelihood of your own that does not say how to leave one row out takes folds.
    method : "auto", "temperature", "offsets", "length", "beta" or "isotonic"
        As `suffice.decisions.calibration` says; "auto" is the one that the rows speak for.
    seed : int
        Of the folds.
    progress : function of Progress, optional
        Called after each batch of a file, and once at the end.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.api import fit
    >>> from suffice.likelihoods import Gaussian
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 400)
    >>> x = np.repeat(rng.normal(y, 1.0)[:, None], 8, axis=1)  # the same column eight times
    >>> sure = fit(x, y, Gaussian())
    >>> calibrate(sure, x, y, method="temperature").calibration.temperature < 0.2
    True
    """
    files = Files.of(data)
    if files is not None:
        return calibrated_files(model, files, target, weights, on, method, progress)
    target = model.provenance.target if target is None else target
    if target is None:
        raise DataError("the class of each row is not known. Give target=: an array, or the name of a column.")
    rows = rows_of(data, target, weights)
    if rows.target.missing:
        no_class(rows.target.missing, rows.table.rows)
    return calibrated_model(model, rows, on, method, seed)


def calibrated_model(
    model: Model, rows: Rows, on: Literal["loo", "new"] | int, method: Calibrator | Literal["auto"], seed: int = 0
) -> Model:
    """Return the model, calibrated on rows."""
    table = aligned_table(rows.table, model.schema)
    scored = _unseen(model, table, rows, on, seed)
    beside = ReferenceRows(model)
    beside.add(rows._replace(table=table), MOST_ROWS)
    return _with(model, scored, method, beside)


def calibrated_files(
    model: Model,
    files: Files,
    target: Any,
    weights: Any,
    on: Any,
    method: Calibrator | Literal["auto"] = "auto",
    progress: OnProgress | None = None,
    *,
    again: bool = False,
) -> Model:
    """Return the model, calibrated on the rows of files; `again` says that the pass before has warned of them."""
    if on not in ("loo", "new"):
        raise ParameterError(f"folds need rows in memory: got files, and on={on!r}. Give on='loo', or a frame.")
    beside = ReferenceRows(model)
    spaced = _spaced(model, files, target, weights, progress, again=again)
    return _with(model, _of_files(model, files, spaced, on, beside), method, beside)


def referenced(model: Model, files: Files, progress: OnProgress | None = None) -> Model:
    """Return the model with what log p(x) is for the rows of files that it was fitted on, and not calibrated."""
    beside = ReferenceRows(model)
    for rows in _spaced(model, files, None, None, progress, again=True):
        beside.add(rows)
    return replace(model, reference=beside.reference(fingerprint(model.naive_bayes)))


def _with(
    model: Model, scored: tuple[UnseenRows, str], method: Calibrator | Literal["auto"], beside: ReferenceRows
) -> Model:
    found, how = scored
    _impossible_rows(found)
    own = fingerprint(model.naive_bayes)
    learnt = replace(calibrated(found, method), learnt_from=how, fingerprint=own)
    return replace(model, calibration=learnt, reference=beside.reference(own), lost="")


def _impossible_rows(rows: UnseenRows) -> None:
    # What is impossible in its own class has no log loss to learn from.
    known = rows.codes >= 0 if rows.weights is None else (rows.codes >= 0) & (np.asarray(rows.weights) > 0)
    at = np.flatnonzero(known)
    priors: FloatArray = np.broadcast_to(rows.log_prior, rows.likelihood.shape)
    own = rows.likelihood[at, rows.codes[at]] + priors[at, rows.codes[at]]
    number = int(np.isneginf(own).sum())
    if 0 < number < len(at):
        notify(
            ImpossibleRowsWarning,
            f"{number} of {len(at)} rows have probability 0 in their own class and were left out of the calibration. "
            "Give a class more than one row, or use an estimate other than 'mle'.",
        )


def _of_files(
    model: Model, files: Files, spaced: Iterator[Rows], on: Literal["loo", "new"], beside: ReferenceRows
) -> tuple[UnseenRows, str]:
    parts: list[UnseenRows] = []
    how = ""
    for rows in spaced:
        found, how = _unseen(model, rows.table, rows, on, 0)
        beside.add(rows)
        priors: FloatArray = np.broadcast_to(found.log_prior, found.likelihood.shape)
        parts.append(found._replace(log_prior=priors))
    if not parts:
        raise DataError(f"{files.paths[0]} has no rows to learn from.")

    def together(name: str) -> Any:
        each = [getattr(part, name) for part in parts]
        return None if each[0] is None else np.concatenate(each)

    return UnseenRows(*map(together, UnseenRows._fields)), how


def _spaced(
    model: Model, files: Files, target: Any, weights: Any, progress: OnProgress | None, *, again: bool
) -> Iterator[Rows]:
    # About MOST_ROWS of the rows of files, a batch at a time.
    step = max(1, model.provenance.rows // MOST_ROWS)
    start = missing = 0
    for rows in rows_of_files(model, files, target, weights, progress, again=again):
        missing += rows.target.missing
        some = np.arange(-start % step, rows.table.rows, step)
        start += rows.table.rows
        if len(some):
            table = rows.table if step == 1 else rows.table.take(some)
            own = rows.target._replace(codes=rows.target.codes[some])
            yield Rows(table, own, None if rows.weights is None else rows.weights[some])
    if missing and not again:
        no_class(missing, start)


def _unseen(model: Model, table: Table, rows: Rows, on: Any, seed: int) -> tuple[UnseenRows, str]:
    found, how = _scored(model, table, rows, on, seed)
    return found._replace(lengths=model.naive_bayes.bare_scorer.lengths(table)), how


def _scored(model: Model, table: Table, rows: Rows, on: Any, seed: int) -> tuple[UnseenRows, str]:
    known, (codes, classes, _, _) = model.naive_bayes, rows.target
    if not model.classes:
        raise DataError("there is no row with a class to calibrate on. Give rows, and the class of each.")
    strange = [label for label in classes if label not in known.classes]
    if strange:
        raise DataError(
            f"the model does not know the class {strange[0]!r}. Its classes are {list(known.classes)[:12]!r}. "
            "Fit it on all classes, or leave these rows out."
        )
    if on == "loo":
        return rows_left_out(known, table, codes, classes, rows.weights), "leave one out"
    places: IntArray = np.append(known.classes.positions(classes.labels), -1)[codes]
    if on == "new":
        likelihood = known.likelihood(table).values
        return UnseenRows(likelihood, known.log_prior, places, rows.weights), "other rows"
    if not is_real(on) or int(on) != on or not 2 <= on <= table.rows:
        raise ParameterError(
            f"on must be 'loo', 'new' or a number of folds from 2 to the number of rows, {table.rows}: got {on!r}."
        )
    folds = stratified_folds(places, int(on), seed)
    return rows_out_of_fold(known, FoldedRows(table, places, known.classes, rows.weights, folds)), f"{int(on)} folds"
