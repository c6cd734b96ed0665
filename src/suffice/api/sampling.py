"""Rows drawn from a model, in a form that the model accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import find_class, generator, whole_number
from suffice.errors import DataError, ParameterError, counted
from suffice.likelihoods.draws import Draw, draw_outcomes
from suffice.models import NaiveBayesModel
from suffice.records import TableColumns, Tabular
from suffice.sources.target import labels_of, target_of
from suffice.statistics.arrays import IntArray

__all__ = ["Sample", "sample_rows"]

_INT64 = 2.0**63


@final
@dataclass(frozen=True, slots=True, eq=False)
class Sample(Tabular):
    """Rows drawn from a model and their classes, as `fit`, `Model.update` and `Model.predict` accept them.

    `data, target = sample` unpacks them.

    Attributes
    ----------
    data : 2-D array, or mapping {name: array}
        An array if the model was fitted on an array of numbers, with NaN in unused columns; otherwise the columns in
        use.
    target : array of labels
    """

    data: Any
    target: npt.NDArray[Any]

    def __iter__(self) -> Iterator[Any]:
        """Yield data and target."""
        yield self.data
        yield self.target

    def table(self) -> TableColumns:
        """Return the columns of the data, and the class as `target`."""
        data: Any = self.data
        if isinstance(data, dict):
            columns = {str(name): values for name, values in cast("dict[Any, Any]", data).items()}
        else:
            columns = {str(at): data[:, at] for at in range(data.shape[1])}
        name = "target"
        while name in columns:
            name += "_"
        return {**columns, name: self.target}

    def __str__(self) -> str:
        return f"Sample of {counted(len(self.target), 'row')}"


def sample_rows(model: NaiveBayesModel, n: int, seed: Any, classes: Any, length: Any, *, posterior: bool) -> Sample:
    """Return n rows and their classes."""
    rows, rng = whole_number("n", n, 0), generator(seed)
    if not isinstance(posterior, (bool, np.bool_)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ParameterError(f"posterior must be True or False: got {posterior!r}.")
    if not len(model.classes):
        raise DataError("the model has no rows and therefore no classes. Fit it on data, or add a fitted model to it.")
    lengths = _lengths(model, length, rows)
    if classes is None:
        chances = model.class_prior.sample(model.tally, rng) if posterior else np.exp(model.log_prior)
        codes = draw_outcomes(chances[None], Draw(np.zeros(rows, dtype=np.int64), rng))
    else:
        codes = _draw_class_codes(model, classes, rows)
    cells = model.sample(Draw(codes, rng, bool(posterior), lengths))
    return Sample(_drawn_table(model, _restore_types(model, cells), rows), labels_of(codes, model.classes))


def _draw_class_codes(model: NaiveBayesModel, classes: Any, rows: int) -> IntArray:
    if isinstance(classes, Mapping):
        counts = {
            label: whole_number(f"classes[{label!r}]", k, 0) for label, k in cast("Mapping[Any, Any]", classes).items()
        }
        if sum(counts.values()) != rows:
            raise ParameterError(
                f"classes must add up to n={rows}: got {counted(sum(counts.values()), 'row')}. Give n as their sum."
            )
        places = [find_class(model.classes, label) for label in counts]
        return np.repeat(places, list(counts.values())).astype(np.int64)
    if isinstance(classes, (str, bytes, bool, int, float, np.generic)):
        return np.full(rows, find_class(model.classes, cast("Any", classes)), dtype=np.int64)
    codes, labels, missing, _ = target_of(classes, rows)
    if missing:
        raise DataError(f"classes must be known in every row: {missing} of {rows} are missing. Give each a class.")
    return np.array([find_class(model.classes, label) for label in labels], dtype=np.int64)[codes]


def _lengths(model: NaiveBayesModel, length: Any, rows: int) -> IntArray | None:
    if length is None:
        return None
    if not any(block.likelihood.has_length for block in model.schema.blocks):
        raise ParameterError(
            "length applies only to Multinomial counts (the total of each row) and text (the number of words), and "
            "the model has no such columns. Omit it."
        )
    given: npt.NDArray[Any] = np.asarray(length)
    if given.shape not in ((), (rows,)):
        raise ParameterError(f"length must be one number, or one for each of the {rows} rows: got shape {given.shape}.")
    if given.dtype.kind not in "iuf" or not ((given >= 0) & (given <= 2**53) & (np.floor(given) == given)).all():
        raise ParameterError(f"length must be whole numbers from 0 to 2**53: got {length!r}.")
    return np.broadcast_to(given.astype(np.int64), (rows,))


def _restore_types(
    model: NaiveBayesModel, cells: dict[str | int, npt.NDArray[Any]]
) -> dict[str | int, npt.NDArray[Any]]:
    # Integers and booleans, if the column contained only such values.
    typed = dict(cells)
    for block in model.schema.blocks:
        what = block.likelihood.collect(block.columns).what
        for column in block.columns:
            values = cells[column]
            if values.dtype.kind != "f":
                continue
            if what == "sums" or column in model.schema.integers:
                typed[column] = whole = np.rint(values)
                if (np.abs(whole) < _INT64).all():  # false for NaN
                    typed[column] = whole.astype(np.int64)
            elif what == "presence" and np.isin(values, (0.0, 1.0)).all():
                typed[column] = values.astype(np.bool_)
    return typed


def _drawn_table(model: NaiveBayesModel, cells: dict[str | int, npt.NDArray[Any]], rows: int) -> Any:
    names = model.schema.names
    if names != tuple(range(len(names))) or any(column.dtype.kind not in "ifb" for column in cells.values()):
        return cells
    data = np.full((rows, len(names)), np.nan)
    for name, column in cells.items():
        data[:, int(name)] = column
    return data
