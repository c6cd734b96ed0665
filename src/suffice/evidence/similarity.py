"""How alike the classes look in a column: the density similarity of its class-conditional distributions.

Symbols: column j with K outcomes, d_c its probability vector in class c.

    outcomes    of real columns the cells of equal mass over all classes, at most `bins` of them; of levels the levels;
                of bools and of counts present (x > 0) and absent; where a missing cell speaks, missing too
    d_c         the mean reading, (N_ck + α)/(n_c + Kα): the column's own prior for levels and presence, α = 1 for cells
    product     ⟨d_a, d_b⟩, what the notes rank by; 1/K for two equal uniform vectors
    cosine      ⟨d_a, d_b⟩ / (‖d_a‖ ‖d_b‖) ∈ [0, 1]; 1 where the classes look alike
    similarity  the mean of the cosine over all pairs of classes that have rows; least: that of the pair that differs
                most

A column of one outcome (constant, or missing in every row) has d_c = (1) and similarity 1, and so has every column
where fewer than two classes have rows. Cells are shared by the classes and of equal mass, so the similarity is the same
in any unit of x.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from suffice.likelihoods import Bernoulli, Histogram, Likelihood, probabilities
from suffice.likelihoods.cells import cells_of, known_weight
from suffice.likelihoods.likelihood import Seen
from suffice.likelihoods.observation import Observation
from suffice.likelihoods.reading import Reading
from suffice.models import NaiveBayesModel, Schema
from suffice.models.narrowing import apart
from suffice.models.schema import Block
from suffice.statistics import Bins
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["Similarity", "densities", "density_schema", "screenable", "similarities", "similarity_of"]

_MEAN = Reading("mean")


class Similarity(NamedTuple):
    """How alike the classes look: mean and least cosine over the pairs of classes, and the mean raw product."""

    cosine: float
    least: float
    product: float


def screenable(likelihood: Likelihood) -> bool:
    """Say whether columns with this likelihood have outcomes of their own: all but text and columns together."""
    return apart(likelihood) and likelihood.collect(()).what != "tokens"


def density_schema(schema: Schema) -> Schema | None:
    """Return what to collect beside a schema for columns whose own statistics do not tell their outcomes, or None.

    Those are Gaussian columns, of which moments are kept, and Poisson columns, of which sums are.
    """
    blocks: list[Block] = []
    for block in schema.blocks:
        what = block.likelihood.collect(block.columns).what
        if not screenable(block.likelihood) or what not in ("moments", "sums"):
            continue
        missing: Any = getattr(block.likelihood, "missing", "ignore")
        blocks.append(Block(block.columns, Histogram(missing=missing) if what == "moments" else Bernoulli()))
    return Schema(schema.names, tuple(blocks)) if blocks else None


def similarities(model: NaiveBayesModel, beside: NaiveBayesModel | None, bins: int) -> dict[str | int, Similarity]:
    """Return how alike the classes look in each column that can be screened, in the order of the data.

    Parameters
    ----------
    model : NaiveBayesModel
    beside : NaiveBayesModel, optional
        The same rows under `density_schema`.
    bins : int
        The most cells of a real column.
    """
    some = model.tally.weight > 0
    found = {
        column: similarity_of(d[some])
        for each in ((model,) if beside is None else (model, beside))
        for column, d in densities(each, bins)
    }
    return {name: found[name] for name in model.schema.names if name in found}


def similarity_of(d: FloatArray) -> Similarity:
    """Return how alike the rows of d look (C × K), each a probability vector.

    Examples
    --------
    >>> similarity_of(np.array([[0.5, 0.5], [1.0, 0.0]]))
    Similarity(cosine=0.7071067811865475, least=0.7071067811865475, product=0.5)
    """
    if len(d) < 2:
        return Similarity(1.0, 1.0, float((d * d).sum()) if len(d) else 1.0)
    products = np.stack([(d * row).sum(axis=1) for row in d])  # in one order, whatever the threads
    squares = np.diagonal(products)
    a, b = np.triu_indices(len(d), 1)
    raw = products[a, b]
    # One root of both squares: two equal vectors then have exactly 1.
    cosine = np.minimum(raw / np.sqrt(squares[a] * squares[b]), 1.0)
    mean = np.clip(cosine.mean(), cosine.min(), cosine.max())  # a mean of equals may round away from them
    return Similarity(float(mean), float(cosine.min()), float(raw.mean()))


def densities(model: NaiveBayesModel, bins: int) -> Iterator[tuple[str | int, FloatArray]]:
    """Yield each column whose outcomes the statistics tell, and d_c of it, classes × outcomes."""
    for block, seen in zip(model.schema.blocks, model.seen(), strict=True):
        if not screenable(block.likelihood):
            continue
        what = block.likelihood.collect(block.columns).what
        mean = replace(seen, reading=_MEAN)
        if what in ("levels", "presence"):
            yield from _of_outcomes(block.likelihood, mean)
        elif what in ("bins", "numeric"):
            yield from _of_cells(block.likelihood, mean, bins)


def _of_outcomes(likelihood: Likelihood, seen: Seen) -> Iterator[tuple[str | int, FloatArray]]:
    for term in likelihood.terms(seen):
        outcomes = term.outcomes()
        if outcomes is not None:
            for column, logs in outcomes.by_column():
                yield column, np.exp(logs.T) if len(logs) else np.ones((len(seen.classes), 1))


def _of_cells(likelihood: Likelihood, seen: Seen, most: int) -> Iterator[tuple[str | int, FloatArray]]:
    bins = seen.parts[-1]
    assert isinstance(bins, Bins)
    counts = {seen.columns[each.column]: each.counts for each in cells_of(bins, seen.classes, most)[0]}
    known = known_weight(bins, seen.classes)
    speaks = getattr(likelihood, "missing", "ignore") == "level"
    missing = Observation.of(seen, known).counts[..., 1]
    for j, column in enumerate(seen.columns):
        one = slice(j, j + 1)
        here = counts.get(column, known[:, one])  # one value, or none: one outcome
        if speaks:
            here = np.concatenate([here, missing[:, one]], axis=1)
        yield column, probabilities.probabilities(here, np.ones_like(here), "mean")
