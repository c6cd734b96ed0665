"""Rows drawn from a model, in a form that it takes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from suffice.conjugate.arguments import generator, is_real, whole
from suffice.errors import DataError, ParameterError
from suffice.likelihoods.draws import Draw, outcomes_drawn
from suffice.models import NaiveBayesModel
from suffice.sources.target import labels_of, target_of
from suffice.statistics.counted import counted
from suffice.statistics.frozen_arrays import IntArray

__all__ = ["Sample", "generator_of", "sampled"]


class Sample(NamedTuple):
    """Rows and their classes: what `fit`, `Model.update` and `Model.predict` take.

    `data` is a 2-D array of floats where the model is one of an array of numbers, NaN in columns that it does not use;
    else a mapping {name: 1-D array} of the columns that it uses.
    """

    data: Any
    target: npt.NDArray[Any]


def sampled(model: NaiveBayesModel, n: int, seed: Any, classes: Any, length: Any, *, posterior: bool) -> Sample:
    """Return n rows and their classes."""
    rows, rng = whole("n", n, 0), generator_of(seed)
    if not isinstance(posterior, (bool, np.bool_)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ParameterError(f"posterior must be True or False: got {posterior!r}.")
    if not len(model.classes):
        raise DataError("the model has seen no rows, so it knows no class. Fit it on rows, or add a model that was.")
    lengths = _lengths(model, length, rows)
    if classes is None:
        chances = model.class_prior.sample(model.tally, rng) if posterior else np.exp(model.log_prior)
        codes = outcomes_drawn(chances[None], Draw(np.zeros(rows, dtype=np.int64), rng))
    else:
        codes = _codes(model, classes, rows)
    cells = model.sample(Draw(codes, rng, bool(posterior), lengths))
    return Sample(_laid_out(model, cells, rows), labels_of(codes, model.classes))


def generator_of(seed: Any) -> np.random.Generator:
    """Return the generator that a seed stands for, or raise ParameterError."""
    if seed is None or isinstance(seed, np.random.Generator):
        return generator(seed)
    if not is_real(seed) or not 0 <= seed < np.inf or int(seed) != seed:
        raise ParameterError(f"seed must be a whole number ≥ 0, a numpy Generator or None: got {seed!r}.")
    return generator(int(seed))


def _codes(model: NaiveBayesModel, classes: Any, rows: int) -> IntArray:
    if isinstance(classes, Mapping):
        counts = {label: whole(f"classes[{label!r}]", k, 0) for label, k in cast("Mapping[Any, Any]", classes).items()}
        if sum(counts.values()) != rows:
            raise ParameterError(
                f"classes must add up to n={rows}: got {counted(sum(counts.values()), 'row')}. Give n as their sum."
            )
        return np.repeat([_position(model, label) for label in counts], list(counts.values())).astype(np.int64)
    if isinstance(classes, (str, bytes, bool, int, float, np.generic)):
        return np.full(rows, _position(model, classes), dtype=np.int64)
    codes, labels, missing, _ = target_of(classes, rows)
    if missing:
        raise DataError(f"classes must be known in every row: {missing} of {rows} are missing. Give each a class.")
    return np.array([_position(model, label) for label in labels], dtype=np.int64)[codes]


def _position(model: NaiveBayesModel, label: Any) -> int:
    if label not in model.classes:
        raise ParameterError(
            f"the model does not know class {label!r}. Its classes are {list(model.classes)[:12]!r}. Give one of them."
        )
    return model.classes.index(label)


def _lengths(model: NaiveBayesModel, length: Any, rows: int) -> IntArray | None:
    if length is None:
        return None
    if not any(block.likelihood.has_length for block in model.schema.blocks):
        raise ParameterError(
            "length is the total of each row of Multinomial counts, or the words of each text, and the model has no "
            "such columns. Leave it out."
        )
    given: npt.NDArray[Any] = np.asarray(length)
    if given.shape not in ((), (rows,)):
        raise ParameterError(f"length must be one number, or one for each of the {rows} rows: got shape {given.shape}.")
    if given.dtype.kind not in "iuf" or not ((given >= 0) & (given <= 2**53) & (np.floor(given) == given)).all():
        raise ParameterError(f"length must be whole numbers from 0 to 2**53: got {length!r}.")
    return np.broadcast_to(given.astype(np.int64), (rows,))


def _laid_out(model: NaiveBayesModel, cells: dict[str | int, npt.NDArray[Any]], rows: int) -> Any:
    names = model.schema.names
    if names != tuple(range(len(names))) or any(column.dtype.kind not in "if" for column in cells.values()):
        return cells
    data = np.full((rows, len(names)), np.nan)
    for name, column in cells.items():
        data[:, int(name)] = column
    return data
