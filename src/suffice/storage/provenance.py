"""Where a model comes from, in a model file: the number of rows in the schema, every text in arrays."""

from __future__ import annotations

from typing import Any, cast

import numpy.typing as npt

from suffice.errors import ModelFileError
from suffice.models import Provenance
from suffice.sources.dialect import Dialect
from suffice.statistics.labels import Label
from suffice.storage.arrays import Arrays, labels_stored
from suffice.storage.container import DAMAGED, shown
from suffice.storage.fields import Fields

__all__ = ["provenance_of", "provenance_stored"]

_TEXT, _NAME = frozenset({str}), frozenset({str, int, type(None)})
_TEXT_OR_NONE, _FLAG, _FLAG_OR_NONE = frozenset({str, type(None)}), frozenset({bool}), frozenset({bool, type(None)})
_TOLD = {"first": _TEXT, "last": _TEXT, "target": _NAME, "weights": _NAME}
_DIALECT = {"delimiter": _TEXT_OR_NONE, "header": _FLAG_OR_NONE, "quote": _FLAG, "encoding": _TEXT_OR_NONE}


def provenance_stored(provenance: Provenance) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the provenance as it stands in the schema, and its arrays."""
    dialect = provenance.dialect
    null = None if dialect is None else dialect.null
    schema = {"rows": int(provenance.rows), "dialect": dialect is not None, "null": null is not None}
    arrays = labels_stored("provenance.told", (getattr(provenance, name) for name in _TOLD))
    arrays.update(labels_stored("provenance.sources", provenance.sources))
    if dialect is not None:
        arrays.update(labels_stored("provenance.dialect", (getattr(dialect, name) for name in _DIALECT)))
    if null is not None:
        arrays.update(labels_stored("provenance.null", null))
    return schema, arrays


def provenance_of(schema: Fields, arrays: Arrays) -> Provenance:
    """Return the provenance, each of its parts of its type."""
    rows = schema.whole("rows")
    told = _named(arrays, "provenance.told", _TOLD)
    sources = _texts(arrays, "provenance.sources")
    dialect = null = None
    has_dialect, has_null = schema.flag("dialect"), schema.flag("null")
    if has_dialect:
        given = _named(arrays, "provenance.dialect", _DIALECT)
        null = _texts(arrays, "provenance.null") if has_null else None
        dialect = Dialect(**given, null=null)
    schema.done()
    return Provenance(rows, sources, **told, dialect=dialect)


def _named(arrays: Arrays, prefix: str, types: dict[str, frozenset[type]]) -> dict[str, Any]:
    found = dict(zip(types, arrays.labels(prefix, len(types))[1], strict=True))
    for name, value in found.items():
        if type(value) not in types[name]:
            raise ModelFileError(f"{name} of its provenance cannot be {shown(value)}. {DAMAGED}")
    return found


def _texts(arrays: Arrays, prefix: str) -> tuple[str, ...]:
    found: list[Label] = arrays.labels(prefix)[1]
    if not {type(text) for text in found} <= {str}:
        raise ModelFileError(f"{prefix} must be texts. {DAMAGED}")
    return cast("tuple[str, ...]", tuple(found))
