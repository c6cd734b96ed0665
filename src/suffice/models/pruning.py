"""A model without what is rare: levels, combinations and columns of counts that weigh little over all classes.

Under mle what is left of a column of levels keeps its proportions, θ'(k) = θ(k)/Σ_left θ, so a row without pruned
levels has log p'(c, x) = log p(c, x) − Σ_j ln Σ_left θ_jc, wherever class c has seen something that is left.
"""

from __future__ import annotations

import math
from dataclasses import replace

from suffice.conjugate.arguments import is_real
from suffice.errors import ParameterError
from suffice.likelihoods.narrowing import pruned
from suffice.models.naive_bayes import NaiveBayesModel
from suffice.models.schema import Block, Schema

__all__ = ["pruned_model"]


def pruned_model(model: NaiveBayesModel, min_count: object) -> NaiveBayesModel:
    """Return the model without what weighs less than `min_count`, or the model itself where nothing does."""
    if not is_real(min_count) or not 0 <= float(min_count) < math.inf:  # pyright: ignore[reportArgumentType]
        raise ParameterError(
            f"min_count must be a finite number ≥ 0: got {min_count!r}. Give the weight that a level must have to stay."
        )
    least = float(min_count)  # pyright: ignore[reportArgumentType]
    schema = model.schema
    left = [
        pruned(block.likelihood, block.columns, parts, least)
        for block, parts in zip(schema.blocks, model.parts, strict=True)
    ]
    if all(each.parts == parts for each, parts in zip(left, model.parts, strict=True)):
        return model
    said = schema.left_out + tuple(reason for each in left for reason in each.left_out)
    left = [each for each in left if each.columns]
    blocks = tuple(Block(each.columns, each.likelihood) for each in left)
    return replace(model, schema=Schema(schema.names, blocks, said), parts=tuple(each.parts for each in left))
