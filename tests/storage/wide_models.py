"""Models with a hundred thousand columns, made without rows, such as text or genetic data would give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import suffice as sf
from suffice.likelihoods import Likelihood
from suffice.likelihoods.block_statistics import Parts, Reading
from suffice.models import ClassPrior, NaiveBayesModel, Schema
from suffice.models.schema import Block
from suffice.statistics import Tokens
from suffice.statistics.axis import Columns, columns_of
from suffice.statistics.counts import CountsTable
from suffice.statistics.tokens import Vocabulary

COLUMNS = 100_000


def named(columns: int) -> Columns:
    """Names in no order, some of them beyond ASCII, as words of a vocabulary are."""
    return tuple(f"größe {j * 7919 % columns}" if j % 3 == 0 else f"w{j * 7919 % columns}" for j in range(columns))


def _model(likelihood: Likelihood, names: Columns, classes: sf.statistics.Axis, parts: Parts) -> sf.Model:
    tally = sf.statistics.Tally(classes, np.arange(1.0, len(classes) + 1))
    schema = Schema(names, (Block(names, likelihood),))
    return sf.Model(NaiveBayesModel(schema, tally, (parts,), Reading("predictive"), ClassPrior("empirical")))


def _classes(number: int) -> sf.statistics.Axis:
    return sf.statistics.Axis.of([f"class {c:02}" for c in range(number)])


def words(number: int = 130_000, classes: int = 20) -> sf.Model:
    """Return a model of a column of text with so many words, a third of them in each class."""
    axis = _classes(classes)
    vocabulary = Vocabulary.of(named(number))
    each = [np.arange(c % 3, number, 3, dtype=np.int32) for c in range(classes)]
    starts = np.cumsum([0, *map(len, each)])
    counts = 1.0 + np.arange(starts[-1]) % 9
    weights = np.arange(1.0, classes + 1)
    tokens = Tokens(axis, vocabulary, starts, np.concatenate(each), counts, np.minimum(counts, 2.0), weights)
    return _model(sf.Words(), ("body",), axis, (tokens,))


def bernoulli(columns: int = COLUMNS) -> sf.Model:
    classes, names = _classes(5), columns_of(columns)
    values = np.random.default_rng(1).integers(0, 9, (5, columns)).astype(float)
    return _model(
        sf.Bernoulli(),
        names,
        classes,
        (sf.statistics.Counts(classes, sf.statistics.Axis(names, True), values, np.full((5, 1), 9.0)),),
    )


def multinomial(columns: int = COLUMNS) -> sf.Model:
    classes, names = _classes(20), named(columns)
    axis = sf.statistics.Axis.of(names, declared=True)
    values = np.random.default_rng(2).integers(0, 9, (20, columns)).astype(float)
    counts = sf.statistics.Counts(classes, axis, values, np.full((20, 1), 9.0))
    return _model(sf.Multinomial(coefficients=False), names, classes, (counts,))


def gaussian(columns: int = COLUMNS) -> sf.Model:
    classes, names, rng = _classes(5), columns_of(columns), np.random.default_rng(3)
    mean, dp = rng.normal(size=(5, columns)), rng.random((5, columns))
    moments = sf.statistics.Moments(
        classes, names, np.full((5, columns), 9.0), mean, dp, mean * 1e-18, None, dp * 1e-15
    )
    return _model(sf.Gaussian(), names, classes, (moments,))


def _categorical(columns: int, names: Columns, label: Callable[[int, int], object], kind: int) -> sf.Model:
    classes, rng = _classes(5), np.random.default_rng(4)
    sizes = np.where(np.arange(columns) % 2, 3, 2)
    labels = [label(j, k) for j, size in enumerate(sizes.tolist()) for k in range(size)]
    values = rng.integers(1, 9, 5 * len(labels)).astype(float)
    parts = CountsTable(
        classes,
        sizes,
        bytes([kind]) * len(labels),
        labels,  # type: ignore[arg-type]
        np.zeros(len(labels), dtype=np.bool_),
        values,
        np.full(5 * columns, 30.0),
    )
    return _model(sf.Categorical(), names, classes, parts)


def categorical_text(columns: int = COLUMNS) -> sf.Model:
    return _categorical(columns, named(columns), lambda j, k: f"{j} is {k}", 3)


def categorical_whole(columns: int = COLUMNS) -> sf.Model:
    return _categorical(columns, columns_of(columns), lambda _, k: k, 2)


WIDE = {
    "bernoulli": bernoulli,
    "multinomial": multinomial,
    "gaussian": gaussian,
    "categorical_text": categorical_text,
    "categorical_whole": categorical_whole,
}
