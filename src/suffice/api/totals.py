"""Tables of totals, as a GROUP BY in a database gives them: statistics without the rows.

A row of a table holds one of these; `class` is always given, and fields that do not apply are missing:

    class, count                        N_c, the weight of the rows of the class
    class, column, level, count         N_jc(k), the weight of the rows of the class in which column j has level k
    class, column, count                the rows of the class in which column j is missing
    class, column, n, mean, variance    n is the weight of the known cells, variance Σ w (x − mean)²/n (VAR_POP in SQL)

A row without a class is ignored with a warning, as a row of data without a class is. N_c is required for every class or
for none. Without it, N_c is the smallest that all columns allow, the greatest total of a column (missing cells
included). Level counts and n above N_c are refused, with a tolerance of 2⁻⁴⁰ for fractional weights.

    likelihood    needs of its column
    Categorical   level counts
    Bernoulli     counts of levels that are numbers or booleans, also as text; those above the threshold are present
    Gaussian      n, mean and variance
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, cast, final

import numpy as np

from suffice.api.counted import CountList, Statistics
from suffice.api.inference import LEVELS, REAL, schema_of
from suffice.api.options import change_columns, declare_classes, reading_of, require_alone
from suffice.errors import DataError, MergeError, ParameterError
from suffice.likelihoods import Likelihood
from suffice.likelihoods.block_statistics import Collect, Parts, What
from suffice.models import ClassPrior, NaiveBayesModel, Schema
from suffice.sources import RowSource, rows_from
from suffice.sources.files.source import Files
from suffice.sources.in_memory import is_frame
from suffice.sources.metadata import list_names
from suffice.sources.table import Frame, Table
from suffice.statistics import Axis, Counts, Moments, Tally
from suffice.statistics.axis import SNAP
from suffice.statistics.labels import Key, Label, canonical, key_of_label
from suffice.statistics.moments import PASS

__all__ = ["Totals", "model_of_statistics", "read_totals"]

_CLASS, _COLUMN, _LEVEL, _COUNT = "class", "column", "level", "count"
_MOMENTS = ("n", "mean", "variance")
_PRESENCE = {"present": math.inf, "absent": -math.inf, "true": 1.0, "false": 0.0}  # the first two as `counts` has them
_MISSING = key_of_label(*canonical(None))
_FIELDS = (_COLUMN, _LEVEL, _COUNT, *_MOMENTS)


@final
@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a table, with None for missing fields; `place` names the row in errors."""

    place: dict[str, Any]
    label: Label
    column: Any
    level: Label
    count: float | None
    n: float | None
    mean: float | None
    variance: float | None


@final
@dataclass(slots=True)
class Totals:
    """The totals of tables: N_c if given, level counts, and moments, by column and class.

    Classes and levels are lookup keys (labels.py), so that 1 and True differ; `spelled` has their labels.
    """

    rows: dict[Key, float] = field(default_factory=dict[Key, float])
    levels: dict[Any, dict[Key, dict[Key, float]]] = field(default_factory=dict[Any, Any])
    moments: dict[Any, dict[Key, tuple[float, float, float]]] = field(default_factory=dict[Any, Any])
    names: dict[Any, None] = field(default_factory=dict[Any, None])
    classes: dict[Key, None] = field(default_factory=dict[Key, None])
    spelled: dict[Key, Label] = field(default_factory=dict[Key, Any])

    def add(self, row: _Row) -> None:
        """Add a row, or raise DataError if it is not one of the kinds, invalid, or a duplicate."""
        self.classes[self._key(row.label)] = None
        moments = [value for value in (row.n, row.mean, row.variance) if value is not None]
        if (row.count is None) == (not moments):
            both = "both" if moments else "neither"
            problem = f"must contain either count, or n, mean and variance: got {both}"
            raise DataError(problem, kind="totals", **row.place)
        if row.column is not None:
            if not isinstance(row.column, (str, int)) or isinstance(row.column, bool):
                raise DataError(
                    "column must be the name or the position of a column", kind="totals", got=row.column, **row.place
                )
            self.names[row.column] = None
        if row.count is None:
            self._add_moments(row)
        else:
            self._add_count(row, _checked("count", row.count, row))

    def _key(self, label: Label) -> Key:
        key = key_of_label(*canonical(label))
        self.spelled.setdefault(key, label)
        return key

    def _add_count(self, row: _Row, count: float) -> None:
        label, level = self._key(row.label), self._key(row.level)
        if row.column is None:
            if row.level is not None:
                raise DataError("a row with a level must also name a column", kind="totals", got=row.level, **row.place)
            if label in self.rows:
                raise _duplicate(row, f"the number of rows of class {row.label!r}")
            self.rows[label] = count
            return
        self._require_one_kind(row, self.moments)
        by_level = self.levels.setdefault(row.column, {}).setdefault(label, {})
        if level in by_level:
            raise _duplicate(row, f"class {row.label!r}, column {row.column!r}, level {row.level!r}")
        by_level[level] = count

    def _add_moments(self, row: _Row) -> None:
        if row.column is None:
            raise DataError("a row with n, mean and variance must also name a column", kind="totals", **row.place)
        if row.level is not None:
            problem = "n, mean and variance are those of a column, not of a level"
            raise DataError(problem, kind="totals", got=row.level, **row.place)
        self._require_one_kind(row, self.levels)
        n = _checked("n", row.n, row)
        empty = n == 0 and row.mean is None and row.variance is None
        mean = 0.0 if empty else _checked("mean", row.mean, row, signed=True)
        variance = 0.0 if empty else _checked("variance", row.variance, row)
        by_class, label = self.moments.setdefault(row.column, {}), self._key(row.label)
        if label in by_class:
            raise _duplicate(row, f"class {row.label!r}, column {row.column!r}")
        by_class[label] = (n, mean, variance) if n else (0.0, 0.0, 0.0)

    def _require_one_kind(self, row: _Row, others: Mapping[Any, Any]) -> None:
        if row.column in others:
            problem = f"column {row.column!r} has counts of levels in one row and n, mean and variance in another"
            raise DataError(problem, kind="totals", **row.place)

    def tally(self) -> Tally:
        """Return N_c, given or inferred; raise DataError if a column has more."""
        rows = dict(self.rows)
        lacking = next((key for key in self.classes if key not in rows), None)
        if rows and lacking is not None:
            raise DataError(
                f"the number of rows is given for some classes, but not for {self.spelled[lacking]!r}",
                kind="totals",
                advice="Give it for every class, in a row with class and count only, or for none.",
            )
        for column, label, total in self._column_totals():
            if not self.rows:
                rows[label] = max(rows.get(label, 0.0), total)
            elif total > rows[label] * (1 + SNAP):
                raise DataError(
                    f"class {self.spelled[label]!r} has {total:g} cells, more than its {rows[label]:g} rows",
                    kind="totals",
                    column=column,
                )
        axis = self.axis(rows)
        weight = np.zeros(len(axis))
        for key, total in rows.items():
            weight[axis.lookup[key]] = total
        return Tally(axis, weight)

    def _column_totals(self) -> Iterator[tuple[Any, Key, float]]:
        for column, by_class in self.levels.items():
            yield from ((column, label, sum(counts.values())) for label, counts in by_class.items())
        for column, moments in self.moments.items():
            yield from ((column, label, n) for label, (n, _, _) in moments.items())

    def axis(self, keys: Iterable[Key]) -> Axis:
        """Return the axis of these labels."""
        return Axis.of(self.spelled[key] for key in keys)

    def model(self, empty: NaiveBayesModel) -> NaiveBayesModel:
        """Return the model of these totals, with the schema and the options of an empty one."""
        tally = self.tally()
        declared = empty.tally.classes
        _require_declared(tally, declared)
        parts: list[Parts] = []
        for block in empty.schema.blocks:
            wanted = block.likelihood.collect(block.columns)
            make = _MAKERS.get(wanted.what)
            if make is None:
                raise ParameterError(
                    f"{block.likelihood!r} needs more than totals",
                    column=block.columns,
                    advice="Use Categorical, Bernoulli or Gaussian, or fit the rows.",
                )
            parts.append(make(self, block.likelihood, wanted, tally.classes))
        return replace(empty, tally=tally + Tally.zero(declared), parts=tuple(parts))

    def schema(self, columns: Any) -> Schema:
        """Return the schema: the given likelihoods, Categorical for other level counts, Gaussian for other moments."""
        default = {name: LEVELS if name in self.levels else REAL for name in self.names}
        return schema_of(columns, tuple(self.names), lambda: Frame((), (), 0), known=default)

    def require_columns(self, schema: Schema) -> None:
        """Raise DataError unless the totals are those of the columns that the schema uses."""
        used = {name for block in schema.blocks for name in block.columns}
        absent = next((name for name in schema.names if name in used and name not in self.names), None)
        if absent is not None:
            raise DataError(f"the totals lack column {absent!r}, which the model has", kind="totals")
        extra = next((name for name in self.names if name not in schema.names), None)
        if extra is not None:
            raise DataError(f"the totals contain column {extra!r}, which the model does not have", kind="totals")

    @staticmethod
    def require_kind(column: Any, likelihood: Likelihood, have: Mapping[Any, Any], what: str) -> None:
        """Raise ParameterError if a column has totals of another kind than its likelihood needs."""
        if column not in have:
            raise ParameterError(f"{likelihood!r} needs {what}, which the totals do not have", column=column)


def model_of_statistics(
    given: Any,
    columns: Any,
    classes: Any,
    class_prior: Any,
    estimate: str,
    alpha: Any,
    like: NaiveBayesModel | None,
) -> NaiveBayesModel:
    """Return the model of collected statistics or of tables of totals (see `Model.from_statistics`)."""
    if like is not None:
        require_alone(columns, class_prior, estimate, alpha)
    declared = None if classes is None else declare_classes(classes)
    totals = None if isinstance(given, Statistics) else read_totals(given)
    if totals is None:
        schema = given.schema
    elif like is None:
        schema = totals.schema(columns)
    else:
        schema = like.schema
        totals.require_columns(schema)
    prior = ClassPrior.of(class_prior) if like is None else like.class_prior
    reading = reading_of(estimate, alpha, schema.width) if like is None else like.reading
    empty = NaiveBayesModel.empty(schema, reading, prior, declared)
    if totals is not None:
        return totals.model(empty)
    model = replace(empty, tally=given.rows, parts=given.parts)
    if declared is not None:
        _require_declared(given.rows, declared)
        model = model.declare(declared)
    if columns is not None:
        model = change_columns(model, cast("Any", columns) if isinstance(columns, Mapping) else {"*": columns})
    if like is not None:
        if like.schema.plan() != schema.plan() or like.schema.names != schema.names:
            raise MergeError(
                f"the statistics were not collected for this model.\nstatistics: {schema!r}\nmodel: {like.schema!r}",
                kind="different_schema",
            )
        model = replace(model, schema=like.schema)
    return model


def read_totals(given: Any) -> Totals:
    """Return the totals of a table, or of a list of tables: frames, mappings of columns, records, or files."""
    listed: list[Any] = [*cast("Any", given)] if isinstance(given, (list, tuple)) else []
    if isinstance(given, CountList):
        listed = [given.table()]
    tables: list[Any] = listed if listed and all(map(_is_table, listed)) else [given]
    totals = Totals()
    for table in tables:
        for row in _rows(table):
            totals.add(row)
    return totals


def _is_table(given: object) -> bool:
    if isinstance(given, Mapping):  # of columns, or a record
        return any(np.ndim(cells) for cells in cast("Mapping[str, Any]", given).values())
    return isinstance(given, list) or is_frame(given) or Files.of(given) is not None


def _rows(data: Any) -> Iterator[_Row]:
    with _open(data) as source:
        unknown = next((name for name in source.names if name not in _FIELDS), None)
        if unknown is not None:
            close = get_close_matches(str(unknown), _FIELDS, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Its columns are {list_names((_CLASS, *_FIELDS))}."
            raise DataError(f"a table of totals has no column {unknown!r}", kind="totals", advice=hint)
        batch = source.load()
        path = source.origin.paths[0] if source.origin.paths else None
    table, target = batch.table, batch.classes
    labels: tuple[Any, ...] = target.classes.labels
    cells: list[list[Any]] = [_read_labels(table, name) for name in (_COLUMN, _LEVEL)] + [
        _read_numbers(table, name) for name in (_COUNT, *_MOMENTS)
    ]
    for at, (code, *values) in enumerate(zip(target.codes.tolist(), *cells, strict=True)):
        if code >= 0:
            yield _Row({"row": at, "file": path}, labels[code], *values)


def _open(data: Any) -> RowSource:
    try:
        return rows_from(data, _CLASS)
    except DataError as reason:
        if reason.kind != "no_such_column":
            raise
        raise reason.located(problem=f"a table of totals needs the column {_CLASS!r}") from None


def _read_labels(table: Table, name: str) -> list[Any]:
    if name not in table.names:
        return [None] * table.rows
    codes, labels = table.column(name).coded()
    return [None if code < 0 else labels[code] for code in codes.tolist()]


def _read_numbers(table: Table, name: str) -> list[float | None]:
    if name not in table.names:
        return [None] * table.rows
    numbers = table.numbers((name,))
    (values,), (valid,) = numbers.columns(), numbers.valid or [None]
    known = ~np.isnan(values.astype(np.float64))
    if valid is not None:
        known &= np.unpackbits(valid, count=table.rows, bitorder="little").view(np.bool_)
    return [float(value) if there else None for value, there in zip(values.tolist(), known.tolist(), strict=True)]


def _checked(name: str, value: float | None, row: _Row, *, signed: bool = False) -> float:
    if value is None or not np.isfinite(value) or (value < 0 and not signed):
        rule = "a finite number" if signed else "a finite number ≥ 0"
        raise DataError(f"{name} must be {rule}", kind="totals", got=value, **row.place)
    return value


def _duplicate(row: _Row, what: str) -> DataError:
    return DataError(f"{what} is given twice", kind="totals", **row.place, advice="Add the two up, or remove one.")


def _require_declared(tally: Tally, declared: Axis) -> None:
    other = next((label for label in tally.classes if label not in declared), None) if len(declared) else None
    if other is not None:
        raise DataError(f"class {other!r} is not among the declared classes", kind="unknown_class")


def _levels_of_totals(totals: Totals, likelihood: Likelihood, wanted: Collect, classes: Axis) -> Parts:
    parts: list[Counts] = []
    for column in wanted.columns:
        totals.require_kind(column, likelihood, totals.levels, "counts of levels")
        found = {level for counts in totals.levels[column].values() for level in counts}
        axis = totals.axis(found if wanted.missing_level else found - {_MISSING})
        if wanted.levels:
            axis = Axis.of(wanted.levels, declared=True).union(axis)[0]
        table = np.zeros((len(classes), len(axis)))
        for label, counts in totals.levels[column].items():
            for level, count in counts.items():
                if level in axis.lookup:
                    table[classes.lookup[label], axis.lookup[level]] = count
        parts.append(Counts(classes, axis, table, table.sum(axis=1, keepdims=True)))
    return tuple(parts)


def _presence_of_totals(totals: Totals, likelihood: Likelihood, wanted: Collect, classes: Axis) -> Parts:
    present, known = np.zeros((2, len(classes), len(wanted.columns)))
    for j, column in enumerate(wanted.columns):
        totals.require_kind(column, likelihood, totals.levels, "counts of levels")
        for label, counts in totals.levels[column].items():
            c = classes.lookup[label]
            for level, count in ((totals.spelled[key], count) for key, count in counts.items()):
                if level is None:
                    continue
                is_present = _is_present(level, wanted.threshold)
                if is_present is None:
                    problem = f"{likelihood!r} needs levels that are numbers or booleans"
                    raise DataError(problem, kind="totals", column=column, got=level)
                known[c, j] += count
                present[c, j] += count * is_present
    axis = Axis.of(wanted.columns, declared=True)
    order = np.argsort(axis.positions(wanted.columns))
    return (Counts(classes, axis, present[:, order], known[:, order], per_level=True),)


def _is_present(level: Any, threshold: float) -> bool | None:
    # A table of several columns has levels as text.
    if isinstance(level, str):
        try:
            level = float(_PRESENCE.get(level.lower(), level))
        except ValueError:
            return None
    return level > threshold if isinstance(level, (int, float)) else None


def _moments_of_totals(totals: Totals, likelihood: Likelihood, wanted: Collect, classes: Axis) -> Parts:
    n, mean, dp = np.zeros((3, len(classes), len(wanted.columns)))
    for j, column in enumerate(wanted.columns):
        totals.require_kind(column, likelihood, totals.moments, "n, mean and variance")
        for label, (weight, centre, variance) in totals.moments[column].items():
            c = classes.lookup[label]
            n[c, j], mean[c, j], dp[c, j] = weight, centre, weight * variance
    return (Moments(classes, wanted.columns, n, mean, dp, dp_blur=dp * PASS),)


_MAKERS: dict[What, Callable[[Totals, Likelihood, Collect, Axis], Parts]] = {
    "levels": _levels_of_totals,
    "presence": _presence_of_totals,
    "moments": _moments_of_totals,
}
