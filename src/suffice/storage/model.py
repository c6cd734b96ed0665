"""A model as a schema and arrays, and back: every number of it, and nothing that is not checked.

    schema      JSON of bounded size: kinds, options, counts (FORMAT.md lists every key)
    arrays      classes, names of columns, the tally, and of each block its columns, its likelihood and its statistics

The classes of the file are those of the tally and of every statistic together; a statistic takes from them what it has.
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
from suffice.decisions.calibration import Calibration
from suffice.errors import DataError, ModelFileError
from suffice.likelihoods.collect import Parts
from suffice.likelihoods.reading import ESTIMATES, Estimate, Reading
from suffice.models import NaiveBayesModel, Provenance, Schema
from suffice.models.fingerprint import fingerprint
from suffice.models.schema import Block
from suffice.statistics import Axis, Tally
from suffice.statistics.columns import Columns, columns_of, columns_to_arrays
from suffice.storage.arrays import Arrays, labels_stored
from suffice.storage.calibration import calibration_of, calibration_stored
from suffice.storage.class_prior import class_prior_of, class_prior_stored
from suffice.storage.container import DAMAGED, Container, parsed, shown
from suffice.storage.fields import Fields
from suffice.storage.likelihoods import OwnLikelihoods, likelihood_of, parameters_stored
from suffice.storage.novelty import novelty_of, novelty_stored
from suffice.storage.provenance import provenance_of, provenance_stored
from suffice.storage.statistics import classes_of_parts, kinds_of, parts_of, parts_stored

__all__ = ["FORMAT", "Unpacked", "packed", "unpacked"]

FORMAT = 1
_NEEDS = "0.1.0"  # the first version of suffice that reads this format
_SCHEMA_BYTES = 1 << 20
_VERSION = re.compile(r"[0-9A-Za-z.+!-]{1,40}")


class Packed(NamedTuple):
    """The schema as ASCII, and the arrays by name."""

    schema: str
    arrays: dict[str, npt.NDArray[Any]]


class Unpacked(NamedTuple):
    """A model, where it comes from, how it is calibrated, and the rows that others are compared with.

    `old_reference` says that the file has a reference for novelty of an older kind, which is not used any more.
    """

    model: NaiveBayesModel
    provenance: Provenance
    calibration: Calibration | None
    reference: NoveltyReference | None
    old_reference: bool


@cache
def _version() -> str:
    # Looked up once: it stands in a file, which need not be readable any more when a long-lived process saves.
    return version("suffice")


def packed(
    model: NaiveBayesModel,
    provenance: Provenance,
    calibration: Calibration | None = None,
    reference: NoveltyReference | None = None,
) -> Packed:
    """Return a model as schema and arrays."""
    names = model.schema.names
    classes = _classes_of(model)
    weight = np.zeros(len(classes))
    weight[classes.positions(model.tally.classes.labels)] = model.tally.weight
    arrays = {**classes.to_arrays("classes"), "tally.weight": weight, **columns_to_arrays(names, "columns")}
    prior, more = class_prior_stored(model.class_prior)
    arrays.update(more)
    if model.reading.alpha is not None:
        arrays["reading.alpha"] = model.reading.alpha
    blocks: list[dict[str, Any]] = []
    place = {name: at for at, name in enumerate(names)}
    for at, (block, parts) in enumerate(zip(model.schema.blocks, model.parts, strict=True)):
        schema, more = _block_stored(block, parts, classes, names, place, f"blocks.{at}")
        blocks.append(schema)
        arrays.update(more)
    if model.schema.left_out:
        arrays.update(labels_stored("left_out.columns", (name for name, _ in model.schema.left_out)))
        arrays.update(labels_stored("left_out.reasons", (reason for _, reason in model.schema.left_out)))
    told, more = provenance_stored(provenance)
    arrays.update(more)
    schema = {
        "format": FORMAT,
        "suffice": _version(),
        "needs": _NEEDS,
        "model": "NaiveBayes",
        "classes": len(classes),
        "columns": len(names),
        "estimate": model.reading.estimate,
        "alpha": model.reading.alpha is not None,
        "class_prior": prior,
        "blocks": blocks,
        "left_out": len(model.schema.left_out),
        "provenance": told,
    }
    if calibration is not None:
        schema["calibration"], more = calibration_stored(calibration)
        arrays.update(more)
    if reference is not None:
        schema["novelty"], more = novelty_stored(reference)
        arrays.update(more)
    text = json.dumps(schema, separators=(",", ":"), allow_nan=False)
    if len(text) > _SCHEMA_BYTES:
        raise ModelFileError(
            f"the schema of a model file has at most {_SCHEMA_BYTES:,} bytes: got {len(text):,}, of {len(blocks):,} "
            "blocks. Give the columns that share a likelihood as one group."
        )
    return Packed(text, arrays)


def unpacked(container: Container, own: OwnLikelihoods) -> Unpacked:
    """Return the model of a schema and arrays, or raise ModelFileError where they are not those of a model.

    `own` are likelihoods of the user's own, by their import paths.
    """
    if len(container.metadata) > _SCHEMA_BYTES:
        raise ModelFileError(
            f"its schema has {len(container.metadata):,} characters; at most {_SCHEMA_BYTES:,} are read. {DAMAGED}"
        )
    schema = Fields(parsed(container.metadata, "its schema"), "its schema")
    needs = _needs(schema)
    arrays = Arrays(container.arrays)
    schema_model = schema.text("model")
    if schema_model != "NaiveBayes":
        raise ModelFileError(f"it is a model of kind {shown(schema_model)}, which this version does not know. {needs}")
    classes = arrays.axis("classes", schema.whole("classes"))
    weight = arrays.floats("tally.weight", (len(classes),))
    names = _names(arrays, schema.whole("columns"))
    reading = _reading(schema, arrays, len(names))
    prior = class_prior_of(schema.fields("class_prior"), arrays)
    blocks: list[Block] = []
    parts: list[Parts] = []
    for at, given in enumerate(schema.list("blocks")):
        block, some = _block(Fields(given, f"block {at}"), arrays, classes, names, f"blocks.{at}", needs, own)
        blocks.append(block)
        parts.append(some)
    _require_once(blocks)
    left_out = _left_out(arrays, schema.whole("left_out"))
    provenance = provenance_of(schema.fields("provenance"), arrays)
    try:
        tally = Tally(classes, weight)
    except DataError as reason:
        raise ModelFileError.of(reason, problem=f"tally: {reason.problem}") from None
    model = NaiveBayesModel(Schema(names, tuple(blocks), left_out), tally, tuple(parts), reading, prior)
    learnt, kept = (key in schema.left() for key in ("calibration", "novelty"))
    mark = fingerprint(model) if learnt or kept else ""
    calibration = calibration_of(schema.fields("calibration"), arrays, len(model.classes), mark) if learnt else None
    reference = novelty_of(schema.fields("novelty"), arrays, len(model.classes), mark) if kept else None
    schema.done()
    arrays.done()
    return Unpacked(model, provenance, calibration, reference, kept and reference is None)


def _needs(schema: Fields) -> str:
    """Check the format, and return what to do about anything that this version does not know."""
    written, needs = schema.whole("format"), schema.text("needs")
    by = schema.text("suffice")
    for what in (needs, by):
        if not _VERSION.fullmatch(what):
            raise ModelFileError(f"its schema must name versions of suffice: got {shown(what)}. {DAMAGED}")
    own = _version()
    do = f"It needs suffice {needs} or newer, and this is {own}: upgrade with pip install -U suffice."
    if written > FORMAT:
        raise ModelFileError(f"it has format {written}, and this version reads formats up to {FORMAT}. {do}")
    if written < 1:
        raise ModelFileError(f"it has format {written}, which there never was. {DAMAGED}")
    return do if _release(needs) > _release(own) else DAMAGED


def _release(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d{1,9}", text)[:3]))


def _classes_of(model: NaiveBayesModel) -> Axis:
    own = model.tally.classes
    every = own
    for axis in classes_of_parts(model.parts):
        every = every.union(axis)[0]
    flags = np.zeros(len(every), dtype=np.bool_)
    flags[every.positions(own.labels)] = own.declared
    return every.declare(flags)


def _names(arrays: Arrays, number: int) -> Columns:
    _, labels = arrays.labels("columns", number)
    try:
        names = columns_of(cast("Any", labels))
    except DataError as reason:
        raise ModelFileError.of(reason, problem=f"columns: {reason.problem}") from None
    numbered = columns_of(number)
    return numbered if names == numbered else names


def _reading(schema: Fields, arrays: Arrays, width: int) -> Reading:
    estimate = cast("Estimate", schema.option("estimate", ESTIMATES))
    if not schema.flag("alpha"):
        return Reading(estimate)
    alpha = arrays.floats("reading.alpha", None)
    if estimate != "smoothed" or alpha.ndim > 2 or (alpha.ndim and alpha.shape[-1] not in (1, width)):
        raise ModelFileError(
            f"reading.alpha is of the estimate 'smoothed', for each of {width} columns: "
            f"got shape {alpha.shape} with {estimate!r}. {DAMAGED}"
        )
    if not (np.isfinite(alpha) & (alpha >= 0)).all():
        raise ModelFileError(f"reading.alpha must be finite numbers ≥ 0. {DAMAGED}")
    return Reading(estimate, alpha)


def _block_stored(
    block: Block, parts: Parts, classes: Axis, names: Columns, place: dict[str | int, int], prefix: str
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    likelihood, parameters, arrays = parameters_stored(block.likelihood, prefix)
    if block.columns != names:
        arrays[f"{prefix}.places"] = np.array([place[name] for name in block.columns], dtype=np.int64)
    collect = block.likelihood.collect(block.columns)
    arrays.update(parts_stored(collect, parts, classes, prefix))
    schema = {
        "columns": len(block.columns),
        "likelihood": likelihood,
        "parameters": parameters,
        "statistics": list(kinds_of(collect)),
    }
    return schema, arrays


def _block(
    schema: Fields, arrays: Arrays, classes: Axis, names: Columns, prefix: str, needs: str, own: OwnLikelihoods
) -> tuple[Block, Parts]:
    number = schema.whole("columns")
    columns = names
    if f"{prefix}.places" in arrays:
        places = arrays.wholes(f"{prefix}.places", (number,))
        if number and not (places.min() >= 0 and places.max() < len(names)):
            raise ModelFileError(f"{prefix}.places must be from 0 to {len(names) - 1}. {DAMAGED}")
        columns = tuple(names[at] for at in cast("list[int]", places.tolist()))
    if not number or len(columns) != number or len(set(columns)) != number:
        raise ModelFileError(f"{schema.where} must have {number} of the {len(names)} columns, each once. {DAMAGED}")
    kind, parameters = schema.text("likelihood"), schema.fields("parameters")
    likelihood = likelihood_of(kind, parameters, arrays, prefix, needs, own)
    collect = likelihood.collect(columns)
    statistics = schema.list("statistics")
    if statistics != list(kinds_of(collect)):
        raise ModelFileError(
            f"{schema.where} of {kind} must have the statistics {', '.join(kinds_of(collect))}: "
            f"got {shown(statistics)}. {needs}"
        )
    schema.done()
    return Block(columns, likelihood), parts_of(collect, arrays, classes, prefix)


def _require_once(blocks: list[Block]) -> None:
    seen: set[str | int] = set()
    for block in blocks:
        twice = seen.intersection(block.columns)
        if twice:
            raise ModelFileError(f"a column is in one block: column {min(twice, key=repr)!r} is in two. {DAMAGED}")
        seen.update(block.columns)


def _left_out(arrays: Arrays, number: int) -> tuple[tuple[str | int, str], ...]:
    if not number:
        return ()
    _, names = arrays.labels("left_out.columns", number)
    _, reasons = arrays.labels("left_out.reasons", number)
    if not {type(name) for name in names} <= {str, int} or not {type(reason) for reason in reasons} <= {str}:
        raise ModelFileError(f"left_out must name columns, and give reasons in words. {DAMAGED}")
    return tuple(zip(cast("list[str | int]", names), cast("list[str]", reasons), strict=True))
