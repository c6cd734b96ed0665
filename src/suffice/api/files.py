"""Rows out of files: fitted, taken in, forgotten or scored a batch at a time, at constant memory.

What a model knows of its columns decides how a file is read for it: levels that are text are read as text, numbers as
numbers, and header, quotes, encoding and null markers are those of the files that it comes from, unless told otherwise.
So is the delimiter, where the ending of the file allows it and the first line so cut has columns of the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from suffice.api.notices import DroppedRowsWarning, ignored_columns, notify, renamed_columns, skipped_lines
from suffice.api.seen import Rows, column_weights, counted_model, incomplete_rows, missing_columns
from suffice.api.target import target_of
from suffice.engines.files import Batch, Batches, Files, Known, Progress
from suffice.engines.files.batches import named
from suffice.engines.files.blocks import in_parallel
from suffice.engines.files.reader import Usual
from suffice.engines.table import Frame, Table
from suffice.engines.threads import thread_count
from suffice.errors import DataError
from suffice.models import ClassPrior, NaiveBayesModel, Provenance, Schema
from suffice.plan import Reading
from suffice.statistics import Counts
from suffice.statistics.columns import Columns

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["OnProgress", "fit_files", "rows_of_files", "seen_files", "tables_of_files"]

OnProgress: TypeAlias = Callable[[Progress], None]
_HEAD = 100_000


def fit_files(
    files: Files,
    target: Any,
    weights: Any,
    schema_of_head: Callable[[Columns, Callable[[], Frame], Columns], Schema],
    reading: Callable[[int], Reading],
    class_prior: ClassPrior,
    progress: OnProgress | None,
) -> tuple[NaiveBayesModel, Provenance]:
    """Return the model of all rows under the schema of the first ones."""
    _require_columns(target, weights)
    with Batches(files, _HEAD, target if isinstance(target, str) else None) as batches:
        label, weight = _columns(batches, target, weights)
        names = tuple(name for name in batches.names if name not in (label, weight, *batches.beside))

        def head() -> Frame:
            return batches.head().without((label, weight, *batches.beside))  # pyright: ignore[reportArgumentType]

        schema = schema_of_head(names, head, batches.texts)
        return _seen(batches, schema, reading(len(names)), class_prior, label, weight, names, progress)


def seen_files(
    model: Model, files: Files, target: Any, weights: Any, progress: OnProgress | None
) -> tuple[NaiveBayesModel, Provenance]:
    """Return what was seen of the files, under the schema and reading of a model."""
    known = model.naive_bayes
    with _batches_like(model, files, target, weights) as (batches, label, weight, names):
        schema, reading, prior = known.schema, known.reading, known.class_prior
        return _seen(batches, schema, reading, prior, label, weight, names, progress)


def rows_of_files(
    model: Model, files: Files, target: Any, weights: Any, progress: OnProgress | None, *, again: bool = False
) -> Iterator[Rows]:
    """Yield the rows of files with their classes, as a model reads them, a batch at a time.

    Lines that are skipped are warned of, unless the files are read `again` and the first pass has said it.
    """
    schema, rows = model.schema, 0
    with _batches_like(model, files, target, weights) as (batches, label, weight, names):
        called, wanted = _called(batches, schema, label, weight, names)
        for batch in batches(wanted):
            rows += batch.table.rows
            yield _rows(batch, label, weight, called, schema)
            if progress is not None:
                progress(batch.progress)
        if not again:
            skipped_lines(batches.done(rows).skipped, batches.first_skipped)
            renamed_columns(batches.renamed)
        if progress is not None:
            progress(batches.done(rows))


@contextmanager
def _batches_like(
    model: Model, files: Files, target: Any, weights: Any
) -> Generator[tuple[Batches, str | int, str | int | None, Columns]]:
    # The batches of files as the model reads them, the columns of class and weight, and the others by its names.
    known, told = model.naive_bayes, model.provenance
    target = told.target if target is None else target
    weights = told.weights if weights is None else weights
    _require_columns(target, weights)
    files, roles = files.like(told.dialect), ((target, "target"), (weights, "weights"))

    remembered = target is told.target

    def types(found: Columns) -> dict[str | int, Known]:
        taken = [named(given, found, what, files.paths[0]) for given, what in roles if given is not None]
        types = _types_of_file(model, tuple(name for name in found if name not in taken))
        classes = _type_of_labels(known.classes.labels)
        return types if classes is None or target is None else {**types, taken[0]: classes}

    name = target if isinstance(target, str) else None
    with Batches(files, _HEAD, name, types, _usual(model)) as batches:
        if batches.texts and remembered and target not in batches.names:
            target = None  # a column of another kind of file: here the folders are the classes
        if target is None and batches.target is None:
            raise DataError("which column is the class? The model does not say: give target=.")
        label, weight = _columns(batches, target, weights)
        rest = tuple(name for name in batches.names if name not in (label, weight, *batches.beside))
        yield batches, label, weight, placed(rest, model, batches.texts)


def tables_of_files(
    model: Model,
    files: Files,
    progress: OnProgress | None,
    keep: Callable[[Columns, Columns], Columns] | None = None,
    ignored: Callable[[Columns], None] | None = None,
) -> Iterator[tuple[Table, Batch]]:
    """Yield the rows of files with the columns of a model, and each batch as it was read, with columns to keep.

    `ignored` is told of the columns that are neither the model's, nor its class or weight, nor kept.
    """
    files = files.like(model.provenance.dialect)
    schema = model.schema
    with Batches(files, _HEAD, None, lambda found: _types_of_file(model, found), _usual(model)) as batches:
        names = placed(batches.names, model, batches.texts)
        called = {found: name for found, name in zip(batches.names, names, strict=True) if found not in batches.beside}
        used, there = set(schema.names) - set(schema.unused), set(called.values())
        missing_columns(schema, tuple(name for name in schema.names if name not in there), tuple(called.values()))
        kept = () if keep is None else keep(batches.names, batches.beside)
        if ignored is not None:
            known = {*schema.names, model.provenance.target, model.provenance.weights}
            ignored(tuple(found for found, name in called.items() if name not in known and found not in kept))
        wanted = [found for found in batches.names if called.get(found) in used or found in kept]
        if not wanted:  # of some column the number of rows has to come
            wanted = list(batches.names[:1])
        rows = 0
        for batch in batches(wanted):
            left = batch.table.without(batches.beside)
            renamed = Frame(tuple(called[name] for name in left.names), left.columns, left.rows)
            rows += batch.table.rows
            yield renamed.aligned(schema.names).table, batch
            if progress is not None:
                progress(batch.progress)
        skipped_lines(batches.done(rows).skipped, batches.first_skipped)
        renamed_columns(batches.renamed)
        if progress is not None:
            progress(batches.done(rows))


def placed(found: Columns, model: Model, texts: Columns = ()) -> Columns:
    """Return the columns of a file under the names that the model has for them.

    Columns are matched by name. Without names on one side they are matched by place, where the file is as wide as those
    that the model was fitted on, with or without the columns of class and weights. Of files that are a text each, the
    column of `texts` is matched by its name, or else with the only column of the model that is text.
    """
    names = model.schema.names
    if not names:
        return found
    if texts:
        return _placed_texts(found, model, texts)
    if all(isinstance(name, int) for name in names):  # the model knows places
        if len(found) == len(names):
            return names
        places = _fitted_places(model)
        if places is None and len(found) > max(names):  # pyright: ignore[reportOperatorIssue]
            return tuple(range(len(found)))
        for some in places or ():
            if len(found) == len(some):
                return some
    elif not all(isinstance(name, int) for name in found):
        return found
    elif len(found) == len(names):
        return names
    raise DataError(
        f"the file has {len(found)} columns, known by their places, and the model has {len(names)}: "
        "give the same columns in the same order, or a file with names."
    )


def _fitted_places(model: Model) -> list[Columns] | None:
    # The columns that a file without a header may have, where the model was fitted on such files: all, or all but the
    # class.
    told = model.provenance
    if told.dialect is None or told.dialect.header is not False:
        return None
    apart = [each for each in (told.target, told.weights) if isinstance(each, int)]
    every = tuple(range(len(model.schema.names) + len(apart)))
    return [every, tuple(place for place in every if place != told.target)]


def _placed_texts(found: Columns, model: Model, texts: Columns) -> Columns:
    if texts[0] in model.schema.names:
        return found
    blocks = (block for block in model.schema.blocks if block.likelihood.collect(block.columns).what == "tokens")
    of_text = [name for block in blocks for name in block.columns]
    if len(of_text) != 1:
        raise DataError(
            f"the data are texts, a file each, and the model has {len(of_text) or 'no'} columns of text: it must have "
            f"one, or one named {texts[0]!r}. Give a table with the columns of the model."
        )
    return tuple(of_text[0] if name == texts[0] else name for name in found)


def _usual(model: Model) -> Usual | None:
    # How the files were delimited that the model was fitted on, and whether a first line so cut may be of such a file.
    how, names = model.provenance.dialect, model.schema.names
    if how is None or how.delimiter is None:
        return None

    def fits(cells: list[str], header: bool) -> bool:
        if header:
            return not set(names).isdisjoint(cells)
        return len(cells) in {len(names), *map(len, _fitted_places(model) or ())}

    return Usual(how.delimiter, fits)


def _types_of_file(model: Model, found: Columns) -> dict[str | int, Known]:
    # What the model knows of these columns of a file; without names they are known by their places.
    types = types_of(model.naive_bayes)
    pairs = zip(found, placed(found, model), strict=True)
    return {column: types[name] for column, name in pairs if name in types}


def types_of(model: NaiveBayesModel) -> dict[str | int, Known]:
    """Return what each column of a model is to be read as, where that makes a difference to it."""
    types: dict[str | int, Known] = {}
    for block, parts in zip(model.schema.blocks, model.parts, strict=True):
        what = block.likelihood.collect(block.columns).what
        if what == "tokens":
            types.update(dict.fromkeys(block.columns, "text"))
            continue
        if what not in ("levels", "joint"):
            types.update(dict.fromkeys(block.columns, "number"))
            continue
        own = parts[-len(block.columns) :]
        for name, counts in zip(block.columns, own, strict=True):
            assert isinstance(counts, Counts)
            kind = _type_of_labels(counts.levels.labels)
            if kind is not None:
                types[name] = kind
    return types


def _type_of_labels(labels: tuple[Any, ...]) -> Known | None:
    kinds: set[type] = {type(label) for label in labels if label is not None}
    if kinds == {str}:
        return "text"
    if kinds == {bool}:
        return "bool"
    return "float" if kinds and kinds <= {int, float} and float in kinds else None


def _require_columns(target: Any, weights: Any) -> None:
    for given, what in ((target, "target"), (weights, "weights")):
        if given is not None and (isinstance(given, bool) or not isinstance(given, (str, int))):
            raise DataError(
                f"{what} must be the name or the place of a column in the files: got {type(given).__name__}."
            )


def _columns(batches: Batches, target: Any, weights: Any) -> tuple[str | int, str | int | None]:
    target = batches.target if target is None else target
    if target is None:
        raise DataError(
            f"which column of {batches.paths[0]} is the class? Give target=, its name or its place: −1 is the last. "
            "Of texts the folders say it, if they lie in one for each class."
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
    called, wanted = _called(batches, schema, target, weights, names)
    starts: dict[str, int] = {}  # of each file, among all rows

    def counted(batch: Batch) -> tuple[int, Progress, int, NaiveBayesModel | None]:
        length = batch.table.rows  # and not the rows, which are to be let go
        if not length:
            return 0, batch.progress, 0, None
        try:
            found = _rows(batch, target, weights, called, schema)
            return length, batch.progress, found.target.missing, counted_model(schema, reading, class_prior, found)
        except DataError as reason:
            raise DataError(f"{batch.path}: {_in_file(str(reason), batch.start - starts[batch.path])}") from None

    def each() -> Iterator[Batch]:
        for batch in batches(wanted):
            starts.setdefault(batch.path, batch.start)
            yield batch

    total: NaiveBayesModel | None = None
    rows = unlabelled = 0
    for length, at, missing, seen in in_parallel(each(), counted, thread_count(), ready=0):
        rows += length
        unlabelled += missing
        if seen is not None:
            total = seen if total is None else total + seen
        if progress is not None:
            progress(at)
    skipped_lines(batches.done(rows).skipped, batches.first_skipped)
    renamed_columns(batches.renamed)
    if total is None:
        raise DataError(f"{batches.paths[0]} has no rows to learn from.")
    if unlabelled:
        notify(
            DroppedRowsWarning,
            f"{unlabelled} of {rows} rows have no class and were left out. Give them one, or drop them first.",
        )
    incomplete_rows(total)
    if progress is not None:
        progress(batches.done(rows))
    told = Provenance(rows - unlabelled, batches.paths, target=target, weights=weights, dialect=batches.dialect)
    return total, told.at()


def _called(
    batches: Batches, schema: Schema, target: str | int, weights: str | int | None, names: Columns
) -> tuple[dict[str | int, str | int], set[str | int]]:
    # What the schema calls the columns of the files, and which of them have to be read.
    unused = set(schema.unused)
    used = {name for name in schema.names if name not in unused}
    rest = tuple(name for name in batches.names if name not in (target, weights, *batches.beside))
    called = dict(zip(rest, names, strict=True))
    there = set(names)
    missing_columns(schema, tuple(name for name in schema.names if name in used and name not in there), names)
    ignored_columns(names, schema.names)
    wanted = {found for found, name in called.items() if name in used} | {target}
    return called, wanted if weights is None else {*wanted, weights}


def _rows(batch: Batch, target: str | int, weights: str | int | None, called: dict[Any, Any], schema: Schema) -> Rows:
    table = batch.table
    classes = target_of(table.column(target), table.rows)
    weight = None if weights is None else column_weights(table.column(weights), weights)
    left = table.without((target, weights))  # pyright: ignore[reportArgumentType]
    renamed = Frame(tuple(called[name] for name in left.names), left.columns, left.rows)
    return Rows(renamed.aligned(schema.names).table, classes, weight)


def _in_file(reason: str, before: int) -> str:
    # A batch counts its own rows, and a reader those of the file, from 0.
    return re.sub(r"\brow (\d+)", lambda found: f"row {int(found[1]) + before}", reason, count=1)
