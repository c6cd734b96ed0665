"""Rows out of files: fitted, taken in, forgotten or scored a batch at a time, at constant memory.

What a model knows of its columns decides how a file is read for it: levels that are text are read as text, numbers as
numbers, and header, quotes, encoding and null markers are those of the files that it comes from, unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from suffice.api.notices import DroppedRowsWarning, SkippedLinesWarning, notify
from suffice.api.seen import Rows, column_weights, counted_model, missing_columns
from suffice.api.target import target_of
from suffice.engines.files import Batch, Batches, Files, Progress, Type
from suffice.engines.table import Frame, Table
from suffice.errors import DataError
from suffice.models import ClassPrior, NaiveBayesModel, Provenance, Schema
from suffice.plan import Reading
from suffice.statistics import Counts
from suffice.statistics.columns import Columns

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["OnProgress", "fit_files", "seen_files", "tables_of_files"]

OnProgress: TypeAlias = Callable[[Progress], None]
_HEAD = 100_000


def fit_files(
    files: Files,
    target: Any,
    weights: Any,
    schema_of_head: Callable[[Columns, Callable[[], Frame]], Schema],
    reading: Callable[[int], Reading],
    class_prior: ClassPrior,
    progress: OnProgress | None,
) -> tuple[NaiveBayesModel, Provenance]:
    """Return the model of all rows under the schema of the first ones."""
    batches = Batches(files, _HEAD, target if isinstance(target, str) else None)
    target, weights = _columns(batches, target, weights)
    names = tuple(name for name in batches.names if name not in (target, weights))

    def head() -> Frame:
        return batches.head().without((target, weights))

    schema = schema_of_head(names, head)
    return _seen(batches, schema, reading(len(names)), class_prior, target, weights, names, progress)


def seen_files(
    model: Model, files: Files, target: Any, weights: Any, progress: OnProgress | None
) -> tuple[NaiveBayesModel, Provenance]:
    """Return what was seen of the files, under the schema and reading of a model."""
    known, told = model.naive_bayes, model.provenance
    target = told.target if target is None else target
    weights = told.weights if weights is None else weights
    if target is None:
        raise DataError("which column is the class? The model does not say: give target=.")
    batches = _batches(model, files, target)
    target, weights = _columns(batches, target, weights)
    rest = tuple(name for name in batches.names if name not in (target, weights))
    names = rest if all(isinstance(name, str) for name in rest) else placed(rest, model)
    schema, reading, prior = known.schema, known.reading, known.class_prior
    return _seen(batches, schema, reading, prior, target, weights, names, progress)


def tables_of_files(
    model: Model, files: Files, progress: OnProgress | None, keep: Callable[[Columns], Columns] | None = None
) -> Iterator[tuple[Table, Batch]]:
    """Yield the rows of files with the columns of a model, and each batch as it was read, with columns to keep."""
    batches = _batches(model, files, None)
    names = placed(batches.names, model)
    schema = model.schema
    used = set(schema.names) - set(schema.unused)
    missing_columns(schema, tuple(name for name in schema.names if name not in set(names)), names)
    kept = () if keep is None else keep(batches.names)
    wanted = [found for found, name in zip(batches.names, names, strict=True) if name in used or found in kept]
    if not wanted:  # of some column the number of rows has to come
        wanted = list(batches.names[:1])
    called = dict(zip(batches.names, names, strict=True))
    rows = 0
    for batch in batches(wanted):
        renamed = Frame(tuple(called[name] for name in batch.table.names), batch.table.columns, batch.table.rows)
        rows += batch.table.rows
        yield renamed.aligned(schema.names).table, batch
        if progress is not None:
            progress(batch.progress)
    _skipped(batches, rows)
    if progress is not None:
        progress(batches.done(rows))


def placed(found: Columns, model: Model) -> Columns:
    """Return the columns of a file under the names that the model has for them."""
    names = model.schema.names
    if all(isinstance(name, int) for name in names):  # the model knows places
        if len(found) == len(names):
            return names
        if names and len(found) > max(names):  # pyright: ignore[reportOperatorIssue]
            return tuple(range(len(found)))
    elif not all(isinstance(name, int) for name in found):
        return found
    elif len(found) == len(names):
        return names
    raise DataError(
        f"the file has {len(found)} columns, known by their places, and the model has {len(names)}: "
        "give the same columns in the same order, or a file with names."
    )


def _batches(model: Model, files: Files, target: Any) -> Batches:
    schema, told = model.schema, model.provenance
    types = types_of(model.naive_bayes)
    files = files.like(told.dialect)
    # Without names types belong to places, and those are known once the file is open.
    batches = Batches(files, _HEAD, target if isinstance(target, str) else None, types)
    if isinstance(next(iter(schema.names), None), int):
        names = placed(batches.names, model) if target is None else batches.names
        if names != batches.names:
            pairs = zip(batches.names, names, strict=True)
            moved: dict[str | int, Type] = {found: types[name] for found, name in pairs if name in types}
            batches = Batches(files, _HEAD, None, moved)
    return batches


def types_of(model: NaiveBayesModel) -> dict[str | int, Type]:
    """Return what each column of a model is to be read as, where that makes a difference to it."""
    types: dict[str | int, Type] = {}
    for block, parts in zip(model.schema.blocks, model.parts, strict=True):
        if block.likelihood.collect(block.columns).what in ("levels", "joint"):
            own = parts[-len(block.columns) :]
            for name, counts in zip(block.columns, own, strict=True):
                assert isinstance(counts, Counts)
                kind = _type_of_levels(counts)
                if kind is not None:
                    types[name] = kind
    return types


def _type_of_levels(counts: Counts) -> Type | None:
    kinds: set[type] = {type(level) for level in counts.levels.labels if level is not None}
    if kinds == {str}:
        return "text"
    if kinds == {bool}:
        return "bool"
    return "float" if kinds and kinds <= {int, float} and float in kinds else None


def _columns(batches: Batches, target: Any, weights: Any) -> tuple[str | int, str | int | None]:
    for given, what in ((target, "target"), (weights, "weights")):
        if given is not None and (isinstance(given, bool) or not isinstance(given, (str, int))):
            raise DataError(
                f"{what} must be the name or the place of a column in the files: got {type(given).__name__}."
            )
    label = batches.name_of(target, "target")
    return label, None if weights is None else batches.name_of(weights, "weights")


def _seen(
    batches: Batches,
    schema: Schema,
    reading: Reading,
    class_prior: ClassPrior,
    target: str | int,
    weights: str | int | None,
    names: Columns,
    progress: OnProgress | None,
) -> tuple[NaiveBayesModel, Provenance]:
    unused = set(schema.unused)
    used = [name for name in schema.names if name not in unused]
    rest = tuple(name for name in batches.names if name not in (target, weights))
    called = dict(zip(rest, names, strict=True))
    missing_columns(schema, tuple(name for name in used if name not in set(names)), names)
    wanted = {found for found, name in called.items() if name in set(used)} | {target, weights}
    total: NaiveBayesModel | None = None
    rows = unlabelled = 0
    for batch in batches(wanted - {None}):  # pyright: ignore[reportArgumentType]
        rows += batch.table.rows
        if batch.table.rows:
            found = _rows(batch, target, weights, called, schema)
            unlabelled += found.target.missing
            seen = counted_model(schema, reading, class_prior, found)
            total = seen if total is None else total + seen
        if progress is not None:
            progress(batch.progress)
    _skipped(batches, rows)
    if total is None:
        raise DataError(f"{batches.paths[0]} has no rows to learn from.")
    if unlabelled:
        notify(
            DroppedRowsWarning,
            f"{unlabelled} of {rows} rows have no class and were left out. Give them one, or drop them first.",
        )
    if progress is not None:
        progress(batches.done(rows))
    told = Provenance(rows - unlabelled, batches.paths, target=target, weights=weights, dialect=batches.dialect)
    return total, told.at()


def _rows(batch: Batch, target: str | int, weights: str | int | None, called: dict[Any, Any], schema: Schema) -> Rows:
    table = batch.table
    place = f"{batch.path}, rows from {batch.start} on"
    try:
        classes = target_of(table.column(target), table.rows)
        weight = None if weights is None else column_weights(table.column(weights), weights)
    except DataError as reason:
        raise DataError(f"{place}: {reason}") from None
    left = table.without((target, weights))  # pyright: ignore[reportArgumentType]
    renamed = Frame(tuple(called[name] for name in left.names), left.columns, left.rows)
    return Rows(renamed.aligned(schema.names).table, classes, weight)


def _skipped(batches: Batches, rows: int) -> None:
    count = batches.done(rows).skipped
    if count:
        lines = "bad line was" if count == 1 else "bad lines were"
        notify(SkippedLinesWarning, f"{count} {lines} skipped, the first: {batches.first_skipped}")
