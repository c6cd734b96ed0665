"""Conversion of a model to a schema and arrays, and back; everything is validated on the way back.

    schema      JSON of bounded size: kinds, options, counts (FORMAT.md lists every key)
    arrays      classes, column names, class weights, and for each block its columns, likelihood and statistics

The classes of the file are the union of those of the tally and of all statistics; each statistic uses a subset.

The class prior, the calibration, the novelty reference and the provenance have a schema entry and arrays each. Files
written before the first release may name a kind of calibration: "temperature" and "offsets" are read as a scale and as
a scale with offsets; other kinds are errors.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from suffice.decisions import NoveltyReference
from suffice.decisions.calibration import Calibration, Information
from suffice.errors import DataError, ModelFileError, ParameterError
from suffice.likelihoods.block_statistics import ESTIMATES, Estimate, Parts, Reading
from suffice.models import ClassPrior, NaiveBayesModel, Provenance, Schema
from suffice.models.naive_bayes import fingerprint
from suffice.models.schema import Block
from suffice.sources.files.source import Dialect
from suffice.statistics import Axis, Tally
from suffice.statistics.axis import Columns, columns_of, columns_to_arrays
from suffice.statistics.label_bytes import pack_labels
from suffice.statistics.labels import Label
from suffice.storage.container import DAMAGED, Arrays, Container, StoredFields, abbreviate, parse_json
from suffice.storage.likelihoods import UserLikelihoods, pack_parameters, unpack_likelihood
from suffice.storage.statistics import collect_classes, pack_statistics, statistic_kinds, unpack_statistics

__all__ = [
    "FORMAT",
    "Unpacked",
    "pack_calibration",
    "pack_class_prior",
    "pack_model",
    "pack_novelty",
    "pack_provenance",
    "unpack_calibration",
    "unpack_class_prior",
    "unpack_model",
    "unpack_novelty",
    "unpack_provenance",
]


_LEARNT_FROM = re.compile(r"leave one out|other rows|[1-9][0-9]{0,8} folds")
_REMOVED_KINDS = ("length", "beta", "isotonic")


def pack_calibration(calibration: Calibration) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the schema entry and the arrays of a calibration."""
    numbers = calibration.scale, calibration.loss, calibration.loss_before
    schema = {
        "learnt_from": calibration.learnt_from,
        "rows": calibration.rows,
        "fingerprint": calibration.fingerprint,
    }
    arrays = {
        "calibration.numbers": np.array(numbers, dtype=np.float64),
        "calibration.offsets": calibration.offsets,
        "calibration.frequencies": calibration.frequencies,
    }
    if (information := calibration.information) is not None:
        schema["weights"] = len(calibration.weights)
        schema["units"] = len(information.linear) - len(calibration.offsets)
        arrays["calibration.weights"] = np.stack([calibration.weights, calibration.errors])
        arrays["calibration.curvature"] = information.curvature
        arrays["calibration.linear"] = np.concatenate([information.linear, information.numbers()])
    return schema, arrays


def unpack_calibration(
    fields: StoredFields, arrays: Arrays, classes: int, units: tuple[Columns, ...], expected: str
) -> Calibration:
    """Return the calibration of a model with that number of classes, these units and that fingerprint."""
    first_release = "kind" in fields.unread()
    learnt_from, rows, own = fields.text("learnt_from"), fields.whole("rows"), fields.text("fingerprint")
    offsets = arrays.floats("calibration.offsets", (classes,))
    if first_release:
        scale, loss, before = _unpack_first_release(fields, arrays)
        frequencies = np.zeros(classes)
    else:
        scale, loss, before = arrays.floats("calibration.numbers", (3,)).tolist()
        frequencies = arrays.floats("calibration.frequencies", (classes,))
    weighted: dict[str, Any] = {}
    if "units" in fields.unread():
        weighted = _unpack_weights(fields, arrays, classes, units)
    fields.done()
    if not _LEARNT_FROM.fullmatch(learnt_from):
        raise ModelFileError(
            f"learnt_from of {fields.where} must name the rows: got {abbreviate(learnt_from)}. {DAMAGED}"
        )
    if not (np.isfinite([scale, loss, before]).all() and np.isfinite(offsets).all() and scale > 0):
        raise ModelFileError(f"the calibration must have finite numbers and a scale > 0. {DAMAGED}")
    if not ((frequencies >= 0) & (frequencies <= 1)).all():
        raise ModelFileError(f"the frequencies of the calibration must lie between 0 and 1. {DAMAGED}")
    if own != expected:
        raise ModelFileError(f"its calibration belongs to other statistics. {DAMAGED}")
    return Calibration(scale, offsets, frequencies, learnt_from, rows, loss, before, own, **weighted)


def _unpack_weights(fields: StoredFields, arrays: Arrays, classes: int, units: tuple[Columns, ...]) -> dict[str, Any]:
    # The weights of the units of a calibration, and the information with which it is merged.
    number, own = fields.whole("weights"), fields.whole("units")
    if own not in (1, len(units)) or number not in (0, own):
        raise ModelFileError(f"the calibration must have 0, 1 or {len(units)} weights. {DAMAGED}")
    size = own + classes
    weights, errors = arrays.floats("calibration.weights", (2, number))
    curvature = arrays.floats("calibration.curvature", (size, size))
    linear = arrays.floats("calibration.linear", (size + 4,))
    constant, before, rows, outside = linear[size:].tolist()
    finite = all(np.isfinite(each).all() for each in (weights, errors, curvature, linear))
    if not finite or before < 0 or (weights < 0).any() or (errors < 0).any() or not 0 <= outside <= rows:
        raise ModelFileError(f"the weights of the calibration must be finite numbers ≥ 0. {DAMAGED}")
    if not np.allclose(curvature, curvature.T, rtol=1e-9, atol=0):
        raise ModelFileError(f"the curvature of the calibration must be symmetric. {DAMAGED}")
    information = Information(curvature, linear[:size], constant, before, rows, outside)
    return {
        "units": units if own == len(units) else (),
        "weights": weights,
        "errors": errors,
        "information": information,
    }


def _unpack_first_release(fields: StoredFields, arrays: Arrays) -> tuple[float, float, float]:
    kind = fields.option("kind", ("temperature", "offsets", *_REMOVED_KINDS))
    if kind in _REMOVED_KINDS:
        raise ModelFileError(f"its calibration has the kind {kind!r}, which is no longer supported. Refit the model.")
    knots = fields.whole("knots")
    arrays.floats("calibration.knots", (2, knots))
    scale, fall, loss, before = arrays.floats("calibration.numbers", (4,)).tolist()
    if knots or fall:
        raise ModelFileError(f"a calibration of kind {kind!r} must not have the fields knots and fall. {DAMAGED}")
    return scale, loss, before


def pack_class_prior(prior: ClassPrior) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the schema entry and the arrays of a class prior."""
    _check_class_prior(prior.kind, prior.values, prior.labels, prior.estimate)
    schema: dict[str, Any] = {"kind": prior.kind, "estimate": prior.estimate, "labels": prior.labels is not None}
    arrays: dict[str, npt.NDArray[Any]] = {"class_prior.values": np.array(prior.values, dtype=np.float64)}
    if prior.labels is not None:
        arrays.update(pack_labels("class_prior.labels", prior.labels))
    return schema, arrays


def unpack_class_prior(schema: StoredFields, arrays: Arrays) -> ClassPrior:
    """Return the class prior, validated like a prior passed by a user."""
    kind = schema.option("kind", ("empirical", "uniform", "given", "dirichlet"))
    estimate = schema.option("estimate", ("mean", "map", "mle"))
    values = tuple(arrays.floats("class_prior.values", (None,)).tolist())
    labels = tuple(arrays.labels("class_prior.labels", len(values))[1]) if schema.flag("labels") else None
    schema.done()
    return _check_class_prior(kind, values, labels, estimate)


def _check_class_prior(
    kind: str, values: tuple[float, ...], labels: tuple[Label, ...] | None, estimate: str
) -> ClassPrior:
    stored = ClassPrior(cast("Any", kind), values, labels, cast("Any", estimate))
    try:
        if kind == "given":
            prior = ClassPrior.of(list(values) if labels is None else dict(zip(labels, values, strict=True)))
        elif kind == "dirichlet" and values:
            alpha = values if labels is None else dict(zip(labels, values, strict=True))
            prior = ClassPrior.dirichlet(alpha, estimate)
        else:
            prior = ClassPrior.of(kind)  # raises for "dirichlet" without a number
    except (ParameterError, DataError) as reason:
        raise ModelFileError.of(reason, problem=f"class prior: {reason.problem}") from None
    if prior != stored:
        raise ModelFileError(f"the class prior is inconsistent: got {abbreviate(stored)}. {DAMAGED}")
    return prior


_SUM_TOLERANCE = 1e-9


def pack_novelty(reference: NoveltyReference) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the schema entry and the arrays of a novelty reference."""
    assert reference.class_prior is not None  # only the reference of a model is stored
    schema = {"values": len(reference.values), "rows": reference.rows, "fingerprint": reference.fingerprint}
    return schema, {"novelty.values": reference.values, "novelty.class_prior": reference.class_prior}


def unpack_novelty(fields: StoredFields, arrays: Arrays, classes: int, expected: str) -> NoveltyReference | None:
    """Return the novelty reference of a model with that number of classes and that fingerprint.

    None for a reference in the older format, which compared rows within groups of similar numbers of observed cells:
    the file does not contain the group sizes, so the groups cannot be combined.
    """
    groups = fields.whole("groups") if "groups" in fields.unread() else None
    number, rows, own = fields.whole("values"), fields.whole("rows"), fields.text("fingerprint")
    fields.done()
    values, prior = arrays.floats("novelty.values", (number,)), arrays.floats("novelty.class_prior", (classes,))
    if groups is not None:
        arrays.floats("novelty.sizes", (groups,))
        arrays.integers("novelty.starts", (groups + 1,))
        arrays.floats("novelty.shares", (number,))
        arrays.floats("novelty.quartiles", (groups, 3))
        return None
    if not number or not (values[1:] >= values[:-1]).all() or np.isnan(values).any():
        raise ModelFileError(f"novelty.values must have at least one number, in ascending order. {DAMAGED}")
    if not ((prior >= 0).all() and abs(float(prior.sum()) - 1) <= _SUM_TOLERANCE):
        raise ModelFileError(f"novelty.class_prior must be probabilities that sum to 1. {DAMAGED}")
    if own != expected:
        raise ModelFileError(f"its novelty reference belongs to other statistics. {DAMAGED}")
    return NoveltyReference(values, rows, prior, own)


_TEXT, _NAME = frozenset({str}), frozenset({str, int, type(None)})
_TEXT_OR_NONE, _FLAG, _FLAG_OR_NONE = frozenset({str, type(None)}), frozenset({bool}), frozenset({bool, type(None)})
_PROVENANCE_TEXTS = {"first": _TEXT, "last": _TEXT, "target": _NAME, "weights": _NAME}
_DIALECT = {"delimiter": _TEXT_OR_NONE, "header": _FLAG_OR_NONE, "quote": _FLAG, "encoding": _TEXT_OR_NONE}


def pack_provenance(provenance: Provenance) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the schema entry and the arrays of a provenance."""
    dialect = provenance.dialect
    null = None if dialect is None else dialect.null
    schema = {"rows": int(provenance.rows), "dialect": dialect is not None, "null": null is not None}
    arrays = pack_labels("provenance.told", [getattr(provenance, name) for name in _PROVENANCE_TEXTS])
    arrays.update(pack_labels("provenance.sources", provenance.sources))
    if provenance.digests:
        arrays.update(pack_labels("provenance.digests", provenance.digests))
    if dialect is not None:
        arrays.update(pack_labels("provenance.dialect", [getattr(dialect, name) for name in _DIALECT]))
    if null is not None:
        arrays.update(pack_labels("provenance.null", null))
    return schema, arrays


def unpack_provenance(schema: StoredFields, arrays: Arrays) -> Provenance:
    """Return the provenance, each field checked for its type."""
    rows = schema.whole("rows")
    texts = _unpack_texts_by_name(arrays, "provenance.told", _PROVENANCE_TEXTS)
    sources = _unpack_texts(arrays, "provenance.sources")
    digests = _unpack_texts(arrays, "provenance.digests") if "provenance.digests.kinds" in arrays else ()
    if len(digests) not in (0, len(sources)):
        raise ModelFileError(f"provenance.digests must have one string for each of the {len(sources)} files. {DAMAGED}")
    dialect = null = None
    has_dialect, has_null = schema.flag("dialect"), schema.flag("null")
    if has_dialect:
        given = _unpack_texts_by_name(arrays, "provenance.dialect", _DIALECT)
        null = _unpack_texts(arrays, "provenance.null") if has_null else None
        dialect = Dialect(**given, null=null)
    schema.done()
    return Provenance(rows, sources, **texts, dialect=dialect, digests=digests)


def _unpack_texts_by_name(arrays: Arrays, prefix: str, types: dict[str, frozenset[type]]) -> dict[str, Any]:
    values = dict(zip(types, arrays.labels(prefix, len(types))[1], strict=True))
    for name, value in values.items():
        if type(value) not in types[name]:
            raise ModelFileError(f"{name} of its provenance cannot be {abbreviate(value)}. {DAMAGED}")
    return values


def _unpack_texts(arrays: Arrays, prefix: str) -> tuple[str, ...]:
    texts: list[Label] = arrays.labels(prefix)[1]
    if not {type(text) for text in texts} <= {str}:
        raise ModelFileError(f"{prefix} must be strings. {DAMAGED}")
    return cast("tuple[str, ...]", tuple(texts))


FORMAT = 1
_NEEDS = "0.1.0"  # the oldest version of suffice that reads this format
_SCHEMA_BYTES = 1 << 20
_VERSION = re.compile(r"[0-9A-Za-z.+!-]{1,40}")


class Packed(NamedTuple):
    """The schema as ASCII text, and the arrays by name."""

    schema: str
    arrays: dict[str, npt.NDArray[Any]]


class Unpacked(NamedTuple):
    """A model with its provenance, calibration and novelty reference.

    `old_reference` is true if the file has a novelty reference in an older format, which was dropped.
    """

    model: NaiveBayesModel
    provenance: Provenance
    calibration: Calibration | None
    reference: NoveltyReference | None
    old_reference: bool


@cache
def _own_version() -> str:
    # Cached: the installed metadata may be unreadable by the time a long-lived process saves a model.
    return version("suffice")


def pack_model(
    model: NaiveBayesModel,
    provenance: Provenance,
    calibration: Calibration | None = None,
    reference: NoveltyReference | None = None,
) -> Packed:
    """Return a model as a schema and arrays."""
    names = model.schema.names
    classes = _union_of_classes(model)
    weight = np.zeros(len(classes))
    weight[classes.positions(model.tally.classes.labels)] = model.tally.weight
    arrays = {**classes.to_arrays("classes"), "tally.weight": weight, **columns_to_arrays(names, "columns")}
    prior, prior_arrays = pack_class_prior(model.class_prior)
    arrays.update(prior_arrays)
    if model.reading.alpha is not None:
        arrays["reading.alpha"] = model.reading.alpha
    blocks: list[dict[str, Any]] = []
    position = {name: i for i, name in enumerate(names)}
    for i, (block, parts) in enumerate(zip(model.schema.blocks, model.parts, strict=True)):
        schema, block_arrays = _pack_block(block, parts, classes, names, position, f"blocks.{i}")
        blocks.append(schema)
        arrays.update(block_arrays)
    if model.schema.left_out:
        arrays.update(pack_labels("left_out.columns", [name for name, _ in model.schema.left_out]))
        arrays.update(pack_labels("left_out.reasons", [reason for _, reason in model.schema.left_out]))
    if model.schema.integers:
        arrays["integers"] = np.array(sorted(position[name] for name in model.schema.integers), dtype=np.int64)
    origin, origin_arrays = pack_provenance(provenance)
    arrays.update(origin_arrays)
    schema = {
        "format": FORMAT,
        "suffice": _own_version(),
        "needs": _NEEDS,
        "model": "NaiveBayes",
        "classes": len(classes),
        "columns": len(names),
        "estimate": model.reading.estimate,
        "alpha": model.reading.alpha is not None,
        "class_prior": prior,
        "blocks": blocks,
        "left_out": len(model.schema.left_out),
        "provenance": origin,
    }
    if calibration is not None:
        schema["calibration"], calibration_arrays = pack_calibration(calibration)
        arrays.update(calibration_arrays)
    if reference is not None:
        schema["novelty"], novelty_arrays = pack_novelty(reference)
        arrays.update(novelty_arrays)
    text = json.dumps(schema, separators=(",", ":"), allow_nan=False)
    if len(text) > _SCHEMA_BYTES:
        raise ModelFileError(
            f"the schema of a model file has at most {_SCHEMA_BYTES:,} bytes: got {len(text):,} for {len(blocks):,} "
            "blocks. Pass columns that share a likelihood as one group."
        )
    return Packed(text, arrays)


def unpack_model(container: Container, own: UserLikelihoods) -> Unpacked:
    """Return the model of a schema and arrays; raise ModelFileError if they are invalid.

    `own` are user-defined likelihoods by import path.
    """
    if len(container.metadata) > _SCHEMA_BYTES:
        raise ModelFileError(
            f"its schema has {len(container.metadata):,} characters; at most {_SCHEMA_BYTES:,} are allowed. {DAMAGED}"
        )
    schema = StoredFields(parse_json(container.metadata, "its schema"), "its schema")
    needs = _check_version(schema)
    arrays = Arrays(container.arrays)
    schema_model = schema.text("model")
    if schema_model != "NaiveBayes":
        raise ModelFileError(f"it contains the unknown kind of model {abbreviate(schema_model)}. {needs}")
    classes = arrays.axis("classes", schema.whole("classes"))
    weight = arrays.floats("tally.weight", (len(classes),))
    names = _unpack_names(arrays, schema.whole("columns"))
    reading = _unpack_reading(schema, arrays, len(names))
    prior = unpack_class_prior(schema.fields("class_prior"), arrays)
    blocks: list[Block] = []
    parts: list[Parts] = []
    for i, entry in enumerate(schema.list("blocks")):
        fields = StoredFields(entry, f"block {i}")
        block, statistics = _unpack_block(fields, arrays, classes, names, f"blocks.{i}", needs, own)
        blocks.append(block)
        parts.append(statistics)
    _require_disjoint(blocks)
    left_out = _unpack_left_out(arrays, schema.whole("left_out"))
    integers = frozenset(names[i] for i in _unpack_places(arrays, "integers", None, len(names)))
    provenance = unpack_provenance(schema.fields("provenance"), arrays)
    try:
        tally = Tally(classes, weight)
    except DataError as reason:
        raise ModelFileError.of(reason, problem=f"tally: {reason.problem}") from None
    model = NaiveBayesModel(Schema(names, tuple(blocks), left_out, integers), tally, tuple(parts), reading, prior)
    calibrated, has_reference = (key in schema.unread() for key in ("calibration", "novelty"))
    mark = fingerprint(model) if calibrated or has_reference else ""
    calibration = (
        unpack_calibration(schema.fields("calibration"), arrays, len(model.classes), model.units, mark)
        if calibrated
        else None
    )
    reference = unpack_novelty(schema.fields("novelty"), arrays, len(model.classes), mark) if has_reference else None
    schema.done()
    arrays.done()
    return Unpacked(model, provenance, calibration, reference, has_reference and reference is None)


def _check_version(schema: StoredFields) -> str:
    """Check the format version, and return the advice for errors about anything unknown to this version."""
    written, needs = schema.whole("format"), schema.text("needs")
    by = schema.text("suffice")
    for text in (needs, by):
        if not _VERSION.fullmatch(text):
            raise ModelFileError(f"its schema has an invalid version of suffice: {abbreviate(text)}. {DAMAGED}")
    own = _own_version()
    do = f"The file needs suffice {needs} or newer, but this is {own}: upgrade with pip install -U suffice."
    if written > FORMAT:
        raise ModelFileError(f"it has format {written}, but this version reads formats up to {FORMAT}. {do}")
    if written < 1:
        raise ModelFileError(f"it has the invalid format {written}. {DAMAGED}")
    return do if _release_numbers(needs) > _release_numbers(own) else DAMAGED


def _release_numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d{1,9}", text)[:3]))


def _union_of_classes(model: NaiveBayesModel) -> Axis:
    own = model.tally.classes
    classes = own
    for axis in collect_classes(model.parts):
        classes = classes.union(axis)[0]
    flags = np.zeros(len(classes), dtype=np.bool_)
    flags[classes.positions(own.labels)] = own.declared
    return classes.declare(flags)


def _unpack_names(arrays: Arrays, number: int) -> Columns:
    _, labels = arrays.labels("columns", number)
    try:
        names = columns_of(cast("Any", labels))
    except DataError as reason:
        raise ModelFileError.of(reason, problem=f"columns: {reason.problem}") from None
    numbered = columns_of(number)
    return numbered if names == numbered else names


def _unpack_reading(schema: StoredFields, arrays: Arrays, width: int) -> Reading:
    estimate = cast("Estimate", schema.option("estimate", ESTIMATES))
    if not schema.flag("alpha"):
        return Reading(estimate)
    alpha = arrays.floats("reading.alpha", None)
    if estimate == "mle" or alpha.ndim > 2 or (alpha.ndim and alpha.shape[-1] not in (1, width)):
        raise ModelFileError(
            f"reading.alpha requires an estimate with a prior and one value for each of {width} columns: "
            f"got shape {alpha.shape} with {estimate!r}. {DAMAGED}"
        )
    least_is_allowed = estimate in ("smoothed", "map")
    if not (np.isfinite(alpha) & ((alpha > 0) | ((alpha == 0) & least_is_allowed))).all():
        raise ModelFileError(f"reading.alpha must have finite numbers ≥ 0. {DAMAGED}")
    return Reading(estimate, alpha)


def _pack_block(
    block: Block, parts: Parts, classes: Axis, names: Columns, position: dict[str | int, int], prefix: str
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    likelihood, parameters, arrays = pack_parameters(block.likelihood, prefix)
    if block.columns != names:
        arrays[f"{prefix}.places"] = np.array([position[name] for name in block.columns], dtype=np.int64)
    collect = block.likelihood.collect(block.columns)
    arrays.update(pack_statistics(collect, parts, classes, prefix))
    schema = {
        "columns": len(block.columns),
        "likelihood": likelihood,
        "parameters": parameters,
        "statistics": list(statistic_kinds(collect)),
    }
    return schema, arrays


def _unpack_block(
    schema: StoredFields, arrays: Arrays, classes: Axis, names: Columns, prefix: str, needs: str, own: UserLikelihoods
) -> tuple[Block, Parts]:
    number = schema.whole("columns")
    columns = names
    if f"{prefix}.places" in arrays:
        columns = tuple(names[i] for i in _unpack_places(arrays, f"{prefix}.places", number, len(names)))
    if not number or len(columns) != number or len(set(columns)) != number:
        raise ModelFileError(
            f"{schema.where} must have {number} of the {len(names)} columns, without duplicates. {DAMAGED}"
        )
    kind, parameters = schema.text("likelihood"), schema.fields("parameters")
    likelihood = unpack_likelihood(kind, parameters, arrays, prefix, needs, own)
    collect = likelihood.collect(columns)
    statistics = schema.list("statistics")
    if statistics != list(statistic_kinds(collect)):
        raise ModelFileError(
            f"{schema.where} of {kind} must have the statistics {', '.join(statistic_kinds(collect))}: "
            f"got {abbreviate(statistics)}. {needs}"
        )
    schema.done()
    return Block(columns, likelihood), unpack_statistics(collect, arrays, classes, prefix)


def _unpack_places(arrays: Arrays, name: str, number: int | None, width: int) -> list[int]:
    if name not in arrays:
        return []
    positions = arrays.integers(name, (number,))
    if len(positions) and not (positions.min() >= 0 and positions.max() < width):
        raise ModelFileError(f"{name} must be from 0 to {width - 1}. {DAMAGED}")
    return cast("list[int]", positions.tolist())


def _require_disjoint(blocks: list[Block]) -> None:
    seen: set[str | int] = set()
    for block in blocks:
        shared = seen.intersection(block.columns)
        if shared:
            raise ModelFileError(f"column {min(shared, key=repr)!r} is in two blocks. {DAMAGED}")
        seen.update(block.columns)


def _unpack_left_out(arrays: Arrays, number: int) -> tuple[tuple[str | int, str], ...]:
    if not number:
        return ()
    _, names = arrays.labels("left_out.columns", number)
    _, reasons = arrays.labels("left_out.reasons", number)
    if not {type(name) for name in names} <= {str, int} or not {type(reason) for reason in reasons} <= {str}:
        raise ModelFileError(f"left_out must contain column names and reasons. {DAMAGED}")
    return tuple(zip(cast("list[str | int]", names), cast("list[str]", reasons), strict=True))
