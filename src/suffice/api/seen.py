"""Rows to a model of those rows alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from suffice.api.notices import DroppedRowsWarning, MissingColumnsWarning, notify
from suffice.api.table import table_of, weights_of
from suffice.api.target import Target, target_of
from suffice.engines import arrays
from suffice.engines.collection import collect
from suffice.engines.column import Column
from suffice.engines.table import Frame, Table
from suffice.errors import DataError
from suffice.evidence.leave_one_out import known_numbers
from suffice.models import ClassPrior, NaiveBayesModel, Schema
from suffice.plan import Reading
from suffice.statistics import Scatter, Tally
from suffice.statistics.columns import Columns
from suffice.statistics.counted import counted

__all__ = [
    "Rows",
    "aligned_table",
    "column_weights",
    "counted_model",
    "incomplete_cells",
    "incomplete_rows",
    "missing_columns",
    "rows_of",
    "seen_model",
]


class Rows(NamedTuple):
    """Rows with their classes and weights."""

    table: Table
    target: Target
    weights: npt.NDArray[Any] | None

    @property
    def known(self) -> int:
        """How many rows have a class."""
        return self.table.rows - self.target.missing


def rows_of(data: Any, target: Any, weights: Any) -> Rows:
    """Return the table without the columns that are target and weights, where those are named."""
    table = table_of(data)
    named = tuple(name for name in (target, weights) if isinstance(name, str))
    if named and isinstance(table, Frame):
        target, weights = (_named(table, given, what) for given, what in ((target, "target"), (weights, "weights")))
        table = table.without(named)
    coded = target if isinstance(target, Target) else target_of(target, table.rows)
    return Rows(table, coded, weights_of(weights, table.rows))


def seen_model(schema: Schema, reading: Reading, class_prior: ClassPrior, rows: Rows) -> NaiveBayesModel:
    """Return what was seen of these rows, to be read so; rows without a class are left out with a warning."""
    missing = rows.target.missing
    if missing:
        notify(
            DroppedRowsWarning,
            f"{missing} of {rows.table.rows} rows have no class and were left out. Give them one, or drop them first.",
        )
    seen = counted_model(schema, reading, class_prior, rows._replace(table=aligned_table(rows.table, schema)))
    incomplete_rows(seen)
    return seen


def counted_model(schema: Schema, reading: Reading, class_prior: ClassPrior, rows: Rows) -> NaiveBayesModel:
    """Return what was seen of rows whose table has the columns of the schema."""
    table, (codes, classes, _, counted), weights = rows
    known = counted if weights is None else None
    tally = arrays.tally(codes, classes, weights=weights) if known is None else Tally(classes, known)
    return NaiveBayesModel(schema, tally, collect(schema.plan(), table, codes, classes, weights), reading, class_prior)


def incomplete_rows(seen: NaiveBayesModel) -> None:
    """Warn of rows that are left out of columns that go together, because one of those cells is missing."""
    for block, parts in zip(seen.schema.blocks, seen.parts, strict=True):
        left_out = float(parts[0].left_out.sum()) if isinstance(parts[0], Scatter) else 0.0
        if left_out:
            _incomplete(left_out, float(seen.tally.weight.sum()), block.columns)


def incomplete_cells(schema: Schema, rows: Rows) -> None:
    """Warn as `incomplete_rows` does, of rows with the columns of the schema that are counted in parts."""
    heavy = np.ones(rows.table.rows) if rows.weights is None else rows.weights
    for block in schema.blocks:
        if block.likelihood.collect(block.columns).what == "scatter":
            left_out = float(heavy[~known_numbers(rows.table, block.columns)].sum())
            if left_out:
                _incomplete(left_out, float(heavy.sum()), block.columns)


def _incomplete(left_out: float, total: float, columns: Columns) -> None:
    notify(
        DroppedRowsWarning,
        f"{left_out:g} of {total:g} rows have a missing cell in the columns {_shown(columns)}, which go together, "
        "and were left out of them. Fill the cells, or read the columns apart with covariance='diagonal'.",
    )


def aligned_table(table: Table, schema: Schema) -> Table:
    """Return the table with the columns of a model; one that it lacks is missing in every row.

    A warning names the missing ones that the model uses.
    """
    aligned, missing = table.aligned(schema.names)
    if table.rows or table.width:  # an empty list lacks no column: it has none to speak of
        missing_columns(schema, missing, table.names)
    return aligned


def missing_columns(schema: Schema, missing: Columns, there: Columns) -> None:
    """Warn of columns that are missing where the model uses them; where all of them are, raise DataError."""
    if missing:
        unused = set(schema.unused)
        missing = tuple(name for name in missing if name not in unused)
    if not missing:
        return
    used = schema.width - len(schema.unused)
    shown = ", ".join(map(repr, missing[:5])) + ", …" * (len(missing) > 5)
    do = f"{_in_other_case(missing, there)}Give them, or rename the data's columns: {_shown(there)}."
    if len(missing) == used and there:
        raise DataError(f"the data has none of the {counted(used, 'column')} of the model: {shown}. {do}")
    notify(
        MissingColumnsWarning,
        f"{len(missing)} of the {used} columns of the model are not in the data and count as missing: {shown}. {do}",
    )


def _in_other_case(missing: Columns, there: Columns) -> str:
    folded = {str(name).casefold().strip(): name for name in there}
    found = [(name, folded[str(name).casefold().strip()]) for name in missing if str(name).casefold().strip() in folded]
    if not found:
        return ""
    name, other = found[0]
    differ = "differs" if len(found) == 1 else "differ"
    return f"{len(found)} of them {differ} only in case or spaces, as {other!r} from {name!r}. "


def _named(table: Frame, given: Any, what: str) -> Any:
    if not isinstance(given, str):
        return given
    if given not in table.names:
        from difflib import get_close_matches

        close = get_close_matches(given, [name for name in table.names if isinstance(name, str)], n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"The columns are {_shown(table.names)}."
        raise DataError(f"{what} column {given!r} is not in the data. {hint}")
    column = table.column(given)
    return column if what == "target" else column_weights(column, given)


def column_weights(column: Column, name: str | int) -> npt.NDArray[Any]:
    """Return the weights that a column holds."""
    try:
        numbers = column.numbers()
    except DataError as reason:
        raise DataError(f"weights column {name!r} must hold numbers: {reason}. Convert it first.") from None
    if numbers.valid is not None:
        raise DataError(
            f"weights column {name!r} must be known in every row. Give each a number, or 0 to leave it out."
        )
    return numbers.values


def _shown(names: Columns) -> str:
    return ", ".join(map(repr, names[:8])) + ", …" * (len(names) > 8)
