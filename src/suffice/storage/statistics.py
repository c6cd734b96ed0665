"""The statistics of a block in a model file: one set of arrays per kind, along the classes of the file.

    kind      statistic                                         arrays, all named blocks.I.kind.…
    moments   Moments of the block's columns                    weight, mean, dp; mean_low, dp_low, dp_blur unless all 0
    scatter   Scatter of the block's columns                    weight, left_out, mean, scatter (its upper triangle);
                                                                mean_low, scatter_low, diagonal_blur unless all 0
    maxima    Maxima of the block's columns                     weight, maximum
    bins      Bins of the block's columns                       limit, shift, offsets, keys, counts, below, above
    counts    Counts whose levels are the block's columns       values, observed or observed_each; order unless sorted
    levels    Counts of levels, as many as the block collects   labels, sizes, values, observed, … (counts.py)
    tokens    Tokens, one for each column J of the block        J.text, J.ends, J.starts, J.tokens, J.counts, …

A statistic omits classes in which it is zero unless they are declared. In the file they are rows of zeros, which are
dropped again on reading. The declared classes are stored once for the file, and again for a statistic that declares
others. Statistics are created by their constructors, which validate them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, ModelFileError
from suffice.likelihoods.block_statistics import Collect, Parts
from suffice.statistics import Axis, Bins, Counts, Maxima, Moments, Scatter, Tokens
from suffice.statistics.arrays import BoolArray, FloatArray
from suffice.statistics.axis import Columns, align_for_sum
from suffice.statistics.counts import CountsTable
from suffice.statistics.tokens import NO_WORDS, Vocabulary
from suffice.storage.container import DAMAGED, Arrays, abbreviate

__all__ = ["collect_classes", "pack_statistics", "statistic_kinds", "unpack_statistics"]

Stored: TypeAlias = "dict[str, npt.NDArray[Any]]"

_KINDS = {
    "moments": ("moments",),
    "scatter": ("scatter",),
    "bins": ("bins",),
    "numeric": ("moments", "bins"),
    "maxima": ("maxima",),
    "presence": ("counts",),
    "sums": ("counts",),
    "levels": ("levels",),
    "joint": ("levels",),
    "tokens": ("tokens",),
}
_LOGS = ("coarse", "fine")
_TRIANGLES = "scatter", "scatter_low"
_MOMENTS = "weight", "mean", "dp", "mean_low", "dp_low", "dp_blur"
_SCATTER = "weight", "left_out", "mean", "scatter", "mean_low", "scatter_low", "diagonal_blur"
_UNLESS_ZERO = frozenset({"mean_low", "dp_low", "dp_blur", "scatter_low", "diagonal_blur"})


def statistic_kinds(collect: Collect) -> tuple[str, ...]:
    """Return the kinds of the statistics that a block collects, in order."""
    return (*_KINDS[collect.what], *(("levels",) if collect.logs != "none" else ()))


def collect_classes(parts: Iterable[Parts]) -> list[Axis]:
    """Return the distinct class axes of the statistics."""
    axes: dict[int, Axis] = {}
    for block in parts:
        if isinstance(block, CountsTable):
            axes[id(block.classes)] = block.classes
        else:
            axes.update((id(part.classes), part.classes) for part in block)
    return list(axes.values())


def pack_statistics(collect: Collect, parts: Parts, classes: Axis, prefix: str) -> Stored:
    """Return the statistics of a block as arrays."""
    arrays: Stored = {}
    start = 0
    for kind in statistic_kinds(collect):
        end = start + _number_of_statistics(collect, kind)
        of_kind = parts if kind == "levels" and start == 0 else parts[start:end]
        arrays.update(_PACK[kind](of_kind, collect.columns, classes, f"{prefix}.{kind}"))
        start = end
    assert start == len(parts), "a block has exactly the statistics that it collects"
    return arrays


def unpack_statistics(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    """Return the validated statistics of a block."""
    unpacked: list[Parts] = []
    for kind in statistic_kinds(collect):
        name = f"{prefix}.{kind}"
        try:
            unpacked.append(_UNPACK[kind](collect, arrays, classes, name))
        except DataError as reason:
            raise ModelFileError.of(reason, problem=f"{name}: {reason.problem}") from None
    return unpacked[0] if len(unpacked) == 1 else tuple(part for parts in unpacked for part in parts)


def _number_of_statistics(collect: Collect, kind: str) -> int:
    if kind == "tokens":
        return len(collect.columns)
    if kind != "levels" or collect.logs != "none":
        return 1
    return len(collect.columns) + (collect.what == "joint")


def _pack_along(own: Axis, values: Mapping[str, FloatArray], classes: Axis, prefix: str) -> Stored:
    # Arrays of the classes of a statistic, along those of the file; and which of these it declares, if others.
    both = align_for_sum(classes, own)
    laid = {name: both.lay_right(array) for name, array in values.items()}
    declared: BoolArray = both.lay_right(own.declared.astype(np.float64)) != 0
    arrays: Stored = {
        f"{prefix}.{name}": np.ascontiguousarray(array)
        for name, array in laid.items()
        if name not in _UNLESS_ZERO or array.view(np.uint64).any()
    }
    return arrays if np.array_equal(declared, classes.declared) else {**arrays, f"{prefix}.class_declared": declared}


def _unpack_along(arrays: Arrays, shapes: Mapping[str, tuple[int, ...]], prefix: str) -> dict[str, FloatArray]:
    return {
        name: arrays.floats(f"{prefix}.{name}", shape)
        for name, shape in shapes.items()
        if name not in _UNLESS_ZERO or f"{prefix}.{name}" in arrays
    }


def _pack_moments(parts: Parts, columns: Columns, classes: Axis, prefix: str) -> Stored:
    (moments,) = parts
    assert isinstance(moments, Moments) and moments.columns == columns  # noqa: PT018
    return _pack_along(moments.classes, {name: getattr(moments, name) for name in _MOMENTS}, classes, prefix)


def _unpack_moments(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    values = _unpack_along(arrays, dict.fromkeys(_MOMENTS, (len(classes), len(collect.columns))), prefix)
    return (Moments(_unpack_declared(arrays, classes, prefix), collect.columns, **values),)


def _pack_scatter(parts: Parts, columns: Columns, classes: Axis, prefix: str) -> Stored:
    (scatter,) = parts
    assert isinstance(scatter, Scatter) and scatter.columns == columns  # noqa: PT018
    upper = np.triu_indices(len(columns))
    values = {name: getattr(scatter, name) for name in _SCATTER}
    values |= {name: values[name][:, *upper] for name in _TRIANGLES}
    return _pack_along(scatter.classes, values, classes, prefix)


def _unpack_scatter(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    c, d = len(classes), len(collect.columns)
    i, j = np.triu_indices(d)
    shapes: dict[str, tuple[int, ...]] = {"weight": (c,), "left_out": (c,), **dict.fromkeys(_TRIANGLES, (c, len(i)))}
    values = _unpack_along(arrays, {name: shapes.get(name, (c, d)) for name in _SCATTER}, prefix)
    for name in _TRIANGLES:
        if name in values:
            matrices = np.zeros((c, d, d))
            matrices[:, i, j] = matrices[:, j, i] = values[name]
            values[name] = matrices
    return (Scatter(_unpack_declared(arrays, classes, prefix), collect.columns, **values),)


def _pack_bins(parts: Parts, columns: Columns, classes: Axis, prefix: str) -> Stored:
    (bins,) = parts
    assert isinstance(bins, Bins) and bins.columns == columns  # noqa: PT018
    return {
        f"{prefix}.limit": np.array([bins.limit], dtype=np.int64),
        f"{prefix}.shift": bins.shift,
        f"{prefix}.offsets": bins.offsets,
        f"{prefix}.keys": bins.keys,
        **_pack_along(bins.classes, {"counts": bins.counts, "below": bins.below, "above": bins.above}, classes, prefix),
    }


def _unpack_bins(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    c, d = len(classes), len(collect.columns)
    limit = int(arrays.integers(f"{prefix}.limit", (1,))[0])
    if limit < 1:
        raise ModelFileError(f"{prefix}.limit must be ≥ 1: got {limit}. {DAMAGED}")
    shift, offsets = arrays.integers(f"{prefix}.shift", (d,)), arrays.integers(f"{prefix}.offsets", (d + 1,))
    keys = arrays.keys(f"{prefix}.keys", (None,))
    values = _unpack_along(arrays, {"counts": (c, len(keys)), "below": (c, d), "above": (c, d)}, prefix)
    classes = _unpack_declared(arrays, classes, prefix)
    return (Bins(classes, collect.columns, limit, shift, offsets, keys, **values),)


def _pack_maxima(parts: Parts, columns: Columns, classes: Axis, prefix: str) -> Stored:
    (maxima,) = parts
    assert isinstance(maxima, Maxima) and maxima.columns == columns  # noqa: PT018
    return _pack_along(maxima.classes, {"weight": maxima.weight, "maximum": maxima.maximum}, classes, prefix)


def _unpack_maxima(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    values = _unpack_along(arrays, dict.fromkeys(("weight", "maximum"), (len(classes), len(collect.columns))), prefix)
    return (Maxima(_unpack_declared(arrays, classes, prefix), collect.columns, **values),)


def _pack_counts(parts: Parts, columns: Columns, classes: Axis, prefix: str) -> Stored:
    (counts,) = parts
    assert isinstance(counts, Counts)
    assert len(counts.levels.labels) == len(columns), "counts of columns contain every column"
    arrays: Stored = {}
    if counts.levels.labels != columns:
        position = {name: i for i, name in enumerate(columns)}
        arrays[f"{prefix}.order"] = np.array(
            [position[cast("Any", name)] for name in counts.levels.labels], dtype=np.int64
        )
    if not counts.levels.declared.all():
        arrays[f"{prefix}.declared"] = counts.levels.declared
    values = {"values": counts.values, "observed_each" if counts.per_level else "observed": counts.observed}
    return {**arrays, **_pack_along(counts.classes, values, classes, prefix)}


def _unpack_counts(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    columns, c, d = collect.columns, len(classes), len(collect.columns)
    labels: Sequence[Any] = columns
    if f"{prefix}.order" in arrays:
        order = arrays.integers(f"{prefix}.order", (d,))
        if not np.array_equal(np.sort(order), np.arange(d)):
            raise ModelFileError(f"{prefix}.order must contain each of the {d} columns once. {DAMAGED}")
        labels = [columns[i] for i in order.tolist()]
    declared = arrays.flags_or(f"{prefix}.declared", (d,), default=True)
    levels = Axis(labels, declared)
    if levels.labels != tuple(labels):
        raise ModelFileError(f"{prefix}.order must sort the columns. {DAMAGED}")
    values = arrays.floats(f"{prefix}.values", (c, d))
    per_level = f"{prefix}.observed_each" in arrays
    name, shape = ("observed_each", (c, d)) if per_level else ("observed", (c, 1))
    observed = arrays.floats(f"{prefix}.{name}", shape)
    counts = Counts(_unpack_declared(arrays, classes, prefix), levels, values, observed, per_level)
    if len(counts.levels) != d:
        empty = next(name for name in labels if name not in counts.levels)
        raise ModelFileError(f"{prefix}: column {empty!r} has no counts and is not declared. {DAMAGED}")
    return (counts,)


def _pack_levels(parts: Parts, columns: Columns, classes: Axis, prefix: str) -> Stored:
    del columns
    table = CountsTable.of(cast("Sequence[Counts]", parts), classes)
    return {f"{prefix}.{name}": array for name, array in table.to_arrays().items()}


def _unpack_levels(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    number, c = _number_of_statistics(collect, "levels"), len(classes)
    sizes = arrays.integers(f"{prefix}.sizes", (number,))
    kinds, labels = arrays.labels(f"{prefix}.labels")
    values = arrays.floats(f"{prefix}.values", (c * len(labels),))
    observed = arrays.floats(f"{prefix}.observed", (None,))
    declared = arrays.flags_or(f"{prefix}.declared", (len(labels),), default=False)
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


def _pack_tokens(parts: Parts, columns: Columns, classes: Axis, prefix: str) -> Stored:
    arrays: Stored = {}
    for j, (part, _) in enumerate(zip(parts, columns, strict=True)):
        assert isinstance(part, Tokens)
        name = f"{prefix}.{j}"
        sizes = np.zeros(len(classes), dtype=np.int64)
        sizes[classes.positions(part.classes.labels)] = np.diff(part.starts)
        if not part.columns:
            arrays[f"{name}.text"], arrays[f"{name}.ends"] = part.vocabulary.text, part.vocabulary.ends
        arrays[f"{name}.starts"] = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        arrays.update({f"{name}.{array}": getattr(part, array) for array in ("tokens", "counts", "documents")})
        arrays.update(_pack_along(part.classes, {"weights": part.weights}, classes, name))
    return arrays


def _unpack_tokens(collect: Collect, arrays: Arrays, classes: Axis, prefix: str) -> Parts:
    assert collect.tokenizing is not None
    return tuple(
        _unpack_tokens_of_column(collect.tokenizing.columns, arrays, classes, f"{prefix}.{j}")
        for j in range(len(collect.columns))
    )


def _unpack_tokens_of_column(columns: int, arrays: Arrays, classes: Axis, prefix: str) -> Tokens:
    vocabulary = NO_WORDS
    if not columns:
        ends = arrays.integers(f"{prefix}.ends", (None,))
        vocabulary = Vocabulary.checked(arrays.bytes(f"{prefix}.text", (None,)), ends)
    starts = arrays.integers(f"{prefix}.starts", (len(classes) + 1,))
    tokens = arrays.small_integers(f"{prefix}.tokens", (None,))
    counts, documents = (arrays.floats(f"{prefix}.{name}", (len(tokens),)) for name in ("counts", "documents"))
    weights = arrays.floats(f"{prefix}.weights", (len(classes),))
    declared = _unpack_declared(arrays, classes, prefix)
    statistic = Tokens(declared, vocabulary, starts, tokens, counts, documents, weights, columns)
    statistic = statistic.scale(1.0)  # drops empty classes
    if len(statistic.tokens) != len(tokens) or len(statistic.vocabulary) != len(vocabulary):
        raise ModelFileError(f"{prefix} has tokens without counts. {DAMAGED}")
    return statistic


def _require_logs(table: CountsTable, prefix: str) -> None:
    if table.labels != _LOGS or not table.declared.all():
        raise ModelFileError(f"{prefix} must have the declared levels 'coarse' and 'fine'. {DAMAGED}")


def _require_combinations(table: CountsTable, columns: Columns, prefix: str) -> None:
    combinations, *columns_alone = table
    for combination in combinations.levels:
        if not isinstance(combination, tuple) or len(combination) != len(columns):
            raise ModelFileError(
                f"{prefix} must have combinations of {len(columns)} levels: got {abbreviate(combination)}. {DAMAGED}"
            )
        for level, counts, name in zip(combination, columns_alone, columns, strict=True):
            if level not in counts.levels:
                raise ModelFileError(
                    f"{prefix} has a combination with {abbreviate(level)}, which is not in column {name!r}. {DAMAGED}"
                )


def _unpack_declared(arrays: Arrays, classes: Axis, prefix: str) -> Axis:
    name = f"{prefix}.class_declared"
    return classes.declare(arrays.flags(name, (len(classes),))) if name in arrays else classes


_PACK: dict[str, Callable[[Parts, Columns, Axis, str], Stored]] = {
    "moments": _pack_moments,
    "scatter": _pack_scatter,
    "bins": _pack_bins,
    "maxima": _pack_maxima,
    "counts": _pack_counts,
    "levels": _pack_levels,
    "tokens": _pack_tokens,
}
_UNPACK: dict[str, Callable[[Collect, Arrays, Axis, str], Parts]] = {
    "moments": _unpack_moments,
    "scatter": _unpack_scatter,
    "bins": _unpack_bins,
    "maxima": _unpack_maxima,
    "counts": _unpack_counts,
    "levels": _unpack_levels,
    "tokens": _unpack_tokens,
}
