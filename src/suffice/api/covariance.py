"""Columns that were collected together, read with another covariance: the scatter holds them all, and no row is needed.

    full, shared, diagonal, spherical      of columns together, from any of them to any other
    diagonal, shared                       of columns by themselves: a variance for each class, or one for all

A NormalInverseWishart prior goes on as the NormalInverseGamma of each column where the columns are read by themselves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from suffice.conjugate import NormalInverseWishart
from suffice.errors import ParameterError
from suffice.likelihoods import Gaussian
from suffice.models import NaiveBayesModel
from suffice.models.schema import Block

__all__ = ["with_covariance"]


def with_covariance(model: NaiveBayesModel, covariance: Any, shrinkage: Any, toward: Any) -> NaiveBayesModel:
    """Return the same statistics with these parameters for every Gaussian block; None stays as it is."""
    schema = model.schema
    blocks = tuple(
        Block(block.columns, _exchanged(block.likelihood, covariance, shrinkage, toward))
        if isinstance(block.likelihood, Gaussian)
        else block
        for block in schema.blocks
    )
    if not any(isinstance(block.likelihood, Gaussian) for block in blocks):
        raise ParameterError(
            "covariance, shrinkage and toward are of Gaussian columns, and the model has none. "
            "Fit it with columns=Gaussian(covariance='full')."
        )
    return replace(model, schema=replace(schema, blocks=blocks))


def _exchanged(likelihood: Gaussian, covariance: Any, shrinkage: Any, toward: Any) -> Gaussian:
    wanted = likelihood.covariance if covariance is None else covariance
    if not likelihood.together and wanted in ("full", "spherical"):
        raise ParameterError(
            f"covariance={wanted!r} is of columns that were collected together, and these were not: {likelihood!r}. "
            "Fit the model with Gaussian(covariance='full') or joint=True."
        )
    given: dict[str, Any] = {"covariance": wanted, "joint": likelihood.together, "shrinkage": shrinkage}
    if shrinkage is None and wanted in ("full", "shared"):
        given["shrinkage"] = likelihood.shrinkage
    if toward is not None:
        given["toward"] = toward
    elif wanted != "full":
        given["toward"] = "diagonal"
    prior = likelihood.prior
    if isinstance(prior, NormalInverseWishart) and wanted == "diagonal":
        given["prior"] = prior.components
    return replace(likelihood, **given)
