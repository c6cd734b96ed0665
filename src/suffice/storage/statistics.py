"""The statistics of a block in a model file: their arrays along the classes of the file, one set for each kind.

    kind      what it is                                        arrays, all named blocks.I.kind.…
    moments   Moments of the block's columns                    weight, mean, dp; mean_low, dp_low, dp_blur unless all 0
    scatter   Scatter of the block's columns                    weight, left_out, mean, scatter (its upper triangle);
                                                                mean_low, scatter_low, diagonal_blur unless all 0
    bins      Bins of the block's columns                       limit, shift, offsets, keys, counts, below, above
    counts    Counts whose levels are the block's columns       values, observed or observed_each; order unless sorted
    levels    Counts of levels, as many as the block asks for   labels, sizes, values, observed, … (counts_table.py)
    tokens    Tokens, one for each column J of the block        J.text, J.ends, J.starts, J.tokens, J.counts, …

A statistic has not the classes in which it is zero, unless they are declared: the rows of the others are zero here, and
are left out again when it is made. Which classes are declared is stored once for the file, and again for a statistic
that has others. Everything is made by the constructors of the statistics, which check it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, ModelFileError
from suffice.likelihoods.collect import Collect, Parts
from suffice.statistics import Axis, Bins, Counts, Moments, Scatter, Tokens
from suffice.statistics.columns import Columns
from suffice.statistics.counts_table import CountsTable
from suffice.statistics.frozen_arrays import BoolArray, FloatArray
from suffice.statistics.vocabulary import NO_WORDS, Vocabulary
from suffice.storage.arrays import Arrays
from suffice.storage.container import DAMAGED, shown

__all__ = ["classes_of_parts", "kinds_of", "parts_of", "parts_stored"]

Stored: TypeAlias = "dict[str, npt.NDArray[Any]]"

_KINDS = {
    "moments": ("moments",),
    "scatter": ("scatter",),
    "bins": ("bins",),
    "numeric": ("moments", "bins"),
    "presence": ("counts",),
    "sums": ("counts",),
    "levels": ("levels",),
    "joint": ("levels",),
    "tokens": ("tokens",),
}
_LOGS = ("coarse", "fine")
_LOW = "mean_low", "dp_low", "dp_blur"
_TRIANGLES = "scatter", "scatter_low"
_UNLESS_ZERO = "mean_low", "scatter_low", "diagonal_blur"


def kinds_of(collect: Collect) -> tuple[str, ...]:
    """Return the kinds of the statistics that a block asks for, in their order."""
    return (*_KINDS[collect.what], *(("levels",) if collect.logs != "none" else ()))


def classes_of_parts(parts: Iterable[Parts]) -> list[Axis]:
    """Return the axes of classes that statistics have, each once."""
    found: dict[int, Axis] = {}
    for block in parts:
        if isinstance(block, CountsTable):
            found[id(block.classes)] = block.classes
        else:
            found.update((id(part.classes), part.classes) for part in block)
    return list(found.values())


def parts_stored(collect: Collect, parts: Parts, classes: Axis, prefix: str) -> Stored:
    """Return the arrays of the statistics of a block."""
    arrays: Stored = {}
    at = 0
    for kind in kinds_of(collect):
        here, number = f"{prefix}.{kind}", _number(collect, kind)
        some = parts if kind == "levels" and at == 0 else parts[at : at + number]
        at += number
        arrays.update(_STORED[kind](some, collect.columns, classes, here))
    assert at == len(parts), "the statistics of a block are those that it asks for"
    return arrays


def parts_of(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    """Return the statistics of a block, checked."""
    found: list[Parts] = []
    for kind in kinds_of(collect):
        here = f"{prefix}.{kind}"
        try:
            found.append(_MADE[kind](collect, arrays, classes, here))
        except DataError as reason:
            raise ModelFileError.of(reason, problem=f"{here}: {reason.problem}") from None
    return found[0] if len(found) == 1 else tuple(part for some in found for part in some)


def _number(collect: Collect, kind: str) -> int:
    if kind == "tokens":
        return len(collect.columns)
    if kind != "levels" or collect.logs != "none":
        return 1
    return len(collect.columns) + (collect.what == "joint")


def _moments_stored(parts: Parts, columns: Columns, classes: Axis, prefix: str) -> Stored:
    (moments,) = parts
    assert isinstance(moments, Moments) and moments.columns == columns  # noqa: PT018
    lay = _laying(moments.classes, classes)
    arrays = {f"{prefix}.{name}": lay(getattr(moments, name)) for name in ("weight", "mean", "dp", *_LOW)}
    arrays = {name: array for name, array in arrays.items() if not name.endswith(_LOW) or array.view(np.uint64).any()}
    return {**arrays, **_declared_stored(moments.classes, classes, prefix)}


def _moments_of(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    shape = len(classes), len(collect.columns)
    three = {name: arrays.floats(f"{prefix}.{name}", shape) for name in ("weight", "mean", "dp")}
    low = {name: arrays.floats(f"{prefix}.{name}", shape) for name in _LOW if f"{prefix}.{name}" in arrays}
    return (Moments(_declared(arrays, classes, prefix), collect.columns, **three, **low),)


def _scatter_stored(parts: Parts, columns: Columns, classes: Axis, prefix: str) -> Stored:
    (scatter,) = parts
    assert isinstance(scatter, Scatter) and scatter.columns == columns  # noqa: PT018
    lay, upper = _laying(scatter.classes, classes), np.triu_indices(len(columns))
    arrays: Stored = {}
    for name in ("weight", "left_out", "mean", "scatter", *_UNLESS_ZERO):
        array = getattr(scatter, name)
        array = lay(array[:, *upper] if name in _TRIANGLES else array)
        if name not in _UNLESS_ZERO or array.view(np.uint64).any():
            arrays[f"{prefix}.{name}"] = np.ascontiguousarray(array)
    return {**arrays, **_declared_stored(scatter.classes, classes, prefix)}


def _scatter_of(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    c, d = len(classes), len(collect.columns)
    i, j = np.triu_indices(d)
    shapes = {"weight": (c,), "left_out": (c,), "mean": (c, d), "scatter": (c, len(i))}
    shapes |= {"mean_low": (c, d), "scatter_low": (c, len(i)), "diagonal_blur": (c, d)}
    found: dict[str, FloatArray] = {}
    for name, shape in shapes.items():
        if name in _UNLESS_ZERO and f"{prefix}.{name}" not in arrays:
            continue
        found[name] = arrays.floats(f"{prefix}.{name}", shape)
        if name in _TRIANGLES:
            whole = np.zeros((c, d, d))
            whole[:, i, j] = whole[:, j, i] = found[name]
            found[name] = whole
    return (Scatter(_declared(arrays, classes, prefix), collect.columns, **found),)


def _bins_stored(parts: Parts, columns: Columns, classes: Axis, prefix: str) -> Stored:
    (bins,) = parts
    assert isinstance(bins, Bins) and bins.columns == columns  # noqa: PT018
    lay = _laying(bins.classes, classes)
    return {
        f"{prefix}.limit": np.array([bins.limit], dtype=np.int64),
        f"{prefix}.shift": bins.shift,
        f"{prefix}.offsets": bins.offsets,
        f"{prefix}.keys": bins.keys,
        **{f"{prefix}.{name}": lay(getattr(bins, name)) for name in ("counts", "below", "above")},
        **_declared_stored(bins.classes, classes, prefix),
    }


def _bins_of(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    c, d = len(classes), len(collect.columns)
    limit = int(arrays.wholes(f"{prefix}.limit", (1,))[0])
    if limit < 1:
        raise ModelFileError(f"{prefix}.limit must be ≥ 1: got {limit}. {DAMAGED}")
    shift, offsets = arrays.wholes(f"{prefix}.shift", (d,)), arrays.wholes(f"{prefix}.offsets", (d + 1,))
    keys = arrays.keys(f"{prefix}.keys", (None,))
    counts = arrays.floats(f"{prefix}.counts", (c, len(keys)))
    below, above = (arrays.floats(f"{prefix}.{name}", (c, d)) for name in ("below", "above"))
    classes = _declared(arrays, classes, prefix)
    return (Bins(classes, collect.columns, limit, shift, offsets, keys, counts, below, above),)


def _counts_stored(parts: Parts, columns: Columns, classes: Axis, prefix: str) -> Stored:
    (counts,) = parts
    assert isinstance(counts, Counts)
    assert len(counts.levels) == len(columns), "counts of columns have every column"
    lay = _laying(counts.classes, classes)
    arrays: Stored = {}
    if counts.levels.labels != columns:
        place = {name: at for at, name in enumerate(columns)}
        arrays[f"{prefix}.order"] = np.array([place[cast("Any", name)] for name in counts.levels], dtype=np.int64)
    if not counts.levels.declared.all():
        arrays[f"{prefix}.declared"] = counts.levels.declared
    arrays[f"{prefix}.values"] = lay(counts.values)
    arrays[f"{prefix}.observed_each" if counts.per_level else f"{prefix}.observed"] = lay(counts.observed)
    return {**arrays, **_declared_stored(counts.classes, classes, prefix)}


def _counts_of(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    columns, c, d = collect.columns, len(classes), len(collect.columns)
    labels: Sequence[Any] = columns
    if f"{prefix}.order" in arrays:
        order = arrays.wholes(f"{prefix}.order", (d,))
        if not np.array_equal(np.sort(order), np.arange(d)):
            raise ModelFileError(f"{prefix}.order must have each of the {d} columns once. {DAMAGED}")
        labels = [columns[at] for at in order.tolist()]
    declared = arrays.some_flags(f"{prefix}.declared", (d,), otherwise=True)
    levels = Axis(labels, declared)
    if levels.labels != tuple(labels):
        raise ModelFileError(f"{prefix}.order must sort the columns. {DAMAGED}")
    values = arrays.floats(f"{prefix}.values", (c, d))
    per_level = f"{prefix}.observed_each" in arrays
    name, shape = ("observed_each", (c, d)) if per_level else ("observed", (c, 1))
    observed = arrays.floats(f"{prefix}.{name}", shape)
    counts = Counts(_declared(arrays, classes, prefix), levels, values, observed, per_level)
    if len(counts.levels) != d:
        gone = next(name for name in labels if name not in counts.levels)
        raise ModelFileError(f"{prefix} must have each column, seen or declared: column {gone!r} is neither. {DAMAGED}")
    return (counts,)


def _levels_stored(parts: Parts, columns: Columns, classes: Axis, prefix: str) -> Stored:
    del columns
    table = CountsTable.of(cast("Sequence[Counts]", parts), classes)
    return {f"{prefix}.{name}": array for name, array in table.to_arrays().items()}


def _levels_of(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    number, c = _number(collect, "levels"), len(classes)
    sizes = arrays.wholes(f"{prefix}.sizes", (number,))
    kinds, labels = arrays.labels(f"{prefix}.labels")
    values = arrays.floats(f"{prefix}.values", (c * len(labels),))
    observed = arrays.floats(f"{prefix}.observed", (None,))
    declared = arrays.some_flags(f"{prefix}.declared", (len(labels),), otherwise=False)
    per_level, class_declared = f"{prefix}.per_level", f"{prefix}.class_declared"
    table = CountsTable(
        classes,
        sizes,
        kinds,
        labels,
        declared,
        values,
        observed,
        arrays.flags(per_level, (number,)) if per_level in arrays else None,
        arrays.flags(class_declared, (number, c)) if class_declared in arrays else None,
    )
    if collect.logs != "none":
        _require_logs(table, prefix)
    if collect.what == "joint":
        _require_combinations(table, collect.columns, prefix)
    return table


def _tokens_stored(parts: Parts, columns: Columns, classes: Axis, prefix: str) -> Stored:
    arrays: Stored = {}
    for j, (part, _) in enumerate(zip(parts, columns, strict=True)):
        assert isinstance(part, Tokens)
        here = f"{prefix}.{j}"
        sizes = np.zeros(len(classes), dtype=np.int64)
        sizes[classes.positions(part.classes.labels)] = np.diff(part.starts)
        if not part.columns:
            arrays[f"{here}.text"], arrays[f"{here}.ends"] = part.vocabulary.text, part.vocabulary.ends
        arrays[f"{here}.starts"] = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        arrays.update({f"{here}.{name}": getattr(part, name) for name in ("tokens", "counts", "documents")})
        arrays[f"{here}.weights"] = _laying(part.classes, classes)(part.weights)
        arrays.update(_declared_stored(part.classes, classes, here))
    return arrays


def _tokens_of(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    assert collect.tokenizing is not None
    return tuple(
        _tokens_of_column(collect.tokenizing.columns, arrays, classes, f"{prefix}.{j}")
        for j in range(len(collect.columns))
    )


def _tokens_of_column(columns: int, arrays: Arrays, classes: Axis, prefix: str) -> Tokens:
    vocabulary = NO_WORDS
    if not columns:
        ends = arrays.wholes(f"{prefix}.ends", (None,))
        vocabulary = Vocabulary.checked(arrays.bytes(f"{prefix}.text", (None,)), ends)
    starts = arrays.wholes(f"{prefix}.starts", (len(classes) + 1,))
    tokens = arrays.small_wholes(f"{prefix}.tokens", (None,))
    counts, documents = (arrays.floats(f"{prefix}.{name}", (len(tokens),)) for name in ("counts", "documents"))
    weights = arrays.floats(f"{prefix}.weights", (len(classes),))
    declared = _declared(arrays, classes, prefix)
    made = Tokens(declared, vocabulary, starts, tokens, counts, documents, weights, columns)
    made = made.scale(1.0)  # without the classes in which it is zero
    if len(made.tokens) != len(tokens) or len(made.vocabulary) != len(vocabulary):
        raise ModelFileError(f"{prefix} must hold tokens that were seen, and no others. {DAMAGED}")
    return made


def _require_logs(table: CountsTable, prefix: str) -> None:
    if table.labels != _LOGS or not table.declared.all():
        raise ModelFileError(f"{prefix} must count 'coarse' and 'fine', both declared. {DAMAGED}")


def _require_combinations(table: CountsTable, columns: Columns, prefix: str) -> None:
    combinations, *each = table
    for combination in combinations.levels:
        if not isinstance(combination, tuple) or len(combination) != len(columns):
            raise ModelFileError(
                f"{prefix} must count combinations of {len(columns)} levels: got {shown(combination)}. {DAMAGED}"
            )
        for level, of_column, name in zip(combination, each, columns, strict=True):
            if level not in of_column.levels:
                raise ModelFileError(
                    f"{prefix} has a combination with {shown(level)}, which column {name!r} has not. {DAMAGED}"
                )


def _laying(have: Axis, classes: Axis) -> Callable[[FloatArray], FloatArray]:
    if have.keys == classes.keys:
        return lambda values: values
    places = classes.positions(have.labels)

    def lay(values: FloatArray) -> FloatArray:
        laid = np.zeros((len(classes), *values.shape[1:]))
        laid[places] = values
        return laid

    return lay


def _declared_stored(have: Axis, classes: Axis, prefix: str) -> Stored:
    flags: BoolArray = np.zeros(len(classes), dtype=np.bool_)
    flags[classes.positions(have.labels)] = have.declared
    return {} if np.array_equal(flags, classes.declared) else {f"{prefix}.class_declared": flags}


def _declared(arrays: Arrays, classes: Axis, prefix: str) -> Axis:
    name = f"{prefix}.class_declared"
    return classes.declare(arrays.flags(name, (len(classes),))) if name in arrays else classes


_STORED: dict[str, Callable[[Parts, Columns, Axis, str], Stored]] = {
    "moments": _moments_stored,
    "scatter": _scatter_stored,
    "bins": _bins_stored,
    "counts": _counts_stored,
    "levels": _levels_stored,
    "tokens": _tokens_stored,
}
_MADE: dict[str, Callable[[Collect, Arrays, Axis, str], Parts]] = {
    "moments": _moments_of,
    "scatter": _scatter_of,
    "bins": _bins_of,
    "counts": _counts_of,
    "levels": _levels_of,
    "tokens": _tokens_of,
}
