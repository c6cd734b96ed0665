"""Rows to a model of those rows alone."""

from __future__ import annotations

from typing import Any

from suffice.api.notices import DroppedRowsWarning, notify
from suffice.api.table import table_of, weights_of
from suffice.api.target import target_of
from suffice.engines import arrays
from suffice.models import ClassPrior, NaiveBayesModel, Schema
from suffice.models.collection import collect
from suffice.plan import Reading

__all__ = ["seen_model"]


def seen_model(
    schema: Schema, reading: Reading, class_prior: ClassPrior, data: Any, target: Any, weights: Any
) -> NaiveBayesModel:
    """Return what was seen of these rows, to be read so; rows without a class are left out with a warning."""
    x = table_of(data, schema.width)
    codes, classes, missing = target_of(target, x.shape[0])
    w = weights_of(weights, x.shape[0])
    if missing:
        notify(
            DroppedRowsWarning,
            f"{missing} of {len(codes)} rows have no class and were left out. Give them one, or drop them first.",
        )
    tally = arrays.tally(codes, classes, weights=w)
    parts = collect(schema.plan(), x, codes, classes, w)
    return NaiveBayesModel(schema, tally, parts, reading, class_prior)
