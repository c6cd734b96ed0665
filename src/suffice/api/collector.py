"""The collector: accumulates rows one by one or in batches, and returns the model of all of them at any time."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any, cast, final

import numpy as np
import numpy.typing as npt

from suffice.api.counting import count_loaded, require_declared, subtract_rows
from suffice.api.inference import schema_of
from suffice.api.model import Model, require_model
from suffice.api.options import declare_classes, reading_of, require_alone
from suffice.api.row_buffer import BufferedRow, Cells, RowNames, is_class, rows_of_table, table_of_rows, weight_of
from suffice.arguments import whole_number
from suffice.errors import (
    Advice,
    DataError,
    DroppedRowsWarning,
    MergeError,
    MissingColumnsWarning,
    ParameterError,
    SufficeError,
)
from suffice.models import ClassPrior, NaiveBayesModel, Provenance, Schema
from suffice.sources import HEAD, Batch
from suffice.sources.dates import base_of_part
from suffice.sources.source import rows_in_memory
from suffice.sources.table import Frame, Table
from suffice.sources.target import target_of
from suffice.statistics.axis import Columns
from suffice.statistics.labels import Label
from suffice.warnings import notify, warn_ignored_columns

__all__ = ["Collector"]

BLOCK = 4096
_SMALL = 256
_SURE = frozenset({str, int, bool})
_COLLECTORS: weakref.WeakSet[Collector] = weakref.WeakSet()
_HELD: list[list[Collector]] = []


@final
class Collector:
    """Mutable accumulator that collects rows incrementally and returns a model of all rows collected so far.

    Rows are buffered (up to 4,096) and counted in blocks. Columns that neither `columns` nor `like` specifies are
    inferred from the first full block, or from the first batch if it is larger, sparse or contains dictionary-encoded
    (categorical) numbers. The schema is fixed from then on. Before that, `model()` returns the same model as `fit` on
    the rows added so far.

    If a row is invalid when its block is counted, it is dropped and the error reports its index (from 0). All other
    rows are kept, and the collector remains usable.

    Methods are thread-safe (calls are serialised). A collector can be pickled and used after a fork.

    Parameters
    ----------
    columns, class_prior, estimate, like, max_levels, classes
        As in `fit`.

    Examples
    --------
    >>> from suffice.likelihoods import Bernoulli, Categorical
    >>> collector = Collector({"fur": Categorical(), "*": Bernoulli()})
    >>> collector.add_row({"fur": "black", "calm": True}, "cat")
    >>> collector.add_row({"fur": "brown", "calm": False}, "dog")
    >>> collector.add([{"fur": "black", "calm": True}, {"fur": "white"}], ["cat", "dog"])
    >>> collector.model().predict([{"fur": "black", "calm": True}])
    array(['cat'], dtype='<U3')
    >>> len(collector)
    4
    """

    __slots__ = (
        "__weakref__",
        "_class_prior",
        "_classes",
        "_columns",
        "_known",
        "_layout",
        "_lock",
        "_max_levels",
        "_number",
        "_reading",
        "_rows",
        "_unlabelled",
        "_waiting",
    )

    def __init__(
        self,
        columns: Any = None,
        class_prior: Any = "empirical",
        estimate: str = "predictive",
        like: Model | None = None,
        max_levels: int = 10_000,
        classes: Iterable[Label] | None = None,
    ) -> None:
        self._classes = None if classes is None else declare_classes(classes)
        self._columns, self._max_levels = columns, whole_number("max_levels", max_levels, 0)
        self._number: int = 0  # number of rows received, including dropped ones
        self._rows = 0
        self._unlabelled = 0
        self._waiting: list[BufferedRow] = []
        self._known: NaiveBayesModel | None = None  # the model of the counted rows; None until the schema is fixed
        self._layout = RowNames()
        if like is None:
            self._reading, self._class_prior = reading_of(estimate, None, 0), ClassPrior.of(class_prior)
            if not isinstance(columns, Mapping):
                schema_of(columns, (), lambda: Frame((), (), 0))  # raises an error that describes the problem
        else:
            require_alone(columns, class_prior, estimate)
            require_model(like)
            model = like.core
            self._reading, self._class_prior = model.reading, model.class_prior
            self._layout = RowNames(model.schema.names)
            self._known = self._seen(model.schema, [])
        self._lock = threading.RLock()
        _COLLECTORS.add(self)

    @property
    def rows(self) -> int:
        """Number of rows in the model: rows added, minus those dropped or forgotten."""
        return self._rows

    def __len__(self) -> int:
        return self._rows

    def add_row(self, row: Any, label: Any, weight: float = 1.0) -> None:
        """Add one row.

        Parameters
        ----------
        row : mapping {name: cell}, or 1-D array, list or tuple of cells in the order of the columns
            Columns that are absent from a mapping count as missing. A new name adds a column until the schema is fixed;
            after that it is ignored.
        label : text, whole number or bool
            The class. Rows without a class are dropped; a warning reports their number when the next block is counted.
        weight : float ≥ 0
            A row with weight 2 counts as two rows; a row with weight 0 is ignored.
        """
        with self._lock:
            if len(self._waiting) >= BLOCK:  # a block that could not be counted is counted again first
                self._count()
            number = self._number
            cells = self._layout.cells(row, number)
            if type(label) not in _SURE and not is_class(label, number):
                self._number, self._unlabelled = number + 1, self._unlabelled + 1
                return
            if weight != 1.0:
                weight = weight_of(weight, number)
            if not number:
                self._check_columns(cells)
            self._waiting.append(BufferedRow(cells, label, weight, number))
            self._number, self._rows = number + 1, self._rows + 1
            if len(self._waiting) >= BLOCK:
                self._count()

    def add(self, data: Any, target: Any, weights: npt.ArrayLike | None = None) -> None:
        """Add a batch of rows, in any form that `fit` accepts. If an error is raised, no row of the batch is added.

        Batches of at least 256 rows (4,096 until the schema is fixed) are counted immediately; smaller batches are
        buffered. An error may therefore concern an earlier row, which the message identifies; in that case this batch
        was added completely.
        """
        if type(data) is np.ndarray and weights is None and data.ndim == 2 and len(data) == 1:
            known = type(target) is np.ndarray and target.dtype.kind in "iubfUO"
            labels: Any = target.tolist() if known else target
            if type(labels) in (list, tuple) and len(labels) == 1:
                self.add_row(data[0], labels[0])
                return
        with self._lock:
            if len(self._waiting) >= BLOCK:
                self._count()
            rows = rows_in_memory(data, target, weights)
            small = rows.table.rows < (BLOCK if self._known is None else _SMALL)
            cells = rows_of_table(rows.table) if small else None
            if cells is None:
                self._add_at_once(rows)
            else:
                self._add_cells(rows, cells)

    def forget(self, data: Any, target: Any, weights: npt.ArrayLike | None = None) -> None:
        """Remove rows added earlier, as `Model.forget` does. If an error is raised, no row is removed.

        If the schema is not fixed yet, it is inferred from the rows added so far.
        """
        with self._lock:
            self._require_rows()
            self._count()
            known = cast("NaiveBayesModel", self._known)
            gone = rows_in_memory(data, target, weights)
            rest = subtract_rows(known, count_loaded(self._empty(known.schema), gone))
            self._known = rest
            self._rows -= gone.known

    def model(self) -> Model:
        """Return the model of all rows added so far; the collector remains usable."""
        with self._lock:
            self._require_rows()
            if self._known is not None:
                self._count()
                return Model(self._known, Provenance(self._rows).at())
            known, bad = self._first(self._waiting)
            self._waiting = [each for each in self._waiting if each.number not in bad]
            self._report(bad, 0)
            return Model(cast("NaiveBayesModel", known), Provenance(self._rows).at())

    def __repr__(self) -> str:
        with self._lock:
            lines = [
                f"Collector of {self._rows:,} row{'' if self._rows == 1 else 's'}, {len(self._waiting):,} buffered"
            ]
            if self._known is None:
                lines.append(f"  the schema will be inferred from the first {BLOCK:,} rows")
            else:
                lines += [f"  {line}" for line in repr(self._known.schema).splitlines()]
            return "\n".join([*lines, f"  estimate: {self._reading.estimate}, class prior: {self._class_prior}"])

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            state = {name: getattr(self, name) for name in self.__slots__ if name not in ("__weakref__", "_lock")}
            return {**state, "_waiting": list(self._waiting), "_layout": copy(self._layout)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._lock = threading.RLock()
        _COLLECTORS.add(self)

    def _require_rows(self) -> None:
        if self._known is None and not self._waiting:
            raise DataError("the collector has no rows, so its columns are unknown. Add rows first, or pass like=.")

    def _check_columns(self, cells: Cells) -> None:
        # Errors in columns= are detected with the first positional row; named rows may still add columns.
        names = self._layout.names
        if self._known is None and names is not None and names == tuple(range(len(cells))):
            schema_of(self._columns, names, lambda: table_of_rows([], names), self._max_levels)

    def _add_cells(self, rows: Batch, cells: list[Cells]) -> None:
        layout, names = self._layout, rows.table.names
        if names != layout.names and isinstance(rows.table, Frame) and rows.table.named:
            cells = [dict(zip(names, row, strict=True)) for row in cells]  # pyright: ignore[reportAssignmentType]
        classes: list[Any] = [*rows.classes.classes.labels, None]
        labels = [classes[code] for code in rows.classes.codes.tolist()]
        weights = [1.0] * len(cells) if rows.weights is None else rows.weights.astype(np.float64).tolist()
        first, before = self._number, len(self._waiting)
        fresh = [
            BufferedRow(layout.cells(row, number), label, 1.0 if weight == 1 else weight_of(weight, number), number)
            for number, (row, label, weight) in enumerate(zip(cells, labels, weights, strict=True), first)
        ]
        late: DataError | None = None
        for each in fresh:
            if each.label is not None:
                self._waiting.append(each)
                self._rows += 1
            if len(self._waiting) >= BLOCK:
                try:
                    self._count()
                except DataError as error:  # the invalid rows were dropped; the others are counted
                    late = late or error
                except ParameterError:  # nothing was counted, so the batch is removed again
                    self._rows -= len(self._waiting) - before
                    del self._waiting[before:]
                    raise
        self._number += len(fresh)
        self._unlabelled += rows.classes.missing
        if late is not None:
            raise late

    def _add_at_once(self, rows: Batch) -> None:
        known, waiting, bad = self._known, self._waiting, dict[int, SufficeError]()
        if known is not None:
            self._known = known + self._counted(known.schema, rows)
            if isinstance(rows.table, Frame) and rows.table.named:
                self._layout.extra.update(dict.fromkeys(set(rows.table.names) - set(known.schema.names), 1))
        else:
            schema = self._schema(rows.table)
            known = self._counted(schema, rows)
            self._known, bad = self._added(known, waiting)
            self._waiting = []
            self._layout.fix(schema.names)
        self._number += rows.table.rows
        self._rows += rows.known
        self._report(bad, 0)

    def _count(self) -> None:
        waiting = self._waiting
        known, bad = self._first(waiting) if self._known is None else self._added(self._known, waiting)
        self._known, self._waiting = known, []
        if known is not None:
            self._layout.fix(known.schema.names)
        self._report(bad, len(waiting))

    def _first(self, waiting: list[BufferedRow]) -> tuple[NaiveBayesModel | None, dict[int, SufficeError]]:
        # The model of the first rows, with the schema inferred from the valid ones, and the errors of the others.
        try:
            return self._alone(waiting), {}
        except (DataError, MergeError):
            bad = self._unusable(waiting)
        good = [each for each in waiting if each.number not in bad]
        if not good:
            return None, bad
        known, more = self._added(self._seen(self._schema(self._table(good)), []), good)
        return known, {**bad, **more}

    def _unusable(self, waiting: list[BufferedRow]) -> dict[int, SufficeError]:
        try:
            self._alone(waiting)
        except (DataError, MergeError) as error:
            if len(waiting) == 1:
                return {waiting[0].number: error}
            half = len(waiting) // 2
            return {**self._unusable(waiting[:half]), **self._unusable(waiting[half:])}
        return {}

    def _added(
        self, known: NaiveBayesModel, waiting: list[BufferedRow]
    ) -> tuple[NaiveBayesModel, dict[int, SufficeError]]:
        # Bisection finds the rows that cannot be added, including a row that is only invalid in the sum (overflow).
        if not waiting:
            return known, {}
        try:
            return known + self._seen(known.schema, waiting), {}
        except (DataError, MergeError) as error:
            if len(waiting) == 1:
                return known, {waiting[0].number: error}
        half = len(waiting) // 2
        known, bad = self._added(known, waiting[:half])
        known, more = self._added(known, waiting[half:])
        return known, {**bad, **more}

    def _alone(self, waiting: list[BufferedRow]) -> NaiveBayesModel:
        table = self._table(waiting)
        return self._seen(self._schema(table), waiting, table)

    def _empty(self, schema: Schema) -> NaiveBayesModel:
        return NaiveBayesModel.empty(schema, self._reading, self._class_prior)

    def _schema(self, table: Table) -> Schema:
        head = table.head(HEAD)
        return schema_of(self._columns, table.names, lambda: head, self._max_levels, refuse_nested=True)

    def _seen(self, schema: Schema, waiting: list[BufferedRow], table: Table | None = None) -> NaiveBayesModel:
        row_weights = any(each.weight != 1.0 for each in waiting)
        weights = np.array([each.weight for each in waiting]) if row_weights else None
        target = target_of([each.label for each in waiting], len(waiting))
        rows = Batch(self._table(waiting) if table is None else table, target, weights)
        return self._counted(schema, rows)

    def _counted(self, schema: Schema, rows: Batch) -> NaiveBayesModel:
        if self._classes is None:
            return count_loaded(self._empty(schema), rows)
        require_declared(rows.classes, self._classes)
        return count_loaded(self._empty(schema), rows).declare(self._classes)

    def _table(self, waiting: list[BufferedRow]) -> Table:
        names = cast("Columns", self._layout.names)
        table = table_of_rows([each.cells for each in waiting], names)
        parts = tuple(name for name in names if (part := base_of_part(name)) and part[0] in names)
        if not parts or not isinstance(table, Frame):
            return table
        # Parts of dates are not cells of a row.
        gone = tuple(name for name in parts if table.column(name).kind == "nothing")
        return table.without(gone).aligned(names).table

    def _report(self, bad: dict[int, SufficeError], counted: int) -> None:
        # The state is consistent at this point, so a warning may be raised as an error.
        absent, self._layout.absent = self._layout.absent, {}
        extra, self._layout.extra = self._layout.extra, {}
        self._rows -= len(bad)
        if bad:
            raise _unusable_rows(bad)
        unlabelled, self._unlabelled = self._unlabelled, 0
        if unlabelled:
            notify(
                DroppedRowsWarning,
                "1 row has no class and was dropped. Pass its class, or remove the row."
                if unlabelled == 1
                else f"{unlabelled} rows have no class and were dropped. Pass their classes, or remove the rows.",
                kind="no_class",
            )
        if extra:
            warn_ignored_columns(tuple(extra), ())
        if counted and self._known is not None:
            unused = set(self._known.schema.unused)
            used = [name for name in self._known.schema.names if name not in unused]
            missing = [name for name in used if absent.get(name, 0) >= counted]
            if missing:
                where = "not in the last row" if counted == 1 else f"in none of the last {counted} rows"
                notify(
                    MissingColumnsWarning,
                    f"{len(missing)} of the {len(used)} columns in use are {where} and were treated as missing",
                    column=tuple(missing),
                    advice="Add them, or rename the keys of the rows.",
                )


def _unusable_rows(bad: dict[int, SufficeError]) -> DataError:
    # Each error comes from a block of one row, so its row index is 0.
    number, reason = min(bad.items(), key=lambda item: item[0])
    error = DataError.of(reason, row=number)
    if len(bad) == 1:
        return error.located(advice=_kept("The row was dropped", reason))
    listed = ", ".join(map(str, sorted(bad)[:5])) + ", …" * (len(bad) > 5)
    return error.located(advice=_kept(f"{len(bad)} such rows were dropped: {listed}", reason))


def _kept(left_out: str, first: SufficeError) -> Advice:
    return lambda words: " ".join((f"{left_out}; all other rows were kept.", first.advised(words))).strip()


def _hold() -> None:
    # A thread of the parent may hold a lock or be in the middle of a block, so the lock is acquired before a fork.
    held = sorted(_COLLECTORS, key=id)
    for collector in held:
        collector._lock.acquire()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    _HELD.append(held)


def _release_locks() -> None:
    for collector in _HELD.pop():
        collector._lock.release()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_release_locks, after_in_child=_release_locks)
