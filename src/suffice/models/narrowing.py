"""A model of fewer columns: the same rows as if they had never had the others, from the statistics alone.

Given the class, blocks are independent, so log p'(c, x) = log p(c, x) − Σ_dropped log p(x_j | c). A column can be
dropped by itself where its likelihood reads each column by itself, and otherwise with its whole block.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from suffice.errors import ParameterError
from suffice.likelihoods import Likelihood
from suffice.likelihoods.narrowing import Narrowed, narrowed
from suffice.models.naive_bayes import NaiveBayesModel
from suffice.models.schema import Block, Schema

__all__ = ["apart", "narrowed_model"]


def apart(likelihood: Likelihood) -> bool:
    """Say whether a column can be taken out of a block with this likelihood and leave the others as they are."""
    return likelihood.column_by_column and likelihood.collect(()).what != "scatter"


def narrowed_model(model: NaiveBayesModel, dropped: Mapping[str | int, str]) -> NaiveBayesModel:
    """Return the model without these columns; each comes with the reason, which the schema then gives."""
    schema = model.schema
    left: list[Narrowed] = []
    for block, parts in zip(schema.blocks, model.parts, strict=True):
        stay = np.array([name not in dropped for name in block.columns])
        if not stay.all() and stay.any() and not apart(block.likelihood):
            gone = [name for name in block.columns if name in dropped]
            raise ParameterError(
                f"column {gone[0]!r} is read together with others, as {block.likelihood!r}, and cannot be dropped "
                "alone. Drop all of them, or give it another likelihood."
            )
        if stay.any():
            left.append(narrowed(block.likelihood, block.columns, parts, stay))
    blocks = tuple(Block(each.columns, each.likelihood) for each in left)
    used = {name for block in schema.blocks for name in block.columns}
    said = (*schema.left_out, *((name, why) for name, why in dropped.items() if name in used))
    return replace(model, schema=Schema(schema.names, blocks, said), parts=tuple(each.parts for each in left))
