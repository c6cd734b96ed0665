"""Counting rows: the loop over a source that collects statistics, and the subtraction of rows.

Precision that a subtraction loses. Symbols, for one class and column: n, m, dp are the weight, mean and sum of squared
deviations of the remaining rows, blur the bound on the error of dp (moments.py), v = dp/weight of the remaining
column over all classes; left − taken = rest is a sum.

    variance   blur > TOLERANCE (dp + v)     under the default prior dp becomes dp + v (one observation of
                                             variance v), so a class with constant rows is not reported
    sum        left ≥ 2⁵³ and 2⁻⁵³ left > TOLERANCE rest: above 2⁵³ integers do not add exactly

TOLERANCE = 1e-4 is below the sampling error √(2/n) of a variance of up to 2 · 10⁸ rows. The bound is conservative:
after removing an outlier of 1e12 from a hundred rows of variance 1, dp is accurate to about 1e-11 and is not reported.

If the remaining column is constant, v = 0 gives no scale. A class is then reported if the error may exceed one percent
of the mean (blur > TOLERANCE n m²), or if dp exceeded 2¹⁰⁶ (a value above 2⁵³ was removed). With integer weights, a
remaining weight of 1 is a single row with dp = 0; only its mean can be inaccurate, after the removal of such a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from suffice.errors import (
    Advice,
    DataError,
    DroppedRowsWarning,
    LostPrecisionWarning,
    TrainingFilesWarning,
    Wording,
)
from suffice.evidence.cross_fitting import Admission, CountedBatch, CrossFitting, RowsToCount, count_apart
from suffice.likelihoods.block_statistics import align_classes, align_columns
from suffice.machine import map_in_parallel, thread_count
from suffice.models import NaiveBayesModel, Provenance, Schema
from suffice.sources import Batch, RowSource
from suffice.sources.files.paths import digest_file
from suffice.sources.source import Origin, aligned_table, no_class
from suffice.sources.target import Target
from suffice.statistics import Axis, Counts, Moments, Scatter
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.axis import Columns
from suffice.statistics.labels import Label
from suffice.warnings import list_some, notify, warn_ignored_columns

__all__ = [
    "LostPrecision",
    "count_loaded",
    "count_rows",
    "find_lost_precision",
    "provenance_of",
    "require_declared",
    "require_known_classes",
    "subtract_rows",
    "to_count",
    "warn_of_incomplete_cells",
    "warn_of_incomplete_rows",
    "warn_of_shared_files",
    "warn_of_training_files",
]

_SHOWN_LOST = 3
TOLERANCE = 1e-4
_EXACT = 2.0**53
_CONSTANT = 2.0**-80  # of m²: the possible difference between two computed means of the same constant

_Kept: TypeAlias = "tuple[Admission, CountedBatch]"


def count_rows(
    source: RowSource, empty: NaiveBayesModel, cross: CrossFitting | None = None
) -> tuple[NaiveBayesModel, Provenance]:
    """Return the model of all rows of a source and their provenance; `cross` keeps some of the rows.

    `empty` has no rows: its schema, reading and class prior are those of the result. If it declares classes, a row of
    another class is an error.
    """
    schema, classes = empty.schema, empty.tally.classes
    declared = classes if classes.labels else None

    def offer() -> Iterator[tuple[Batch, Admission | None]]:
        for batch in source.batches(schema):
            codes, classes, *_ = batch.classes
            if declared is not None:
                require_declared(batch.classes, declared)
            # Rows are admitted in their order, regardless of the thread that counts them.
            yield batch, None if cross is None else cross.admit(_int64(codes), classes, batch.weights)
            del batch, codes, classes

    def count(item: tuple[Batch, Admission | None]) -> tuple[int, NaiveBayesModel, _Kept | None]:
        batch, admission = item
        try:
            if admission is None:
                return batch.known, empty.count(batch.table, batch.classes, batch.weights), None
            both = count_apart(empty, to_count(batch), admission, batch.take_cells)
        except DataError as reason:
            raise batch.locate(reason) from None
        return batch.known, both.whole, (admission, both)

    total: NaiveBayesModel | None = None
    rows = 0
    for known, model, kept in map_in_parallel(offer(), count, thread_count(), ready=0):
        rows += known
        total = model if total is None else total + model
        if cross is not None and kept is not None:
            cross.hold(*kept)
    assert total is not None, "a source yields at least one batch, or raises an error"
    if declared is not None:
        total = total.declare(declared)
    if source.like is not None and source.named and not source.origin.paths:  # files warn when they are read
        warn_ignored_columns(source.names, schema.names)
    warn_of_incomplete_rows(total)
    return total, provenance_of(rows, source.origin)


def provenance_of(rows: int, origin: Origin) -> Provenance:
    """Return the provenance of rows that have just been read."""
    paths, target, weights, dialect = origin
    return Provenance(rows, target=target, weights=weights, dialect=dialect).of_files(_digest_files(paths)).at()


def _digest_files(paths: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((path, digest_file(path)) for path in paths)


def require_known_classes(
    target: Target, known: Axis, whose: str = "the classes of the model", advice: Advice = ""
) -> None:
    """Raise DataError if a row has an unknown class."""
    unknown = [
        label for at, label in enumerate(target.classes) if label not in known and bool((target.codes == at).any())
    ]
    if unknown:
        raise DataError(
            f"unknown class{'es' * (len(unknown) > 1)} {list_some(unknown, repr)}: {whose} are {list(known)[:12]!r}",
            kind="unknown_class",
            advice=advice or "Fit the model on all classes, or leave these rows out.",
        )


def require_declared(target: Target, declared: Axis) -> None:
    """Raise DataError if a row has a class that was not declared."""

    def advice(words: Wording) -> str:
        return f"Add it to {words.option('classes')}, or leave these rows out."

    require_known_classes(target, declared, "the declared classes", advice)


def to_count(batch: Batch) -> RowsToCount:
    """Return the rows of a batch in the form that cross-fitting expects."""
    return RowsToCount(batch.table, _int64(batch.classes.codes), batch.classes.classes, batch.weights)


def _int64(codes: IntArray) -> IntArray:
    return codes.astype(np.int64, copy=False)


def count_loaded(empty: NaiveBayesModel, batch: Batch) -> NaiveBayesModel:
    """Return the model of rows in memory; warnings report rows without a class and missing columns."""
    if batch.classes.missing:
        no_class(batch.classes.missing, batch.table.rows)
    model = empty.count(aligned_table(batch.table, empty.schema), batch.classes, batch.weights)
    warn_of_incomplete_rows(model)
    return model


def warn_of_incomplete_rows(model: NaiveBayesModel) -> None:
    """Warn of rows that were excluded from jointly modelled columns because one of these cells is missing."""
    for block, parts in zip(model.schema.blocks, model.parts, strict=True):
        left_out = float(parts[0].left_out.sum()) if isinstance(parts[0], Scatter) else 0.0
        if left_out:
            _incomplete(left_out, float(model.tally.weight.sum()), block.columns)


def warn_of_incomplete_cells(schema: Schema, batch: Batch) -> None:
    """Warn as `warn_of_incomplete_rows` does, for rows that are counted in parts."""
    weights = np.ones(batch.table.rows) if batch.weights is None else batch.weights
    for block in schema.blocks:
        if block.likelihood.collect(block.columns).what == "scatter":
            left_out = float(weights[~batch.table.numbers(block.columns).complete(batch.table.rows)].sum())
            if left_out:
                _incomplete(left_out, float(weights.sum()), block.columns)


def _incomplete(left_out: float, total: float, columns: Columns) -> None:
    notify(
        DroppedRowsWarning,
        f"{left_out:g} of {total:g} rows have a missing cell in these jointly modelled columns and were excluded from "
        "them",
        kind="incomplete_rows",
        column=columns,
        advice="Impute the cells, or use the likelihood Gaussian for these columns.",
    )


def warn_of_training_files(provenance: Provenance, source: RowSource, consequence: str, advice: Advice) -> None:
    """Warn if rows come from a file that the model was fitted on."""
    if provenance.digests:
        _warn_of_files(provenance, _digest_files(source.origin.paths), consequence, advice)


def warn_of_shared_files(one: Provenance, other: Provenance) -> None:
    """Warn if two models that are added were fitted on the same file."""
    _warn_of_files(one, other.files, "its rows now count twice", _forget_again)


def _forget_again(words: Wording) -> str:
    return f"If that is not intended, remove them with {words.verb('forget')}."


def _warn_of_files(seen: Provenance, read: Iterable[tuple[str, str]], consequence: str, advice: Advice) -> None:
    again = [name for name, digest in read if digest and digest in seen.digests]
    if again:
        shown = list_some(again)
        notify(TrainingFilesWarning, f"the model was already fitted on {shown}: {consequence}", advice=advice)


def subtract_rows(model: NaiveBayesModel, rows: NaiveBayesModel) -> NaiveBayesModel:
    """Return the model without these rows, and warn of statistics whose precision the subtraction has lost."""
    rest = model - rows
    lost = find_lost_precision(model, rows, rest)
    if lost:
        shown = ", ".join(map(str, lost[:_SHOWN_LOST]))
        shown += f", … {len(lost)} in all" * (len(lost) > _SHOWN_LOST)
        notify(
            LostPrecisionWarning,
            f"these statistics are unreliable after the removal of rows: {shown}. The removed values are too large "
            "compared with the others for float64. Fit the model again without these rows.",
        )
    return rest


class LostPrecision(NamedTuple):
    """A statistic that is no longer accurate: the "variance" or "sum" of a column, or the "weight" of a class."""

    what: str
    label: Label
    column: str | int | None

    def __str__(self) -> str:
        of = "" if self.column is None else f" of column {self.column!r}"
        return f"{self.what}{of} in class {self.label!r}"


def find_lost_precision(before: NaiveBayesModel, taken: NaiveBayesModel, rest: NaiveBayesModel) -> list[LostPrecision]:
    """Return the statistics of rest = before − taken that have lost their precision."""
    classes = before.classes
    gone = align_classes(taken.tally.weight, taken.classes, classes) > 0
    weight = align_classes(rest.tally.weight, rest.classes, classes)
    found = [
        LostPrecision("weight", classes.labels[c], None)
        for c in np.flatnonzero(gone & _lost_sum(before.tally.weight, weight)).tolist()
    ]
    blocks = zip(before.schema.blocks, before.parts, taken.parts, rest.parts, strict=True)
    for block, *parts in blocks:
        sums = block.likelihood.collect(block.columns).what == "sums"
        for whole, other, left in zip(*parts, strict=True):
            if isinstance(whole, Moments | Scatter):
                lost = _lost_spread(whole, other, left, classes)
                found += _named("variance", lost, classes, whole.columns)
            elif sums and isinstance(whole, Counts) and whole is parts[0][0]:
                total, removed, kept = (align_columns(each, block.columns, classes)[0] for each in (whole, other, left))
                found += _named("sum", (removed > 0) & _lost_sum(total, kept), classes, block.columns)
    return found


def _named(what: str, lost: BoolArray, classes: Axis, columns: Columns) -> Iterator[LostPrecision]:
    for c, j in zip(*(at.tolist() for at in np.nonzero(lost)), strict=True):
        yield LostPrecision(what, classes.labels[c], columns[j])


def _lost_sum(before: FloatArray, rest: FloatArray) -> BoolArray:
    return (before >= _EXACT) & (before / _EXACT > TOLERANCE * rest)


def _lost_spread(
    before: Moments | Scatter, taken: Moments | Scatter, rest: Moments | Scatter, classes: Axis
) -> BoolArray:
    def laid(of: Moments | Scatter) -> tuple[FloatArray, ...]:
        if isinstance(of, Moments):
            each = of.weight, of.mean, of.dp, of.dp_blur
        else:
            dp = np.diagonal(of.scatter, axis1=1, axis2=2)
            each = np.broadcast_to(of.weight[:, None], of.mean.shape), of.mean, dp, of.diagonal_blur
        return tuple(align_classes(values, of.classes, classes) for values in each)

    n, m, dp, blur = laid(rest)
    weight, _, squares, _ = laid(before)
    with np.errstate(over="ignore", invalid="ignore"):
        shares = n / np.maximum(n.sum(axis=0), np.finfo(np.float64).tiny)
        between = (m - (shares * m).sum(axis=0)) ** 2
        v = (shares * (np.divide(dp, n, out=np.zeros_like(dp), where=n > 0) + between)).sum(axis=0)
        size = m * m
        constant = dp + v <= _CONSTANT * n * size.max(axis=0, initial=0.0)
        lost = blur > TOLERANCE * np.where(constant, n * size, dp + v)
        huge = (blur > 0) & (squares >= _EXACT**2)
        lost = np.where(constant, (lost & (size > 0)) | huge, lost)
        one_row = (n == 1) & (weight == np.floor(weight)) & ~huge
        return (n > 0) & (laid(taken)[0] > 0) & lost & ~one_row
