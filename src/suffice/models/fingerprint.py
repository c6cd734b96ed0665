"""A fingerprint of what a model has seen and how it is read: what was learnt from its scores is of no other."""

from __future__ import annotations

import hashlib

import numpy as np

from suffice.models.naive_bayes import NaiveBayesModel

__all__ = ["fingerprint"]


def fingerprint(model: NaiveBayesModel) -> str:
    """Return 32 hexadecimal digits of the statistics, the likelihoods and the reading; the class prior stays free.

    Examples
    --------
    >>> from suffice.models import ClassPrior, NaiveBayesModel, Schema
    >>> from suffice.likelihoods.reading import Reading
    >>> from suffice.statistics import Axis, Tally
    >>> tally = Tally(Axis.of(["a", "b"]), [1, 2])
    >>> model = NaiveBayesModel(Schema((), ()), tally, (), Reading("mean"), ClassPrior.of("uniform"))
    >>> fingerprint(model) == fingerprint(model.scale(2))
    False
    """
    digest = hashlib.sha256()
    digest.update(repr((model.reading.estimate, model.schema.names)).encode())
    digest.update(repr([(block.columns, block.likelihood) for block in model.schema.blocks]).encode())
    if model.reading.alpha is not None:
        digest.update(np.ascontiguousarray(model.reading.alpha).tobytes())
    for statistic in (model.tally, *(part for parts in model.parts for part in parts)):
        for name, array in sorted(statistic.to_arrays().items()):
            digest.update(f"{name} {array.dtype} {array.shape} ".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]
