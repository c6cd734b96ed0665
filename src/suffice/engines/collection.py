"""Collects the statistics of a plan, with one engine pass per block of columns.

`collect_by_part` collects the statistics of several parts of the rows in one pass without copying rows: each
combination of part and class is treated as a class.

    code of class c in part p = p · C + c

This works only for statistics that are independent across classes. Levels and tokens are not, because the set of levels
or tokens depends on the rows of a part.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.engines import arrays
from suffice.engines.documents import count_tokens, documents_of
from suffice.engines.rows import ClassView, view_classes
from suffice.errors import DataError
from suffice.likelihoods.block_statistics import Collect, Parts, Plan
from suffice.sources.coding import Coded
from suffice.sources.table import Matrix, Table
from suffice.statistics import Axis, Counts, Tally, Tokens
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.labels import Label

__all__ = [
    "collect",
    "collect_by_part",
    "has_parts_in_place",
    "joint_codes",
    "small_codes",
]

_SAMPLE = 2048
_FEW = 2**16


def collect(
    plan: Plan,
    table: Table,
    codes: IntArray,
    classes: Axis,
    weights: npt.NDArray[Any] | None,
    rows: FloatArray | None = None,
) -> tuple[Tally, tuple[Parts, ...]]:
    """Return the weight of each class, and the statistics of every block.

    `codes` are positions on the axis of the classes, −1 leaves a row out; `rows` are the rows of each class, if known.
    """
    target = view_classes(codes, classes, weights, table.rows)
    tally = arrays.tally(target, classes) if rows is None or weights is not None else Tally(classes, rows)
    blocks: list[Parts] = []
    for wanted in plan.collects:
        if wanted.what == "tokens":
            blocks.append(_tokens(wanted, table, codes, classes, weights))
        elif wanted.what == "maxima":
            x, valid = table.numbers(wanted.columns)
            how: arrays.PassOptions = {"columns": wanted.columns, "weights": weights, "valid": valid}
            blocks.append((arrays.maxima(x, codes, classes, **how),))
        else:
            blocks.append(_block(wanted, table, target, classes))
    return tally, tuple(blocks)


def small_codes(codes: IntArray, place: IntArray) -> npt.NDArray[Any]:
    """Return place[code] for every code, −1 for code −1, in the smallest integer type that fits."""
    places = np.append(place, -1)
    least = next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if len(places) <= np.iinfo(kind).max)
    return places.astype(least)[codes]


def _block(wanted: Collect, table: Table, target: ClassView, classes: Axis) -> Parts:
    if wanted.what == "levels":
        quick = _whole_numbers(wanted, table, target, classes)
        return _levels(wanted, table, target, classes) if quick is None else quick
    if wanted.what == "joint":
        return _joint(wanted, table, target, classes)
    names = wanted.columns
    x, valid = table.numbers(names)
    if wanted.what == "moments":
        return (arrays.moments(x, target, classes, columns=names, valid=valid),)
    if wanted.what == "scatter":
        return (arrays.scatter(x, target, classes, columns=names, valid=valid),)
    if wanted.what == "bins":
        return (arrays.bins(x, target, classes, columns=names, valid=valid),)
    if wanted.what == "numeric":
        return arrays.moments_and_bins(x, target, classes, columns=names, valid=valid)
    if wanted.what == "presence":
        threshold = wanted.threshold
        return (arrays.presence(x, target, classes, threshold=threshold, columns=names, valid=valid),)
    counted = arrays.sums(x, target, classes, columns=names, valid=valid)
    if wanted.logs == "none":
        return (counted,)
    logs = arrays.count_logs(x, target, classes, logs=wanted.logs, columns=names, valid=valid)
    return counted, logs


def _whole_numbers(wanted: Collect, table: Table, target: ClassView, classes: Axis) -> tuple[Counts, ...] | None:
    # Levels 0, 1, … in a matrix of integers are already codes. Their number is guessed from some rows; if the guess is
    # wrong the engine raises an error, and None is returned: the columns then have to be coded.
    if not isinstance(table, Matrix) or table.sparse or table.x.dtype.kind not in "iu" or not table.rows:
        return None
    declared = [label for label in wanted.levels or () if isinstance(label, int) and not isinstance(label, bool)]
    if len(declared) < len(wanted.levels or ()) or not all(0 <= label < _FEW for label in declared):
        return None
    numbers = table.numbers(wanted.columns)
    some: npt.NDArray[Any] = table.x[:: max(1, table.rows // _SAMPLE)][:, table.positions(wanted.columns)]
    if some.min(initial=0) < 0 or some.max(initial=0) >= _FEW:
        return None
    least = max(declared, default=-1) + 1
    sizes = [max(least, int(code) + 1) for code in some.max(axis=0)]
    axes = {size: Axis(range(size), np.isin(np.arange(size), declared)) for size in set(sizes)}
    unsigned = np.dtype(
        f"u{table.x.dtype.itemsize}"
    )  # −1 is a missing code for the engine; unsigned, it is out of range
    separate = isinstance(numbers.x, list)
    rows: Any = [column.view(unsigned) for column in numbers.columns()] if separate else numbers.x.view(unsigned)
    with suppress(DataError):
        return arrays.levels(rows, target, classes, levels=[axes[size] for size in sizes])
    return None


def _levels(wanted: Collect, table: Table, target: ClassView, classes: Axis) -> tuple[Counts, ...]:
    coded = table.levels(wanted.columns)
    axes = [_axis(labels, wanted.levels or ()) for _, labels in coded]
    rows: list[npt.NDArray[Any]] = []
    levels: list[arrays.Placed] = []
    for (cells, labels), axis in zip(coded, axes, strict=True):
        place = axis.positions(labels)
        if wanted.missing_level and (cells < 0).any():  # None is first on an axis: the others move up
            if None not in axis:
                axis, place = Axis([None, *axis.labels], [False, *axis.declared.tolist()]), place + 1  # noqa: PLW2901
            cells, place = np.where(cells < 0, len(labels), cells), np.append(place, 0)  # noqa: PLW2901 - now a level
        rows.append(cells)
        levels.append(arrays.Placed(axis, _with_the_rest(place, len(axis.labels))))
    return arrays.levels(rows, target, classes, levels=levels)


def _with_the_rest(place: IntArray, size: int) -> IntArray:
    # Levels that are declared but do not occur get codes after the observed ones; no cell has these codes.
    if len(place) == size:
        return place
    rest = np.ones(size, dtype=np.bool_)
    rest[place] = False
    return np.append(place, np.flatnonzero(rest))


def joint_codes(columns: Sequence[Coded]) -> Coded:
    """Return codes of the combinations, −1 where a cell of the row is missing, and the combinations as tuples.

    Examples
    --------
    >>> joint_codes([Coded(np.array([0, 1, 0]), ["a", "b"]), Coded(np.array([0, 0, -1]), [7])])
    Coded(codes=array([ 0,  1, -1]), labels=[('a', 7), ('b', 7)])
    """
    rows = len(columns[0].codes)
    known = np.ones(rows, dtype=np.bool_)
    for codes, _ in columns:
        known &= codes >= 0
    # Combinations so far × levels is at most rows², which fits into 64 bits, as codes are made dense after each column.
    together: IntArray = np.zeros(int(known.sum()), dtype=np.int64)
    places: list[IntArray] = []  # the code in each column, for each combination so far
    for codes, labels in columns:
        here = codes[known]
        mixed = together * max(len(labels), 1) + here
        found, first, together = np.unique(mixed, return_index=True, return_inverse=True)
        places = [place[found // max(len(labels), 1)] for place in places] + [here[first]]
    codes = np.full(rows, -1, dtype=np.int64)
    codes[known] = together
    names: list[list[Any]] = [
        [labels[k] for k in place.tolist()] for place, (_, labels) in zip(places, columns, strict=True)
    ]
    return Coded(codes, list(zip(*names, strict=True)))


def _joint(wanted: Collect, table: Table, target: ClassView, classes: Axis) -> tuple[Counts, ...]:
    # The combinations of complete rows, then the levels of each column separately.
    each = list(map(table.coded, wanted.columns))
    for name, (own, labels) in zip(wanted.columns, each, strict=True):
        nested = next((at for at, label in enumerate(labels) if isinstance(label, tuple)), None)
        if nested is not None:
            row = int(np.argmax(own == nested))
            raise DataError(
                f"column {name!r} of Joint() must hold numbers, text, bools or bytes: row {row} has the tuple "
                f"{labels[nested]!r}. Convert it to text, or put its values into separate columns."
            )
    cells, combinations = joint_codes(each)
    axis = Axis.of(combinations)
    axes = [_axis(labels, ()) for _, labels in each]
    rows = [small_codes(cells, axis.positions(combinations))]
    rows += [small_codes(own, at.positions(labels)) for (own, labels), at in zip(each, axes, strict=True)]
    return arrays.levels(rows, target, classes, levels=[axis, *axes])


def _tokens(
    wanted: Collect, table: Table, codes: IntArray, classes: Axis, weights: npt.NDArray[Any] | None
) -> tuple[Tokens, ...]:
    tokenizing = wanted.tokenizing
    assert tokenizing is not None, "a request for tokens specifies the tokenizer"
    each = (documents_of(table, name) for name in wanted.columns)
    return tuple(count_tokens(tokenizing, documents, codes, classes, weights) for documents in each)


def _axis(labels: list[Any], declared: tuple[Label, ...]) -> Axis:
    found = Axis.of(labels)
    return Axis.of(declared, declared=True).union(found)[0] if declared else found


_CLASS_BY_CLASS = frozenset({"moments", "scatter", "presence", "sums", "maxima"})


def has_parts_in_place(plan: Plan, table: Table) -> bool:
    """Return whether parts of the rows can be collected and scored in place: numbers in contiguous rows."""
    numbers = isinstance(table, Matrix) and table.row_by_row
    return numbers and all(wanted.what in _CLASS_BY_CLASS for wanted in plan.collects)


def collect_by_part(
    plan: Plan, table: Table, codes: IntArray, classes: Axis, weights: npt.NDArray[Any] | None, parts: IntArray
) -> list[tuple[Tally, tuple[Parts, ...]]]:
    """Return, for each part, the weights of the classes and the statistics of every block; classes are declared."""
    number, each = int(parts.max(initial=-1)) + 1, len(classes)
    axis = Axis(range(number * each), declared=True)
    apart: npt.NDArray[Any] = parts.astype(np.int32 if number * each < 2**31 else np.int64)
    apart *= each
    np.add(apart, codes, out=apart, casting="same_kind")
    if len(codes) and int(codes.min()) < 0:
        apart[codes < 0] = -1
    tally, blocks = collect(plan, table, apart, axis, weights)
    return [
        (
            tally.take_classes(start, classes),
            tuple(tuple(part.take_classes(start, classes) for part in block) for block in blocks),
        )
        for start in range(0, number * each, each)
    ]
