"""Rows to statistics: the one loop over a source in which everything is counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from suffice.engines import arrays
from suffice.engines.collection import collect
from suffice.errors import DataError, DroppedRowsWarning
from suffice.evidence.cross_fitting import Admission, CountedBatch, CrossFitting, RowsToCount
from suffice.evidence.cross_fitting import count_batch as count_beside
from suffice.likelihoods.reading import Reading
from suffice.machine import thread_count
from suffice.models import ClassPrior, NaiveBayesModel, Provenance, Schema
from suffice.sources import Batch, RowSource
from suffice.sources.files.blocks import in_parallel
from suffice.sources.source import aligned_table, no_class
from suffice.statistics import Scatter, Tally
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import IntArray
from suffice.warnings import ignored_columns, notify

__all__ = [
    "count_batch",
    "count_loaded",
    "count_rows",
    "to_count",
    "warn_of_incomplete_cells",
    "warn_of_incomplete_rows",
]

Kept: TypeAlias = "tuple[Admission, CountedBatch]"


def count_rows(
    source: RowSource,
    schema: Schema,
    reading: Reading,
    class_prior: ClassPrior,
    cross: CrossFitting | None = None,
) -> tuple[NaiveBayesModel, Provenance]:
    """Return the model of all rows of a source, and where they come from; `cross` keeps some of the rows beside it."""
    empty = NaiveBayesModel(schema, Tally.zero(), (), reading, class_prior)

    def offered() -> Iterator[tuple[Batch, Admission | None]]:
        for batch in source.batches(schema):
            codes, classes, *_ = batch.classes
            # Rows are admitted in their order, whatever thread counts them.
            yield batch, None if cross is None else cross.admit(_int64(codes), classes, batch.weights)
            del batch, codes, classes

    def count(item: tuple[Batch, Admission | None]) -> tuple[int, NaiveBayesModel, Kept | None]:
        batch, admission = item
        try:
            if admission is None:
                return batch.known, count_batch(schema, reading, class_prior, batch), None
            both = count_beside(empty, to_count(batch), admission, batch.take_cells)
        except DataError as reason:
            raise batch.locate(reason) from None
        return batch.known, both.whole, (admission, both)

    total: NaiveBayesModel | None = None
    rows = 0
    for known, seen, kept in in_parallel(offered(), count, thread_count(), ready=0):
        rows += known
        total = seen if total is None else total + seen
        if cross is not None and kept is not None:
            cross.hold(*kept)
    assert total is not None, "a source has a batch, or raises"
    if source.like is not None and source.named and not source.origin.paths:  # files say it when they are read
        ignored_columns(source.names, schema.names)
    warn_of_incomplete_rows(total)
    paths, target, weights, dialect = source.origin
    return total, Provenance(rows, paths, target=target, weights=weights, dialect=dialect).at()


def to_count(batch: Batch) -> RowsToCount:
    """Return the rows of a batch as cross-fitting takes them."""
    return RowsToCount(batch.table, _int64(batch.classes.codes), batch.classes.classes, batch.weights)


def _int64(codes: IntArray) -> IntArray:
    return codes.astype(np.int64, copy=False)


def count_loaded(schema: Schema, reading: Reading, class_prior: ClassPrior, batch: Batch) -> NaiveBayesModel:
    """Return the model of rows in memory; warnings count rows without a class, and name missing columns."""
    if batch.classes.missing:
        no_class(batch.classes.missing, batch.table.rows)
    seen = count_batch(schema, reading, class_prior, batch._replace(table=aligned_table(batch.table, schema)))
    warn_of_incomplete_rows(seen)
    return seen


def count_batch(schema: Schema, reading: Reading, class_prior: ClassPrior, batch: Batch) -> NaiveBayesModel:
    """Return the model of rows whose table has the columns of the schema."""
    (codes, classes, _, rows), weights = batch.classes, batch.weights
    if rows is None or weights is not None:
        tally = arrays.tally(codes, classes, weights=weights)
    else:
        tally = Tally(classes, rows)
    parts = collect(schema.plan(), batch.table, codes, classes, weights)
    return NaiveBayesModel(schema, tally, parts, reading, class_prior)


def warn_of_incomplete_rows(model: NaiveBayesModel) -> None:
    """Warn of rows that are left out of columns that go together, because one of those cells is missing."""
    for block, parts in zip(model.schema.blocks, model.parts, strict=True):
        left_out = float(parts[0].left_out.sum()) if isinstance(parts[0], Scatter) else 0.0
        if left_out:
            incomplete(left_out, float(model.tally.weight.sum()), block.columns)


def warn_of_incomplete_cells(schema: Schema, batch: Batch) -> None:
    """Warn as `warn_of_incomplete_rows` does, of rows with the columns of the schema that are counted in parts."""
    weights = np.ones(batch.table.rows) if batch.weights is None else batch.weights
    for block in schema.blocks:
        if block.likelihood.collect(block.columns).what == "scatter":
            left_out = float(weights[~batch.table.numbers(block.columns).complete(batch.table.rows)].sum())
            if left_out:
                incomplete(left_out, float(weights.sum()), block.columns)


def incomplete(left_out: float, total: float, columns: Columns) -> None:
    """Warn of rows with a gap in columns that go together."""
    notify(
        DroppedRowsWarning,
        f"{left_out:g} of {total:g} rows have a missing cell in these columns, which go together, and were left out of "
        "them",
        kind="incomplete_rows",
        column=columns,
        advice="Fill the cells, or read the columns apart with covariance='diagonal'.",
    )
