"""Rows of files, a batch at a time and in constant memory.

A file that is read for a model follows the model: text levels are read as text and numbers as numbers, and header,
quotes, encoding and null markers are those of the files that the model was fitted on, unless they are given. So is the
delimiter, if the file extension allows it and the first line then has columns of the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, final

from suffice.errors import DataError, counted
from suffice.sources.column import Unread
from suffice.sources.dates import base_of_part
from suffice.sources.files.batches import Batches, concat_frames, find_column
from suffice.sources.files.reader import Usual
from suffice.sources.files.source import Files, Known
from suffice.sources.in_memory import column_of
from suffice.sources.metadata import column_weights, require_vector
from suffice.sources.source import (
    HEAD,
    Batch,
    Like,
    OnProgress,
    Origin,
    RowSource,
    UsedColumns,
    code_classes,
    require_room,
)
from suffice.sources.table import Frame
from suffice.sources.target import find_condition, parse_conditions
from suffice.statistics.axis import Columns
from suffice.warnings import warn_ignored_columns, warn_renamed_columns, warn_skipped_lines

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FileRows"]


@final
class FileRows(RowSource):
    """The rows of files, which stay open until it is closed."""

    def __init__(
        self,
        files: Files,
        target: Any,
        weights: Any,
        like: Like | None,
        metadata: Mapping[str, Any],
        keep: tuple[str, ...],
        progress: OnProgress | None,
        *,
        needs_classes: bool,
    ) -> None:
        self.like, self.needs_classes, self._progress = like, needs_classes, progress
        self._described = {what: given for what, given in metadata.items() if isinstance(given, (str, int))}
        self._given = {what: given for what, given in metadata.items() if what not in self._described}
        remembered = False
        if like is not None and needs_classes:
            remembered = target is None
            target = like.target if target is None else target
            weights = like.weights if weights is None else weights
        self._batches = self._opened(files, target, weights)
        try:
            self._find_columns(target, weights, keep, remembered=remembered)
        except BaseException:
            self.close()
            raise

    def head(self) -> Frame:
        """Return the first rows of the features."""
        table = self._batches.head()
        return table.without(tuple(name for name in table.names if name not in self._called))

    def _load(self) -> Batch:
        frames: list[pl.DataFrame] = []
        unread: dict[str | int, Unread] = {}
        rows = size = 0
        for batch in self._batches(self._batches.names):
            frames.append(batch.frame)
            rows += len(batch.frame)
            size += int(batch.frame.estimated_size())
            require_room(size, batch.path)
            pairs = zip(batch.table.names, batch.table.columns, strict=True)
            for name, column in pairs:
                if isinstance(column, Unread):
                    unread[name] = unread[name].joined([column]) if name in unread else column
            self._report(batch.progress)
        self._finish(rows)
        if not rows:
            raise self._no_rows()
        frame = concat_frames(frames)
        found = tuple(self._called)
        columns = tuple(unread[name] if name in unread else column_of(frame[str(name)]) for name in found)
        table = Frame(tuple(self._called[name] for name in found), columns, rows)
        target = code_classes(column_of(frame[str(self._label)]), rows, self._label, self._condition)
        weight = self._weight
        weights = None if weight is None else column_weights(column_of(frame[str(weight)]), weight)
        metadata = {what: frame[str(name)].to_numpy() for what, name in self._described.items()}
        metadata |= {what: require_vector(given, what, rows) for what, given in self._given.items()}
        return Batch(table, target, weights, metadata)

    def close(self) -> None:
        """Close all files and end all threads."""
        self._batches.close()

    @property
    def ignored(self) -> Columns:
        """The columns that are neither in the model nor kept."""
        like = self.like
        if like is None:
            return tuple(found for found in self._called if found not in self._kept)
        condition = find_condition(like.target, tuple(self._called.values()))
        known = {*like.columns.names, like.target, like.weights, condition and condition.column}
        return tuple(found for found, name in self._called.items() if name not in known and found not in self._kept)

    def _opened(self, files: Files, target: Any, weights: Any) -> Batches:
        roles = {"target": target, "weights": weights}
        for what, given in roles.items():
            if given is not None and (isinstance(given, bool) or not isinstance(given, (str, int))):
                raise DataError(f"{what} must be the name or the position of a column: got {type(given).__name__}.")
        header = target if isinstance(target, str) else None  # its name distinguishes a header from a row
        like = self.like
        if like is None:
            return Batches(files, HEAD, header)
        files = files.like(like.dialect)

        def types(found: Columns) -> dict[str | int, Known]:
            condition = find_condition(target, found, positions=True)
            columns = roles if condition is None else {**roles, "target": condition.column}
            taken = {
                what: find_column(given, found, what, files.paths[0])
                for what, given in columns.items()
                if given is not None
            }
            rest = tuple(name for name in found if name not in taken.values())
            known = like.types()
            pairs = zip(rest, match_names(rest, like), strict=True)
            types: dict[str | int, Known] = {column: known[name] for column, name in pairs if name in known}
            classes = like.class_type() if condition is None else None
            return types if classes is None or "target" not in taken else {**types, taken["target"]: classes}

        return Batches(files, HEAD, header, types, _usual(like))

    def _find_columns(self, target: Any, weights: Any, keep: tuple[str, ...], *, remembered: bool) -> None:
        batches, path = self._batches, self._batches.paths[0]
        self.texts = batches.texts
        if batches.texts and remembered and target not in batches.names:
            target = None  # the target of another kind of file; here the folders are the classes
        if target is None and self.needs_classes:
            target = batches.target
            if target is None:
                raise unknown_target(path)
        self._condition = find_condition(target, batches.names, positions=True)
        column = target if self._condition is None else self._condition.column
        self._label = None if column is None else batches.name_of(column, "target")
        self._weight = None if weights is None else batches.name_of(weights, "weights")
        self._described = {what: batches.name_of(given, what) for what, given in self._described.items()}
        asked = batches.names if "*" in keep else tuple(find_column(name, batches.names, "kept", path) for name in keep)
        # The path of a document is written beside its prediction.
        self._kept = tuple(dict.fromkeys((*batches.beside, *asked))) if not self.needs_classes else ()
        apart = (self._label, self._weight, *self._described.values(), *batches.beside)
        rest = tuple(name for name in batches.names if name not in apart)
        if self.like is None:
            self._called = dict(zip(rest, rest, strict=True))
        elif self.needs_classes or self._label is not None:
            self._called = dict(zip(rest, match_names(rest, self.like, batches.texts), strict=True))
        else:  # a file for prediction may have columns of class and weights
            names = match_names(batches.names, self.like, batches.texts)
            pairs = zip(batches.names, names, strict=True)
            self._called = {found: name for found, name in pairs if found not in apart}
        self.names = tuple(self._called.values())
        label = self._label if self._condition is None else str(self._condition)
        self.origin = Origin(batches.paths, label, self._weight, batches.dialect)

    def _read(self, columns: UsedColumns) -> Iterator[Batch]:
        unused, label, weight = set(columns.unused), self._label, self._weight
        used: set[str | int] = {name for name in columns.names if name not in unused}
        used |= {part[0] for name in used if (part := base_of_part(name)) and name not in self.names}
        if self.needs_classes and self.like is not None:
            warn_ignored_columns(self.names, columns.names)
        features = [found for found, name in self._called.items() if name in used]
        apart = [name for name in (label, weight, *self._described.values()) if name is not None]
        wanted = [*features, *apart, *self._kept]
        if not wanted:  # some column must give the number of rows
            wanted = list(self._batches.names[:1])
        rows = first = 0
        path = None
        for batch in self._batches(wanted):
            if batch.path != path:
                path, first = batch.path, batch.start
            table, progress = batch.table, batch.progress
            rows += table.rows
            if not table.rows and self.needs_classes:
                continue
            try:
                target = None
                if label is not None:
                    target = code_classes(table.column(label), table.rows, label, self._condition)
                weights = None if weight is None else column_weights(table.column(weight), weight)
            except DataError as reason:
                row = None if reason.row is None else reason.row + batch.start - first
                raise reason.located(file=path, row=row) from None
            metadata = {str(name): batch.frame[str(name)] for name in self._kept}
            metadata |= {what: batch.frame[str(name)].to_numpy() for what, name in self._described.items()}
            # Unused columns of the model are not read; they are not missing.
            own = self._features(table, features)

            def cells(rows: Any, batch: Any = batch) -> Frame:
                return self._features(self._batches.take(batch, rows).table, features)

            yield Batch(own, target, weights, metadata, path, batch.start - first, cells)
            del batch, table, own, cells, target, weights, metadata
            self._report(progress)
        self._finish(rows)
        if not rows and self.needs_classes:
            raise self._no_rows()

    def _features(self, table: Frame, features: list[str | int]) -> Frame:
        names = tuple(self._called[name] for name in features)
        return Frame(names, tuple(table.column(name) for name in features), table.rows)

    def _report(self, progress: Any) -> None:
        if self._progress is not None:
            self._progress(progress)

    def _finish(self, rows: int) -> None:
        done = self._batches.done(rows)
        warn_skipped_lines(done.skipped, self._batches.first_skipped)
        warn_renamed_columns(self._batches.renamed)
        self._report(done)

    def _no_rows(self) -> DataError:
        return DataError("the file has no rows", kind="no_rows", file=self._batches.paths[0])


def match_names(found: Columns, like: Like, texts: Columns = ()) -> Columns:
    """Return the columns of a file under the names of the model.

    Columns are matched by name. If either side has no names, they are matched by position, provided that the file is as
    wide as those that the model was fitted on, with or without the columns of class and weights. The column `texts` of
    documents is matched by its name, or with the only text column of the model.
    """
    names = like.columns.names
    if not names:
        return found
    if texts:
        return _placed_texts(found, like, texts)
    if all(isinstance(name, int) for name in names):  # the columns of the model have no names
        if len(found) == len(names):
            return names
        places = _fitted_places(like)
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
        f"the file has no header and {counted(len(found), 'column')}, but the model has {len(names)}",
        kind="wrong_width",
        advice=lambda words: (
            f"Give the same columns in the same order, a file with a header, or {words.option('names')}."
        ),
    )


def unknown_target(path: str) -> DataError:
    """Return the error for a file whose target column is not given."""
    return DataError(
        f"the target column of {path} is not given",
        kind="no_target",
        advice=lambda words: (
            f"Give {words.option('target')}: its name or its position, −1 for the last. Documents need none if each "
            "class has its own subdirectory."
        ),
    )


def _fitted_places(like: Like) -> list[Columns] | None:
    # The columns that a file without a header may have, if the model was fitted on such files: all, or all but the
    # target.
    if like.dialect is None or like.dialect.header is not False:
        return None
    conditions = (str(condition.column) for condition in parse_conditions(like.target))
    target = next((int(column) for column in conditions if column.isdecimal()), like.target)
    apart = [each for each in (target, like.weights) if isinstance(each, int)]
    every = tuple(range(len(like.columns.names) + len(apart)))
    return [every, tuple(place for place in every if place != target)]


def _placed_texts(found: Columns, like: Like, texts: Columns) -> Columns:
    if texts[0] in like.columns.names:
        return found
    of_text = like.texts()
    if len(of_text) != 1:
        raise DataError(
            f"the data are documents, one per file, but the model has {len(of_text) or 'no'} text columns; it must "
            f"have exactly one, or one named {texts[0]!r}. Give a table with the columns of the model."
        )
    return tuple(of_text[0] if name == texts[0] else name for name in found)


def _usual(like: Like) -> Usual | None:
    # The delimiter of the files that the model was fitted on, and a check whether a first line may be of such a file.
    how, names = like.dialect, like.columns.names
    if how is None or how.delimiter is None:
        return None

    def fits(cells: list[str], header: bool) -> bool:
        if header:
            return not set(names).isdisjoint(cells)
        return len(cells) in {len(names), *map(len, _fitted_places(like) or ())}

    return Usual(how.delimiter, fits)
